package formats_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
)

// TestResumeAnywhere cuts a recording at every byte of its last rows, with and
// without the zeros that a power cut leaves: it can be read and continued, and at
// most the row that was cut is lost.
func TestResumeAnywhere(t *testing.T) {
	rows := formatstest.SomeRows(6, 3)
	for _, format := range []string{"csv", "tsv", "json"} {
		for _, zeros := range []int{0, 700} {
			t.Run(fmt.Sprint(format, zeros), func(t *testing.T) {
				h := formatstest.WideHeader(3)
				whole := formatstest.Content(t, formatstest.Recorded(t, format, h, rows))
				one := formatstest.Recorded(t, format, h, rows[:1])
				name := formatstest.FileOf(t, "cut."+format, "")
				step := 2
				if format == "json" {
					step = 11 // its rows are long
				}
				for cut := len(formatstest.Content(t, one)); cut <= len(whole); cut += step {
					left := append(bytes.Clone(whole[:cut]), make([]byte, zeros)...)
					if err := os.WriteFile(name, left, 0o600); err != nil {
						t.Fatal(err)
					}
					complete := bytes.Count(whole[:cut], []byte("\n"))
					if format != "json" {
						complete--
					}
					_, before, faults := formatstest.ReadAll(t, name, logs.OpenOptions{})
					if n := len(before); n < complete || n > complete+1 || n > complete && !formatstest.SameValues(before[n-1].Values, rows[n-1].Values) {
						t.Fatalf("cut at %d: %d rows, %d are complete: %q", cut, n, complete, left)
					}
					if faults.Rows > 1 || faults.Cells > 0 {
						t.Fatalf("cut at %d: %+v", cut, faults.First)
					}
					w, tail, err := formats.Append(name, nil, h, logs.WriteOptions{})
					if err != nil {
						t.Fatalf("cut at %d: %v", cut, err)
					}
					if zeros > 0 && tail.Cut < int64(zeros) || !tail.Last.Equal(rows[complete-1].Time) && !tail.Last.Equal(rows[min(complete, 5)].Time) {
						t.Fatalf("cut at %d: tail %+v", cut, tail)
					}
					row := logs.Row{Time: rows[5].Time.Add(time.Minute), Values: rows[0].Values}
					if err := w.WriteRow(&row); err != nil {
						t.Fatal(err)
					}
					if err := w.Close(); err != nil {
						t.Fatal(err)
					}
					_, after, faults := formatstest.ReadAll(t, name, logs.OpenOptions{})
					if len(after) < complete+1 || faults.Any() || faults.Torn || !after[len(after)-1].Time.Equal(row.Time) {
						t.Fatalf("cut at %d: %d rows after resume, %v", cut, len(after), faults.First)
					}
				}
			})
		}
	}
}

// TestResumeRefuses holds the conditions of PDH: the same counters, later times.
func TestResumeRefuses(t *testing.T) {
	rows := formatstest.SomeRows(3, 2)
	for _, format := range formats.Names() {
		t.Run(format, func(t *testing.T) {
			name := formatstest.Recorded(t, format, formatstest.WideHeader(2), rows)
			other := formatstest.WideHeader(2)
			other.Columns[1].Path = `\\SRV\Memory\Pages/sec`
			if _, _, err := formats.Append(name, nil, other, logs.WriteOptions{}); format != "json" && !errors.Is(err, logs.ErrColumnsDiffer) {
				t.Errorf("other counters: %v", err)
			}
			if _, _, err := formats.Append(name, nil, formatstest.WideHeader(3), logs.WriteOptions{}); format != "json" && (!errors.Is(err, logs.ErrColumnsDiffer) || !strings.Contains(err.Error(), "0xC0000BFC")) {
				t.Errorf("more counters: %v", err)
			}
			for i := range rows {
				w, tail, err := formats.Append(name, nil, formatstest.WideHeader(2), logs.WriteOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if !tail.Last.Equal(rows[2].Time) || tail.Cut != 0 {
					t.Errorf("tail %+v", tail)
				}
				if err := w.WriteRow(&rows[i]); !errors.Is(err, logs.ErrEarlier) || !strings.Contains(err.Error(), "0xC0000BFB") {
					t.Errorf("an earlier row: %v", err)
				}
				w.Close()
			}
			if _, all, _ := formatstest.ReadAll(t, name, logs.OpenOptions{}); len(all) != 3 {
				t.Errorf("%d rows", len(all))
			}
			f, _ := formats.Named(format)
			if _, err := formats.Create(name, f, formatstest.WideHeader(2), logs.WriteOptions{}); !errors.Is(err, fs.ErrExist) {
				t.Errorf("overwritten: %v", err)
			}
			if w, err := formats.Create(name, f, formatstest.WideHeader(2), logs.WriteOptions{Overwrite: true}); err != nil || w.Close() != nil {
				t.Errorf("not overwritten: %v", err)
			}
		})
	}
}

// TestFileGone notices on the next Sync that a file was moved away.
func TestFileGone(t *testing.T) {
	rows := formatstest.SomeRows(2, 2)
	for _, format := range formats.Names() {
		f, _ := formats.Named(format)
		name := filepath.Join(t.TempDir(), "folder", "x"+f.Extensions[0])
		if err := os.Mkdir(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		w, err := formats.Create(name, f, formatstest.WideHeader(2), logs.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.WriteRow(&rows[0]), w.Sync()); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Dir(name)); err != nil {
			t.Skipf("this system keeps files that are open: %v", err)
		}
		if err := errors.Join(w.WriteRow(&rows[1]), w.Sync()); !errors.Is(err, logs.ErrGone) {
			t.Errorf("%s: %v", format, err)
		}
		w.Close()
	}
}

// TestDiskFullHere writes to the device that is always full.
func TestDiskFullHere(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	for _, format := range []string{"csv", "json"} {
		f, _ := formats.Named(format)
		w, err := formats.Stream(full, f, formatstest.WideHeader(2), logs.WriteOptions{})
		if err == nil {
			row := formatstest.SomeRows(1, 2)[0]
			err = w.WriteRow(&row)
		}
		if err == nil {
			t.Errorf("%s: a full disk was not noticed", format)
		}
	}
}
