package ssh

import (
	"bufio"
	"bytes"
	"context"
	"errors"

	"net"
	"os"
	"os/exec"
	"sync"

	"time"

	"perfdeck/session/system/subprocess"
	"perfdeck/session/wire/rpc"
)

// stream is a running ssh as the client's connection: what is written goes to the program on
// the other side, what is read comes from it; when it ends, it says why. Closing it ends ssh and
// whatever ssh started for itself, and so the program on the other side.
type stream struct {
	of    Destination
	out   *os.File // to ssh
	from  *os.File
	in    *bufio.Reader // of from
	said  *head
	end   func() // ends all of the group
	done  func() // ends its questions
	once  sync.Once
	ended chan struct{} // closed when ssh has ended and was waited for
	err   error         // of its end; after ended
}

// stderrDelay is how long somebody else may keep ssh's error output open after its end,
// as a master connection in the background does for ever.
const stderrDelay = 200 * time.Millisecond

// start starts ssh. heard gets each line of its error output; nil: nobody does.
func start(c *exec.Cmd, heard func(line string), run func(func())) (*stream, error) {
	childIn, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer childIn.Close()
	from, childOut, err := os.Pipe()
	if err != nil {
		_ = out.Close()
		return nil, err
	}
	defer childOut.Close()
	s := &stream{out: out, from: from, in: bufio.NewReader(from), said: &head{heard: heard}, ended: make(chan struct{})}
	c.Stdin, c.Stdout, c.Stderr, c.WaitDelay = childIn, childOut, s.said, stderrDelay
	wait, end, err := subprocess.Start(c)
	if err != nil {
		_, _ = out.Close(), from.Close()
		return nil, err
	}
	s.end = end
	run(func() {
		defer close(s.ended)
		if s.err = wait(); errors.Is(s.err, exec.ErrWaitDelay) {
			s.err = nil
		}
	})
	return s, nil
}

// Read implements net.Conn.
func (s *stream) Read(b []byte) (int, error) {
	n, err := s.in.Read(b)
	return n, s.why(err)
}

// Write implements net.Conn.
func (s *stream) Write(b []byte) (int, error) {
	n, err := s.out.Write(b)
	return n, s.why(err)
}

// why says why nothing goes through any more.
func (s *stream) why(err error) error {
	if err == nil {
		return nil
	}
	code, said := s.exit(context.Background())
	return connectionError(s.of, code, said, err)
}

// Close implements net.Conn. It waits until ssh is gone.
func (s *stream) Close() error {
	s.once.Do(func() {
		s.done()
		_ = s.out.Close()
		s.end()
		<-s.ended
		_ = s.from.Close()
	})
	return nil
}

// keep uses the line now and then until it is closed, so that the other side does not take
// it for one that was left.
func (s *stream) keep(client *rpc.Client, every time.Duration, run func(func())) {
	run(func() {
		for err := error(nil); err == nil; {
			select {
			case <-s.ended:
				return
			case <-time.After(every):
				_, err = client.Describe(context.Background(), 0) // the shortest answer
			}
		}
	})
}

// exitTime is how long ssh may take to say why, once the other side has gone.
const exitTime = 2 * time.Second

// exit waits until ssh has ended, if it does so soon; code is -1 where it does not, or
// was ended by a signal.
func (s *stream) exit(ctx context.Context) (code int, said string) {
	ctx, cancel := context.WithTimeout(ctx, exitTime)
	defer cancel()
	select {
	case <-s.ended:
		if e, ok := errors.AsType[*exec.ExitError](s.err); ok {
			code = e.ExitCode()
		}
	case <-ctx.Done():
		code = -1
	}
	return code, s.said.text()
}

// The rest of net.Conn. Nobody sets deadlines: calls end by closing.

func (s *stream) LocalAddr() net.Addr              { return pipeAddress{} }
func (s *stream) RemoteAddr() net.Addr             { return pipeAddress{} }
func (s *stream) SetDeadline(time.Time) error      { return os.ErrNoDeadline }
func (s *stream) SetReadDeadline(time.Time) error  { return os.ErrNoDeadline }
func (s *stream) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }

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
