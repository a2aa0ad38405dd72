package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/pal"
	"perfdeck/session/alert/rulepack"
	"perfdeck/session/alert/ruleset"
	"perfdeck/session/analysis/difference"
	"perfdeck/session/analysis/report"
	"perfdeck/session/config"
	"perfdeck/session/inventory"
	"perfdeck/session/record/logs"
	"perfdeck/session/record/note/notebook"
	"perfdeck/session/record/relog"
	"perfdeck/session/source/replay"
	"perfdeck/session/system/osfile"
	"perfdeck/session/system/output"
)

// reportFlags are the flags of report.
type reportFlags struct {
	output, format string
	overwrite      bool
	begin, end     string
	packs          []string
	files          []string // of rules
	rules          []string
	encoding       string
}

func (p *program) reportCommand() *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report FILE...",
		Short: "Tell what was wrong in recordings, with pictures and the arithmetic",
		Long: `report judges rules over recordings and tells what was wrong: when, for how long, how bad,
on which instances, why it matters, what else moved in that time, and what to look at
next; then hosts side by side, what changed from the beginning to the end, all counters,
what is missing, and how each number was made. It reads what relog reads, several files
and several hosts as one report.

-o night.html writes one file that needs nothing else: no script, nothing from elsewhere,
light and dark, for screens, phones and paper. .md is Markdown, .json has all of it as
numbers for programs, .txt is what the terminal shows without -o.

Rules are those of all starter packs and of the config, with what users changed on the
screens; --pack takes these packs alone, besides those of the config. --rules takes files:
with [[alert]] tables as the config has them, or threshold files of PAL, of which what
cannot be judged is told; no script of theirs is run. --alert is a rule by itself. The
starter packs hold limits for many kinds of hosts: a rule of the config with the name of
one replaces it.

Notes that lie beside the recordings are drawn. --begin and --end are those of relog; with
--host only those hosts are told of.

The exit code is 3 when something could not be read, or rules were not judged to the end:
the report tells what is missing.`,
		Example: `  perfdeck report night.blg
  perfdeck report night.db -o night.html
  perfdeck report web1.csv web2.csv --begin 22:00 --end 06:00 -o both.html
  perfdeck report sql.blg --pack sqlserver --rules SQLServer.xml -o sql.md
  perfdeck report night.csv --alert '\Memory\Available MBytes<2000' -f json`,
		Args: atLeast(1, "recording"),
		RunE: func(c *cobra.Command, args []string) error { return p.reportOn(c, args, f) },
	}
	l := c.Flags()
	l.StringVarP(&f.output, "output", "o", "", "file to write to: "+reportExtensions()+"; - is standard output")
	l.StringVarP(&f.format, "format", "f", "", "format: "+strings.Join(reportFormats(), "|")+" (default: what the name says, or text)")
	l.BoolVarP(&f.overwrite, "yes", "y", false, "overwrite the file if it is there")
	l.StringVar(&f.begin, "begin", "", "leave out what is earlier")
	l.StringVar(&f.end, "end", "", "leave out what is later")
	l.StringArrayVar(&f.packs, "pack", nil, "starter pack of rules, instead of all; none: no pack (repeatable)")
	l.StringArrayVar(&f.files, "rules", nil, "file of rules: [[alert]] tables, or thresholds of PAL (repeatable)")
	p.addAlertFlag(c, &f.rules)
	l.StringVar(&f.encoding, "encoding", "", "encoding of text files, as 1252, 932, utf-16le (default: guessed)")
	_ = c.RegisterFlagCompletionFunc("pack", completePack)
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(reportFormats(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("encoding", cobra.FixedCompletions(logs.Encodings(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

// reportForm is a form of reports: a row is all it takes.
type reportForm struct {
	name       string
	extensions []string
	write      func(*report.Report, io.Writer, report.TextOptions) error
}

var reportForms = []reportForm{
	{"html", []string{".html", ".htm"}, func(r *report.Report, w io.Writer, _ report.TextOptions) error { return r.WriteHTML(w) }},
	{"md", []string{".md", ".markdown"}, func(r *report.Report, w io.Writer, _ report.TextOptions) error { return r.WriteMarkdown(w) }},
	{"json", []string{".json"}, func(r *report.Report, w io.Writer, _ report.TextOptions) error { return r.WriteJSON(w) }},
	{"text", []string{".txt"}, func(r *report.Report, w io.Writer, o report.TextOptions) error { return r.WriteText(w, o) }},
}

func reportFormats() (names []string) {
	for _, f := range reportForms {
		names = append(names, f.name)
	}
	return names
}

// reportExtensions are what names of reports end in, in words.
func reportExtensions() string {
	names := make([]string, len(reportForms))
	for i, f := range reportForms {
		names[i] = f.extensions[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// form is the form that the flags ask for.
func (f *reportFlags) form() (*reportForm, error) {
	name := f.format
	for i := range reportForms {
		one := &reportForms[i]
		if name == one.name || name == "" && slices.Contains(one.extensions, strings.ToLower(filepath.Ext(f.output))) {
			return one, nil
		}
	}
	known := "forms: " + strings.Join(reportFormats(), ", ") + " (-f), or a name that ends in " + reportExtensions()
	switch {
	case name != "":
		return nil, usage(session.WithHint(fmt.Errorf("--format %s: no such form of reports", name), known))
	case f.output == "" || f.output == stdinName:
		return &reportForms[len(reportForms)-1], nil
	}
	return nil, usage(session.WithHint(fmt.Errorf("report -o %s: its name tells no form of reports", f.output), known))
}

// reportOn makes the report.
func (p *program) reportOn(c *cobra.Command, names []string, f reportFlags) error {
	form, err := f.form()
	if err != nil {
		return err
	}
	if f.output == stdinName {
		f.output = ""
	}
	if err := p.checkApart("report", f.output, names, f.files); err != nil {
		return err
	}
	if _, err := os.Stat(f.output); f.output != "" && err == nil && !f.overwrite && !osfile.IsDevice(f.output) {
		return session.WithHint(fmt.Errorf("write %s: it is there already", f.output), "--yes overwrites it")
	}
	settings, err := p.settings(c)
	if err != nil {
		return err
	}
	every, err := alertInterval(c, settings)
	if err != nil {
		return err
	}
	n := &nightReport{program: p, flags: f, settings: settings, every: every}
	defer n.close()
	if err := n.open(c.Context(), names); err != nil {
		return err
	}
	if n.rules, err = p.rulesOfReport(f); err != nil {
		return err
	}
	n.rules = append(n.rules, report.OlderNames(n.player, n.rules)...)
	r, err := n.make(c.Context())
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := form.write(r, &text, report.TextOptions{Cells: p.reportCells(f.output), ASCII: settings.ASCII}); err != nil {
		return err
	}
	if err := p.writeText(f.output, f.overwrite, text.Bytes()); err != nil {
		return err
	}
	if n.partly || len(r.Missing) > 0 {
		return &exitError{code: exitPartly}
	}
	return nil
}

// reportCells is how wide the terminal is that gets a report; 0: it is none.
func (p *program) reportCells(output string) int {
	if output != "" {
		return 0
	}
	if width, _, err := term.GetSize(int(p.out.Fd())); err == nil {
		return width
	}
	return 0
}

// rulesOfReport are the rules that are judged; of two with one name it is the first.
func (p *program) rulesOfReport(f reportFlags) ([]alert.Rule, error) {
	var more []alert.Rule
	for _, name := range f.files {
		rules, err := p.rulesOfFile(name)
		if err != nil {
			return nil, err
		}
		more = append(more, rules...)
	}
	rules, err := p.rulesOver(ruleset.Packs(f.packs), f.rules, func(err error) { p.report(err) })
	return append(rules, more...), err
}

// rulesOfFile are the rules of a file: of PAL if it is XML, else tables of the config.
func (p *program) rulesOfFile(name string) ([]alert.Rule, error) {
	data, err := p.readInput(name, 32<<20)
	if err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	if isXML(data) {
		f, err := pal.Read(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("read rules of %s: %w", name, err)
		}
		for _, s := range f.Skipped {
			fmt.Fprintf(p.err, "left out: %s: %s: %s\n", s.Analysis, s.Threshold, s.Reason)
		}
		for _, other := range f.Inherits {
			fmt.Fprintf(p.err, "%s builds on %s: give that, too\n", session.Printable(name), other)
		}
		return f.Rules, nil
	}
	c, warnings, err := config.Parse(name, data)
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		fmt.Fprintf(p.err, "perfdeck: %s\n", session.Printable(w.String()))
	}
	if len(c.Alerts.Rules) == 0 {
		return nil, session.WithHint(fmt.Errorf("read rules of %s: %w", name, errNoRules), "rules are [[alert]] tables, or a threshold file of PAL")
	}
	return c.Alerts.Rules, nil
}

// isXML tells XML by its first sign, in whatever encoding.
func isXML(data []byte) bool {
	text := bytes.Trim(data[:min(len(data), 64)], "\xEF\xBB\xBF\xFE\xFF\x00 \t\r\n")
	return bytes.HasPrefix(text, []byte("<"))
}

// nightReport is one run.
type nightReport struct {
	*program

	flags    reportFlags
	settings config.Settings
	rules    []alert.Rule
	every    time.Duration
	names    []string
	player   *replay.Player
	done     func()
	partly   bool
}

func (n *nightReport) close() {
	if n.player != nil {
		_ = n.player.Close()
	}
	if n.done != nil {
		n.done()
	}
}

// open opens the recordings. Those that cannot be opened are told and left out.
func (n *nightReport) open(ctx context.Context, names []string) (err error) {
	names, n.done, err = n.spooled().Files(names)
	if err != nil {
		return err
	}
	open := opener(ctx, n.flags.encoding)
	n.names, n.partly, err = relog.OpenSome(ctx, names, func(name string) (string, error) {
		r, err := open(name)
		if err != nil {
			return "", err
		}
		defer r.Close()
		span, err := r.Span()
		if err == nil && span.First.IsZero() {
			err = fmt.Errorf("report %s: %w", n.shown(name), errNoSamples)
		}
		return name, err
	}, func(err error) { n.report(err) })
	if err != nil {
		return err
	}
	n.player, err = replay.Open(n.names, replay.Options{Guard: n.guard, Open: open})
	return err
}

var errNoSamples = errors.New("the recording has no samples")

// make makes the report of the time between the limits.
func (n *nightReport) make(ctx context.Context) (*report.Report, error) {
	first, last := n.player.Bounds()
	begin, end, err := relog.Limits(n.flags.begin, n.flags.end, first, first)
	if err != nil {
		return nil, err
	}
	if begin.After(last) || !end.IsZero() && (end.Before(first) || end.Before(begin)) {
		return nil, usage(session.WithHint(fmt.Errorf("report: nothing between --begin and --end: %w", relog.ErrOutside), extent(first, last)))
	}
	if err := n.checkHosts(); err != nil {
		return nil, err
	}
	notes, damaged := notebook.Of(n.names, begin, end)
	for _, err := range damaged {
		n.report(err)
	}
	looks := looksOf(n.settings, n.config.Counters)
	shown, titles := make([]string, len(n.names)), make([]string, len(n.names))
	for i, name := range n.names {
		shown[i] = n.shown(name)
		titles[i] = filepath.Base(shown[i])
	}
	name := strings.Join(quoteArgs(shown), " ")
	command := "perfdeck report " + name
	if n.flags.output != "" {
		command += " -o " + quoteArgs([]string{n.flags.output})[0]
	}
	came := 0.0
	bar := output.NewBar(n.err, func() (float64, string, bool) { return came, "", true })
	defer bar.Clear()
	return report.Make(ctx, n.player, report.Options{
		Title: strings.Join(titles, ", "), Name: name, Command: command, Version: version, Begin: begin, End: end,
		Meant: func(host string) bool { return inventory.Means(n.program.flags.hosts, host) }, Looks: looks, Notes: notes, Packs: allPacks(),
	}, report.Judging{Rules: n.rules, Every: n.every, Guard: n.guard}, func(share float64) { came = share; bar.Show() })
}

// checkHosts refuses hosts that none of the recordings has.
func (n *nightReport) checkHosts() error {
	known := map[string]bool{}
	for _, h := range n.player.Hosts() {
		if inventory.Means(n.program.flags.hosts, h.Name()) {
			return nil
		}
		known[session.Printable(h.Name())] = true
	}
	return usage(session.WithHint(fmt.Errorf("report: %s: %w", strings.Join(n.program.flags.hosts, ", "), difference.ErrNoHost), "it has "+difference.HostWords(known)))
}

// allPacks are the rules of all starter packs.
func allPacks() map[string][]alert.Rule {
	out := map[string][]alert.Rule{}
	for _, name := range rulepack.Names() {
		if rules, err := rulepack.Rules(name); err == nil {
			out[name] = rules
		}
	}
	return out
}

// quoteArgs are arguments as a shell takes them.
func quoteArgs(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$`!*?[](){}<>|&;#~") {
			out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return out
}
