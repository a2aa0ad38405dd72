package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/journal"
	"perfdeck/session/config"
	"perfdeck/session/inventory"
	"perfdeck/session/record/bundle"
	"perfdeck/session/record/daybook"
	"perfdeck/session/record/logs"
	"perfdeck/session/record/note"
	"perfdeck/session/record/note/notebook"
	"perfdeck/session/record/relog"
	"perfdeck/session/system/osfile"
)

// bundleFlags are the flags of bundle.
type bundleFlags struct {
	output     string
	begin, end string
	deck       string
	rules      []string
	encoding   string
	anonymous  bool
	overwrite  bool
	json       bool
}

func (p *program) bundleCommand() *cobra.Command {
	var f bundleFlags
	c := &cobra.Command{
		Use:   "bundle FILE... -o FILE" + bundle.Extension,
		Short: "Pack an incident into one file that opens anywhere",
		Long: `bundle packs a time of recordings into one file for somebody else, with what the screens
show beside them: decks, alert rules and what they told, the log, and notes.
perfdeck FILE` + bundle.Extension + ` and replay open it on all screens, on any computer; whatever reads
recordings reads it too. It is a zip: the recordings in it are SQLite files, which keep
types, units, display attributes and raw samples.

It never holds passwords, tokens, accounts, addresses of webhooks or commands: no field of
it can. What looks like one in notes and in names is cut out. Opening it runs no action,
dials no host and reads no settings of it.

--anonymous replaces hosts, users, addresses, domains, paths, names of processes and all
other names by words, the same name by the same word: host-1, user-2. Names of countersets
and counters that are known stay, as do instances that are numbers, totals, devices and
programs that are found everywhere. In texts only common words stay. What cannot be replaced
is left out and listed; look through the file before you give it away all the same: dates
and values are as they were.

Times are those of the first recording's zone, as relog takes them.`,
		Example: `  perfdeck bundle night.db --begin 03:00 --end 04:00 -o incident` + bundle.Extension + `
  perfdeck bundle web*.csv --begin '2026-03-02 03:00' --deck web --anonymous -o incident` + bundle.Extension + `
  perfdeck replay incident` + bundle.Extension,
		Args: atLeast(1, "recording"),
		RunE: func(c *cobra.Command, args []string) error { return p.bundle(c, args, f) },
	}
	l := c.Flags()
	l.StringVarP(&f.output, "output", "o", "", "file to write to")
	l.StringVar(&f.begin, "begin", "", "leave out what is earlier")
	l.StringVar(&f.end, "end", "", "leave out what is later")
	l.StringVar(&f.deck, "deck", "", "pack this deck alone, and begin with it (default: all that show what was recorded)")
	l.BoolVar(&f.anonymous, "anonymous", false, "replace names of hosts, users, addresses, paths, processes and all that is not known everywhere")
	l.BoolVarP(&f.overwrite, "yes", "y", false, "overwrite the file if it is there")
	l.StringVar(&f.encoding, "encoding", "", "encoding of text files, as 1252, 932, utf-16le (default: guessed)")
	l.BoolVar(&f.json, "json", false, "print what is in it as JSON")
	p.addAlertFlag(c, &f.rules)
	_ = c.RegisterFlagCompletionFunc("encoding", cobra.FixedCompletions(logs.Encodings(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

var (
	errNoOutput = errors.New("bundle: no file to write to was named")
	errNoPipe   = errors.New("a bundle is a plain file, no pipe, device or standard output")
)

// bundle packs a time of recordings.
func (p *program) bundle(c *cobra.Command, names []string, f bundleFlags) error {
	if f.output == "" {
		return usage(session.WithHint(errNoOutput, "-o incident"+bundle.Extension))
	}
	if f.output == stdinName || isDevice(f.output) {
		return usage(session.WithHint(fmt.Errorf("bundle: write %s: %w", session.Printable(f.output), errNoPipe), "-o incident"+bundle.Extension))
	}
	if err := p.checkApart("bundle", f.output, names); err != nil {
		return err
	}
	if _, err := os.Stat(f.output); err == nil && !f.overwrite {
		return session.WithHint(fmt.Errorf("bundle: write %s: it is there already", f.output), "--yes overwrites it")
	}
	if err := p.loadConfig(); err != nil {
		return err
	}
	found, done, err := p.seekable(names)
	if err != nil {
		return err
	}
	defer done()
	pack := &packing{program: p, flags: f}
	defer pack.close()
	if err := pack.open(c.Context(), found); err != nil {
		return err
	}
	if err := pack.span(); err != nil {
		return err
	}
	if pack.beside, err = pack.gather(found); err != nil {
		return err
	}
	manifest, err := pack.write(c.Context())
	if err != nil {
		return err
	}
	if err := pack.tell(manifest); err != nil {
		return unlessPipe(err)
	}
	for _, r := range pack.recordings {
		pack.partly = p.tellFaults(r.Reader.Faults()) || pack.partly
	}
	if pack.partly {
		return &exitError{code: exitPartly}
	}
	return nil
}

// packing is a bundle that is being made.
type packing struct {
	*program

	flags       bundleFlags
	recordings  []bundle.Recording
	beside      bundle.Beside
	first, last time.Time // of all recordings
	begin, end  time.Time // zero: no limit
	partly      bool
}

func (k *packing) close() {
	for _, r := range k.recordings {
		_ = r.Reader.Close()
	}
}

// open opens the recordings. Those that cannot be opened are told and left out.
func (k *packing) open(ctx context.Context, names []string) error {
	var failed []error
	for _, name := range names {
		r, err := relog.Open(ctx, name, logs.OpenOptions{Encoding: k.flags.encoding})
		if err == nil {
			if err = k.complete(ctx, r, name); err != nil {
				_ = r.Close()
			}
		}
		if err != nil {
			failed = append(failed, err)
			continue
		}
		title := filepath.Base(name)
		k.recordings = append(k.recordings, bundle.Recording{Title: strings.TrimSuffix(title, filepath.Ext(title)), Reader: r})
		span, err := r.Span()
		if err != nil {
			return err
		}
		zone := r.Header().Zone.Location()
		if first := span.First.In(zone); !first.IsZero() && (k.first.IsZero() || first.Before(k.first)) {
			k.first = first
		}
		if last := span.Last.In(zone); last.After(k.last) {
			k.last = last
		}
	}
	if len(k.recordings) == 0 || ctx.Err() != nil {
		return cmp.Or(context.Cause(ctx), k.allButLast(failed))
	}
	for _, err := range failed {
		k.partly = k.passOver(err) || k.partly
	}
	zone := k.recordings[0].Reader.Header().Zone.Location()
	k.first, k.last = k.first.In(zone), k.last.In(zone)
	return nil
}

// span settles the limits.
func (k *packing) span() (err error) {
	if k.begin, err = limit("begin", k.flags.begin, k.first, time.Time{}); err != nil {
		return err
	}
	if k.end, err = limit("end", k.flags.end, k.first, cmp.Or(k.begin, k.first)); err != nil {
		return err
	}
	if !k.begin.IsZero() && !k.end.IsZero() && k.begin.After(k.end) {
		return usage(fmt.Errorf("bundle: --begin %s is later than --end %s", k.begin.Format(time.DateTime), k.end.Format(time.DateTime)))
	}
	return nil
}

// extent tells where the recordings begin and end.
func (k *packing) extent() string {
	if k.first.IsZero() {
		return "what was recorded has no samples"
	}
	return "what was recorded is from " + k.first.Format(time.DateTime) + " to " + k.last.Format(time.DateTime)
}

// gather finds what stands beside the recordings: what bundles among them have, where all
// of them are bundles, else what this user has.
func (k *packing) gather(names []string) (b bundle.Beside, err error) {
	if b.Rules, err = k.rulesOver(nil, k.flags.rules, func(err error) { k.report(err) }); err != nil {
		return b, err
	}
	var decks []session.Deck
	if len(k.bundles) > 0 {
		for _, one := range k.bundles {
			decks = append(decks, one.Decks...)
			b.Events, b.Log = append(b.Events, one.Events...), append(b.Log, one.Log...)
		}
	} else {
		if dir, err := config.StateDir(); err == nil {
			memory, _, err := journal.Read(dir, time.Now())
			if err != nil {
				k.report(fmt.Errorf("what alert rules told is left out: %w", err))
			} else {
				b.Events = memory.History
			}
		}
		if b.Log, err = k.log(); err != nil {
			k.report(fmt.Errorf("some of the log is left out: %w", err))
		}
		decks = slices.Clone(k.config.Decks)
		if kept, err := config.LoadState(); err == nil {
			decks = append(decks, kept.Decks...)
		} else {
			k.report(err)
		}
	}
	var damaged []error
	b.Notes, damaged = notebook.Of(names, k.begin, k.end)
	if dir, err := config.StateDir(); err == nil && len(k.bundles) == 0 {
		book := notebook.New(dir)
		mine, err := book.News()
		if book.Close(); err != nil {
			damaged = append(damaged, err)
		}
		b.Notes = note.Merge(b.Notes, note.Within(mine, k.first, k.last))
	}
	for _, err := range damaged {
		k.report(err)
		k.partly = true
	}
	b.Decks, err = k.decks(decks)
	b.Events = slices.DeleteFunc(b.Events, func(e alert.Event) bool { return e.Time.Before(k.first) || e.Time.After(k.last) })
	return b, err
}

// log is what the screens of this user told meanwhile, of what was recorded and of no host.
func (k *packing) log() ([]daybook.Entry, error) {
	dir, err := config.StateDir()
	if err != nil {
		return nil, nil //nolint:nilerr // nobody has a home: nothing was kept
	}
	list, err := daybook.Read(dir, k.first, k.last)
	hosts, unnamed := k.hosts()
	return slices.DeleteFunc(list, func(e daybook.Entry) bool {
		return e.Host != "" && !unnamed && !slices.ContainsFunc(hosts, func(h string) bool { return inventory.Is(e.Host, h) })
	}), err
}

// hosts are those of the recordings; unnamed tells that some counters name none.
func (k *packing) hosts() (hosts []string, unnamed bool) {
	for _, r := range k.recordings {
		for i := range r.Reader.Header().Columns {
			column := relog.NewFilter(r.Reader.Header().Columns[i].Path)
			unnamed = unnamed || column.Path.Computer == ""
			if !slices.Contains(hosts, column.Path.Computer) {
				hosts = append(hosts, column.Path.Computer)
			}
		}
	}
	return hosts, unnamed
}

// decks are those that show what was recorded, without panes of other hosts. Of two of a
// name the later one stands, which is that of the screens.
func (k *packing) decks(all []session.Deck) (out []session.Deck, err error) {
	hosts, unnamed := k.hosts()
	var names []string
	for _, d := range slices.Backward(all) {
		if slices.ContainsFunc(out, func(o session.Deck) bool { return strings.EqualFold(o.Name, d.Name) }) {
			continue
		}
		panes := slices.Clone(d.Panes)
		for i := range panes {
			if inventory.IsLocal(panes[i].Host) && panes[i].Host != "" {
				panes[i].Host = inventory.LocalName()
			}
		}
		d.Panes = slices.DeleteFunc(panes, func(p session.DeckPane) bool {
			return p.Host != "" && !unnamed && !slices.ContainsFunc(hosts, func(h string) bool { return inventory.Is(inventory.DisplayName(p.Host), h) })
		})
		for i := range d.Panes {
			if d.Panes[i].Host != "" {
				d.Panes[i].Host = inventory.DisplayName(d.Panes[i].Host)
			}
		}
		if len(d.Panes) > 0 {
			out, names = append(out, d), append(names, d.Name)
		}
	}
	slices.Reverse(out)
	if k.flags.deck == "" {
		return out, nil
	}
	out = slices.DeleteFunc(out, func(d session.Deck) bool { return !strings.EqualFold(d.Name, k.flags.deck) })
	if len(out) == 0 {
		hint := "no deck shows what was recorded"
		if len(names) > 0 {
			hint = "there are " + session.Printable(strings.Join(names, ", "))
		}
		return nil, usage(session.WithHint(fmt.Errorf("bundle: --deck %s: no such deck", session.Printable(k.flags.deck)), hint))
	}
	return out, nil
}

// write writes the bundle: to a file that gets its name when it is complete.
func (k *packing) write(ctx context.Context) (*bundle.Manifest, error) {
	fail := func(err error) error { return fmt.Errorf("bundle: write %s: %w", k.flags.output, err) }
	name, err := osfile.Target(k.flags.output)
	if err != nil {
		return nil, fail(err)
	}
	folder, err := os.MkdirTemp(filepath.Dir(name), ".perfdeck-")
	if err != nil {
		return nil, fail(err)
	}
	whole := k.life.Half(folder)
	defer func() {
		_ = os.RemoveAll(folder)
		whole()
	}()
	part := filepath.Join(folder, "part")
	out, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fail(err)
	}
	came := 0.0
	bar := k.newProgress(func() (float64, string, bool) { return came, "", true })
	manifest, err := bundle.Write(ctx, out, k.recordings, k.beside, bundle.Options{
		Begin: k.begin, End: k.end, Perfdeck: version, Folder: folder, Withheld: k.config.Private(),
		Anonymous: k.flags.anonymous, Hosts: k.knownHosts(), Users: k.knownUsers(),
		Tick: func(share float64) { came = share; bar.show() },
	})
	bar.clear()
	err = cmp.Or(err, out.Sync(), out.Close())
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%w: nothing was written", fail(context.Cause(ctx)))
	case errors.Is(err, bundle.ErrNothing):
		return nil, session.WithHint(fail(err), k.extent())
	case err != nil:
		return nil, fail(err)
	}
	if !k.flags.overwrite {
		if err := os.Link(part, name); err == nil || errors.Is(err, fs.ErrExist) { // it came in the meantime
			return manifest, err
		}
	}
	if err := osfile.Replace(part, name); err != nil {
		return nil, fail(err)
	}
	return manifest, nil
}

// knownHosts are hosts that texts may name beside those that were recorded.
func (k *packing) knownHosts() (out []string) {
	out = append(out, inventory.LocalName())
	for _, h := range k.config.Hosts {
		out = append(out, h.Name, h.Address)
	}
	for _, g := range k.config.Groups {
		out = append(out, g.Hosts...)
	}
	return slices.DeleteFunc(out, func(name string) bool { return name == "" || inventory.IsLocal(name) })
}

// knownUsers are users that texts may name.
func (k *packing) knownUsers() (out []string) {
	out = append(out, userName(), k.program.flags.user)
	for _, h := range k.config.Hosts {
		out = append(out, h.User)
	}
	return slices.DeleteFunc(out, func(name string) bool { return name == "" })
}

// tell tells what is in the bundle, and what was left out.
func (k *packing) tell(m *bundle.Manifest) error {
	if k.flags.json {
		return writeJSON(k.out, m)
	}
	recordings, counters, samples := 0, 0, int64(0)
	var rest []string
	for _, p := range m.Parts {
		if p.Counters > 0 {
			recordings, counters, samples = recordings+1, counters+p.Counters, samples+p.Samples
			continue
		}
		one, many := strings.TrimSuffix(p.Kind, "s"), p.Kind
		if p.Kind == "log" {
			one, many = "line of the log", "lines of the log"
		}
		rest = append(rest, count(p.Items, one, many))
	}
	size := ""
	if info, err := os.Stat(k.flags.output); err == nil {
		size = fmt.Sprintf(", %.1f MB", float64(info.Size())/1e6)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s, %s to %s%s\n", k.flags.output, count(recordings, "recording", "recordings"), count(counters, "counter", "counters"),
		m.Begin.Format(time.DateTime), m.End.Format(time.DateTime), size)
	if len(rest) > 0 {
		b.WriteString("  with " + strings.Join(rest, ", ") + "\n")
	}
	for _, left := range m.Left {
		word := "left out: "
		if strings.HasPrefix(left, "replaced: ") {
			word = ""
		}
		b.WriteString("  " + word + session.Printable(left) + "\n")
	}
	_, err := fmt.Fprint(k.out, b.String())
	return err
}
