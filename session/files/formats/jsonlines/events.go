package jsonlines

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"perfdeck/session"
	"perfdeck/session/files/eventlist"
	"perfdeck/session/system/osfile"
)

// jsonEventKey begins a line of JSON that is an event and has nothing else: {"event":{"time":...}},
// or tells that there may be some: {"event":null}.
const jsonEventKey = `{"event":`

// WriteEvents writes a line for each. Those that were written stay: who reads leaves the least severe
// and oldest out.
func (j *writer) WriteEvents(events []session.HostEvent) error {
	j.line = j.line[:0]
	if !j.keeps {
		j.keeps = true
		j.line = append(append(j.line, jsonEventKey...), "null}\n"...)
	}
	for i := range events {
		e := events[i]
		if !e.Settle() {
			continue
		}
		j.line = append(eventlist.AppendJSON(append(j.line, jsonEventKey...), &e), "}\n"...)
	}
	if len(j.line) == 0 {
		return nil
	}
	return j.out.Write(j.line)
}

// isJSONEvent tells a line that is an event, or was to be one.
func isJSONEvent(line []byte) bool { return bytes.HasPrefix(line, []byte(jsonEventKey)) }

// Events reads the lines that are events.
func Events(ctx context.Context, name, _ string) (r eventlist.Gathered, err error) {
	file, err := osfile.OpenPlain(name)
	if err != nil {
		return r, err
	}
	defer file.Close()
	const longest = 64 << 10 // of an event, all of it escaped
	lines := bufio.NewReaderSize(osfile.Until(ctx, file), longest)
	begins := true
	for {
		text, err := lines.ReadSlice('\n')
		goesOn := errors.Is(err, bufio.ErrBufferFull)
		if begins && isJSONEvent(text) {
			var line struct {
				Event *session.HostEvent `json:"event"`
			}
			if goesOn || err != nil || json.Unmarshal(text, &line) != nil {
				r.Left++
			} else if r.Kept = true; line.Event != nil {
				r.Take(*line.Event)
			}
		}
		begins = !goesOn
		if err != nil && !goesOn {
			if r.Bound(); errors.Is(err, io.EOF) {
				err = nil
			}
			return r, err
		}
	}
}
