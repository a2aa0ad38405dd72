package formats_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
	"perfdeck/session/text/printable"
)

// trap is a name that would steer a terminal, run where it is pasted, and forge
// rows of a text file.
const trap = "z\x1b[201~\nid\r\n;\u009b31m\u202e\x1b]0;x\x07\u2028\"q\",\"\\\\\t\n01/02/2026 00:00:00.000,7\n\"01/02/2026 00:00:00.000\",\"9"

func trapHeader() *logs.Header {
	h := &logs.Header{Zone: logs.Zone{Name: "UTC", Known: true}}
	for _, name := range []string{trap, strings.ReplaceAll(trap, "\x1b", "?"), "日本", "\ufffd"} {
		h.Columns = append(h.Columns, logs.Column{Path: `\\host\Process(` + name + `)\Thread Count`})
	}
	h.Columns = append(h.Columns, logs.Column{Path: `\\host\` + trap + `\` + trap})
	return h
}

func pathsOf(h *logs.Header) (paths []string) {
	for i := range h.Columns {
		paths = append(paths, h.Columns[i].Path)
	}
	return paths
}

// Recordings keep names to the byte, in every format and through every conversion;
// none forges a row, and a recording of such names can be continued.
func TestRecordingsKeepNames(t *testing.T) {
	h := trapHeader()
	want := pathsOf(h)
	begin := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	row := func(n int) *logs.Row {
		r := &logs.Row{Time: begin.Add(time.Duration(n) * time.Second)}
		for i := range h.Columns {
			r.Values = append(r.Values, cooker.FloatValue(float64(10*n+i)))
		}
		return r
	}
	check := func(what, name string, rows int) {
		t.Helper()
		got, all, faults := formatstest.ReadAll(t, name, logs.OpenOptions{})
		paths := pathsOf(&got)
		if strings.Contains(what, "json") { // it has no order
			slices.Sort(paths)
			paths, want := slices.Clone(paths), slices.Sorted(slices.Values(want))
			if !reflect.DeepEqual(paths, want) {
				t.Errorf("%s: names\n%q, want\n%q", what, paths, want)
			}
		} else if !reflect.DeepEqual(paths, want) {
			t.Errorf("%s: names\n%q, want\n%q", what, paths, want)
		}
		if len(all) != rows || !all[0].Time.Equal(begin) || faults.Rows+faults.Cells > 0 {
			t.Errorf("%s: %d rows, want %d, faults %+v", what, len(all), rows, faults)
		}
	}
	for _, known := range formats.Names() {
		format, _ := formats.Named(known)
		name := filepath.Join(t.TempDir(), "names"+format.Extensions[0])
		w, err := formats.Create(name, format, h, logs.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 2 {
			if err := w.WriteRow(row(n)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		check(format.Name, name, 2)
		for _, to := range []string{"csv", "tsv", "sqlite", "json"} {
			check(format.Name+" to "+to, formatstest.Convert(t, name, to), 2)
		}
		if format.Name == "json" {
			if text := string(formatstest.Content(t, name)); printable.Text(strings.ReplaceAll(text, "\n", "")) != strings.ReplaceAll(text, "\n", "") {
				t.Errorf("JSON is not escaped: %q", text)
			}
		}
		w, _, err = formats.Append(name, format, h, logs.WriteOptions{})
		if err != nil {
			t.Errorf("%s: it cannot be continued: %v", format.Name, err)
			continue
		}
		if err := w.WriteRow(row(2)); err != nil {
			t.Error(err)
		}
		_ = w.Close()
		check(format.Name+" continued", name, 3)
	}
}

// What others read of our CSV is the exact names.
func TestNamesInCSVForOthers(t *testing.T) {
	h := trapHeader()
	format, _ := formats.Named("csv")
	name := filepath.Join(t.TempDir(), "names.csv")
	w, err := formats.Create(name, format, h, logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	got, err := csv.NewReader(file).Read()
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range pathsOf(h) { // that reader makes LF of CRLF
		if want := strings.ReplaceAll(path, "\r\n", "\n"); got[i+1] != want {
			t.Errorf("column %d is %q, want %q", i, got[i+1], want)
		}
	}
}

// A terminal gets names that are printable, on one line.
func TestNamesInCSVOnScreen(t *testing.T) {
	for _, name := range []string{"csv", "tsv"} {
		format, _ := formats.Named(name)
		var b strings.Builder
		if _, err := formats.Stream(&b, format, trapHeader(), logs.WriteOptions{Screen: true}); err != nil {
			t.Fatal(err)
		}
		line, ok := strings.CutSuffix(b.String(), "\r\n")
		if line = strings.ReplaceAll(line, "\t", ""); !ok || printable.Text(line) != line {
			t.Errorf("%s: %q", name, b.String())
		}
	}
}

// What no text file can hold does not spoil the other names.
func TestNamesThatNoTextHolds(t *testing.T) {
	h := &logs.Header{Zone: logs.Zone{Name: "UTC", Known: true}, Columns: []logs.Column{{Path: "\\\\h\\A(\x00\xff)\\日本"}, {Path: `\\h\B\ü`}}}
	format, _ := formats.Named("csv")
	name := filepath.Join(t.TempDir(), "names.csv")
	w, err := formats.Create(name, format, h, logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	got, _, _ := formatstest.ReadAll(t, name, logs.OpenOptions{})
	if paths := pathsOf(&got); len(paths) != 2 || paths[0] != "\\\\h\\A(?\ufffd)\\日本" || paths[1] != `\\h\B\ü` {
		t.Errorf("%q", paths)
	}
}

// Windows does not double the quotes in names: a header of odd quotes is one line
// all the same, whatever comes after it.
func TestHeadersWithOddQuotes(t *testing.T) {
	const header = `"(PDH-CSV 4.0) (UTC)(0)","\\H\Process(a"b)\Thread Count"`
	const row = "\"03/04/2026 05:06:07.000\",\"1\"\r\n"
	for text, rows := range map[string]int{
		header: 0, header + "\r\n": 0, header + "\r\n" + row: 1, header + "\n\n" + row + row: 2,
		header + "\r\nno row \"\r\n" + row: 1, header + "\r" + strings.ReplaceAll(row, "\r\n", "\r"): 1,
	} {
		got, all, _ := formatstest.ReadAll(t, formatstest.FileOf(t, "odd.csv", text), logs.OpenOptions{})
		if paths := pathsOf(&got); len(all) != rows || len(paths) != 1 || paths[0] != `\\H\Process(a"b)\Thread Count` {
			t.Errorf("%q has the columns %q and %d rows, want %d", text, paths, len(all), rows)
		}
	}
}
