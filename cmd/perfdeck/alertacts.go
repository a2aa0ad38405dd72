package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session/alert"
	"perfdeck/session/app/pipeline"
	"perfdeck/session/app/ruleset"
	"perfdeck/session/config"
	"perfdeck/session/text/english"
	"perfdeck/session/text/field"
	"perfdeck/session/text/printable"
)

func (p *program) alertsAckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "ack [RULE...]",
		Short: "Acknowledge what fires",
		Long: `ack acknowledges the alerts that fire, of all rules or of some. perfdeck watch and
screens that run hear of it within a second.

The exit code is 3 when nothing fired.`,
		RunE: func(_ *cobra.Command, args []string) error { return p.acknowledge(args) },
	}
}

// acknowledge notes that the user has seen alerts.
func (p *program) acknowledge(rules []string) error {
	var n int
	err := p.act(func(acts *pipeline.Acts) (err error) {
		n, err = acts.Acknowledge(rules, p.isRule)
		return err
	})
	if err != nil {
		return noRule("ack", err)
	}
	if n == 0 {
		p.tell("nothing fires that is not acknowledged")
		return ended(exitPartly)
	}
	_, err = fmt.Fprintf(p.out, "%s acknowledged\n", english.Count(n, "alert", "alerts"))
	return err
}

// act does what users do to alerts.
func (p *program) act(do func(*pipeline.Acts) error) error {
	p.whose(true)
	if err := p.loadConfig(); err != nil {
		return err
	}
	return p.visit(true, func(dir string) error {
		acts, err := pipeline.OpenActs(dir, userName(), p.tellError)
		if err != nil {
			return err
		}
		defer acts.Close()
		return do(acts)
	})
}

// stateDir is the state folder, made if it is not there: that which is visited, if one is.
func (p *program) stateDir() (string, error) {
	if p.visited != "" {
		return p.visited, nil
	}
	return config.MakeStateDir()
}

// isRule tells whether there is a rule of a name.
func (p *program) isRule(memory *alert.Memory, name string) bool {
	return ruleset.Knows(p.config, memory, name)
}

// noRule tells where rules are listed, if there is none of a name.
func noRule(command string, err error) error {
	if _, none := errors.AsType[*pipeline.NoRuleError](err); !none {
		return err
	}
	return usage(fmt.Errorf("alerts %s: %w", command, err), "perfdeck alerts list shows the rules")
}

func (p *program) alertsMuteCommand() *cobra.Command {
	host := ""
	c := &cobra.Command{
		Use:   "mute TIME [RULE]",
		Short: "Tell nobody for a while",
		Long: `mute keeps perfdeck from telling anybody of a rule, of a host, or of anything, for a
time as 30m or 8h; 0 ends that. What still fires afterwards is told then. perfdeck
watch and screens that run hear of it within a second.`,
		Example: `  perfdeck alerts mute 2h
  perfdeck alerts mute 30m "slow disk" --of web01
  perfdeck alerts mute 0`,
		Args: atMost(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(errNoTime, "write perfdeck alerts mute 30m")
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
	span, ok := field.ParseTime(text)
	if !ok || span > longestMute {
		return usage(fmt.Errorf("alerts mute: %q is no time up to %s", text, english.Span(longestMute)), "write 30m or 8h, or 0 to end it")
	}
	var done alert.Event
	err := p.act(func(acts *pipeline.Acts) (err error) {
		done, err = acts.Mute(span, rule, host, p.isRule)
		return err
	})
	if err != nil {
		return noRule("mute", err)
	}
	if span > 0 {
		p.tellUnjudged()
	}
	_, err = fmt.Fprintln(p.out, printable.Text(done.Text()))
	return err
}
