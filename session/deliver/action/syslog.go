package action

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"

	"perfdeck/session/alert"
	"perfdeck/session/system/service"
	"perfdeck/session/text/printable"
)

// identifier is how the system's log calls us.
const identifier = "perfdeck"

// facilityUser is that of programs in syslog(3).
const facilityUser = 1

// PriorityOf is how much a notice matters to who reads a log.
func PriorityOf(n *alert.Notice) service.Priority {
	switch {
	case n.Kind != alert.Fired && n.Kind != alert.Released:
		return service.Info
	case n.Severity == alert.Critical:
		return service.Critical
	case n.Severity == alert.Warning:
		return service.Warning
	}
	return service.Notice
}

// journalEntry is a notice as the journal's native protocol has it
// (systemd.io/JOURNAL_NATIVE_PROTOCOL): a field a line, one with a line feed in it
// by its length.
func journalEntry(n *alert.Notice) []byte {
	var b []byte
	put := func(name, text string) {
		if !strings.Contains(text, "\n") {
			b = append(b, name+"="+text+"\n"...)
			return
		}
		b = append(b, name+"\n"...)
		b = binary.LittleEndian.AppendUint64(b, uint64(len(text)))
		b = append(b, text+"\n"...)
	}
	m := MessageOf(n, 0)
	put("MESSAGE", m.Text)
	put("PRIORITY", strconv.Itoa(int(PriorityOf(n))))
	put("SYSLOG_IDENTIFIER", identifier)
	m.each("json", func(name, text string) { put("PERFDECK_"+strings.ToUpper(name), text) })
	return b
}

// syslogLine is a notice as local syslog daemons read it (RFC 3164 4.1, without
// the host name, as syslog(3) writes it).
func syslogLine(n *alert.Notice) []byte {
	const most = 1000 // bytes; RFC 3164 has 1024 for the packet
	text := n.Line()
	text = printable.Text(text[:min(len(text), most)])
	return fmt.Appendf(nil, "<%d>%s %s[%d]: %s", facilityUser*8+PriorityOf(n), n.Time.Format("Jan _2 15:04:05"), identifier, os.Getpid(), text)
}
