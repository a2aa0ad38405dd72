package logs

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFormatAliases: names that others use for JSON lines.
func TestFormatAliases(t *testing.T) {
	for _, name := range []string{"json", "jsonl", "JSONL", "ndjson"} {
		if f, ok := FormatNamed(name); !ok || f.Name != "json" {
			t.Errorf("format %s: %v", name, f)
		}
		if f, ok := FormatByExtension("a." + name); !ok || f.Name != "json" {
			t.Errorf("a.%s: %v", name, f)
		}
	}
}

// TestTextAboutRecordings: a text that speaks of the header is no recording; one
// whose line begins with it is.
func TestTextAboutRecordings(t *testing.T) {
	for text, is := range map[string]bool{
		"Cell 1 of the header is `(PDH-CSV 4.0) (zone)(bias)`, say,\nas \"(PDH-TSV 4.0)\".\n": false,
		"see (PDH-CSV 4.0)\n": false,
		"see (PDH-CSV 4.0), as\r\n\"(PDH-CSV 4.0)\",\"\\\\H\\a\\b\"\r\n": true,
		"\xEF\xBB\xBF\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\H\\a\\b\"\r\n":     true,
		"Date \\\\H (PDH-CSV 4.0) (UTC)(0),Time,a\\b\r1/2/26,3:04,1\r":   true,
	} {
		file := filepath.Join(t.TempDir(), "a.txt")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Open(t.Context(), file, OpenOptions{})
		if err == nil {
			_ = r.Close()
		}
		if (err == nil) != is {
			t.Errorf("%q: %v", text, err)
		}
		if !is && !errors.Is(err, ErrUnknownFormat) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestFullDiskOfSQLite: a full disk is told as of other formats.
func TestFullDiskOfSQLite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.db")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := openDatabase(t.Context(), file, readWrite, "max_page_count(2)")
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	if err = d.exec("CREATE TABLE a (b BLOB)"); err == nil {
		err = d.exec("INSERT INTO a VALUES (zeroblob(100000))")
	}
	told, ok := errors.AsType[*FileError](err)
	if !ok || told.Err.Error() != "the disk is full" || told.Advice == "" || !errors.Is(err, errNoSpace) {
		t.Errorf("a full disk: %v", err)
	}
	var no syscall.Errno
	if !errors.As(err, &no) {
		t.Errorf("%v is none of the system", err)
	}
}
