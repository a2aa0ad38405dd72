package output

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// Nobody fills the log: it has so many lines in a minute, of such a length, and
// one address does not take those of others.
func TestFairLog(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(1_700_000_000, 0)
	l := NewFairLog(&out, func() time.Time { return now }, Dated)
	at := func(n int) net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, byte(n)), Port: 1000 + n} }
	hostile := errors.New(strings.Repeat("\x1b[2Jé\n", 10000))
	for range 10000 {
		l.Report(at(1), hostile)
	}
	l.Report(at(2), errors.New("of another"))
	l.Report(nil, errors.New("of nobody"))
	text := out.String()
	if n := strings.Count(text, "\n"); n != logOfAddress+3 || !strings.Contains(text, "of another") || !strings.Contains(text, "of nobody") {
		t.Errorf("%d lines", n)
	}
	for line := range strings.Lines(text) {
		if n := len([]rune(line)); n > LineLength+25 || strings.ContainsRune(line, 0x1b) {
			t.Errorf("a line of %d: %q", n, line)
		}
	}
	for n := range 200 {
		for range 20 {
			l.Report(at(n), errors.New("of many"))
		}
	}
	if n := strings.Count(out.String(), "\n"); n > 2*logLines || len(l.of) > logLines+1 {
		t.Errorf("%d lines, %d addresses", n, len(l.of))
	}
	out.Reset()
	now = now.Add(logWindow)
	l.Report(at(1), errors.New("a minute later"))
	if text := out.String(); strings.Count(text, "\n") != 2 || !strings.Contains(text, "lines were left out") || !strings.Contains(text, "a minute later") {
		t.Errorf("%q", text)
	}
	for range 100 {
		l.Report(at(1), errors.New("again"))
	}
	out.Reset()
	l.Flush()
	if want := fmt.Sprint(100-logOfAddress+1, " lines"); !strings.Contains(out.String(), want) {
		t.Errorf("at the end: %q, want %s", out.String(), want)
	}
}
