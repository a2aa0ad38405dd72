package csv_test

import (
	"bytes"
	"strings"
	"testing"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
)

func FuzzTextReader(f *testing.F) {
	f.Add([]byte(head+"\"01/02/2026 03:04:05.006\",\"1\",\"2.5\"\r\n"), "")
	f.Add([]byte("(PDH-TSV 4.0)\t\\\\H\\a\\b\tcaption\n01/02/2026 03:04:05.006\t-1.#IND\n\x00\x00"), "1252")
	f.Add([]byte("Date \\\\H (PDH-CSV 4.0) (x(y))(-420),Time,a\\b\r1/2/26,3:04,\"a\"\"b\"\r"), "932")
	f.Add([]byte(strings.Replace(head, "\\", "\\a\nb\r\n\"\"", 1)+"\"01/02/2026 03:04:05.006\",\"1\",\"2.5\"\r\n"), "")
	f.Add([]byte("\xFF\xFE(\x00P\x00D\x00H\x00-\x00"), "")
	f.Fuzz(func(t *testing.T, data []byte, encoding string) {
		name := formatstest.FuzzFile(t, ".csv", data, logs.OpenOptions{Encoding: encoding})
		r, err := formats.Open(t.Context(), name, logs.OpenOptions{Encoding: encoding})
		if err != nil {
			return
		}
		defer r.Close()
		// What was read is written and read again: it stays the same.
		var first, second bytes.Buffer
		copyTo(t, r, &first)
		again, err := formats.Open(t.Context(), formatstest.FileOf(t, "again.csv", first.String()), logs.OpenOptions{Encoding: "utf-8"})
		if err != nil {
			if len(r.Header().Columns) > 0 {
				t.Fatalf("what was written cannot be read: %v\n%q", err, first.String())
			}
			return
		}
		defer again.Close()
		copyTo(t, again, &second)
		if len(r.Header().Columns) == len(again.Header().Columns) && first.String() != second.String() {
			t.Errorf("written again it differs:\n%q\n%q", first.String(), second.String())
		}
	})
}

// copyTo writes a recording as PDH-CSV.
func copyTo(t *testing.T, r logs.Reader, to *bytes.Buffer) {
	t.Helper()
	f, _ := formats.Named("csv")
	w, err := formats.Stream(to, f, r.Header(), logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var row logs.Row
	for r.Next(&row) == nil {
		if err := w.WriteRow(&row); err != nil {
			t.Fatal(err)
		}
	}
}
