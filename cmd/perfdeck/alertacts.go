package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/rulepack"
)

func (p *program) alertsAckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "ack [RULE...]",
		Short: "Acknowledge what fires",
		Long: `ack acknowledges what fires, of all rules or of some. perfdeck watch and screens
that run take it over within a second.

The exit code is 3 when nothing fired.`,
		RunE: func(_ *cobra.Command, args []string) error { return p.acknowledge(args) },
	}
}

// acknowledge notes that the user has seen alerts.
func (p *program) acknowledge(rules []string) error {
	if err := p.loadConfig(); err != nil {
		return err
	}
	j, memory, err := p.openJournal()
	if err != nil {
		return err
	}
	defer j.Close()
	for _, rule := range rules {
		if !p.isRule(rule, memory) {
			return noRule("ack", rule)
		}
	}
	var events []alert.Event
	for id, s := range memory.Alerts {
		if s.State != alert.Firing || len(rules) > 0 && !slices.Contains(rules, id.Rule) {
			continue
		}
		events = append(events, alert.Event{Kind: alert.Acked, ID: id, Value: s.Peak, HasValue: s.HasPeak})
	}
	if len(events) == 0 {
		fmt.Fprintln(p.err, "perfdeck: nothing fires that is not acknowledged")
		return &exitError{code: exitPartly}
	}
	if err := j.Keep(p.acts(memory, events)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.out, "%s acknowledged\n", count(len(events), "alert", "alerts"))
	return unlessPipe(err)
}

// isRule tells whether there is a rule of a name: in the config or its packs, made
// on the screens, of --pack or --alert of a command that runs.
func (p *program) isRule(name string, memory *alert.Memory) bool {
	if memory.Knows(name) {
		return true
	}
	if _, err := alert.ParseRule(name); err == nil {
		return true
	}
	rules, err := rulesOf(p.config, rulepack.Names(), nil)
	return err == nil && slices.ContainsFunc(rules, func(r alert.Rule) bool { return r.Name == name })
}

func noRule(command, name string) error {
	return usage(session.WithHint(fmt.Errorf("alerts %s: there is no rule %q", command, session.Printable(name)), "perfdeck alerts list shows the rules"))
}

// acts completes what a user did here: who, when, and numbers that follow those
// of before.
func (p *program) acts(memory *alert.Memory, events []alert.Event) []alert.Event {
	seq := uint64(0)
	for i := range memory.History {
		seq = max(seq, memory.History[i].Seq)
	}
	now, by := time.Now(), userName()
	for i := range events {
		seq++
		events[i].Seq, events[i].Group, events[i].Time, events[i].By = seq, seq, now, by
	}
	return events
}

func (p *program) alertsMuteCommand() *cobra.Command {
	host := ""
	c := &cobra.Command{
		Use:   "mute TIME [RULE]",
		Short: "Tell nobody for a while",
		Long: `mute keeps perfdeck from telling anybody of a rule, of a host, or of anything, for a
time as 30m or 8h; 0 ends that. What still fires afterwards is told then. perfdeck
watch and screens that run take it over within a second.`,
		Example: `  perfdeck alerts mute 2h
  perfdeck alerts mute 30m "slow disk" --of web01
  perfdeck alerts mute 0`,
		Args: atMost(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(session.WithHint(errNoTime, "write perfdeck alerts mute 30m"))
			}
			rule := ""
			if len(args) > 1 {
				rule = args[1]
			}
			return p.mute(args[0], rule, host)
		},
	}
	c.Flags().StringVar(&host, "of", "", "of this host only")
	return c
}

var errNoTime = errors.New("alerts mute: no time was given")

// longestMute bounds a mute: what is muted for ever should be switched off.
const longestMute = 30 * 24 * time.Hour

// mute keeps everybody from being told.
func (p *program) mute(text, rule, host string) error {
	span, err := time.ParseDuration(text)
	if text == "0" {
		span, err = 0, nil
	}
	if err != nil || span < 0 || span > longestMute {
		return usage(session.WithHint(fmt.Errorf("alerts mute: %q is no time up to %v", text, longestMute), "write 30m or 8h, or 0 to end it"))
	}
	if err := p.loadConfig(); err != nil {
		return err
	}
	j, memory, err := p.openJournal()
	if err != nil {
		return err
	}
	defer j.Close()
	if rule != "" && !p.isRule(rule, memory) {
		return noRule("mute", rule)
	}
	ev := alert.Event{Kind: alert.Muted, ID: alert.ID{Rule: rule, Host: host}, Until: time.Now().Add(span)}
	if span == 0 {
		ev.Kind, ev.Until = alert.Unmuted, time.Time{}
	}
	events := p.acts(memory, []alert.Event{ev})
	if err := j.Keep(events); err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.out, session.Printable(events[0].Text()))
	return unlessPipe(err)
}
