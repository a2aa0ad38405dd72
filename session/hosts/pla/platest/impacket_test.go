package platest

import (
	"context"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session/hosts/pla"
	"perfdeck/session/wire/dcom"
)

// impacketAt is an address of loopback whose port of resolvers is free: impacket knows no other.
const impacketAt = "127.86.46.135"

// An implementation by others activates, lists, starts, stops and commits. How many references
// it gives back is its own affair: one of five.
func TestImpacket(t *testing.T) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import impacket.dcerpc.v5.dcomrt").Run(); err != nil {
		t.Skip("NOT TESTED AGAINST AN INDEPENDENT CLIENT: python3 with impacket is not installed (Debian: python3-impacket)")
	}
	l, err := net.Listen("tcp", net.JoinHostPort(impacketAt, "135"))
	if err != nil {
		t.Skip("NOT TESTED AGAINST AN INDEPENDENT CLIENT: impacket only knows port 135, which needs root and a system with all of 127.0.0.0/8: ", err)
	}
	_ = l.Close()
	h := filled(t, Options{Address: impacketAt, Port: dcom.ResolverPort, Findings: func(string) []pla.Problem {
		return []pla.Problem{{Key: "Collector/LogCircular", Code: 0x00300100}, {Key: "TaskArguments", Code: 0x80300101}}
	}}, 12)
	run := func(wanted []string, args ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		args = append([]string{filepath.Join("testdata", "impacket_sets.py"), impacketAt, "-u", User, "-p", Password}, args...)
		out, err := exec.CommandContext(ctx, python, args...).CombinedOutput()
		for _, want := range wanted {
			if err != nil || !strings.Contains(string(out), want) {
				t.Errorf("%v: %v, %q is missing:\n%s", args, err, want, out)
			}
		}
	}
	run([]string{"count 12\n", "\nSet11 0 "})
	run([]string{"before 0\nafter 1\n"}, "--start", "Set00")
	if s, _ := h.Set(service("Set00")); s.Status != pla.Running {
		t.Errorf("%+v", s)
	}
	run([]string{"before 1\nafter 0\n"}, "--stop", "set00")
	run([]string{"value map of 2\n", "Collector/LogCircular 0x300100\n", "TaskArguments 0x80300101\n"}, "--commit", "New")
	if _, there := h.Set(service("New")); !there {
		t.Error("it was not committed")
	}
}
