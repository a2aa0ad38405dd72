package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/failure"
)

// scripted is a journalctl that says what a test has it say.
type scripted struct {
	text  bytes.Buffer
	over  bool // it ends when all was read
	said  string
	ended bool
}

func (s *scripted) read(p []byte, _ bool) (int, error) {
	n, _ := s.text.Read(p)
	if n == 0 && s.over {
		return 0, io.EOF
	}
	return n, nil
}

func (s *scripted) end() string {
	s.ended = true
	return s.said
}

// rig is a follower on a clock of its own, and the journalctls that it started.
type rig struct {
	*follower

	t       *testing.T
	at      time.Time
	started []string // their arguments
	next    []*scripted
}

func newRig(t *testing.T, from session.EventsFrom, next ...*scripted) *rig {
	r := &rig{t: t, at: time.UnixMicro(1796036192440043).Add(time.Hour), next: next}
	r.follower = newFollower(from, func() time.Time { return r.at }, func(_ context.Context, args []string) (child, error) {
		r.started = append(r.started, strings.Join(args, " "))
		if len(r.next) == 0 {
			return nil, errors.New("one too many")
		}
		c := r.next[0]
		r.next = r.next[1:]
		return c, nil
	})
	r.up = func() time.Duration { return 100 * time.Hour }
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *rig) read() []session.HostEvent {
	r.t.Helper()
	var all []session.HostEvent
	for more := true; more; {
		var out []session.HostEvent
		var err error
		if out, more, err = r.Read(r.t.Context()); err != nil {
			r.t.Fatal(err)
		}
		all = append(all, out...)
	}
	return all
}

// entries are lines of the journal, the n-th written at second n.
func entries(numbers ...int) string {
	var out strings.Builder
	for _, n := range numbers {
		out.Write(line(map[string]any{fieldCursor: testCursor(n), fieldTime: fmt.Sprint(int64(1796036192440043) + int64(n)*1e6), fieldPriority: "4", fieldMessage: fmt.Sprintf("line %d", n)}))
		out.WriteByte('\n')
	}
	return out.String()
}

func said(text string, over bool) *scripted {
	s := &scripted{over: over}
	s.text.WriteString(text)
	return s
}

// A first look reads what was, the rest from its cursor; nothing comes twice.
func TestFirstLook(t *testing.T) {
	past, now := said(entries(3, 2, 1), true), said("", false)
	r := newRig(t, session.EventsFrom{Time: time.Unix(1796036000, 0)}, past, now)
	got := r.read()
	if len(got) != 1 || got[0].Count != 3 || got[0].Text != "line 1" || r.Cursor() != testCursor(3) {
		t.Fatalf("%+v, %s", got, r.Cursor())
	}
	if !strings.Contains(r.started[0], "-r --since=@1796036000.000000 PRIORITY=0") || !strings.Contains(r.started[1], "-f --no-tail --after-cursor="+testCursor(3)+" PRIORITY=0") {
		t.Errorf("%q", r.started)
	}
	for _, args := range r.started {
		if strings.Contains(args, "-n") && !strings.Contains(args, "--no-pager") {
			t.Error(args)
		}
	}
	now.text.WriteString(entries(4)[:50])
	if got := r.read(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	now.text.WriteString(entries(4)[50:])
	if got := r.read(); len(got) != 1 || got[0].Text != "line 4" {
		t.Errorf("%+v", got)
	}
}

// A first look is bounded, and what it left out is told.
func TestFirstLookIsBounded(t *testing.T) {
	var numbers []int
	for n := 3000; n > 0; n-- {
		numbers = append(numbers, n)
	}
	r := newRig(t, session.EventsFrom{Time: time.Unix(1796036000, 0)}, said(entries(numbers...), true), said("", false))
	got := r.read()
	sum := 0
	for _, e := range got[1:] {
		sum += e.Count
	}
	if got[0].Known != session.EventGap || !got[0].Time.Equal(time.Unix(1796036000, 0)) || sum != mostFirst {
		t.Fatalf("%d, %+v", sum, got)
	}
	if !got[1].Time.Equal(got[0].Until) {
		t.Errorf("%v, %v", got[0].Until, got[1].Time)
	}
}

// One that goes on begins where the other ended.
func TestGoesOn(t *testing.T) {
	r := newRig(t, session.EventsFrom{Cursor: testCursor(5), Time: time.Unix(1796036000, 0)}, said(entries(7, 6, 5, 4), true), said("", false))
	if got := r.read(); len(got) != 1 || got[0].Count != 2 || got[0].Text != "line 6" {
		t.Fatalf("%+v", got)
	}
	if !strings.Contains(r.started[0], "--since=@1796036197.440043") {
		t.Error(r.started)
	}
	for _, c := range []struct {
		has  string
		want int
	}{{entries(7, 6, 5, 4), 2}, {entries(8, 7), 1}} { // what is sought may be behind its time, and no longer there
		r = newRig(t, session.EventsFrom{Cursor: testCursor(5), Time: time.UnixMicro(1796036192440043 + 7_500_000)}, said(c.has, true), said("", false))
		if got := r.read(); len(got) != 1 || got[0].Count != c.want {
			t.Errorf("%+v", got)
		}
	}
	r = newRig(t, session.EventsFrom{Cursor: "--file=/etc/passwd", Time: time.Unix(1796036000, 0)}, said("", true), said("", false))
	if got := r.read(); len(got) != 0 || strings.Contains(strings.Join(r.started, " "), "passwd") || !strings.Contains(r.started[1], since(r.at)) {
		t.Errorf("%+v, %q", got, r.started)
	}
}

// A flood is not read for a time, and how long is told; what is outside of that is complete.
func TestFlood(t *testing.T) {
	flood, after := said("", false), said("", false)
	r := newRig(t, session.EventsFrom{Time: time.Unix(1796036000, 0)}, said("", true), flood, after)
	r.read()
	n, sum := 0, 0
	for flood.text.Len() < 2*mostBytesRead {
		n++
		flood.text.WriteString(entries(n))
	}
	r.at = r.at.Add(time.Second)
	last := time.Time{}
	for _, e := range r.read() {
		sum += e.Count
		last = e.Until
		if !e.AtLeast {
			t.Errorf("%+v", e)
		}
	}
	if !flood.ended || sum == 0 || sum > n*3/4 {
		t.Fatalf("%d of %d, ended %v", sum, n, flood.ended)
	}
	r.at = r.at.Add(time.Second)
	if got := r.read(); len(got) != 0 || len(r.started) != 2 {
		t.Fatalf("%+v, %d", got, len(r.started))
	}
	r.at = session.Later(r.at, last).Add(pause)
	got := r.read()
	if len(got) != 1 || got[0].Known != session.EventGap || !got[0].Time.Equal(last) || !got[0].Until.Equal(r.at) {
		t.Fatalf("%+v, %v to %v", got, last, r.at)
	}
	if !strings.Contains(r.started[2], since(r.at)) {
		t.Error(r.started[2])
	}
}

// A journalctl that ends is told after what it had said.
func TestChildDies(t *testing.T) {
	c := said(entries(1), true)
	c.said = "Killed"
	r := newRig(t, session.EventsFrom{Time: time.Unix(1796036000, 0)}, said("", true), c)
	if _, _, err := r.Read(t.Context()); err != nil { // what was before
		t.Fatal(err)
	}
	got, more, err := r.Read(t.Context())
	if err != nil || !more || len(got) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, _, err := r.Read(t.Context()); err == nil || !strings.Contains(err.Error(), "Killed") || r.Cursor() != testCursor(1) {
		t.Errorf("%v, %s", err, r.Cursor())
	}
	c = said("", true)
	c.said = "No journal files were opened due to insufficient permissions."
	r = newRig(t, session.EventsFrom{}, c)
	if _, _, err := r.Read(t.Context()); !errors.Is(err, session.ErrDenied) || !strings.Contains(failure.Hint(err), "systemd-journal") {
		t.Errorf("%v", err)
	}
}

// Of a boot in the time that is looked at, what was before tells whether it was expected.
func TestRestart(t *testing.T) {
	for _, c := range []struct {
		last, end int // seconds; 0: no line
		want      bool
	}{{0, 0, false}, {900, 0, true}, {900, 100, true}, {900, 880, false}} {
		one := func(n int) *scripted {
			if n == 0 {
				return said("", true)
			}
			return said(entries(n), true)
		}
		next := []*scripted{said("", true), one(c.last)}
		if c.last > 0 {
			next = append(next, one(c.end))
		}
		r := newRig(t, session.EventsFrom{Time: time.Unix(1796036000, 0)}, append(next, said("", false))...)
		r.up = func() time.Duration { return 10 * time.Minute }
		got := r.read()
		if is := len(got) == 1 && got[0].Known == "unexpected-restart" && got[0].Time.Equal(r.at.Add(-10*time.Minute)); is != c.want || !is && len(got) > 0 {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// Where journald keeps one boot alone, nothing is known of others.
func TestOneBoot(t *testing.T) {
	none := said("", true)
	none.said = "Data from the specified boot (-1) is not available: No such boot ID in journal"
	r := newRig(t, session.EventsFrom{Time: time.Unix(1796036000, 0)}, said(entries(1), true), none, said("", false))
	r.up = func() time.Duration { return 10 * time.Minute }
	if got := r.read(); len(got) != 1 || got[0].Text != "line 1" {
		t.Errorf("%+v", got)
	}
}

// Where the clock was set back, order is that of the journal.
func TestOrder(t *testing.T) {
	r := newRig(t, session.EventsFrom{Time: time.Unix(1796036000, 0)}, said(entries(100, 500, 400), true), said("", false))
	if got := r.read(); len(got) != 3 || got[0].Text != "line 400" || got[1].Text != "line 500" || got[2].Text != "line 100" {
		t.Errorf("%+v", got)
	}
}

// A first look that fails is none: the next one is.
func TestFirstLookFails(t *testing.T) {
	r := newRig(t, session.EventsFrom{Time: time.Unix(1796036000, 0)}, said(entries(3, 2, 1), true), said(entries(1), true))
	r.up = func() time.Duration { return 10 * time.Minute }
	if _, _, err := r.Read(t.Context()); err == nil || r.Cursor() != "" { // there is no third journalctl
		t.Errorf("%v, %q", err, r.Cursor())
	}
}

// Lines that cannot be read are told.
func TestSpoiltLines(t *testing.T) {
	r := newRig(t, session.EventsFrom{Time: time.Unix(1796036000, 0)}, said("", true), said("{\n"+strings.Repeat("x", 1<<17)+"\n"+entries(1), false))
	got := r.read()
	if len(got) != 2 || got[0].Count != 2 || got[0].Text != errLine.Error() || got[1].Text != "line 1" {
		t.Errorf("%+v", got)
	}
}

// What cannot be read is an error with a reason, never nothing.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	if r, err := Open(t.Context(), session.EventsFrom{}, Options{Run: dir, Var: dir, Kernel: filepath.Join(dir, "kmsg")}); r != nil || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v, %v", r, err)
	}
	journald := filepath.Join(dir, "systemd/journal")
	machine := filepath.Join(dir, "log/journal/0123")
	for _, d := range []string{journald, machine} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{filepath.Join(journald, "socket"), filepath.Join(machine, "system.journal")} {
		if err := os.WriteFile(f, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Open(t.Context(), session.EventsFrom{}, Options{Run: dir, Var: dir, Program: "/bin/false"})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// A program is read without being waited for, and is told why it ended.
func TestProgram(t *testing.T) {
	c, err := startProgram(t.Context(), "/bin/sh", []string{"-c", `echo "$HOME$PATH"; echo broken >&2; read x`})
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 100)
	n, err := c.read(b, true)
	if err != nil || string(b[:n]) != "/usr/bin:/bin\n" {
		t.Errorf("%q, %v", b[:n], err)
	}
	_, err = c.read(b, true) // its input is empty: it ends
	if !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if said := c.end(); said != "broken" {
		t.Errorf("%q", said)
	}
	c, err = startProgram(t.Context(), "/bin/sleep", []string{"600"})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := c.read(b, false); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if said := c.end(); said != "" {
		t.Errorf("%q", said)
	}
}

// The kernel's own lines, of a file in their stead: each read gives one.
func TestKernelLog(t *testing.T) {
	o := &Options{Kernel: "/dev/kmsg", Now: time.Now}
	k, err := openKernel(session.EventsFrom{}, o)
	if err != nil {
		t.Skip(err)
	}
	first, _, err := k.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cursor := k.Cursor()
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	k, err = openKernel(session.EventsFrom{Cursor: cursor}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	again, _, err := k.Read(t.Context())
	if err != nil || len(again) > len(first)/2 && len(first) > 5 {
		t.Errorf("%d, then %d, %v", len(first), len(again), err)
	}
	if !slices.IsSortedFunc(first, func(a, b session.HostEvent) int { return a.Time.Compare(b.Time) }) {
		t.Error("not in order")
	}
	// what was overwritten is a gap
	k.seen, k.number, k.newest, k.began = true, 10, time.Unix(1000, 0), true
	events := k.take(nil, []byte("3,15,9000000,-;x"), time.Unix(1000, 0))
	if len(events) != 2 || events[0].Known != session.EventGap || events[0].Names[0] != "9 s" {
		t.Errorf("%+v", events)
	}
}

// A journal whose clock was set back goes on at its cursor, whatever times its lines have.
func TestGoOnAfterTheClockWasSetBack(t *testing.T) {
	r := newRig(t, session.EventsFrom{}, said(entries(-3595, -3599, 3, 2), true), said("", false))
	r.at = r.at.Add(-2 * time.Hour)
	r.from = session.EventsFrom{Cursor: testCursor(3), Time: r.at}
	r.cursor = testCursor(3)
	if got := r.read(); len(got) != 1 || got[0].Count != 2 || r.Cursor() != testCursor(-3595) || !strings.Contains(r.started[0], since(r.at)) {
		t.Errorf("%+v, %s, %q", got, r.Cursor(), r.started)
	}
}
