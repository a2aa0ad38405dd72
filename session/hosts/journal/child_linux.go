package journal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"perfdeck/session/system/subprocess"
)

// child is a program whose lines are read when there is time for them.
type child interface {
	// read reads what is there; nothing and no error: there is nothing yet. A child that waits is
	// waited for.
	read(p []byte, waits bool) (int, error)
	// end ends it; it gives what it said of why it could not go on.
	end() (said string)
}

// program is a child that is a process.
type program struct {
	out, errs *os.File
	wait      func() error
	kill      func()
}

// startProgram starts a program that is known by its absolute path, with nothing of our
// environment. It ends with the context, and with this process.
func startProgram(ctx context.Context, file string, args []string) (child, error) {
	out, outFar, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer outFar.Close()
	errs, errsFar, err := os.Pipe()
	if err != nil {
		_ = out.Close()
		return nil, err
	}
	defer errsFar.Close()
	// So much is what is read at once: it waits, where it may not be.
	_, _ = unix.FcntlInt(outFar.Fd(), unix.F_SETPIPE_SZ, mostBytesRead)
	c := exec.CommandContext(ctx, file, args...)
	c.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "SYSTEMD_COLORS=0", "SYSTEMD_PAGER=", "SYSTEMD_LOG_TARGET=console"}
	c.Dir = "/"
	c.Stdout, c.Stderr = outFar, errsFar
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // it may have nothing to write that would tell it that we are gone
	p := &program{out: out, errs: errs}
	if p.wait, p.kill, err = subprocess.Start(c); err != nil {
		_, _ = out.Close(), errs.Close()
		return nil, err
	}
	return p, nil
}

func (p *program) read(b []byte, waits bool) (int, error) {
	if waits {
		return p.out.Read(b)
	}
	raw, err := p.out.SyscallConn()
	if err != nil {
		return 0, err
	}
	n := 0
	var failed error
	err = raw.Read(func(fd uintptr) bool {
		n, failed = unix.Read(int(fd), b)
		return true // whatever is there
	})
	switch {
	case err != nil:
		return 0, err
	case errors.Is(failed, unix.EAGAIN) || errors.Is(failed, unix.EINTR):
		return 0, nil
	case failed != nil:
		return 0, failed
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

func (p *program) end() (said string) {
	p.kill()
	_ = p.wait() // what it said counts
	text := make([]byte, mostBytes)
	n, _ := p.errs.Read(text)
	_, _ = p.out.Close(), p.errs.Close()
	line, _, _ := bytes.Cut(bytes.TrimSpace(text[:n]), []byte("\n"))
	return strings.TrimSuffix(short(string(line)), ".")
}
