package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/source/manifest"
	"perfdeck/tui/pane/browser"
)

func (p *program) manifestCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "manifest",
		Short: "Check, show and make counter manifests (.man)",
		Long: `manifest reads counter manifests, checks them by the rules of their schema, and
shows what they declare. Several files are checked against each other too. init makes one.`,
		Args: atLeast(1, "subcommand"),
		RunE: func(_ *cobra.Command, args []string) error {
			return usage(session.WithHint(fmt.Errorf("manifest %s: no such subcommand", args[0]), "there are check, show, paths and init"))
		},
	}
	c.AddCommand(
		p.manifestVerb("check", "Report what is wrong, as a compiler does", (*manifests).check),
		p.manifestVerb("show", "Print countersets and counters", (*manifests).show),
		p.manifestVerb("paths", "Print the counter paths", (*manifests).paths),
		p.manifestInitCommand(),
	)
	return c
}

func (p *program) manifestVerb(name, short string, do func(*manifests, io.Writer) error) *cobra.Command {
	m := &manifests{}
	c := &cobra.Command{
		Use:   name + " FILE...",
		Short: short,
		Long:  short + ".\n\nThe exit code is 1 when a manifest is not valid.",
		Args:  atLeast(1, "file"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := m.read(p, args); err != nil {
				return err
			}
			out := bufio.NewWriter(p.out)
			if err := cmp.Or(do(m, out), out.Flush()); err != nil {
				return unlessPipe(fmt.Errorf("manifest %s: %w", name, err))
			}
			if name != "check" {
				m.complain(p.err)
			}
			return m.verdict(name)
		},
	}
	c.Flags().BoolVar(&m.json, "json", false, "print JSON")
	if name == "paths" {
		c.Flags().BoolVar(&m.hidden, "show-hidden", false, "print hidden counters too")
	}
	return c
}

// manifests are files with what is wrong in them.
type manifests struct {
	json, hidden bool
	files        []*manifest.File
	problems     [][]manifest.Problem // of each file
}

// read reads the files and checks them, also against each other.
func (m *manifests) read(p *program, names []string) error {
	byName := map[string]int{}
	for i, name := range names {
		data, err := p.readInput(name, manifest.MaxBytes)
		if err != nil {
			return fmt.Errorf("read manifest: %w", err)
		}
		file, problems := manifest.Parse(name, data)
		m.files = append(m.files, file)
		m.problems = append(m.problems, problems)
		byName[name] = i
	}
	for _, problem := range manifest.CheckTogether(m.files) {
		i := byName[problem.File]
		m.problems[i] = append(m.problems[i], problem)
	}
	return nil
}

// verdict is an error when a file is not valid.
func (m *manifests) verdict(verb string) error {
	bad := 0
	for _, problems := range m.problems {
		if !manifest.Valid(problems) {
			bad++
		}
	}
	if bad == 0 {
		return nil
	}
	if len(m.files) == 1 {
		return fmt.Errorf("manifest %s %s: the manifest is not valid", verb, m.files[0].Name)
	}
	return fmt.Errorf("manifest %s: %d of %d manifests are not valid", verb, bad, len(m.files))
}

// complain prints the errors, for commands whose output is something else.
func (m *manifests) complain(w io.Writer) {
	for _, problems := range m.problems {
		for _, problem := range problems {
			if problem.Severity == manifest.Error {
				writeProblem(w, problem)
			}
		}
	}
}

func writeProblem(w io.Writer, problem manifest.Problem) {
	fmt.Fprintln(w, session.Printable(problem.String()))
	if problem.Hint != "" {
		fmt.Fprintf(w, "  hint: %s\n", session.Printable(problem.Hint))
	}
}

type jsonCheck struct {
	File     string             `json:"file"`
	Valid    bool               `json:"valid"`
	Problems []manifest.Problem `json:"problems"`
}

// check prints the problems of each file, how many there are, and of a valid
// one what is left to other tools.
func (m *manifests) check(w io.Writer) error {
	for i, file := range m.files {
		problems := m.problems[i]
		if m.json {
			if err := session.WriteJSON(w, jsonCheck{file.Name, manifest.Valid(problems), append([]manifest.Problem{}, problems...)}); err != nil {
				return err
			}
			continue
		}
		failures := 0
		for _, problem := range problems {
			if problem.Severity == manifest.Error {
				failures++
			}
			writeProblem(w, problem)
		}
		_, err := fmt.Fprintf(w, "%s: %s, %s\n", session.Printable(file.Name), count(failures, "error", "errors"), count(len(problems)-failures, "warning", "warnings"))
		if failures == 0 && err == nil {
			_, err = fmt.Fprintln(w, file.NotDone())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// show prints what the files declare.
func (m *manifests) show(w io.Writer) error {
	for i, file := range m.files {
		if m.json {
			if err := session.WriteJSON(w, file.Describe()); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		if _, err := io.WriteString(w, file.Describe().Text()); err != nil {
			return err
		}
	}
	return nil
}

type jsonPaths struct {
	File  string   `json:"file"`
	Paths []string `json:"paths"`
}

// paths prints the counter paths of the files.
func (m *manifests) paths(w io.Writer) error {
	for _, file := range m.files {
		list := file.Paths(m.hidden)
		if m.json {
			if err := session.WriteJSON(w, jsonPaths{file.Name, append([]string{}, list...)}); err != nil {
				return err
			}
			continue
		}
		for _, path := range list {
			if _, err := fmt.Fprintln(w, session.Printable(path)); err != nil {
				return err
			}
		}
	}
	return nil
}

// browsedManifests are those of --manifest, for the screens. What is wrong in them
// is told before the screens begin: what could be read is shown.
func (p *program) browsedManifests(c *cobra.Command) ([]browser.Manifest, error) {
	names, err := c.Flags().GetStringArray("manifest")
	if err != nil || len(names) == 0 {
		return nil, err
	}
	var m manifests
	if err := m.read(p, names); err != nil {
		return nil, err
	}
	m.complain(p.err)
	var out []browser.Manifest
	for _, file := range m.files {
		name := filepath.Base(file.Name)
		cat := &session.Catalogue{Host: name, Sets: file.Catalogue()}
		if len(cat.Sets) == 0 {
			return nil, session.WithHint(fmt.Errorf("browse %s: it has no counterset", file.Name), "perfdeck manifest check says what is wrong")
		}
		out = append(out, browser.Manifest{Name: name, Catalogue: cat})
	}
	return out, nil
}

// listManifests lists manifests as a host that had them registered.
func (l *lister) listManifests(ctx context.Context, object string) error {
	if l.instances {
		return usage(errors.New("list --manifest: a manifest has no instances to list"))
	}
	m := &manifests{}
	if err := m.read(l.p, l.manifests); err != nil {
		return err
	}
	m.complain(l.p.err)
	cat := &session.Catalogue{}
	for _, file := range m.files {
		cat.Sets = slices.Concat(cat.Sets, file.Catalogue())
	}
	if err := l.Host(ctx, nil, cat, "", object); err != nil {
		return err
	}
	l.partly = m.verdict("") != nil
	return nil
}
