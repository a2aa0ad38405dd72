package zips

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdeck/session"
)

// archive writes files into an archive.
func archive(t *testing.T, files map[string][]byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "logs.zip")
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for file, text := range files {
		out, err := w.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// What no recording is packed like is refused before much of it is on the disk, be it one
// file, or many that are no recordings.
func TestBombs(t *testing.T) {
	header := []byte("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\h\\M\\load\"\r\n")
	one := append(bytes.Clone(header), bytes.Repeat([]byte("\"03/02/2026 14:00:00.000\",\"1\"\r\n"), 3_000_000)...)
	many := map[string][]byte{"night.csv": append(bytes.Clone(header), "\"03/02/2026 14:00:00.000\",\"1\"\r\n"...)}
	for i := range 10 {
		many[fmt.Sprint("x", i, ".bin")] = make([]byte, 20<<20)
	}
	for what, files := range map[string]map[string][]byte{"one": {"night.csv": one}, "many": many} {
		name, folder := archive(t, files), t.TempDir()
		_, err := Unpack(name, folder)
		if err == nil || !strings.Contains(err.Error(), "times") || session.HintOf(err) == "" {
			t.Errorf("%s: %v", what, err)
		}
		written := int64(0)
		left, _ := os.ReadDir(folder)
		for _, f := range left {
			if info, err := f.Info(); err == nil {
				written += info.Size()
			}
		}
		if info, err := os.Stat(name); err != nil || written > max(roomyBytes, mostRatio*info.Size())+1 {
			t.Errorf("%s: %d bytes are on the disk", what, written)
		}
	}
	idle := append(bytes.Clone(header), bytes.Repeat([]byte("\"03/02/2026 14:00:00.000\",\"1\"\r\n"), 1_000_000)...)
	if found, err := Unpack(archive(t, map[string][]byte{"night.csv": idle}), t.TempDir()); err != nil || len(found) != 1 {
		t.Errorf("30 MB in which nothing moves: %v, %v", found, err)
	}
}
