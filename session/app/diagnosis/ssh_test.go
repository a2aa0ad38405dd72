//go:build unix

package diagnosis

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/pcq/server"
	"perfdeck/session/hosts/ssh/sshtest"
	"perfdeck/session/system/failure"
)

var theServer sshtest.Shared

// The test's own program is the perfdeck of the other side.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "--version":
		fmt.Println("perfdeck test")
		return
	case len(os.Args) > 2 && os.Args[1] == "serve":
		serveStdio()
		return
	}
	code := m.Run()
	theServer.Stop()
	os.Exit(code)
}

// serveStdio serves the script.
func serveStdio() {
	near, far := net.Pipe()
	go func() { _, _ = io.Copy(far, os.Stdin); _ = far.Close() }()
	go func() { _, _ = io.Copy(os.Stdout, far) }()
	source := fake.New(script(), session.NewSystemClock())
	if err := server.ServeStream(context.Background(), near, server.StreamOptions{Source: source, Program: "test"}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Of a host of ssh the steps of ssh and those of the other side come before those of its counters.
func TestOverSSH(t *testing.T) {
	at := theServer.Need(t)
	host, nobody, usual := at.Host(t, ""), at.Host(t, ""), os.Getenv("PATH")
	nobody.Configure("127.0.0.1", 1, "")
	by := func(h *sshtest.Host) { t.Setenv("PATH", filepath.Dir(h.Program)+string(os.PathListSeparator)+usual) }
	by(host)
	connecting := []string{"read the name", "ssh program", "find the host", "connect", "host key", "log on", "far shell"}

	barred := newClinic(t, "", "")
	if err := barred.examine("ssh://box", append(slices.Clone(connecting), "!start perfdeck on the host")...); !strings.Contains(failure.Hint(err), "--deploy") {
		t.Errorf("nothing is copied unasked: %v", err)
	}

	clinic := clinicThat(t, "", "", true)
	_ = clinic.examine("ssh://box", slices.Concat(connecting, []string{"copy perfdeck", "start perfdeck", "far program"}, reading, []string{"read events"})...)
	if got := clinic.detail("ssh program"); !strings.Contains(got, "OpenSSH") {
		t.Errorf("the program is told as %q", got)
	}
	if got := clinic.detail("read the catalogue"); got != "2 countersets, 3 counters" {
		t.Errorf("its catalogue: %q", got)
	}
	_ = clinic.examine("ssh://box", slices.Concat(connecting, []string{"start perfdeck", "far program"}, reading, []string{"read events"})...)

	by(nobody)
	if err := newClinic(t, "", "").examine("ssh://box", "read the name", "ssh program", "find the host", "!connect"); failure.Hint(err) == "" {
		t.Errorf("where nothing listens: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if err := newClinic(t, "", "").examine("ssh://box", "!read the name"); failure.Hint(err) == "" {
		t.Errorf("without a program: %v", err)
	}
}
