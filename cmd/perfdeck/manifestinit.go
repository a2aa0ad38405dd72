package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/source/feed"
	"perfdeck/session/source/manifest"
	"perfdeck/session/source/pcq/server"
	"perfdeck/session/system/osfile"
)

// The first batch of lines: what comes in this time, at most so much.
const (
	batchTime  = 3 * time.Second
	batchBytes = 4 << 20
)

func (p *program) manifestInitCommand() *cobra.Command {
	var d feed.Draft
	c := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a manifest for what a program tells",
		Long: `init reads a first batch of the lines that a feed is to bring, of a file or of the
standard input for up to 3 seconds, and writes a manifest that declares what they tell. The types
of counters are guessed by their names and shown; look at them, and change those that are wrong.`,
		Example: `  queue-stats | perfdeck manifest init --provider Queue >queue.man
  curl -s http://127.0.0.1:9100/metrics | perfdeck manifest init --provider Node >node.man`,
		Args: atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := stdinName
			if len(args) > 0 {
				name = args[0]
			}
			return p.manifestInit(&d, name)
		},
	}
	c.Flags().StringVar(&d.Provider, "provider", "Feed", "name of the provider")
	c.Flags().StringVar(&d.Only, "set", "", "name of the counterset where lines have none (default that of the provider)")
	return c
}

func (p *program) manifestInit(d *feed.Draft, name string) error {
	if err := p.draft(d, name); err != nil {
		return fmt.Errorf("manifest init: %w", err)
	}
	if len(d.Sets) == 0 {
		return session.WithHint(errors.New("manifest init: no line told of a counter"), `a line is {"set": NAME, "instance": NAME, COUNTER: NUMBER}, or a sample of Prometheus' text format`)
	}
	var text bytes.Buffer
	if err := d.Write(&text, func(name string) string { return strings.ToUpper(server.CountersetGUID(name).String()) }); err != nil {
		return err
	}
	if _, problems := manifest.Parse("manifest", text.Bytes()); !manifest.Valid(problems) {
		manifest.WriteProblems(p.err, problems)
		return session.WithHint(errors.New("manifest init: what the lines tell makes no valid manifest"), "let counters have other names")
	}
	for _, set := range d.Sets {
		for _, c := range set.Counters {
			info, _ := c.Type.Info()
			path := paths.Path{Object: set.Name, Counter: c.Name, HasInstance: set.Multiple}
			if set.Multiple {
				path.Instance = "*"
			}
			fmt.Fprintf(p.err, "%s  %s: %s\n", session.Printable(path.String()), info.ManifestName, c.Why)
		}
	}
	if _, err := p.out.Write(text.Bytes()); err != nil {
		return unlessPipe(fmt.Errorf("manifest init: %w", err))
	}
	return nil
}

// draft takes the first batch of lines.
func (p *program) draft(d *feed.Draft, name string) error {
	ctx, cancel := context.WithTimeoutCause(p.context(), batchTime, io.EOF)
	defer cancel()
	from := osfile.Until(ctx, p.in)
	if name != stdinName {
		f, err := osfile.Open(ctx, name)
		if err != nil {
			return err
		}
		defer f.Close() //nolint:errcheck // it was only read
		from = f
	}
	lines := bufio.NewScanner(io.LimitReader(from, batchBytes))
	lines.Buffer(nil, feed.MaxLine)
	wrong := 0
	for n := 1; lines.Scan(); n++ {
		if err := d.Add(lines.Bytes()); err != nil {
			if wrong++; wrong <= 5 {
				fmt.Fprintf(p.err, "perfdeck: line %d: %s\n", n, session.Printable(err.Error()))
			}
		}
	}
	if wrong > 0 {
		fmt.Fprintf(p.err, "perfdeck: %s\n", count(wrong, "line was wrong", "lines were wrong"))
	}
	if err := p.context().Err(); err != nil {
		return context.Cause(p.context())
	}
	return lines.Err()
}
