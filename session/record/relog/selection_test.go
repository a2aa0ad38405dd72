package relog

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"perfdeck/session/record/logs"
)

// What is kept of a recording between limits has a span and a summary; the row before the
// begin serves rates alone.
func TestSelectionSums(t *testing.T) {
	text := "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\B\\C\",\"\\\\A\\B\\D\"\r\n"
	for i := range 6 {
		at := time.Date(2026, 3, 2, 10, 0, i, 0, time.UTC)
		text += "\"" + at.Format("01/02/2006 15:04:05.000") + "\",\"" + string(rune('1'+i)) + "\",\"7\"\r\n"
	}
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	selection := func() *Selection {
		r, err := Open(t.Context(), file, logs.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() })
		s := &Selection{Reader: r, Columns: []int{0}, Every: 1}
		first := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
		if s.Begin, s.End, err = Limits("10:00:02", "10:00:04", first, time.Time{}); err != nil {
			t.Fatal(err)
		}
		span, err := r.Span()
		if err == nil {
			err = s.Seek(span)
		}
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	all, err := selection().Summarize(t.Context(), func() {})
	if err != nil || len(all) != 1 || all[0].Count != 3 || all[0].Min != 3 || all[0].Max != 5 {
		t.Errorf("%+v, %v", all, err)
	}
	span, err := selection().Span(t.Context(), func() {})
	if err != nil || span.Rows != 4 || span.Last.Second() != 4 || !span.Exact {
		t.Errorf("%+v, %v", span, err)
	}
}
