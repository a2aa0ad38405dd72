package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

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
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escapeUnprintable(b.Bytes()))
	return err
}

// escapeUnprintable escapes what session.Printable would replace. Encoded JSON
// has such characters in strings only.
func escapeUnprintable(line []byte) []byte {
	if session.Printable(string(line[:len(line)-1])) == string(line[:len(line)-1]) {
		return line
	}
	var out []byte
	for _, r := range string(line) {
		switch s := string(r); {
		case r == '\n' || session.Printable(s) == s:
			out = utf8.AppendRune(out, r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
