package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"perfdeck/session/config"
	"perfdeck/session/text"
	"perfdeck/themes"
	"perfdeck/tui/keys"
)

func (p *program) keysCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "keys",
		Short: "List what keys do, and the names that the config gives them other keys by",
		Long: `keys prints every action: its name, its keys, and what it does. In the table [keys]
of the config file an action gets other keys by its name; an empty list takes them
away:

  [keys]
  chart = "Z"
  down = ["n", "down"]
  record = []

A key is written as what it types ("Z", "?", "é") or by its name: enter, tab,
shift+tab, esc, space, backspace, insert, delete, up, down, left, right, pgup,
pgdown, home, end, f1 to f12, ctrl+x. A key that another action has is taken from
it, unless that is its only one. Keys that cannot be given are told, and the exit
code is 3.`,
		Args:    atMost(0),
		PreRunE: p.withConfig,
		RunE: func(*cobra.Command, []string) error {
			m, errs := userKeys(p.config.Keys)
			if err := p.printKeys(m); err != nil {
				return err
			}
			for _, err := range errs {
				_ = p.report(err)
			}
			return partlyIf(len(errs) > 0)
		},
	}
}

// userKeys is the key map of the config. What is wrong with a binding is said
// with its place in the file; the others are good.
func userKeys(bindings []config.KeyBinding) (*keys.Map, []error) {
	chosen := map[string][]string{}
	at := map[string]config.KeyBinding{}
	for _, b := range bindings {
		chosen[b.Action], at[b.Action] = b.Keys, b
	}
	m, errs := keys.NewMap(chosen)
	for i, err := range errs {
		if e, ok := errors.AsType[*keys.SettingError](err); ok {
			errs[i] = at[e.Action].Fault(e.Why(), e.Hint())
		}
	}
	return m, errs
}

// printKeys prints every action, in the order of the help page.
func (p *program) printKeys(m *keys.Map) error {
	buffer := bufio.NewWriter(p.out)
	out := p.people(p.out).To(buffer)
	for i, section := range keys.Sections {
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintln(out, out.Mark(themes.Accent, string(section)))
		t := text.Table{Indent: 2, Gap: 1, Columns: []text.Column{{Least: 15}, {Least: 15}, {}}, Tone: func(_, column int) themes.Token {
			return [...]themes.Token{themes.Muted, themes.Strong, themes.Text}[column]
		}}
		for _, a := range keys.Actions() {
			if a.Section != section {
				continue
			}
			t.Row(a.Name, strings.Join(m.Keys(a.Name), " "), a.Text)
		}
		if err := t.Print(out); err != nil {
			return err
		}
	}
	return buffer.Flush()
}
