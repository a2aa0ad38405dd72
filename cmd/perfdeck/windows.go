package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/inventory"
	"perfdeck/session/record/logs"
	"perfdeck/session/record/relog"
	"perfdeck/session/windowscli"
)

func (p *program) windowsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "windows",
		Short: "Stand in for typeperf, relog and logman of Windows",
		Long: `perfdeck called by the name typeperf, relog or logman takes the options of that program
as Windows has them, does the same by its own commands, and prints in the same form.
"perfdeck windows links" makes links of these names; typeperf /? lists what each option
does here.`,
		Args: atLeast(1, "subcommand"),
		RunE: func(_ *cobra.Command, args []string) error {
			return usage(session.WithHint(fmt.Errorf("windows %s: no such subcommand", args[0]), "there is links"))
		},
	}
	c.AddCommand(&cobra.Command{
		Use:   "links DIR",
		Short: "Make links typeperf, relog and logman to this program",
		Long: `links makes typeperf, relog and logman in a folder: links to this program, on Windows
copies of it. What is there already and is none of these is left alone.`,
		Example: `  perfdeck windows links ~/bin
  ~/bin/typeperf '\Memory\Available MBytes' -si 5 -sc 3`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return p.makeLinks(args[0]) },
	})
	return c
}

var errNoLink = errors.New("something else is there already")

// makeLinks makes the links in a folder.
func (p *program) makeLinks(dir string) error {
	own, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the program itself: %w", err)
	}
	for _, tool := range windowscli.Tools() {
		name := filepath.Join(dir, tool.Name)
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		if err := makeLink(own, name); err != nil {
			return session.WithHint(fmt.Errorf("make %s: %w", name, err), "name a folder that you may write to, as ~/bin")
		}
		fmt.Fprintln(p.out, session.Printable(name))
	}
	return nil
}

// makeLink makes a link, or where systems keep links for administrators a copy.
func makeLink(own, name string) error {
	before, err := os.Lstat(name)
	if err == nil {
		now, err := os.Stat(name)
		self, bad := os.Stat(own)
		if err == nil && bad == nil && os.SameFile(now, self) {
			return nil // it is there
		}
		if before.Mode()&os.ModeSymlink == 0 || err == nil && !isOwnLink(name) {
			return errNoLink
		}
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	if runtime.GOOS != "windows" {
		return os.Symlink(own, name)
	}
	return copyProgram(own, name)
}

// isOwnLink tells a link to another perfdeck, as of a version before.
func isOwnLink(name string) bool {
	to, err := os.Readlink(name)
	return err == nil && strings.HasPrefix(filepath.Base(to), "perfdeck")
}

// copyProgram copies the program to a name that is free.
func copyProgram(own, name string) error {
	from, err := os.Open(own)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755) //nolint:gosec // it is a program
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// runTool does what a command line of a tool of Windows means, by our own commands.
func (p *program) runTool(tool *windowscli.Tool, args []string) int {
	failed := func(err error) error { return fmt.Errorf("%s: %w", tool.Name, err) }
	t, err := tool.Translate(args, inventory.IsLocal)
	if errors.Is(err, windowscli.ErrHelp) {
		fmt.Fprint(p.out, tool.Help())
		return exitDone
	}
	if err != nil {
		return p.report(usage(failed(err)))
	}
	for _, note := range t.Notes {
		fmt.Fprintf(p.err, "%s: %s\n", tool.Name, session.Printable(note))
	}
	shown := p.out
	finish, err := p.redirect(t)
	if err != nil {
		return p.report(failed(err))
	}
	code := p.runTranslation(t, shown)
	if err := finish(); err != nil && code == exitDone {
		code = p.report(failed(err))
	}
	if code == exitDone || code == exitPartly {
		fmt.Fprintf(shown, "\n%s\n", windowscli.Done)
	}
	return code
}

// runTranslation runs the commands; what stands around them goes to shown.
func (p *program) runTranslation(t *windowscli.Translation, shown *os.File) (code int) {
	around := func(frame windowscli.Frame) int {
		if frame.Shows == windowscli.Nothing {
			return exitDone
		}
		one := &program{in: p.in, out: shown, err: p.err, environ: p.environ} // each run ends its own
		if err := one.loadConfig(); err != nil {
			return p.report(err)
		}
		return p.report(one.showFrame(frame))
	}
	if code = around(t.Before); code != exitDone {
		return code
	}
	for _, args := range t.Commands {
		code = worse(code, p.run(args))
		if code == exitFailed || code == exitUsage {
			return code
		}
	}
	return worse(code, around(t.After))
}

// redirect lets what is printed go where a translation says.
func (p *program) redirect(t *windowscli.Translation) (finish func() error, err error) {
	shown := p.out
	switch {
	case t.Output != "":
		flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
		if t.Replace {
			flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
		}
		f, err := os.OpenFile(t.Output, flags, 0o644) //nolint:gosec // a list of counters is no secret
		if errors.Is(err, os.ErrExist) {
			return nil, session.WithHint(fmt.Errorf("%s is there already", t.Output), "-y replaces it")
		}
		if err != nil {
			return nil, err
		}
		p.out = f
		return func() error { p.out = shown; return f.Close() }, nil
	case t.Quiet:
		p.out = discard()
	}
	return func() error { p.out = shown; return nil }, nil
}

// showFrame prints what stands around a tool's output.
func (p *program) showFrame(frame windowscli.Frame) error {
	switch frame.Shows {
	case windowscli.BlankLine:
		fmt.Fprintln(p.out)
	case windowscli.Sets:
		return p.showSets(frame.Names)
	case windowscli.Inputs:
		files := make([]windowscli.File, len(frame.Names))
		for i, name := range frame.Names {
			format, err := relog.FormatOf(name)
			if err != nil {
				return err
			}
			files[i] = windowscli.File{Name: name, Format: format}
		}
		windowscli.PrintInputs(p.out, files)
		return p.showSpan(frame.Names)
	case windowscli.Output:
		windowscli.PrintOutput(p.out, frame.Names[0])
		return p.showSpan(frame.Names)
	case windowscli.Nothing:
	}
	return nil
}

// showSpan tells from when to when files have samples.
func (p *program) showSpan(names []string) error {
	spans := make([]logs.Span, len(names))
	for i, name := range names {
		r, err := relog.Open(p.context(), name, logs.OpenOptions{})
		if err != nil {
			return err
		}
		spans[i], err = relog.CountedSpan(r)
		_ = r.Close()
		if err != nil {
			return err
		}
	}
	return unlessPipe(windowscli.PrintSpan(p.out, spans))
}

// showSets tells of all sets, or of those that are named.
func (p *program) showSets(names []string) error {
	d := p.sets()
	for _, name := range names {
		set, err := d.Read(name)
		if err != nil {
			return err
		}
		windowscli.PrintSet(p.out, windowscli.ListedSet{Name: name, Set: set.Set, Running: d.IsRunning(set.Set.Name)}, set.Root, userName())
	}
	if len(names) > 0 {
		return nil
	}
	names, err := d.Names()
	if err != nil {
		return err
	}
	list := make([]windowscli.ListedSet, len(names))
	for i, name := range names {
		list[i] = windowscli.ListedSet{Name: name, Running: d.IsRunning(name)}
		if set, err := d.Read(name); err == nil {
			list[i].Set = set.Set
		}
	}
	windowscli.PrintSets(p.out, list)
	return nil
}
