package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"perfdeck/session"
	"perfdeck/session/system/lazy"
)

// follower reads journald's lines.
type follower struct {
	start func(ctx context.Context, args []string) (child, error)
	now   func() time.Time
	up    func() time.Duration // how long the computer has been running

	from    session.EventsFrom
	ended   context.Context // when it is closed
	close   context.CancelFunc
	child   child // nil: it is not read now
	began   bool  // what was before was read
	cursor  string
	newest  time.Time // of what was read, or from when on there is nothing that was not
	resumes time.Time // where it is not read now
	lines   lineReader

	second time.Time // in which so much was read
	bytes  int
}

// newFollower is one that has read nothing yet.
func newFollower(from session.EventsFrom, now func() time.Time, start func(ctx context.Context, args []string) (child, error)) *follower {
	f := &follower{start: start, now: now, up: uptime, from: from}
	f.ended, f.close = context.WithCancel(context.Background())
	if from.Cursor != "" && cursorForm().MatchString(from.Cursor) {
		f.cursor = from.Cursor
	}
	return f
}

func uptime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) // all kernels have it
	return time.Duration(t.Nano())
}

// cursorForm is what a cursor of journald's is: it may have come from another computer.
var cursorForm = lazy.Regexp(`^s=[0-9a-f]{1,32};i=[0-9a-f]{1,16};b=[0-9a-f]{32};m=[0-9a-f]{1,16};t=([0-9a-f]{1,16});x=[0-9a-f]{1,16}$`)

// timeOf is when the line of a cursor was written; zero: it is none.
func timeOf(cursor string) time.Time {
	if found := cursorForm().FindStringSubmatch(cursor); found != nil {
		if micro, err := strconv.ParseInt(found[1], 16, 64); err == nil {
			return time.UnixMicro(micro)
		}
	}
	return time.Time{}
}

// output is how journalctl is to tell what it has.
func output() []string {
	fields := []string{
		fieldMessage, fieldPriority, fieldFacility, fieldIdentifier, fieldID, fieldTransport, fieldUID, fieldPID, fieldComm, fieldExe, fieldOwnUnit, fieldCode, fieldCorePID,
	}
	for _, rule := range table().ids {
		fields = append(fields, rule.names...)
	}
	slices.Sort(fields)
	return []string{"-q", "--no-pager", "-o", "json", "--output-fields=" + strings.Join(slices.Compact(fields), ",")}
}

// matches are the lines that are asked for: those that are bad enough, the kernel's, and those of
// a MESSAGE_ID that is known of whom it is known. The rest never leaves journalctl.
func matches() []string {
	of := [][]string{byKernel: {fieldTransport + "=kernel"}, bySystemd: {fieldPID + "=1", fieldUID + "=0"}, byJournald: {fieldTransport + "=driver"}, byCoreDump: {}, byRoot: {fieldUID + "=0"}}
	for id, rule := range table().ids {
		of[rule.by] = append(of[rule.by], fieldID+"="+id)
	}
	for p := range 5 {
		of[byAnybody] = append(of[byAnybody], fieldPriority+"="+strconv.Itoa(p))
	}
	var out []string
	for _, group := range of {
		slices.Sort(group)
		out = append(append(out, group...), "+")
	}
	return out[:len(out)-1]
}

func since(t time.Time) string {
	return fmt.Sprintf("--since=@%d.%06d", t.Unix(), t.Nanosecond()/int(time.Microsecond))
}

// Read implements session.EventReader.
func (f *follower) Read(ctx context.Context) ([]session.HostEvent, bool, error) {
	var events []session.HostEvent
	now := f.now()
	switch {
	case f.child != nil:
	case !f.began:
		before, err := f.lookBack(ctx, now)
		f.began = err == nil
		return folded(before), f.began, err
	case now.Before(f.resumes):
		return nil, false, nil
	case !f.resumes.IsZero():
		events = append(events, gap(logJournal, f.newest, now))
		f.newest, f.cursor, f.resumes = now, "", time.Time{}
	}
	if f.child == nil {
		from := since(f.newest)
		if f.cursor != "" {
			from = "--after-cursor=" + f.cursor
		}
		c, err := f.start(f.ended, append(append(output(), "-f", "--no-tail", from), matches()...))
		if err != nil {
			return nil, false, fmt.Errorf("start journalctl: %w", err)
		}
		f.child, f.lines = c, lineReader{}
	}
	came, more, err := f.readChild(now)
	events = append(events, came...)
	if err != nil && len(events) == 0 {
		return nil, false, err
	}
	return folded(events), more, nil
}

// readChild reads what has come, so much in a second at most: beyond that it is ended for a time.
func (f *follower) readChild(now time.Time) (events []session.HostEvent, more bool, err error) {
	if now.Sub(f.second) >= every || now.Before(f.second) {
		f.second, f.bytes = now, 0
	}
	begin := f.bytes
	buffer := make([]byte, pipeSize)
	for f.bytes < mostBytesRead {
		n, err := f.child.read(buffer, false)
		if err != nil {
			return f.died(events, err)
		}
		if n == 0 {
			return events, f.bytes-begin >= pipeSize, nil
		}
		f.bytes += n
		f.lines.add(buffer[:n], func(line []byte) bool {
			events = f.take(events, line)
			return true
		})
	}
	f.child.end()
	f.child, f.resumes = nil, now.Add(pause)
	for i := range events {
		events[i].AtLeast = true
	}
	return events, false, nil
}

// pipeSize is how much a pipe holds that may not be larger.
const pipeSize = 64 << 10

// died is what is told of a journalctl that ended: the next reader goes on at its cursor.
func (f *follower) died(events []session.HostEvent, err error) ([]session.HostEvent, bool, error) {
	if len(events) > 0 { // the next Read is told
		return events, true, nil
	}
	said := f.child.end()
	f.child = nil
	return nil, false, failureOf(said, err)
}

// failureOf is why journalctl ended.
func failureOf(said string, err error) error {
	switch {
	case strings.Contains(said, "insufficient permissions"):
		return errDenied
	case said != "":
		return errors.New("journalctl: " + said)
	case errors.Is(err, io.EOF):
		return errors.New("journalctl ended")
	}
	return fmt.Errorf("read journalctl: %w", err)
}

// take adds what a line tells.
func (f *follower) take(events []session.HostEvent, line []byte) []session.HostEvent {
	e, err := parseEntry(line)
	if err != nil {
		return append(events, spoilt(errLine, f.newest))
	}
	f.newest = e.time
	if e.cursor != "" {
		f.cursor = e.cursor
	}
	if event, wanted := e.event(); wanted {
		events = append(events, event)
	}
	return events
}

// lookBack reads what was before, newest first, and tells what it left out.
func (f *follower) lookBack(ctx context.Context, now time.Time) ([]session.HostEvent, error) {
	from, most, reached := f.from.Time, mostFirst, ""
	if t := timeOf(f.cursor); !t.IsZero() {
		if most, reached = mostAgain, f.cursor; !t.After(now) { // else the clock was set back
			from = t // it may be of long before: nothing came since
		}
	}
	newest, cursor := now, ""
	var events []session.HostEvent // newest first
	var oldest time.Time
	isFirst, met, broken := true, false, 0
	whole, err := f.ask(ctx, append([]string{"-r", since(from)}, matches()...), func(line []byte) bool {
		e, err := parseEntry(line)
		if err != nil {
			broken++
			return true
		}
		if isFirst {
			newest, cursor, isFirst = e.time, e.cursor, false
		}
		if e.cursor == reached {
			met = true
			return false
		}
		oldest = e.time
		if event, wanted := e.event(); wanted {
			events = append(events, event)
		}
		return len(events) < most
	})
	if err != nil {
		return nil, err
	}
	if whole && !met { // no longer known there: what is older is not wanted
		events = slices.DeleteFunc(events, func(e session.HostEvent) bool { return e.Time.Before(f.from.Time) })
	}
	slices.Reverse(events)
	if began := now.Add(-f.up()); began.After(from) {
		if e, err := f.restart(ctx, began); err != nil {
			return nil, err
		} else if e != nil {
			before := slices.IndexFunc(events, func(e session.HostEvent) bool { return !e.Time.Before(began) })
			if before < 0 {
				before = len(events)
			}
			events = slices.Insert(events, before, *e)
		}
	}
	if !whole && !met {
		events = slices.Insert(events, 0, gap(logJournal, from, oldest))
	}
	for range broken {
		events = append(events, spoilt(errLine, newest))
	}
	f.newest, f.cursor = newest, cursor
	return events, nil
}

// restart tells whether the computer began anew without having been shut down: the last lines of
// the boot before say so. Nothing where they are not kept.
func (f *follower) restart(ctx context.Context, began time.Time) (*session.HostEvent, error) {
	var last, end time.Time
	read := func(to *time.Time) func(line []byte) bool {
		return func(line []byte) bool {
			if e, err := parseEntry(line); err == nil {
				*to = e.time
			}
			return false
		}
	}
	before := []string{"-b", "-1", "-r", "-n", "1"}
	if _, _ = f.ask(ctx, before, read(&last)); last.IsZero() { // journalctl fails where there is none
		return nil, ctx.Err()
	}
	const journalStops = "d93fb3c9c24d451a97cea615ce59c00b"
	ends := []string{fieldID + "=" + journalStops, fieldTransport + "=driver"}
	for id, rule := range table().ids {
		if rule.key == "shutdown" {
			ends = append(ends, "+", fieldUID+"=0", fieldID+"="+id)
		}
	}
	if _, err := f.ask(ctx, append(before, ends...), read(&end)); err != nil {
		return nil, err
	}
	const shutdown = 5 * time.Minute // takes no longer
	if last.Sub(end) < shutdown {
		return nil, nil
	}
	return &session.HostEvent{
		Time: began, Until: began, Own: began, Count: 1, Level: session.EventWarning, Log: logJournal, Source: "systemd-journald", Known: "unexpected-restart",
		Text: "the journal of the boot before ends without a shutdown",
	}, nil
}

// patience is how long journalctl may take to tell what was.
const patience = 20 * time.Second

// ask has journalctl tell what there is, until each has enough; whole: it told all. What it tells is bounded.
func (f *follower) ask(ctx context.Context, args []string, each func(line []byte) (more bool)) (whole bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := f.start(ctx, append(output(), args...))
	if err != nil {
		return false, fmt.Errorf("start journalctl: %w", err)
	}
	var lines lineReader
	buffer, told, more := make([]byte, pipeSize), false, true
	for total := 0; more && total < mostBytesRead; {
		n, err := c.read(buffer, true)
		if n > 0 {
			total += n
			lines.add(buffer[:n], func(line []byte) bool {
				if len(line) == 0 || line[0] == '{' { // else it says why there is nothing
					told = true
					more = more && each(line)
				}
				return more
			})
		}
		if err == nil {
			continue
		}
		said := c.end()
		switch {
		case ctx.Err() != nil:
			return false, fmt.Errorf("read the journal: %w", context.Cause(ctx))
		case !errors.Is(err, io.EOF) || said != "" && !told:
			return false, failureOf(said, err)
		}
		return more, nil
	}
	c.end()
	return false, nil
}

// String names what is read.
func (*follower) String() string { return "the journal" }

// Every implements session.EventReader.
func (*follower) Every() time.Duration { return every }

// Cursor implements session.EventReader.
func (f *follower) Cursor() string { return f.cursor }

// Close implements session.EventReader.
func (f *follower) Close() error {
	f.close()
	if f.child != nil {
		f.child.end()
		f.child = nil
	}
	return nil
}
