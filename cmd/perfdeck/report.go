package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"perfdeck/session/alert"
	"perfdeck/session/analysis/report"
	"perfdeck/session/app/reporting"
	"perfdeck/session/app/ruleset"
	"perfdeck/session/files/logs"
	"perfdeck/session/recording/destination"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text"
)

// reportFlags are the flags of report.
type reportFlags struct {
	reporting.Options

	format    string
	overwrite bool
	packs     []string
	Files     []string `flag:"rules" help:"file of rules: [[alert]] tables, or thresholds of PAL (repeatable)"`
	rules     []string
	read      logs.OpenOptions
}

func (p *program) reportCommand() *cobra.Command {
	var f reportFlags
	c := flagged(&cobra.Command{
		Use:   "report FILE...",
		Short: "Tell what was wrong in recordings, with pictures and the arithmetic",
		Long: `What was wrong, with all that stands behind it? report judges rules over recordings and
tells what was wrong: when, for how long, how bad, on which instances, why it matters, what
else moved in that time, and what to look at next; then hosts side by side, what changed
from the beginning to the end, all counters, what is missing, and how each number was made.
It reads what relog reads, several files and several hosts as one report.

-o night.html writes one file that needs nothing else: no script, nothing from elsewhere,
light and dark, for screens, phones and paper. .md is Markdown, .json has all of it as
numbers for programs, .txt is what the terminal shows without -o.

Rules are those of all starter packs and of the config, with what users changed on the
screens; --pack takes these packs alone, besides those of the config. --rules takes files:
with [[alert]] tables as the config has them, or threshold files of PAL, of which what
cannot be judged is told; no script of theirs is run. --alert is a rule by itself. The
starter packs hold limits for many kinds of hosts: a rule of the config with the name of
one replaces it.

Where recordings keep what hosts logged, see perfdeck record --events, a verdict has that
from ten minutes before it to its end, what is known to matter first. The memory killer, a
service that failed or ended, a disk that was reset or has bad blocks and an unexpected
restart are warnings by themselves. Texts of hosts stand in all forms.

Notes that lie beside the recordings are drawn. --begin and --end are those of relog; with
--host only those hosts are told of.

The exit code is 3 when something could not be read, or rules were not judged to the end:
the report tells what is missing.`,
		Example: `  perfdeck report night.blg
  perfdeck report night.db -o night.html
  perfdeck report web1.csv web2.csv --begin 22:00 --end 06:00 -o both.html
  perfdeck report sql.blg --pack sqlserver --rules SQLServer.xml -o sql.md
  perfdeck report night.csv --alert '\Memory\Available MBytes<2000' -f json`,
		Args: needs("recording"),
	}, &f, p.reportOn)
	addOutputFlags(c, &f.Output, &f.overwrite, ": "+report.Extensions()+"; - is standard output")
	c.Flags().StringVarP(&f.format, "format", "f", "", "format: "+strings.Join(report.FormNames(), "|")+" (default: what the name says, or text)")
	addSpanFlags(c, &f.Begin, &f.End, "")
	addPackFlag(c, &f.packs, "starter pack of rules, instead of all; none: no pack")
	p.addAlertFlag(c, &f.rules)
	addReadingFlags(c, &f.read, "")
	offer(c, "format", report.FormNames())
	return c
}

// reportOn makes the report.
func (p *program) reportOn(c *cobra.Command, names []string, f reportFlags) error {
	if f.Output == stdinName {
		f.Output = ""
	}
	form, err := report.FormOf(f.format, f.Output)
	if err != nil {
		return err
	}
	if err := destination.Apart("report", f.Output, p.in, names, f.Files); err != nil {
		return err
	}
	if _, err := os.Stat(f.Output); f.Output != "" && err == nil && !f.overwrite && !osfile.IsDevice(f.Output) {
		return failure.WithHint(fmt.Errorf("write %s: it is there already", f.Output), "--yes overwrites it")
	}
	settings, every, err := p.ruleSettings(c)
	if err != nil {
		return err
	}
	files, done, err := p.spooled().Files(names)
	if err != nil {
		return err
	}
	defer done()
	tick, end := p.shareBar()
	f.Hosts, f.Perfdeck, f.Shown, f.Named = p.flags.Hosts, version(), p.shown, p.spooled().Named
	f.Every, f.Looks, f.Guard, f.Report, f.Tick = every, p.config.Counters.Looks(settings), p.guard, p.tellError, tick
	f.Open, f.Rules = p.opener(c.Context(), f.read), func() ([]alert.Rule, error) { return p.rulesOfReport(f) }
	r, partly, err := reporting.Report(c.Context(), files, f.Options)
	end()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := form.Write(r, &text, report.TextOptions{Printer: p.reportPrinter(f.Output), ASCII: settings.ASCII}); err != nil {
		return err
	}
	if err := p.writeText(f.Output, f.overwrite, text.Bytes()); err != nil {
		return err
	}
	return partlyIf(partly || len(r.Missing) > 0)
}

// reportPrinter is that of a report: of a terminal only where the report goes there.
func (p *program) reportPrinter(output string) *text.Printer {
	if output != "" {
		return text.Plain(io.Discard)
	}
	return p.people(p.out)
}

// rulesOfReport are the rules that the flags mean.
func (p *program) rulesOfReport(f reportFlags) ([]alert.Rule, error) {
	var more []alert.Rule
	for _, name := range f.Files {
		data, err := p.readInput(name, 32<<20)
		if err != nil {
			return nil, fmt.Errorf("read rules: %w", err)
		}
		file, err := ruleset.ReadFile(name, data)
		for _, text := range file.Left {
			p.aside("%s", text)
		}
		for _, w := range file.Warnings {
			p.warn(w.String(), "")
		}
		if err != nil {
			return nil, err
		}
		more = append(more, file.Rules...)
	}
	rules, err := p.rulesOver(ruleset.Packs(f.packs), f.rules, p.tellError)
	return append(rules, more...), err
}
