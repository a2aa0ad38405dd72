package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session/hosts/feed"
	"perfdeck/session/hosts/manifest"
	"perfdeck/session/hosts/pcq/server"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/english"
)

// batchTime is how long the first batch of lines is waited for.
const batchTime = 3 * time.Second

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
	text, problems, err := d.Manifest(func(name string) string { return strings.ToUpper(server.CountersetGUID(name).String()) })
	manifest.WriteProblems(p.err, problems)
	if err != nil {
		return fmt.Errorf("manifest init: %w", err)
	}
	for _, guess := range d.Guesses() {
		fmt.Fprintln(p.err, guess)
	}
	if _, err := p.out.Write(text); err != nil {
		return fmt.Errorf("manifest init: %w", err)
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
	wrong, err := d.AddAll(from, func(line int, err error) { p.tell(fmt.Sprintf("line %d: %v", line, err)) })
	if wrong > 0 {
		p.tell(english.Count(wrong, "line was wrong", "lines were wrong"))
	}
	if p.context().Err() != nil {
		return context.Cause(p.context())
	}
	return err
}
