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
	for _, f := range fingers {
		name := filepath.Join(dir, f.name)
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
