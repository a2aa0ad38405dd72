package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
)

// entry is a line that a program or the kernel wrote, with what journald itself knows of who did.
type entry struct {
	time   time.Time
	cursor string
	fields map[string]value
}

// The fields that are looked at (systemd.journal-fields(7)). Those that begin with _ are
// journald's own: no program can set them.
const (
	fieldMessage    = "MESSAGE"
	fieldPriority   = "PRIORITY"
	fieldFacility   = "SYSLOG_FACILITY"
	fieldIdentifier = "SYSLOG_IDENTIFIER"
	fieldID         = "MESSAGE_ID"
	fieldUnit       = "UNIT"
	fieldStatus     = "EXIT_STATUS"
	fieldCode       = "EXIT_CODE"
	fieldCorePID    = "COREDUMP_PID"
	fieldTransport  = "_TRANSPORT"
	fieldUID        = "_UID"
	fieldPID        = "_PID"
	fieldComm       = "_COMM"
	fieldExe        = "_EXE"
	fieldOwnUnit    = "_SYSTEMD_UNIT"
	fieldCursor     = "__CURSOR"
	fieldTime       = "__REALTIME_TIMESTAMP"
)

// value is that of a field: a text, or bytes as an array of numbers. Of one that a program set
// several times it is a line each; of one that is too long for journalctl (null) it is empty.
type value string

// UnmarshalJSON implements json.Unmarshaler.
func (v *value) UnmarshalJSON(text []byte) error {
	switch {
	case text[0] == '"' && bytes.IndexByte(text, '\\') < 0: // nearly all; it was checked already
		*v = value(text[1 : len(text)-1])
		return nil
	case text[0] != '[':
		return json.Unmarshal(text, (*string)(v))
	}
	var numbers []uint16
	if json.Unmarshal(text, &numbers) == nil {
		out := make([]byte, len(numbers))
		for i, n := range numbers {
			out[i] = byte(n)
		}
		*v = value(out)
		return nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	var out []string
	for _, part := range parts {
		var one value
		if part[0] == '[' && bytes.ContainsAny(part[1:], `["`) { // no deeper than that
			return errLine
		}
		if err := json.Unmarshal(part, &one); err != nil {
			return err
		}
		out = append(out, string(one))
	}
	*v = value(strings.Join(out, "\n"))
	return nil
}

var errLine = errors.New("a line of the journal that cannot be read")

// parseEntry reads a line of journalctl -o json.
func parseEntry(line []byte) (*entry, error) {
	e := &entry{}
	if err := json.Unmarshal(line, &e.fields); err != nil {
		return nil, errLine
	}
	micro, err := strconv.ParseInt(e.text(fieldTime), 10, 64)
	if err != nil {
		return nil, errLine
	}
	e.time, e.cursor = time.UnixMicro(micro), e.text(fieldCursor)
	return e, nil
}

func (e *entry) text(field string) string { return string(e.fields[field]) }

// number is a field as a number; 0: it is none.
func (e *entry) number(field string) uint64 {
	n, err := strconv.ParseUint(e.text(field), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// isPrivate tells whether a line is none of ours: of who logs on, and of the audit.
func (e *entry) isPrivate() bool {
	for f := range strings.Lines(e.text(fieldFacility)) {
		if f = strings.TrimSpace(f); f == "4" || f == "10" {
			return true
		}
	}
	return e.text(fieldTransport) == "audit"
}

// writer is who wrote a line, so far as journald itself vouches for it.
type writer uint8

const (
	byAnybody writer = iota
	byKernel
	bySystemd  // process 1
	byJournald // itself
	byCoreDump // what takes core dumps
	byRoot     // any other program of root's
)

func (e *entry) writer() writer {
	const coreDump = "systemd-coredump"
	isRoot, exe := e.text(fieldUID) == "0", e.text(fieldExe)
	switch transport := e.text(fieldTransport); {
	case transport == "kernel":
		if f := e.text(fieldFacility); f == "" || f == "0" { // what programs write to /dev/kmsg has another one
			return byKernel
		}
	case transport == "driver":
		return byJournald
	case isRoot && e.text(fieldPID) == "1":
		return bySystemd
	// It gives up root before it writes, so that users may read of their own: its unit, which is of
	// its control group, stays. It ends with that, in half of all cases before journald looks what it was.
	case (exe == "" || strings.HasSuffix(exe, "/"+coreDump)) && (isRoot && e.text(fieldIdentifier) == coreDump || strings.HasPrefix(e.text(fieldOwnUnit), coreDump+"@")):
		return byCoreDump
	case isRoot:
		return byRoot
	}
	return byAnybody
}
