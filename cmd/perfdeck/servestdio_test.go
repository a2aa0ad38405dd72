package main

import (
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/sidechannel"
)

// ends is both ends of a program's standard input and output as a connection.
type ends struct {
	net.Conn // nil: deadlines are not used

	in, out *os.File
}

func (e ends) Read(b []byte) (int, error)  { return e.out.Read(b) }
func (e ends) Write(b []byte) (int, error) { return e.in.Write(b) }
func (e ends) Close() error {
	_ = e.in.Close()
	return e.out.Close()
}

// serve --stdio answers what this computer has, Process too, and ends with its input.
func TestServeStdio(t *testing.T) {
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	code := make(chan int, 1)
	go func() { code <- run([]string{"serve", "--stdio"}, stdin, stdout, null, []string{"TERM=dumb"}) }()
	o := rpc.Options{Address: rpc.Address{Host: "here"}, Calls: rpc.Calls{Interfaces: []rpc.Interface{rpc.MSPCQ, rpc.OwnSideChannel}}}
	if _, err := in.Write(rpc.Opening(o)); err != nil {
		t.Fatal(err)
	}
	c, err := rpc.Over(t.Context(), ends{in: in, out: out}, o)
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Describe(t.Context(), rpc.MaxDescription)
	if err != nil {
		t.Fatal(err)
	}
	d, err := sidechannel.ParseDescription(a.Data)
	if err != nil || d.Program != version() || len(d.Facts) == 0 {
		t.Errorf("%+v, %v", d, err)
	}
	_ = in.Close()
	if got := <-code; got != 0 {
		t.Errorf("exit code %d", got)
	}
	_ = stdout.Close()
	if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
}

// What it cannot serve together with --stdio is refused.
func TestServeStdioAlone(t *testing.T) {
	_, said, code := perfdeck(t, "", "serve", "--stdio", "--listen=:0")
	if code != exitUsage || !strings.Contains(said, "--listen") {
		t.Errorf("%d, %q", code, said)
	}
}
