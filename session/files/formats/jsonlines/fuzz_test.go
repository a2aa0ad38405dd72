package jsonlines_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/session/files/eventlist"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/formats/jsonlines"
	"perfdeck/session/files/logs"
	"perfdeck/session/text/printable"
)

func FuzzJSONReader(f *testing.F) {
	line := `{"time":"2026-01-02T03:04:05.000000006Z","host":"a","values":[{"path":"\\Memory\\x","value":1.5,"text":"1.5","status":"ok"}]}` + "\n"
	f.Add([]byte(line + strings.Replace(line, `"a"`, `"b"`, 1) + line))
	f.Add([]byte(strings.Replace(line, "1.5,", "null,", 1)))
	f.Add([]byte(line[:len(line)-20]))
	f.Fuzz(func(t *testing.T, data []byte) {
		formatstest.FuzzFile(t, ".json", data, logs.OpenOptions{})
	})
}

func FuzzJSONEvents(f *testing.F) {
	for _, e := range formatstest.Happened(6) {
		f.Add(append(eventlist.AppendJSON([]byte(jsonlines.JSONEventKey), &e), "}\n"...))
	}
	f.Add([]byte(jsonlines.JSONEventKey + `{"time":"2026-01-02T03:04:05Z","level":"warning","text":` + "\n"))
	f.Add([]byte(jsonlines.JSONEventKey + `[1,2]}` + "\n" + jsonlines.JSONEventKey + strings.Repeat("x", 70_000) + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		name := formatstest.FileOf(t, "fuzzed.json", string(data))
		r, err := jsonlines.Events(t.Context(), name, "")
		if lines := bytes.Count(data, []byte(jsonlines.JSONEventKey)); err != nil || len(r.List)+r.Left > lines {
			t.Fatalf("%d and %d of %d, %v", len(r.List), r.Left, lines, err)
		}
		for _, e := range r.List {
			if printable.Text(e.Text) != e.Text || len(e.Text) > 4*session.MostEventText || !json.Valid(eventlist.AppendJSON(nil, &e)) {
				t.Errorf("%+v", e)
			}
		}
	})
}
