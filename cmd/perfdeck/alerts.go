package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/pal"
	"perfdeck/session/alert/rulepack"
	"perfdeck/session/alert/ruleset"
	"perfdeck/session/config"
	"perfdeck/session/inventory"
	"perfdeck/session/system/osfile"
)

func (p *program) alertsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "alerts",
		Short: "Alert rules: import, export, list, check, acknowledge, mute",
		Long: `alerts works with the rules that the screens and perfdeck watch judge: those of
the config, of its starter packs, and those that were made on the screens.`,
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
	c.Flags().StringVarP(&output, "output", "o", "", "file to write to")
	c.Flags().BoolVarP(&overwrite, "yes", "y", false, "overwrite the file if it is there")
	return c
}

var errNoFile = errors.New("alerts import: no file was given")

// importPAL writes the rules of a threshold file.
func (p *program) importPAL(name, output string, overwrite bool) error {
	if err := p.checkApart("alerts import", output, []string{name}); err != nil {
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
	text := fmt.Appendf(nil, "# %s\n", session.Printable("Thresholds of PAL: "+f.Name+" "+f.Version))
	for _, r := range f.Rules {
		text = append(config.AppendAlert(append(text, '\n'), r), "\n"...)
		text = bytes.TrimSuffix(text, []byte("\n"))
	}
	if err := p.writeText(output, overwrite, text); err != nil {
		return err
	}
	fmt.Fprintf(p.err, "taken: %d, skipped: %d, without a threshold: %d\n", len(f.Rules), len(f.Skipped), f.Charts)
	for _, s := range f.Skipped {
		fmt.Fprintf(p.err, "skipped: %s: %s: %s\n", s.Analysis, s.Threshold, s.Reason)
	}
	for _, name := range f.Inherits {
		fmt.Fprintf(p.err, "it builds on %s: import that, too\n", name)
	}
	return nil
}

// bareCause is why something failed, without the name of a file, which the user gave another.
func bareCause(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// writeText writes to a new file, or to standard output.
func (p *program) writeText(output string, overwrite bool, text []byte) error {
	if output == "" {
		_, err := p.out.Write(text)
		return unlessPipe(err)
	}
	fail := func(err error) error {
		return session.WithHint(fmt.Errorf("write %s: %w", session.Printable(output), bareCause(err)), "-o names a file in a folder that is there and may be written to")
	}
	how := os.O_WRONLY
	switch {
	case isDevice(output): // it is written to as it is
	case overwrite:
		if old, err := os.Stat(output); err == nil { // it stays until all of the new text is there
			if err := osfile.Write(output, text, old.Mode().Perm(), false); err != nil {
				return fail(err)
			}
			return nil
		}
		how |= os.O_CREATE
	default:
		how |= os.O_CREATE | os.O_EXCL
	}
	f, err := os.OpenFile(output, how, 0o644) //nolint:gosec // reports and rules are for others too
	if errors.Is(err, os.ErrExist) {
		return session.WithHint(fmt.Errorf("write %s: it is there already", output), "--yes overwrites it")
	}
	if err != nil {
		return fail(err)
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return fail(err)
	}
	return nil
}

func (p *program) alertsListCommand() *cobra.Command {
	json, ofPack, history := false, "", false
	c := &cobra.Command{
		Use:   "list",
		Short: "List the rules, and what fires",
		Long: `list prints the rules of the config, of its packs, and of users, with what fires of
each, and then what is muted and until when. With --pack it prints a starter pack as tables for the config, with --history
what happened.`,
		Args: atMost(0),
		RunE: func(*cobra.Command, []string) error {
			switch {
			case ofPack != "":
				text, err := rulepack.Text(ofPack)
				if err != nil {
					return usage(err)
				}
				return p.writeText("", false, []byte(text))
			case history:
				return p.listHistory(json)
			}
			return p.listRules(json)
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print a JSON object a line")
	c.Flags().StringVar(&ofPack, "pack", "", "print a starter pack: "+strings.Join(rulepack.Names(), ", "))
	c.Flags().BoolVar(&history, "history", false, "print what happened, a line each")
	_ = c.RegisterFlagCompletionFunc("pack", completePack)
	return c
}

// keptAlerts is the engine and the memory as the next run would find them.
func (p *program) keptAlerts() (*alert.Engine, *alert.Memory, error) {
	if err := p.loadConfig(); err != nil {
		return nil, nil, err
	}
	rules, err := ruleset.Of(p.config, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	j, memory, err := p.openJournal()
	if err != nil {
		return nil, nil, err
	}
	j.Close()
	return alert.NewEngine(rules, 0, nil, memory), memory, nil
}

// listRules prints the rules in force, and what is muted.
func (p *program) listRules(asJSON bool) error {
	e, memory, err := p.keptAlerts()
	if err != nil {
		return err
	}
	states := map[string][2]int{} // by rule: firing, acknowledged
	for id, s := range memory.Alerts {
		n := states[id.Rule]
		if s.State >= alert.Acknowledged {
			n[alert.Firing-s.State]++
		}
		states[id.Rule] = n
	}
	mutes := memory.MutesAt(time.Now())
	rules := append(e.Rules(), rulesElsewhere(e.Rules(), memory)...)
	if asJSON {
		for _, r := range rules {
			if err := p.writeRule(r, states[r.Name], muteOf(mutes, r.Name)); err != nil {
				return unlessPipe(err)
			}
		}
		for i := range mutes {
			if err := session.WriteJSON(p.out, map[string]any{"muted": mutes[i].Scope, "until": mutes[i].Until}); err != nil {
				return unlessPipe(err)
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RULE\tWHEN\tFOR\tCLEAR\tSEVERITY\tHOSTS\tTHEN\tSTATE\tFROM")
	for _, r := range rules {
		hosts := cmp.Or(strings.Join(r.Hosts, ","), "all")
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Name, session.Printable(r.Condition()), r.ForText(), cmp.Or(r.ClearText(), "-"),
			r.Severity, session.Printable(hosts), cmp.Or(r.ThenText(), "-"), stateText(&r, states[r.Name], muteOf(mutes, r.Name)), session.Printable(r.Origin))
	}
	if err := w.Flush(); err != nil {
		return unlessPipe(err)
	}
	for i := range mutes {
		if _, err := fmt.Fprintf(p.out, "muted %s: %s\n", untilWord(&mutes[i]), mutes[i].Text()); err != nil {
			return unlessPipe(err)
		}
	}
	return nil
}

// elsewhere is where rules stand that fire and are none of this command's: they
// were given to another one, as by --alert of perfdeck watch.
const elsewhere = "of another perfdeck"

// rulesElsewhere are the rules of what fires that are not among those in force, as
// far as the events tell of them.
func rulesElsewhere(known []alert.Rule, memory *alert.Memory) (out []alert.Rule) {
	has := map[string]bool{}
	for i := range known {
		has[known[i].Name] = true
	}
	for _, ev := range slices.Backward(memory.History) {
		if ev.Kind != alert.Fired && ev.Kind != alert.Released || has[ev.ID.Rule] || memory.Alerts[ev.ID].State < alert.Acknowledged {
			continue
		}
		has[ev.ID.Rule] = true
		r := alert.Rule{Name: ev.ID.Rule, Severity: ev.Severity, Origin: elsewhere}
		switch path, err := paths.Parse(ev.Path); {
		case ev.ID.Set == "":
			r.Kind = alert.HostLost
		case err != nil:
			continue
		case ev.Op == 0:
			r.Kind, r.When.Path = alert.NoValue, path
		default:
			r.When = paths.Alert{Path: path, Op: ev.Op, Limit: ev.Limit}
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b alert.Rule) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// muteOf is the mute of a rule on all hosts, or of everything, that lasts longest;
// nil if there is none.
func muteOf(mutes []alert.Mute, rule string) (found *alert.Mute) {
	for i := range mutes {
		m := &mutes[i]
		if wide := m.Scope == (alert.Scope{}) || m.Scope == (alert.Scope{Rule: rule}); wide && (found == nil || m.Until.After(found.Until)) {
			found = m
		}
	}
	return found
}

// untilWord says when a mute ends.
func untilWord(m *alert.Mute) string {
	if m.IsForever() {
		return "until unmuted"
	}
	return "until " + m.Until.Local().Format("2006-01-02 15:04")
}

func stateText(r *alert.Rule, n [2]int, mute *alert.Mute) string {
	var words []string
	for i, word := range []string{"firing", "acknowledged"} {
		if n[i] > 0 {
			words = append(words, fmt.Sprintf("%d %s", n[i], word))
		}
	}
	if r.Disabled {
		words = append(words, "off")
	}
	if mute != nil {
		words = append(words, "muted "+untilWord(mute))
	}
	return cmp.Or(strings.Join(words, ", "), "-")
}

// writeRule prints a rule as JSON, with its states.
func (p *program) writeRule(r alert.Rule, states [2]int, mute *alert.Mute) error {
	line := struct {
		Rule         alert.Rule `json:"rule"`
		Firing       int        `json:"firing"`
		Acknowledged int        `json:"acknowledged"`
		MutedUntil   *time.Time `json:"mutedUntil,omitempty"`
	}{Rule: r, Firing: states[0], Acknowledged: states[1]}
	if mute != nil {
		line.MutedUntil = &mute.Until
	}
	return session.WriteJSON(p.out, line)
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
			err = session.WriteJSON(p.out, ev)
		} else {
			_, err = fmt.Fprintf(p.out, "%s %s\n", ev.Time.Local().Format(time.RFC3339), session.Printable(ev.Text()))
		}
		if err != nil {
			return unlessPipe(err)
		}
	}
	return nil
}

func (p *program) alertsCheckCommand() *cobra.Command {
	var rules []string
	c := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Check rules",
		Long: `check reads the rules of the config, or of another file, and says all that is wrong
with them. With --host it looks them up on that host, too, but for those of packs.

The exit code is 1 when a rule is wrong, 3 when a host does not have what one asks
for.`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error { return p.checkAlerts(c, args, rules) },
	}
	p.addAlertFlag(c, &rules)
	return c
}

// checkAlerts checks rules, and looks them up where hosts are named. It tells all that
// is wrong.
func (p *program) checkAlerts(c *cobra.Command, args, texts []string) error {
	if len(args) > 0 {
		p.flags.config = args[0]
	}
	file, err := p.readConfig()
	mistakes := fileMistakes(err)
	if file == nil {
		file = &config.Config{}
	}
	p.config = file // hosts are opened as far as it can be read
	rules, more := ruleset.Read(file, nil, texts)
	mistakes = append(mistakes, more...)
	mistakes = append(mistakes, lackingSecrets(file)...)
	lacking := 0
	if len(p.flags.hosts) > 0 || p.flags.demo {
		missing, failed := p.lookUpRules(c, rules)
		mistakes, lacking = append(mistakes, failed...), len(missing)
		for _, err := range missing {
			p.report(err)
		}
	}
	if len(mistakes) > 0 {
		for _, err := range mistakes {
			p.report(err)
		}
		return &exitError{code: exitFailed}
	}
	found := []string{count(len(rules), "rule", "rules"), count(len(file.Alerts.Tasks), "task", "tasks"), count(len(file.Alerts.Webhooks), "webhook", "webhooks")}
	if n := len(file.Alerts.Alertmanagers); n > 0 {
		found = append(found, count(n, "Alertmanager", "Alertmanagers"))
	}
	if _, err := fmt.Fprintf(p.out, "%s: well formed\n", strings.Join(found, ", ")); err != nil {
		return unlessPipe(err)
	}
	if lacking > 0 {
		return &exitError{code: exitPartly}
	}
	return nil
}

// fileMistakes are all that is wrong with a config file.
func fileMistakes(err error) (out []error) {
	if err == nil {
		return nil
	}
	out = append(out, err)
	if e, ok := errors.AsType[*config.FileError](err); ok {
		for _, other := range e.Others {
			out = append(out, other)
		}
	}
	return out
}

// lookUpRules looks rules up on the hosts of the flags: what is not there, and which
// hosts could not be asked.
func (p *program) lookUpRules(c *cobra.Command, rules []alert.Rule) (missing, failed []error) {
	hosts, err := p.hosts(inventory.Mode{})
	if err != nil {
		return nil, []error{err}
	}
	defer inventory.CloseAll(hosts)
	for _, h := range hosts {
		cat, err := h.Source.Catalogue(c.Context())
		if err != nil {
			failed = append(failed, err)
			continue
		}
		for i := range rules {
			r := &rules[i]
			if r.Kind == alert.HostLost || rulepack.IsOrigin(r.Origin) || r.When.Path.Computer != "" && !inventory.Is(r.When.Path.Computer, h.Name) ||
				len(r.Hosts) > 0 && !slices.ContainsFunc(r.Hosts, func(pattern string) bool { return paths.Match(pattern, h.Name) }) {
				continue
			}
			if _, err := r.Meanings(cat); err != nil {
				missing = append(missing, fmt.Errorf("rule %s on %s: %w", r.Name, h.Name, err))
			}
		}
	}
	return missing, failed
}
