package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/hosts/manifest"
	"perfdeck/session/system/failure"
	"perfdeck/tui/pane/browser"
)

func (p *program) manifestCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "manifest",
		Short: "Check, show and make counter manifests (.man)",
		Long: `manifest reads counter manifests, checks them by the rules of their schema, and
shows what they declare. Several files are checked against each other too. init makes one.`,
	}, "subcommand", "there are check, show, paths and init",
		p.manifestVerb("check", "Report what is wrong, as a compiler does", func(m *manifest.Checked, w io.Writer, f manifestFlags) error { return m.WriteCheck(w, f.JSON) }),
		p.manifestVerb("show", "Print countersets and counters", func(m *manifest.Checked, w io.Writer, f manifestFlags) error { return m.WriteDescriptions(w, f.JSON) }),
		p.manifestVerb("paths", "Print the counter paths", func(m *manifest.Checked, w io.Writer, f manifestFlags) error {
			return m.WritePaths(w, f.hidden, f.JSON)
		}),
		p.manifestInitCommand(),
	)
}

type manifestFlags struct {
	JSON   bool `flag:"json" help:"print JSON"`
	hidden bool
}

func (p *program) manifestVerb(name, short string, write func(*manifest.Checked, io.Writer, manifestFlags) error) *cobra.Command {
	var f manifestFlags
	c := flagged(&cobra.Command{
		Use:   name + " FILE...",
		Short: short,
		Long:  short + ".\n\nThe exit code is 1 when a manifest is not valid.",
		Args:  needs("file"),
	}, &f, func(_ *cobra.Command, args []string, f manifestFlags) error {
		m, err := manifest.Check(args, p.readInput)
		if err != nil {
			return err
		}
		out := bufio.NewWriter(p.out)
		if err := cmp.Or(write(m, out, f), out.Flush()); err != nil {
			return fmt.Errorf("manifest %s: %w", name, err)
		}
		if name != "check" {
			m.WriteErrors(p.err)
		}
		return m.Verdict(name)
	})
	if name == "paths" {
		c.Flags().BoolVar(&f.hidden, "show-hidden", false, "print hidden counters too")
	}
	return c
}

// browsedManifests are those of --manifest, for the screens. What is wrong in them
// is told before the screens begin: what could be read is shown.
func (p *program) browsedManifests(c *cobra.Command) ([]browser.Manifest, error) {
	names, err := c.Flags().GetStringArray("manifest")
	if err != nil || len(names) == 0 {
		return nil, err
	}
	m, err := manifest.Check(names, p.readInput)
	if err != nil {
		return nil, err
	}
	m.WriteErrors(p.err)
	var out []browser.Manifest
	for _, file := range m.Files {
		name := filepath.Base(file.Name)
		cat := &session.Catalogue{Host: name, Sets: file.Catalogue()}
		if len(cat.Sets) == 0 {
			return nil, failure.WithHint(fmt.Errorf("browse %s: it has no counterset", file.Name), "perfdeck manifest check says what is wrong")
		}
		out = append(out, browser.Manifest{Name: name, Catalogue: cat})
	}
	return out, nil
}

// listManifests lists manifests as a host that had them registered.
func (l *lister) listManifests(ctx context.Context, object string) error {
	if l.Instances {
		return usage(errors.New("list --manifest: a manifest has no instances to list"))
	}
	m, err := manifest.Check(l.Manifests, l.p.readInput)
	if err != nil {
		return err
	}
	m.WriteErrors(l.p.err)
	if err := l.Host(ctx, nil, &session.Catalogue{Sets: m.Catalogue()}, "", object); err != nil {
		return err
	}
	l.partly = m.Verdict("") != nil
	return nil
}
