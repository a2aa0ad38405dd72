// Package service is what a service manager and its log are told by a program that goes on:
// sd_notify(3) and sd-daemon(3) of systemd. Elsewhere nothing is told.
package service

import (
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Manager is who started the program, if it wants to be told how that is. Any goroutine may use one.
type Manager struct {
	socket string
	every  time.Duration // between two signs of life; 0: none are wanted
	last   atomic.Int64  // Unix ns of the newest
}

// ManagerOf finds the one that the environment names.
func ManagerOf(getenv func(string) string) *Manager {
	m := &Manager{socket: getenv("NOTIFY_SOCKET")}
	if strings.HasPrefix(m.socket, "@") { // of Linux' abstract names
		m.socket = "\x00" + m.socket[1:]
	}
	us, err := strconv.ParseInt(getenv("WATCHDOG_USEC"), 10, 64)
	pid := getenv("WATCHDOG_PID")
	if err == nil && us > 0 && (pid == "" || pid == strconv.Itoa(os.Getpid())) {
		m.every = time.Duration(us) * time.Microsecond / 4 // sd_watchdog_enabled(3) recommends half of it at most
	}
	return m
}

// Ready tells that the service does what it is for.
func (m *Manager) Ready() { m.send("READY=1") }

// Stopping tells that it is about to end.
func (m *Manager) Stopping() { m.send("STOPPING=1") }

// Reloading tells that the config is read again; Ready that it was.
func (m *Manager) Reloading() {
	m.send("RELOADING=1\nMONOTONIC_USEC=" + strconv.FormatInt(monotonic().Microseconds(), 10))
}

// Alive is a sign of life, which may be given often.
func (m *Manager) Alive() {
	now := time.Now().UnixNano()
	if last := m.last.Load(); m.every > 0 && now-last >= int64(m.every) && m.last.CompareAndSwap(last, now) {
		m.send("WATCHDOG=1")
	}
}

// send sends a state. That nobody takes it is not the program's affair.
func (m *Manager) send(state string) {
	if m.socket == "" {
		return
	}
	if c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: m.socket, Net: "unixgram"}); err == nil {
		_, _ = c.Write([]byte(state))
		_ = c.Close()
	}
}

// Priority is how much a line of a log matters, as syslog(3) counts.
type Priority int

// The priorities that are used.
const (
	Critical Priority = 2
	Error    Priority = 3
	Warning  Priority = 4
	Notice   Priority = 5
	Info     Priority = 6
)

// Lead is what stands before each line of a log: its priority, where systemd's journal reads it, and
// its time where nobody else adds one, as in a file. The zero Lead is nothing.
type Lead struct{ journal, file bool }

// LeadOf is the one of a log that goes to an open file.
func LeadOf(f *os.File, getenv func(string) string) Lead {
	info, err := f.Stat()
	if err != nil {
		return Lead{}
	}
	stream := getenv("JOURNAL_STREAM")
	return Lead{journal: stream != "" && stream == deviceAndInode(info), file: info.Mode().IsRegular()}
}

// IsJournal tells whether the journal reads it, which adds times itself.
func (l Lead) IsJournal() bool { return l.journal }

// Of is what stands before a line.
func (l Lead) Of(p Priority) string {
	switch {
	case l.journal:
		return "<" + strconv.Itoa(int(p)) + ">"
	case l.file:
		return time.Now().Format(time.RFC3339) + " "
	}
	return ""
}
