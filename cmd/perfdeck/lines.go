package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/config"
)

// lines writes a sentence for each value, for screen readers: no columns, no
// drawings. After the first sample only what reads differently is said.
type lines struct {
	w       io.Writer
	several bool // of several hosts: each value is said with its host
	said    map[saidKey]string
}

// saidKey is a value by host and path.
type saidKey struct{ host, path string }

func newLines(o outlet, _ look) rowWriter {
	return &lines{w: o.w, said: map[saidKey]string{}}
}

func (l *lines) write(r row) error {
	var b strings.Builder
	l.several = l.several || len(r.samples) > 1 // one that is late is missing in its row
	for _, s := range r.samples {
		for _, c := range s.cells {
			text := spoken(c)
			key := saidKey{s.host, c.text}
			if l.said[key] == text {
				continue
			}
			l.said[key] = text
			if b.Len() == 0 {
				b.WriteString(r.time.Format("15:04:05") + "\n")
			}
			if l.several {
				b.WriteString(session.Printable(s.host) + ", ")
			}
			b.WriteString(session.Printable(c.sentence()) + ": " + text + "\n")
		}
	}
	_, err := io.WriteString(l.w, b.String())
	return err
}

// sentence names a series as it is read aloud: "PhysicalDisk 0 C:, % Idle Time".
func (s *series) sentence() string {
	name := s.path.Object
	if in := s.instance(); in != "" {
		name += " " + in
	}
	return name + ", " + s.path.Counter
}

// spoken is a value with its unit, or why there is none.
func spoken(c cell) string {
	number, ok := c.value.Float()
	if !ok {
		if text, ok := c.value.Text(); ok {
			return session.Printable(text)
		}
		return c.value.Status().String()
	}
	if c.counter == nil {
		return c.value.Status().String()
	}
	unit := cooker.UnitFor(c.counter.Quantity, cooker.UnitWindows, number)
	text := strings.TrimSpace(string(cooker.AppendField(nil, c.value, unit)))
	if unit.Label == "" {
		return text
	}
	return text + " " + unit.Label
}

// plainEvery is the interval of --plain when nobody says another: who listens
// needs time.
const plainEvery = "10s"

// plain prints lines instead of showing the screens. Without paths they are
// those of the first deck, without its tables.
func (p *program) plain(c *cobra.Command, args []string) error {
	if s, err := p.settings(c); err != nil {
		return err
	} else if !c.Flags().Changed("interval") && s.Interval == config.DefaultInterval() {
		if err := c.Flags().Set("interval", plainEvery); err != nil {
			return err
		}
	}
	if len(args) == 0 {
		paths, err := p.deckPaths(c.Context())
		if err != nil {
			return err
		}
		args = paths
	}
	return p.sample(c, args, sampleFlags{format: "lines", look: look{digits: unsetDigits}})
}

// deckPaths are the paths of the default deck, but for its tables.
func (p *program) deckPaths(ctx context.Context) ([]string, error) {
	hosts, err := p.hosts()
	if err != nil {
		return nil, err
	}
	defer closeHosts(hosts)
	panes := session.DefaultAbreast(nil)
	if len(hosts) == 1 {
		cat, err := hosts[0].source.Catalogue(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the counters of %s: %w", session.Printable(hosts[0].name), err)
		}
		panes = session.DefaultDeck(hosts[0].name, cat).Panes
	}
	var out []string
	for _, pane := range panes {
		if pane.Busiest == 0 {
			out = append(out, pane.Paths...)
		}
	}
	return out, nil
}
