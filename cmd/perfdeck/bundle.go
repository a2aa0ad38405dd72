package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"perfdeck/session/alert"
	"perfdeck/session/app/packing"
	"perfdeck/session/files/bundle"
	"perfdeck/session/files/logs"
	"perfdeck/session/recording/destination"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/printable"
)

// bundleFlags are the flags of bundle.
type bundleFlags struct {
	packing.Options

	rules []string
	read  logs.OpenOptions
	JSON  bool `flag:"json" help:"print what is in it as JSON"`
}

func (p *program) bundleCommand() *cobra.Command {
	var f bundleFlags
	c := flagged(&cobra.Command{
		Use:   "bundle FILE... -o FILE" + bundle.Extension,
		Short: "Pack an incident into one file that opens anywhere",
		Long: `bundle packs a time of recordings into one file for somebody else, with what the screens
show beside them: decks, alert rules and what they told, the log, and notes.
perfdeck FILE` + bundle.Extension + ` and replay open it on all screens, on any computer; whatever reads
recordings reads it too. It is a zip: the recordings in it are SQLite files, which keep
types, units, display attributes and raw samples.

It never holds passwords, tokens, accounts, addresses of webhooks or commands: no field of
it can. What looks like one is cut out of notes, names, paths, texts and titles. Opening it
runs no action, dials no host and reads no settings of it.

What hosts wrote down of themselves goes along, but in their own words only with --events:
without, it is when, how bad, who wrote it, how often, and the sentence that perfdeck has for it.

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
		Args: needs("recording"),
	}, &f, p.bundle)
	addOutputFlags(c, &f.Output, &f.Overwrite, "")
	addSpanFlags(c, &f.Begin, &f.End, "")
	addReadingFlags(c, &f.read, "")
	p.addAlertFlag(c, &f.rules)
	return c
}

var (
	errNoOutput = errors.New("bundle: no file to write to was named")
	errNoPipe   = errors.New("a bundle is a plain file, no pipe, device or standard output")
)

// bundle packs a time of recordings.
func (p *program) bundle(c *cobra.Command, names []string, f bundleFlags) error {
	if f.Output == "" {
		return usage(errNoOutput, "-o incident"+bundle.Extension)
	}
	if f.Output == stdinName || osfile.IsDevice(f.Output) {
		return usage(fmt.Errorf("bundle: write %s: %w", f.Output, errNoPipe), "-o incident"+bundle.Extension)
	}
	if err := destination.Apart("bundle", f.Output, p.in, names); err != nil {
		return err
	}
	if _, err := os.Stat(f.Output); err == nil && !f.Overwrite {
		return failure.WithHint(fmt.Errorf("bundle: write %s: it is there already", f.Output), "--yes overwrites it")
	}
	if err := p.loadConfig(); err != nil {
		return err
	}
	found, done, err := p.spooled().Files(names)
	if err != nil {
		return err
	}
	defer done()
	f.read.English = f.read.English || f.Anonymous // names that are known everywhere are known in English
	tick, end := p.shareBar()
	f.Config, f.Bundles, f.Users, f.Perfdeck = p.config, p.spooled().Bundles(), []string{userName(), p.flags.User}, version()
	f.Open = func(name string) (logs.Reader, error) { return p.openComplete(c.Context(), name, f.read) }
	f.Rules = func() ([]alert.Rule, error) { return p.rulesOver(nil, f.rules, p.tellError) }
	f.Half, f.Report, f.Tick = p.life.Half, p.tellError, tick
	packed, err := packing.Pack(c.Context(), found, f.Options)
	end()
	if err != nil {
		return err
	}
	if err := p.tellBundle(packed.Manifest, f); err != nil {
		return err
	}
	partly := packed.Missing
	for _, faults := range packed.Faults {
		partly = p.tellFaults(faults) || partly
	}
	return partlyIf(partly)
}

// openComplete opens a recording and finds all its counters.
func (p *program) openComplete(ctx context.Context, name string, read logs.OpenOptions) (logs.Reader, error) {
	r, err := p.opener(ctx, read)(name)
	if err != nil {
		return nil, err
	}
	if err := p.complete(ctx, r, name); err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// tellBundle tells what is in the bundle, and what was left out.
func (p *program) tellBundle(m *bundle.Manifest, f bundleFlags) error {
	if f.JSON {
		return printable.WriteJSON(p.out, m)
	}
	var size int64
	if info, err := os.Stat(f.Output); err == nil {
		size = info.Size()
	}
	_, err := fmt.Fprint(p.out, m.Text(f.Output, size))
	return err
}
