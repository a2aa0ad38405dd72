// Package packing makes bundles: recordings are opened, what stands beside them is gathered,
// and all of it is written to a file that gets its name when it is complete.
package packing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/deliver/journal"
	"perfdeck/session/files/bundle"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/files/screenlog"
	"perfdeck/session/recording/relog"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
)

// Options say what is packed, and from what. Functions are called by the goroutine that packs.
type Options struct {
	Output     string
	Overwrite  bool
	Begin, End string // as relog takes them; empty: no limit
	Deck       string `flag:"deck" help:"pack this deck alone, and begin with it (default: all that show what was recorded)"`
	Anonymous  bool   `flag:"anonymous" help:"replace names of hosts, users, addresses, paths, processes and all that is not known everywhere"`
	Texts      bool   `flag:"events" help:"pack what hosts wrote down of themselves in their own words, too, which may name anything"`

	Config   *config.Config
	Bundles  []*bundle.Bundle // among the recordings: what they have counts, not what this user has
	Users    []string         // that texts may name beside those of the config
	Perfdeck string           // the version that packs

	Open   func(name string) (logs.Reader, error)
	Rules  func() ([]alert.Rule, error)
	Half   func(folder string) (whole func()) // removes a folder should the program be ended
	Report func(error)
	Tick   func(share float64) // nil: nobody wants to know
}

// Packed is what was packed.
type Packed struct {
	Manifest *bundle.Manifest
	Missing  bool          // something could not be read, as was reported
	Faults   []logs.Faults // of the recordings
}

// Pack packs a time of recordings. Those that cannot be opened are reported and left out.
func Pack(ctx context.Context, names []string, o Options) (*Packed, error) {
	k := &packer{Options: o}
	defer k.close()
	if err := k.open(ctx, names); err != nil {
		return nil, err
	}
	var err error
	again := func(words string) { o.Report(errors.New("bundle: " + words)) }
	if k.begin, k.end, err = relog.Limits(o.Begin, o.End, k.first, k.last, time.Time{}, again); err != nil {
		return nil, err
	}
	if !k.begin.IsZero() && !k.end.IsZero() && k.begin.After(k.end) {
		return nil, failure.Usage(fmt.Errorf("bundle: --begin %s is later than --end %s", k.begin.Format(time.DateTime), k.end.Format(time.DateTime)))
	}
	if k.beside, err = k.gather(names); err != nil {
		return nil, err
	}
	manifest, err := k.write(ctx)
	if err != nil {
		return nil, err
	}
	out := &Packed{Manifest: manifest, Missing: k.missing}
	for _, r := range k.recordings {
		out.Faults = append(out.Faults, r.Reader.Faults())
	}
	return out, nil
}

// packer is a bundle that is being made.
type packer struct {
	Options
	recordings  []bundle.Recording
	files       []string // theirs
	beside      bundle.Extras
	first, last time.Time // of all recordings
	begin, end  time.Time // zero: no limit
	missing     bool
}

func (k *packer) close() {
	for _, r := range k.recordings {
		_ = r.Reader.Close()
	}
}

// open opens the recordings.
func (k *packer) open(ctx context.Context, names []string) (err error) {
	k.recordings, k.missing, err = relog.OpenSome(ctx, names, func(name string) (bundle.Recording, error) {
		title := filepath.Base(name)
		r, err := k.Open(name)
		if err == nil {
			k.files = append(k.files, name)
		}
		return bundle.Recording{Title: strings.TrimSuffix(title, filepath.Ext(title)), Reader: r}, err
	}, k.Report)
	if err != nil {
		return err
	}
	for i := range k.recordings {
		r := &k.recordings[i]
		if err := logs.Know(ctx, r.Reader); err != nil {
			return err
		}
		var damaged []error
		r.HostEvents, r.HasEvents, damaged = formats.Events(ctx, k.files[i:i+1], logs.LineOf(r.Reader).Place, time.Time{}, time.Time{})
		k.left(damaged)
		span, err := r.Reader.Span()
		if err != nil {
			return err
		}
		zone := logs.LineOf(r.Reader).Location()
		if first := span.First.In(zone); !first.IsZero() && (k.first.IsZero() || first.Before(k.first)) {
			k.first = first
		}
		k.last = session.Later(span.Last.In(zone), k.last)
	}
	zone := logs.LineOf(k.recordings[0].Reader).Location()
	k.first, k.last = k.first.In(zone), k.last.In(zone)
	return nil
}

// left reports what cannot be read.
func (k *packer) left(damaged []error) {
	for _, err := range damaged {
		k.Report(err)
		k.missing = true
	}
}

// extent tells where the recordings begin and end.
func (k *packer) extent() string {
	if k.first.IsZero() {
		return "what was recorded has no samples"
	}
	return "what was recorded is from " + k.first.Format(time.DateTime) + " to " + k.last.Format(time.DateTime)
}

// gather finds what stands beside the recordings: what bundles among them have, where all
// of them are bundles, else what this user has.
func (k *packer) gather(names []string) (b bundle.Extras, err error) {
	if b.Rules, err = k.Rules(); err != nil {
		return b, err
	}
	var decks []session.Deck
	own := "" // the state folder, as far as it counts
	if len(k.Bundles) > 0 {
		for _, one := range k.Bundles {
			decks = append(decks, one.Decks...)
			b.Events, b.Log = append(b.Events, one.Events...), append(b.Log, one.Log...)
		}
	} else {
		if own, err = config.StateDir(); err == nil { // else nobody has a home: nothing was kept
			memory, _, err := journal.Read(own, time.Now())
			if err != nil {
				k.Report(fmt.Errorf("what alert rules told is left out: %w", err))
			} else {
				b.Events = memory.History
			}
			if b.Log, err = k.log(own); err != nil {
				k.Report(fmt.Errorf("some of the log is left out: %w", err))
			}
		}
		decks = slices.Clone(k.Config.Decks)
		if kept, err := config.LoadState(); err == nil {
			decks = append(decks, kept.Decks...)
		} else {
			k.Report(err)
		}
	}
	var damaged []error
	line := logs.LineOf(k.recordings[0].Reader)
	b.Notes, damaged = notebook.Of(names, line.Place, k.begin, k.end)
	if own != "" {
		book := notebook.New(own)
		mine, err := book.News()
		if book.Close(); err != nil {
			damaged = append(damaged, err)
		}
		line.Place(note.Times(mine)...)
		b.Notes = note.Merge(b.Notes, note.Within(note.Merge(mine), k.first, k.last))
	}
	k.left(damaged)
	b.Decks, err = k.decks(decks)
	line.Place(bundle.Times(b.Events)...)
	b.Events = slices.DeleteFunc(b.Events, func(e alert.Event) bool { return e.Time.Before(k.first) || e.Time.After(k.last) })
	return b, err
}

// log is what the screens of this user told meanwhile, of what was recorded and of no host.
func (k *packer) log(dir string) ([]screenlog.Entry, error) {
	list, err := screenlog.Read(dir, k.first, k.last)
	hosts, unnamed := k.hosts()
	return slices.DeleteFunc(list, func(e screenlog.Entry) bool {
		return e.Host != "" && !unnamed && !slices.ContainsFunc(hosts, func(h string) bool { return inventory.Is(e.Host, h) })
	}), err
}

// hosts are those of the recordings; unnamed tells that some counters name none.
func (k *packer) hosts() (hosts []string, unnamed bool) {
	known := map[string]bool{}
	for _, r := range k.recordings {
		for i := range r.Reader.Header().Columns {
			column := relog.NewFilter(r.Reader.Header().Columns[i].Path)
			host := column.Path.Computer
			unnamed = unnamed || host == ""
			if !known[host] {
				known[host], hosts = true, append(hosts, host)
			}
		}
	}
	return hosts, unnamed
}

// decks are those that show what was recorded, without panes of other hosts. Of two of a
// name the later one stands, which is that of the screens.
func (k *packer) decks(all []session.Deck) (out []session.Deck, err error) {
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
	if k.Deck == "" {
		return out, nil
	}
	out = slices.DeleteFunc(out, func(d session.Deck) bool { return !strings.EqualFold(d.Name, k.Deck) })
	if len(out) == 0 {
		hint := "no deck shows what was recorded"
		if len(names) > 0 {
			hint = "there are " + strings.Join(names, ", ")
		}
		return nil, failure.Usage(fmt.Errorf("bundle: --deck %s: no such deck", k.Deck), hint)
	}
	return out, nil
}

// write writes the bundle: to a file that gets its name when it is complete.
func (k *packer) write(ctx context.Context) (*bundle.Manifest, error) {
	fail := func(err error) error {
		err = fmt.Errorf("bundle: write %s: %w", k.Output, err)
		if failure.IsFull(err) {
			return failure.WithHint(err, failure.RoomHint(k.Output))
		}
		return err
	}
	name, err := osfile.Target(k.Output)
	if err != nil {
		return nil, fail(err)
	}
	folder, remove, err := osfile.MakeTemp(filepath.Dir(name), ".perfdeck-")
	if err != nil {
		return nil, fail(err)
	}
	whole := k.Half(folder)
	defer func() {
		remove()
		whole()
	}()
	part := filepath.Join(folder, "part")
	out, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fail(err)
	}
	manifest, err := bundle.Write(ctx, out, k.recordings, k.beside, bundle.Options{
		Begin: k.begin, End: k.end, Perfdeck: k.Perfdeck, Folder: folder, Withheld: k.Config.Private(),
		Anonymous: k.Anonymous, Texts: k.Texts, Hosts: k.knownHosts(), Users: k.knownUsers(),
		Tick: k.Tick,
	})
	err = cmp.Or(err, out.Sync(), out.Close())
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%w: nothing was written", fail(context.Cause(ctx)))
	case errors.Is(err, bundle.ErrNothing):
		return nil, failure.WithHint(fail(err), k.extent())
	case err != nil:
		return nil, fail(err)
	}
	if err := osfile.Place(part, name, k.Overwrite); err != nil {
		return nil, fail(err)
	}
	return manifest, nil
}

// knownHosts are hosts that texts may name beside those that were recorded.
func (k *packer) knownHosts() (out []string) {
	out = append(out, inventory.LocalName())
	for _, h := range k.Config.Hosts {
		out = append(out, h.Name, h.Address)
	}
	for _, g := range k.Config.Groups {
		out = append(out, g.Hosts...)
	}
	return slices.DeleteFunc(out, func(name string) bool { return name == "" || inventory.IsLocal(name) })
}

// knownUsers are users that texts may name.
func (k *packer) knownUsers() (out []string) {
	out = append(out, k.Users...)
	for _, h := range k.Config.Hosts {
		out = append(out, h.User)
	}
	return slices.DeleteFunc(out, func(name string) bool { return name == "" })
}
