package ssh

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"

	"perfdeck/session/system/subprocess"
)

// process is a running ssh as a connection: what is written goes to the program on the
// other side, what is read comes from it. Closing it ends ssh and whatever ssh started
// for itself, and so the program on the other side.
type process struct {
	in    *os.File
	out   *os.File
	said  *head
	end   func() // ends all of the group
	once  sync.Once
	ended chan struct{} // closed when ssh has ended and was waited for
	err   error         // of its end; after ended
}

// stderrDelay is how long somebody else may keep ssh's error output open after its end,
// as a master connection in the background does for ever.
const stderrDelay = 200 * time.Millisecond

// start starts ssh. heard gets each line of its error output; nil: nobody does.
func start(c *exec.Cmd, heard func(line string), run func(func())) (*process, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		_ = childIn.Close()
		_ = in.Close()
		return nil, err
	}
	p := &process{in: in, out: out, said: &head{heard: heard}, ended: make(chan struct{})}
	c.Stdin, c.Stdout, c.Stderr, c.WaitDelay = childIn, childOut, p.said, stderrDelay
	wait, end, err := subprocess.Start(c)
	p.end = end
	_ = childIn.Close()
	_ = childOut.Close()
	if err != nil {
		_ = in.Close()
		_ = out.Close()
		return nil, err
	}
	run(func() {
		defer close(p.ended)
		if p.err = wait(); errors.Is(p.err, exec.ErrWaitDelay) {
			p.err = nil
		}
	})
	return p, nil
}

func (p *process) Read(b []byte) (int, error)  { return p.out.Read(b) }
func (p *process) Write(b []byte) (int, error) { return p.in.Write(b) }

// Close ends ssh and waits until it is gone.
func (p *process) Close() error {
	p.once.Do(func() {
		_ = p.in.Close()
		p.end()
		<-p.ended
		_ = p.out.Close()
	})
	return nil
}

// exitTime is how long ssh may take to say why, once the other side has gone.
const exitTime = 2 * time.Second

// exit waits until ssh has ended, if it does so soon; code is -1 where it does not, or
// was ended by a signal.
func (p *process) exit(ctx context.Context) (code int, said string) {
	late := time.NewTimer(exitTime)
	defer late.Stop()
	select {
	case <-p.ended:
		if e, ok := errors.AsType[*exec.ExitError](p.err); ok {
			code = e.ExitCode()
		}
	case <-late.C:
		code = -1
	case <-ctx.Done():
		code = -1
	}
	return code, p.said.text()
}

// The rest of net.Conn. Nobody sets deadlines: calls end by closing.

func (p *process) LocalAddr() net.Addr              { return pipeAddress{} }
func (p *process) RemoteAddr() net.Addr             { return pipeAddress{} }
func (p *process) SetDeadline(time.Time) error      { return os.ErrNoDeadline }
func (p *process) SetReadDeadline(time.Time) error  { return os.ErrNoDeadline }
func (p *process) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }

type pipeAddress struct{}

func (pipeAddress) Network() string { return "ssh" }
func (pipeAddress) String() string  { return "ssh" }

// head keeps the beginning and the end of what a program says, and hands on its lines.
type head struct {
	heard func(line string)

	mu   sync.Mutex
	kept []byte
	line []byte // that is not whole yet
}

// Bounds of what is kept, in bytes.
const (
	mostSaid = 16 << 10
	mostLine = 1 << 10
)

// Write implements io.Writer. It never fails.
func (h *head) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept = append(h.kept, b...)
	if over := len(h.kept) - mostSaid; over > 0 { // a banner may stand before what matters
		h.kept = append(h.kept[:0], h.kept[over:]...)
	}
	if h.heard == nil {
		return len(b), nil
	}
	for _, c := range b {
		switch {
		case c == '\n':
			h.heard(string(bytes.TrimRight(h.line, "\r")))
			h.line = h.line[:0]
		case len(h.line) < mostLine:
			h.line = append(h.line, c)
		}
	}
	return len(b), nil
}

func (h *head) text() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.kept)
}

var _ io.ReadWriteCloser = (*process)(nil)
