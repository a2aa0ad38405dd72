//go:build unix

package action

import (
	"errors"
	"fmt"
	"net"
	"time"

	"perfdeck/session/alert"
)

// logSocket is where the system's log listens.
type logSocket struct {
	path  string
	entry func(*alert.Notice) []byte
}

// logSockets are tried in order: the journal, then the daemons of Linux, macOS
// and FreeBSD.
var logSockets = []logSocket{
	{"/run/systemd/journal/socket", journalEntry},
	{"/dev/log", syslogLine},
	{"/var/run/syslog", syslogLine},
	{"/var/run/log", syslogLine},
}

var errNoLog = errors.New("nobody listens for the system's log")

// logTime is how long the system's log may keep us waiting.
const logTime = 2 * time.Second

// logToSystem hands a notice to the system's log.
func logToSystem(n *alert.Notice) error { return logTo(logSockets, n) }

func logTo(sockets []logSocket, n *alert.Notice) error {
	for _, s := range sockets {
		c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: s.path, Net: "unixgram"})
		if err != nil {
			continue // the next one, then
		}
		err = c.SetWriteDeadline(time.Now().Add(logTime))
		if err == nil {
			_, err = c.Write(s.entry(n))
		}
		_ = c.Close()
		if err != nil {
			return fmt.Errorf("write to %s: %w", s.path, err)
		}
		return nil
	}
	return errNoLog
}
