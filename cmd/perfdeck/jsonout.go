package main

import (
	"encoding/json"
	"io"

	"perfdeck/cooker"
	"perfdeck/session"
)

// nanoTime is RFC 3339 with all nanoseconds.
const nanoTime = "2006-01-02T15:04:05.000000000Z07:00"

var jsonNull = json.RawMessage("null")

// jsonNumber is the number of a value with all its digits, or null.
func jsonNumber(v cooker.Value) json.RawMessage {
	if _, isText := v.Text(); isText || !v.Valid() {
		return jsonNull
	}
	return cooker.AppendMachine(nil, v)
}

// writeJSON writes a value on one line. What would steer a terminal is escaped.
func writeJSON(w io.Writer, v any) error {
	line, err := session.JSONLine(v)
	if err != nil {
		return err
	}
	_, err = w.Write(line)
	return err
}
