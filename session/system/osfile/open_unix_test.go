//go:build unix

package osfile_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
	"perfdeck/session/system/sharedtest"
)

// fifo is a pipe with a name.
func fifo(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// at once lets a test fail that would hang.
func atOnce(t *testing.T, what string, do func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-time.After(sharedtest.Patience):
		t.Fatalf("%s hangs", what)
		return nil
	}
}

// What is no plain file is refused by its kind, without waiting for anybody.
func TestKinds(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "socket")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(fifo(t), link); err != nil {
		t.Fatal(err)
	}
	refused := map[string][]string{
		"OpenPlain":  {fifo(t), link, socket, "/dev/zero", "/dev/tty0", t.TempDir()},
		"OpenSecret": {fifo(t), link, socket, "/dev/null", "/dev/zero", t.TempDir()},
		"Open":       {socket, "/dev/zero", "/dev/urandom", t.TempDir()},
	}
	for by, open := range openers(t) {
		for _, name := range refused[by] {
			err := atOnce(t, by+" of "+name, func() error { return open(name) })
			if err == nil || failure.Hint(err) == "" && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrPermission) {
				t.Errorf("%s of %s: %v", by, name, err)
			}
		}
	}
}

// A pipe is read until its end, and waited for until the context ends, whether
// somebody opened it or not.
func TestOpenPipe(t *testing.T) {
	name := fifo(t)
	go func() {
		if f, err := os.OpenFile(name, os.O_WRONLY, 0); err == nil {
			_, _ = f.WriteString("through a pipe")
			_ = f.Close()
		}
	}()
	var text []byte
	err := atOnce(t, "a pipe", func() (err error) {
		text, err = osfile.Read(t.Context(), name, 100)
		return err
	})
	if err != nil || string(text) != "through a pipe" {
		t.Errorf("%q, %v", text, err)
	}
	for what, writes := range map[string]bool{"a pipe without a writer": false, "a pipe with a silent writer": true} {
		ctx, cancel := context.WithCancelCause(t.Context())
		over := errors.New("over")
		if writes {
			f, err := os.OpenFile(name, os.O_RDWR, 0) // does not wait for a reader
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
		}
		time.AfterFunc(10*time.Millisecond, func() { cancel(over) })
		err := atOnce(t, what, func() error { _, err := osfile.Read(ctx, name, 100); return err })
		if !errors.Is(err, over) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// What a shell hands over is read as it is: a pipe, a socket, a file.
func TestOpenDescriptor(t *testing.T) {
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	socket, other := os.NewFile(uintptr(pair[0]), "socket"), os.NewFile(uintptr(pair[1]), "other")
	defer socket.Close()
	for _, w := range []io.WriteCloser{to, other} {
		_, _ = io.WriteString(w, "handed over")
		_ = w.Close()
	}
	plain, err := os.Open(written(t, "handed over"))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	for _, f := range []*os.File{from, socket, plain} {
		name := fmt.Sprintf("/dev/fd/%d", f.Fd())
		var text []byte
		err := atOnce(t, name, func() (err error) {
			text, err = osfile.Read(t.Context(), name, 100)
			return err
		})
		if err != nil || string(text) != "handed over" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	for _, name := range []string{"/dev/fd/9999", "/dev/fd/x"} {
		if _, err := osfile.Open(t.Context(), name); err == nil {
			t.Errorf("%s was opened", name)
		}
	}
}

// Secrets are read of files that nobody else can use or put another one in the
// place of.
func TestOpenSecret(t *testing.T) {
	for _, c := range []struct {
		file, folder os.FileMode
		fine         bool
	}{
		{0o600, 0o700, true},
		{0o400, 0o755, true},
		{0o600, 0o777 | os.ModeSticky, true},
		{0o600, 0o775 | os.ModeSticky, true},
		{0o640, 0o700, false},
		{0o604, 0o700, false},
		{0o620, 0o700, false},
		{0o600, 0o777, false},
		{0o600, 0o770, false},
		{0o600, 0o722, false},
	} {
		name := written(t, "secret")
		link := filepath.Join(t.TempDir(), "link") // its own folder is fine
		for _, err := range []error{os.Chmod(name, c.file), os.Chmod(filepath.Dir(name), c.folder), os.Symlink(name, link)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, by := range []string{name, link} {
			f, err := osfile.OpenSecret(by)
			if err == nil {
				_ = f.Close()
			}
			refused, isSecret := errors.AsType[*osfile.SecretError](err)
			if (err == nil) != c.fine || !c.fine && (!isSecret || refused.Hint() == "") {
				t.Errorf("mode %o in a folder of %v by %s: %v", c.file, c.folder, by, err)
			}
		}
	}
}

// A file of another user is refused, even by root.
func TestOpenSecretOfAnother(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	name := written(t, "secret")
	if err := os.Chown(name, 4711, 4711); err != nil {
		t.Skip(err)
	}
	_, err := osfile.OpenSecret(name)
	if _, ok := errors.AsType[*osfile.SecretError](err); !ok {
		t.Errorf("%v", err)
	}
}

// What takes the place of a file belongs to whom that belonged.
func TestWriteKeepsOwner(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	err := os.WriteFile(name, nil, 0o600)
	if err == nil {
		err = os.Chown(name, 12345, 23456)
	}
	if err != nil {
		t.Skip(err)
	}
	if err := osfile.Write(name, []byte("x"), true); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if s := info.Sys().(*syscall.Stat_t); s.Uid != 12345 || s.Gid != 23456 || s.Size != 1 {
		t.Errorf("%d %d, %d bytes", s.Uid, s.Gid, s.Size)
	}
}
