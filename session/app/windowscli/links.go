package windowscli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"perfdeck/session/system/failure"
)

var errNoLink = errors.New("something else is there already")

// Link makes links to a program by the names of the tools in a folder, or where systems
// keep links for administrators copies. It tells of each that is made, or was there.
func Link(program, dir string, made func(name string)) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // of programs
		return fmt.Errorf("make links: %w", err)
	}
	for _, tool := range Tools() {
		name := filepath.Join(dir, tool.Name)
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		if err := link(program, name); err != nil {
			return failure.WithHint(fmt.Errorf("make %s: %w", name, err), "name a folder of your own, as ~/bin")
		}
		made(name)
	}
	return nil
}

func link(program, name string) error {
	before, err := os.Lstat(name)
	if err == nil {
		now, err := os.Stat(name)
		self, bad := os.Stat(program)
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
		return os.Symlink(program, name)
	}
	return copyProgram(program, name)
}

// isOwnLink tells a link to another perfdeck, as of a version before.
func isOwnLink(name string) bool {
	to, err := os.Readlink(name)
	return err == nil && strings.HasPrefix(filepath.Base(to), "perfdeck")
}

// copyProgram copies the program to a name that is free.
func copyProgram(program, name string) error {
	from, err := os.Open(program)
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
