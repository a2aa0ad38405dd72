package output

import (
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// FairLog writes what a server reports, a line each. As anybody who reaches the
// server makes it report, lines have a length, and every minute as many as
// somebody may want to read, from one address fewer: what is left out is counted.
type FairLog struct {
	out  io.Writer
	now  func() time.Time
	lead func(now time.Time) string // of a line

	mu      sync.Mutex
	until   time.Time // of this minute
	lines   int       // of it
	of      map[string]int
	left    int
	culprit string // an address of which some were left out
}

// Limits of a FairLog.
const (
	logWindow    = time.Minute
	logLines     = 60  // in a window
	logOfAddress = 10  // of them about one address
	LineLength   = 300 // characters
)

// Dated is the usual beginning of its lines.
func Dated(now time.Time) string { return now.Format(time.DateTime) + " " }

// NewFairLog makes an empty log.
func NewFairLog(out io.Writer, now func() time.Time, lead func(time.Time) string) *FairLog {
	return &FairLog{out: out, now: now, lead: lead, of: map[string]int{}}
}

// Report writes why something happened, and to whom; peer may be nil.
func (l *FairLog) Report(peer net.Addr, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if !now.Before(l.until) {
		l.tellLeft(now)
		l.until, l.lines = now.Add(logWindow), 0
		clear(l.of)
	}
	address, from := hostOf(peer), ""
	if l.lines >= logLines || l.of[address] >= logOfAddress {
		l.left++
		l.culprit = address
		return
	}
	l.lines++
	l.of[address]++
	if peer != nil {
		from = peer.String() + ": "
	}
	l.write(now, from+err.Error())
	if l.of[address] == logOfAddress && peer != nil {
		l.write(now, fmt.Sprintf("no more lines about %s for %s", address, english.Age(l.until.Sub(now))))
	}
}

// hostOf is an address without its port.
func hostOf(a net.Addr) string {
	if a == nil {
		return ""
	}
	if host, _, err := net.SplitHostPort(a.String()); err == nil {
		return host
	}
	return a.String()
}

// Flush tells what was left out at last.
func (l *FairLog) Flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tellLeft(l.now())
}

func (l *FairLog) tellLeft(now time.Time) {
	if l.left > 0 {
		l.write(now, fmt.Sprintf("%d lines were left out, the last about %s", l.left, l.culprit))
	}
	l.left, l.culprit = 0, ""
}

func (l *FairLog) write(now time.Time, text string) {
	fmt.Fprintf(l.out, "%s%s\n", l.lead(now), printable.Shorten(printable.Text(text), LineLength))
}
