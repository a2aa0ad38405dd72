package relog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/system/failure"
)

var begin = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

// recording has six samples, a second each, of a counter that counts from one and of one that
// is seven.
func recording(t *testing.T) string {
	t.Helper()
	text := "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\B\\C\",\"\\\\A\\B\\D\"\r\n"
	for i := range 6 {
		text += fmt.Sprintf("\"%s\",\"%d\",\"7\"\r\n", begin.Add(time.Duration(i)*time.Second).Format("01/02/2006 15:04:05.000"), i+1)
	}
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func opened(t *testing.T, file string) logs.Reader {
	t.Helper()
	r, err := Open(t.Context(), file, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// selection chooses what there is of a recording.
func selection(t *testing.T, file string, c Choice) *Selection {
	t.Helper()
	s, missing, err := Select(t.Context(), opened(t, file), c, func(err error) { t.Error(err) })
	if err != nil || missing {
		t.Fatal(missing, err)
	}
	return s
}

// What is kept of a recording between limits has a span and a summary; the row before the
// begin serves rates alone.
func TestSelectionSums(t *testing.T) {
	file, c := recording(t), Choice{Paths: []string{`\B\C`}, Begin: "10:00:02", End: "10:00:04", Every: 1}
	all, err := selection(t, file, c).Summarize(t.Context(), func() {})
	if err != nil || len(all) != 1 || all[0].Count != 3 || all[0].Min.String() != "3 OK" || all[0].Max.String() != "5 OK" {
		t.Errorf("%+v, %v", all, err)
	}
	span, err := selection(t, file, c).Span(t.Context(), func() {})
	if err != nil || span.Rows != 4 || span.Last.Second() != 4 || !span.Exact {
		t.Errorf("%+v, %v", span, err)
	}
}

// What cannot be chosen is told, and wrong usage where it is so.
func TestSelect(t *testing.T) {
	file := recording(t)
	for _, c := range []struct {
		name    string
		choice  Choice
		columns int
		told    int
		wrong   bool
		want    error
	}{
		{"all", Choice{}, 2, 0, false, nil},
		{"one that is not there, too", Choice{Paths: []string{`\B\D`, `\B\E`}}, 1, 1, false, nil},
		{"none that is there", Choice{Paths: []string{`\B\E`}}, 0, 1, false, errNothing},
		{"no path", Choice{Paths: []string{`\B\D`, `B`}}, 0, 0, true, nil},
		{"no time", Choice{Begin: "noon"}, 0, 0, true, errNotAMoment},
		{"the end before the begin", Choice{Begin: "2026-03-02 10:00:04", End: "2026-03-02 10:00:02"}, 0, 0, true, nil},
		{"another day", Choice{Begin: "2026-03-03"}, 0, 0, false, ErrOutside},
	} {
		told := 0
		s, missing, err := Select(t.Context(), opened(t, file), c.choice, func(error) { told++ })
		_, wrong := errors.AsType[*failure.UsageError](err)
		if wrong != c.wrong || c.want != nil && !errors.Is(err, c.want) || told != c.told || (s == nil) != (err != nil) {
			t.Errorf("%s: %v, usage %v, told %d", c.name, err, wrong, told)
		}
		if s != nil && (len(s.Header().Columns) != c.columns || missing != (told > 0)) {
			t.Errorf("%s: %+v, missing %v", c.name, s.Header().Columns, missing)
		}
	}
}

// conversion writes a file, by what its name says.
func conversion(t *testing.T, file string) Conversion {
	t.Helper()
	format, err := formats.Choose("", file)
	if err != nil || format == nil {
		t.Fatal(format, err)
	}
	return Conversion{
		Output: file, Format: format, Half: func(string) func() { return func() {} }, Tick: func() {},
		Report: func(err error) { t.Error(err) },
	}
}

// What is written has what was chosen, and the notes of that time alone beside it.
func TestWrite(t *testing.T) {
	file := recording(t)
	if err := notebook.AddBeside(file, note.Note{Time: begin, Text: "early"}, note.Note{Time: begin.Add(3 * time.Second), Text: "a deploy"}); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.db")
	c := conversion(t, out)
	c.From = []string{file}
	for _, name := range []string{"new", "over it"} {
		t.Run(name, func(t *testing.T) {
			missing, err := selection(t, file, Choice{Paths: []string{`\B\C`}, Begin: "10:00:02", End: "10:00:04", Every: 2}).Write(t.Context(), c)
			if err != nil || missing {
				t.Fatal(missing, err)
			}
			r := opened(t, out)
			if span, err := r.Span(); err != nil || span.Rows != 2 || len(r.Header().Columns) != 1 {
				t.Errorf("%+v, %v", span, err)
			}
			if notes, damaged := notebook.Of([]string{out}, nil, time.Time{}, time.Time{}); len(damaged) > 0 || len(notes) != 1 || notes[0].Text != "a deploy" {
				t.Errorf("%+v, %v", notes, damaged)
			}
		})
		c.Overwrite = true
	}
	c.Overwrite = false
	if _, err := selection(t, file, Choice{Every: 1}).Write(t.Context(), c); err == nil || failure.Hint(err) == "" {
		t.Errorf("it is there already: %v", err)
	}
	c.Output, c.Stdout = "-", os.Stdout
	_, err := selection(t, file, Choice{Every: 1}).Write(t.Context(), c)
	if _, wrong := errors.AsType[*failure.UsageError](err); !wrong || failure.Hint(err) == "" {
		t.Errorf("to a stream: %v", err)
	}
}

// What is made of recordings has the events of the hosts that are kept, within its time; of a format
// that has none that is told.
func TestWriteEvents(t *testing.T) {
	file := recording(t)
	c := conversion(t, filepath.Join(t.TempDir(), "first.db"))
	c.From = []string{file}
	if _, err := selection(t, file, Choice{Every: 1}).Write(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	first := c.Output
	w, _, err := formats.Append(first, c.Format, opened(t, file).Header(), logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var events []session.HostEvent
	for i, host := range []string{"A", "A", "a", "B", "A"} {
		at := begin.Add(time.Duration(i) * time.Second)
		events = append(events, session.HostEvent{Time: at, Until: at, Count: 1, Host: host, Source: "disk", ID: "153", Text: "a text"})
	}
	if err := errors.Join(formats.WriteEvents(w, events), w.Close()); err != nil {
		t.Fatal(err)
	}
	for name, told := range map[string]int{"out.db": 0, "out.json": 0, "out.csv": 1, "-.json": 0, "-.csv": 1} {
		c := conversion(t, filepath.Join(t.TempDir(), name))
		written, reports := c.Output, 0
		if strings.HasPrefix(name, "-") {
			out, err := os.Create(c.Output)
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			c.Output, c.Stdout = "-", out
		}
		c.From, c.Report = []string{first}, func(error) { reports++ }
		if missing, err := selection(t, first, Choice{Begin: "10:00:01", End: "10:00:03", Every: 3}).Write(t.Context(), c); missing || err != nil {
			t.Fatal(missing, err)
		}
		kept, _, damaged := formats.Events(t.Context(), []string{written}, nil, time.Time{}, time.Time{})
		if want := 2 * (1 - told); len(kept) != want || len(damaged) > 0 || reports != told {
			t.Errorf("%s: %+v, %v, %d reports", name, kept, damaged, reports)
		}
	}
}

// A link that has the name of the part is not written through.
func TestWritePartLink(t *testing.T) {
	dir := t.TempDir()
	victim, out := filepath.Join(dir, "victim"), filepath.Join(dir, "out.csv")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, out+".part"); err != nil {
		t.Skip(err)
	}
	_, err := selection(t, recording(t), Choice{Every: 1}).Write(t.Context(), conversion(t, out))
	if text, _ := os.ReadFile(victim); err == nil || string(text) != "precious" {
		t.Errorf("%v, the file has %q", err, text)
	}
	if to, err := os.Readlink(out + ".part"); to != victim {
		t.Errorf("the link is gone: %v", err)
	}
}

// Only SQLite's files have journals: what is called so beside others stays.
func TestWriteBesideJournals(t *testing.T) {
	file, dir := recording(t), t.TempDir()
	for name, stays := range map[string]bool{"out.csv": true, "out.db": false} {
		out := filepath.Join(dir, name)
		if err := os.WriteFile(out+"-shm", []byte("precious"), 0o600); err != nil {
			t.Fatal(err)
		}
		c := conversion(t, out)
		c.Format, _ = formats.ByExtension(name)
		c.Overwrite = true
		if _, err := selection(t, file, Choice{Every: 1}).Write(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if text, _ := os.ReadFile(out + "-shm"); (string(text) == "precious") != stays {
			t.Errorf("beside %s: %q", name, text)
		}
	}
}

// Interrupted, it leaves what was there, and nothing else.
func TestWriteInterrupted(t *testing.T) {
	file, dir := recording(t), t.TempDir()
	ended := errors.New("interrupted")
	for _, name := range []string{"new.csv", "old.db"} {
		out := filepath.Join(dir, name)
		if name == "old.db" {
			if err := os.WriteFile(out, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(ended)
		c := conversion(t, out)
		c.Overwrite = true
		if _, err := selection(t, file, Choice{Every: 1}).Write(ctx, c); !errors.Is(err, ended) || !strings.Contains(err.Error(), "nothing was written") {
			t.Errorf("%s: %v", name, err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "old.db" {
		t.Errorf("%v is left, %v", left, err)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "old.db")); string(text) != "old" {
		t.Errorf("the old file is %q", text)
	}
}

// Recordings are read as one, without those that cannot be opened.
func TestOpenJoined(t *testing.T) {
	told := 0
	open := func(names ...string) (logs.Reader, bool, error) {
		told = 0
		return OpenJoined(t.Context(), names, logs.OpenOptions{}, 0, func(error) { told++ })
	}
	absent := filepath.Join(t.TempDir(), "absent.csv")
	r, missing, err := open(recording(t), absent, recording(t))
	if err != nil || !missing || told != 1 {
		t.Fatal(missing, told, err)
	}
	defer r.Close()
	if span, err := r.Span(); err != nil || len(r.Header().Columns) != 2 || !span.First.Equal(begin) {
		t.Errorf("%+v, %v", span, err)
	}
	if _, _, err := open(absent); !errors.Is(err, os.ErrNotExist) || told != 0 {
		t.Errorf("%d told, %v", told, err)
	}
}
