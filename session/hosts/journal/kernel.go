package journal

import (
	"bytes"
	"cmp"
	"errors"
	"strconv"
	"strings"
	"time"
)

// record is a line of the kernel's log.
type record struct {
	number uint64
	since  time.Duration // the computer began
	entry  entry
}

var errRecord = errors.New("a line of the kernel's log that cannot be read")

// parseRecord reads what one read of /dev/kmsg gives:
// priority and facility, number, microseconds, flags; text, and lines of keys behind it
// (Documentation/ABI/testing/dev-kmsg).
func parseRecord(text []byte) (*record, error) {
	head, said, _ := bytes.Cut(text, []byte(";"))
	fields := strings.Split(string(head), ",")
	if len(fields) < 3 {
		return nil, errRecord
	}
	level, err1 := strconv.ParseUint(fields[0], 10, 32)
	number, err2 := strconv.ParseUint(fields[1], 10, 64)
	micro, err3 := strconv.ParseInt(fields[2], 10, 64)
	r := &record{number: number, since: time.Duration(micro) * time.Microsecond}
	const mostYears = 100 * 365 * 24 * time.Hour
	if cmp.Or(err1, err2, err3) != nil || r.since < 0 || r.since > mostYears || r.since/time.Microsecond != time.Duration(micro) {
		return nil, errRecord
	}
	said, _, _ = bytes.Cut(said, []byte("\n"))
	const priorities = 8
	r.entry.fields = map[string]value{
		fieldTransport: "kernel", fieldMessage: value(said), fieldPriority: value(strconv.Itoa(int(level % priorities))),
		fieldFacility: value(strconv.Itoa(int(level / priorities))),
	}
	return r, nil
}
