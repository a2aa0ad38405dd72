package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session/alert"
	"perfdeck/session/alert/pal"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/pipeline"
	"perfdeck/session/app/ruleset"
	"perfdeck/session/config"
	"perfdeck/session/config/rulepack"
	"perfdeck/session/deliver/journal"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/recording/destination"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

func (p *program) alertsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "alerts",
		Short: "Alert rules: import, export, list, check, acknowledge, mute",
		Long: `alerts works with the rules of the config, of its starter packs, and those that were
made on the screens.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(p.alertsImportCommand(), p.alertsExportCommand(), p.alertsListCommand(), p.alertsCheckCommand(), p.alertsAckCommand(), p.alertsMuteCommand())
	return c
}

func (p *program) alertsImportCommand() *cobra.Command {
	output, overwrite := "", false
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Make rules of a threshold file of PAL",
		Long: `import reads a threshold file of PAL (Performance Analysis of Logs) and prints its
thresholds as [[alert]] tables for the config: those on counters, those on trends, which
are judged over an hour, and those on values that its scripts work out of several counters
of an instance, where a script is of a known form. No script is run. What is left out, as
limits that scripts work out, and what depends on answers about the computer, is listed
with the reason on standard error.`,
		Example: `  perfdeck alerts import QuickSystemOverview.xml -o pal.toml`,
		Args:    atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(errNoFile)
			}
			return p.importPAL(args[0], output, overwrite)
		},
	}
	addOutputFlags(c, &output, &overwrite, "")
	return c
}

var errNoFile = errors.New("alerts import: no file was given")

// importPAL writes the rules of a threshold file.
func (p *program) importPAL(name, output string, overwrite bool) error {
	if err := destination.Apart("alerts import", output, p.in, []string{name}); err != nil {
		return err
	}
	data, err := p.readInput(name, 32<<20)
	if err != nil {
		return fmt.Errorf("import %s: %w", name, err)
	}
	f, err := pal.Read(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("import %s: %w", name, err)
	}
	text := fmt.Appendf(nil, "# %s\n", printable.Text("Thresholds of PAL: "+f.Name+" "+f.Version))
	for _, r := range f.Rules {
		text = config.AppendAlert(append(text, '\n'), r)
	}
	if err := p.writeText(output, overwrite, text); err != nil {
		return err
	}
	p.aside("taken: %d, skipped: %d, without a threshold: %d", len(f.Rules), len(f.Skipped), f.Charts)
	for _, s := range f.Skipped {
		p.aside("skipped: %s: %s: %s", s.Analysis, s.Threshold, s.Reason)
	}
	for _, name := range f.Inherits {
		p.aside("it builds on %s: import that, too", name)
	}
	return nil
}

func (p *program) alertsListCommand() *cobra.Command {
	var f alertsListFlags
	c := flagged(&cobra.Command{
		Use:   "list",
		Short: "List the rules, and what fires",
		Long: `list prints the rules of the config, of its packs, and of the screens, with what fires
of each, and then what is muted and until when. With --pack it prints a starter pack as
tables for the config, with --history what happened.`,
		Args: atMost(0),
	}, &f, p.listAlerts)
	c.Flags().StringVar(&f.pack, "pack", "", "print a starter pack: "+strings.Join(rulepack.Names(), ", "))
	_ = c.RegisterFlagCompletionFunc("pack", completePack)
	return c
}

// alertsListFlags are the flags of alerts list.
type alertsListFlags struct {
	JSON    bool `flag:"json" help:"print a JSON object a line"`
	History bool `flag:"history" help:"print what happened, a line each"`
	pack    string
}

func (p *program) listAlerts(_ *cobra.Command, _ []string, f alertsListFlags) error {
	switch {
	case f.pack != "":
		text, err := rulepack.Text(f.pack)
		if err != nil {
			return usage(err)
		}
		return p.writeText("", false, []byte(text))
	case f.History:
		return p.listHistory(f.JSON)
	}
	return p.listRules(f.JSON)
}

// keptAlerts is the engine and the memory as the next run would find them.
func (p *program) keptAlerts() (*alert.Engine, *alert.Memory, error) {
	p.whose(false)
	if err := p.loadConfig(); err != nil {
		return nil, nil, err
	}
	rules, err := ruleset.Of(p.config, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	var memory *alert.Memory
	err = p.visit(false, func(dir string) (err error) {
		memory, err = pipeline.ReadJournal(dir, p.tellError)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return alert.NewEngine(rules, 0, nil, memory), memory, nil
}

// listRules prints the rules in force, and what is muted.
func (p *program) listRules(asJSON bool) error {
	e, memory, err := p.keptAlerts()
	if err != nil {
		return err
	}
	all := ruleset.StateOf(e.Rules(), memory, time.Now())
	if asJSON {
		return all.WriteJSON(p.out)
	}
	if all.HasTimes() {
		p.tellUnjudged()
	}
	if len(all.Rules) == 0 {
		p.tell("there are no rules")
	}
	return all.Write(p.people(p.out))
}

// tellUnjudged tells that neither perfdeck watch nor screens judge rules, so that no time of theirs comes.
func (p *program) tellUnjudged() {
	_ = p.visit(false, func(dir string) error {
		if why := config.NeedsWatch(filepath.Join(dir, journal.LeadFile)); why != "" {
			p.tell("no rule is judged now: that " + why + ", or screens")
		}
		return nil
	})
}

// listHistory prints what happened, oldest first.
func (p *program) listHistory(asJSON bool) error {
	_, memory, err := p.keptAlerts()
	if err != nil {
		return err
	}
	for i := range memory.History {
		ev := &memory.History[i]
		if asJSON {
			err = printable.WriteJSON(p.out, ev)
		} else {
			_, err = fmt.Fprintf(p.out, "%s %s\n", ev.Time.Local().Format(time.RFC3339), printable.Text(ev.Text()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *program) alertsCheckCommand() *cobra.Command {
	var rules []string
	c := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Check rules",
		Long: `check reads the rules of the config, or of another file, and says all that is wrong with
them. With --host it also looks up their counters on that host, except those of packs.

The exit code is 1 when a rule is wrong, 3 when a host lacks what one asks for.`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error { return p.checkAlerts(c, args, rules) },
	}
	p.addAlertFlag(c, &rules)
	return c
}

// checkAlerts checks rules, and looks them up where hosts are named. It tells all that
// is wrong.
func (p *program) checkAlerts(c *cobra.Command, args, texts []string) error {
	file, rules, unread, mistakes := p.readWrong(args, nil, texts)
	mistakes = slices.Concat(unread, mistakes, logon.Lacking(file))
	var missing []error
	if len(p.flags.Hosts) > 0 || p.flags.Demo {
		var failed []error
		hosts, err := p.hosts(inventory.Mode{})
		if err != nil {
			failed = append(failed, err)
		} else {
			missing, failed = ruleset.LookUp(c.Context(), rules, hosts, false)
			inventory.CloseAll(hosts)
		}
		mistakes = append(mistakes, failed...)
	}
	return p.tellChecked(file, mistakes, missing, len(rules))
}

// readWrong reads the config, or a file in its place, and rules, as far as they can be read, and what is
// wrong with each.
func (p *program) readWrong(args, packs, texts []string) (file *config.Config, rules []alert.Rule, unread, mistakes []error) {
	if len(args) > 0 {
		p.flags.Config = args[0]
	}
	file, err := p.readConfig()
	if file == nil {
		file = &config.Config{}
	}
	p.use(file) // hosts are opened as far as it can be read
	rules, mistakes = ruleset.Read(file, packs, texts)
	return file, rules, config.Mistakes(err), mistakes
}

// tellChecked tells what is wrong with a config, and what may be, or what is in it.
func (p *program) tellChecked(file *config.Config, mistakes, doubts []error, rules int) error {
	for _, err := range append(doubts, mistakes...) {
		p.report(err)
	}
	if len(mistakes) > 0 {
		return ended(exitFailed)
	}
	var found []string
	for i, one := range []struct {
		n          int
		noun, many string
	}{
		{rules, "rule", "rules"}, {len(file.Alerts.Tasks), "task", "tasks"}, {len(file.Alerts.Webhooks), "webhook", "webhooks"},
		{len(file.Alerts.Alertmanagers), "Alertmanager", "Alertmanagers"}, {len(file.Hosts), "host", "hosts"}, {len(file.Groups), "group", "groups"},
		{len(file.Feeds), "feed", "feeds"}, {len(file.Pushes), "push", "pushes"}, {len(file.Records), "recording", "recordings"},
	} {
		if one.n > 0 || i < 3 { // the first are told in any case
			found = append(found, english.Count(one.n, one.noun, one.many))
		}
	}
	if _, err := fmt.Fprintf(p.out, "%s: well formed\n", strings.Join(found, ", ")); err != nil {
		return err
	}
	switch {
	case file.Ignored != nil: // which was told
		return ended(exitFailed)
	case len(doubts) > 0:
		return ended(exitPartly)
	}
	return nil
}
