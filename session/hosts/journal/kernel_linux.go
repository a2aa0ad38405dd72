package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"perfdeck/session"
	"perfdeck/session/system/failure"
)

// kernelLog reads the kernel's lines where nobody else keeps any.
type kernelLog struct {
	fd      int
	now     func() time.Time
	boot    string
	from    session.EventsFrom
	seen    bool   // a line was read, or is known by a cursor
	number  uint64 // of it
	newest  time.Time
	resumed bool // it goes on where another ended
	began   bool // what was before was read

}

// openKernel opens them.
func openKernel(from session.EventsFrom, o *Options) (*kernelLog, error) {
	fd, err := unix.Open(o.Kernel, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENXIO):
		return nil, noSource("there is no journald here, and no log of the kernel (%s), as in most containers", o.Kernel)
	case errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES):
		return nil, failure.WithHint(fmt.Errorf("there is no journald here; read %s: %w", o.Kernel, session.ErrDenied),
			"root and who has CAP_SYSLOG may read the kernel's log, and where the sysctl kernel.dmesg_restrict is 0 all may")
	case err != nil:
		return nil, fmt.Errorf("open %s: %w", o.Kernel, err)
	}
	k := &kernelLog{fd: fd, now: o.Now, from: from}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // without it there is no cursor
	k.boot = strings.TrimSpace(string(boot))
	if text, is := strings.CutPrefix(from.Cursor, k.prefix()); is && k.boot != "" {
		k.number, err = strconv.ParseUint(text, 10, 64)
		k.seen, k.resumed, k.newest = err == nil, err == nil, from.Time
	}
	return k, nil
}

func (k *kernelLog) prefix() string { return "kmsg;" + k.boot + ";" }

// Read implements session.EventReader.
func (k *kernelLog) Read(context.Context) ([]session.HostEvent, bool, error) {
	var up unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &up); err != nil {
		return nil, false, err
	}
	now := k.now()
	bootAt := now.Add(-time.Duration(up.Nano()))
	var events []session.HostEvent
	text := make([]byte, mostLine/4)
	most := mostBytesRead
	if !k.began {
		most *= 16 // as large as it may be
	}
	for read := 0; read < most; {
		n, err := unix.Read(k.fd, text)
		switch {
		case err == nil && n > 0:
			read += n
			events = k.take(events, text[:n], bootAt)
		case err == nil, errors.Is(err, unix.EAGAIN):
			most = 0
		case errors.Is(err, unix.EPIPE) || errors.Is(err, unix.EINTR): // overwritten: numbers tell
		default:
			return nil, false, fmt.Errorf("read the kernel's log: %w", err)
		}
	}
	if left := len(events) - mostFirst; !k.began && !k.resumed && left > 0 {
		events = append([]session.HostEvent{gap(logKernel, k.from.Time, events[left].Time)}, events[left:]...)
	}
	k.began = true
	return folded(events), false, nil
}

// take adds what a line tells, and what was overwritten before it.
func (k *kernelLog) take(events []session.HostEvent, text []byte, bootAt time.Time) []session.HostEvent {
	r, err := parseRecord(text)
	if err != nil {
		return append(events, spoilt(err, k.newest))
	}
	if k.seen && r.number <= k.number {
		return events
	}
	r.entry.time = bootAt.Add(r.since)
	if k.seen && r.number > k.number+1 {
		events = append(events, gap(logKernel, k.newest, r.entry.time))
	}
	k.seen, k.number, k.newest = true, r.number, r.entry.time
	if !k.began && !k.resumed && r.entry.time.Before(k.from.Time) {
		return events
	}
	if event, wanted := r.entry.event(); wanted {
		events = append(events, event)
	}
	return events
}

// String names what is read.
func (*kernelLog) String() string { return "the kernel's log, as there is no journald" }

// Every implements session.EventReader.
func (*kernelLog) Every() time.Duration { return every }

// Cursor implements session.EventReader.
func (k *kernelLog) Cursor() string {
	if !k.seen || k.boot == "" {
		return ""
	}
	return k.prefix() + strconv.FormatUint(k.number, 10)
}

// Close implements session.EventReader.
func (k *kernelLog) Close() error { return unix.Close(k.fd) }
