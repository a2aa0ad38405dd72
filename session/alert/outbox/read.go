package outbox

import (
	"bytes"
	"encoding/json"
	"slices"

	"perfdeck/session"
	"perfdeck/session/alert"
)

// record is a line of the file: an event with what is to be done for it, a notice, or
// an action that is done.
type record struct {
	Event  *alert.Event `json:"e,omitempty"`
	Do     []string     `json:"do,omitempty"`
	Notice []string     `json:"n,omitempty"` // keys of its events, the first one first
	Passed []string     `json:"p,omitempty"`
	Done   string       `json:"d,omitempty"` // key of the first event of the notice
	Action string       `json:"a,omitempty"`
}

// line is the record as the file has it.
func (r *record) line() ([]byte, error) {
	text, err := json.Marshal(r)
	return append(session.EscapeJSON(text), '\n'), err
}

// The limits of a line.
const (
	mostLine    = 1 << 20 // bytes
	mostActions = 100
)

// read does what the lines of a file say and returns how many could not be read. The
// last one was torn when it does not end.
func (o *Outbox) read(text []byte) (damaged int) {
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if !o.readLine(line) {
			damaged++
		}
	}
	return damaged
}

func (o *Outbox) readLine(line []byte) bool {
	var r record
	if len(line) > mostLine || line[len(line)-1] != '\n' || json.Unmarshal(line, &r) != nil {
		return false
	}
	switch {
	case r.Event != nil:
		left, ok := parseActions(r.Do)
		if !ok || r.Event.Kind.IsAct() {
			return false
		}
		o.add(&entry{event: *r.Event, left: left, size: len(line)})
	case len(r.Notice) > 0:
		o.form(&r)
	case r.Done != "":
		o.finish(&r)
	default:
		return false
	}
	return true
}

// parseActions reads what is to be done. That is something that is delivered.
func parseActions(texts []string) (out []alert.Action, ok bool) {
	if len(texts) == 0 || len(texts) > mostActions {
		return nil, false
	}
	for _, text := range texts {
		a, ok := alert.ParseAction(text)
		if !ok || !a.Do.IsKept() || slices.Contains(out, a) {
			return nil, false
		}
		out = append(out, a)
	}
	return out, true
}
