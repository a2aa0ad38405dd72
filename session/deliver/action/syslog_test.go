//go:build unix

package action

import (
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"perfdeck/session/alert"
)

func listen(t *testing.T) (path string, read func() string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "s")
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Skipf("no datagram sockets here: %v", err)
	}
	t.Cleanup(func() { c.Close() })
	return path, func() string {
		b := make([]byte, 64<<10)
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		n, err := c.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
}

func TestSystemLog(t *testing.T) {
	path, read := listen(t)
	gone := logSocket{filepath.Join(t.TempDir(), "none"), journalEntry}
	n := notice()
	n.ID.Rule = "slow\ndisk\x00"
	if err := logTo([]logSocket{gone, {path, syslogLine}}, &n); err != nil {
		t.Fatal(err)
	}
	if got := read(); !regexp.MustCompile(`^<10>Mar  2 14:07:32 perfdeck\[\d+\]: critical fired "slow\?disk\?": .*41\.2 ms > 25\.0 ms$`).MatchString(got) {
		t.Errorf("%q", got)
	}
	n.Kind = alert.Cleared
	if err := logTo([]logSocket{{path, journalEntry}}, &n); err != nil {
		t.Fatal(err)
	}
	got := read()
	for _, want := range []string{"PRIORITY=6\n", "SYSLOG_IDENTIFIER=perfdeck\n", "PERFDECK_RULE=slow?disk?\n", "PERFDECK_VALUE=0.0412\n", "PERFDECK_EVENT=cleared\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	for line := range strings.Lines(got) {
		if name, _, ok := strings.Cut(line, "="); !ok || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
			t.Errorf("field %q", line)
		}
	}
	if err := logTo([]logSocket{gone}, &n); err == nil {
		t.Error("nobody listens, and nothing is said")
	}
}
