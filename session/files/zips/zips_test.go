package zips

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"perfdeck/session/files/note"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/system/failure"
)

const night = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\h\\M\\load\"\r\n\"03/02/2026 14:00:00.000\",\"1\"\r\n"

// packed writes what gzip packs.
func packed(t *testing.T, name string, text []byte) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(text)
	if err := errors.Join(err, w.Close(), os.WriteFile(name, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	return name
}

// tarred is a tar of files, and of a link.
func tarred(t *testing.T, files ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := w.WriteHeader(&tar.Header{Name: "link.csv", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"})
	for _, f := range files {
		err = errors.Join(err, w.WriteHeader(&tar.Header{Name: f[0], Mode: 0o600, Size: int64(len(f[1]))}))
		_, wrong := w.Write([]byte(f[1]))
		err = errors.Join(err, wrong)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Members have the names and folders that they have in the archive, as far as these are no more than names; notes lie
// beside their recording, wherever they come.
func TestNames(t *testing.T) {
	long := strings.Repeat("ä", 300)
	files := [][2]string{
		{"web01/night.csv" + note.Suffix, "{}"}, {"web01/night.csv", night}, {"sql01/night.csv", night}, {"../../etc/evil.CSV", night},
		{`logs\a:b\x1b[2J?.csv`, night}, {"2026/web01//x/./a.csv", night}, {long + "/../" + long + ".csv", night}, {"deep.db-wal", night}, {"readme.txt", "hello"}, {"...", night},
	}
	inZip := map[string][]byte{}
	for _, f := range files {
		inZip[f[0]] = []byte(f[1])
	}
	want := []string{"web01, night.csv", "sql01, night.csv", "etc, evil.csv", "logs, a_b.csv", "2026, web01, x, a.csv", long[:120] + ".csv", "deep", ""}
	for _, name := range []string{archive(t, inZip), packed(t, "logs.tgz", tarred(t, files...))} {
		folder := t.TempDir()
		found, err := Unpack(name, folder)
		if err != nil || len(found) != len(want) {
			t.Fatalf("%q, %v", found, err)
		}
		notes := 0
		for i, file := range found {
			base, in := strings.CutPrefix(filepath.Base(file), filepath.Base(name)+", ")
			if _, err := os.Stat(notebook.Beside(file)); err == nil {
				notes++
			}
			if !in || filepath.Dir(file) != folder || strings.HasSuffix(name, "tgz") && base != want[i] && !strings.Contains(base, "_") {
				t.Errorf("%q, want %q", file, want[i])
			}
			if strings.ContainsAny(base, ":?\x1b") || !slices.ContainsFunc([]string{".csv", ""}, func(e string) bool { return filepath.Ext(base) == e }) {
				t.Errorf("%q", base)
			}
		}
		if notes != 1 {
			t.Errorf("%s: %d have notes", name, notes)
		}
	}
}

// What gzip packed is read as a file of its name; one that is damaged is told of.
func TestGzip(t *testing.T) {
	name := packed(t, "night.csv.gz", []byte(night))
	found, err := Unpack(name, t.TempDir())
	if !Is(name) || err != nil || len(found) != 1 || filepath.Base(found[0]) != "night.csv.gz, night.csv" {
		t.Fatalf("%q, %v", found, err)
	}
	if text, err := os.ReadFile(found[0]); string(text) != night {
		t.Errorf("%q, %v", text, err)
	}
	whole, _ := os.ReadFile(name)
	for _, damaged := range [][]byte{whole[:len(whole)-9], whole[:12]} {
		if err := os.WriteFile(name, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if found, err := Unpack(name, t.TempDir()); err == nil || failure.Hint(err) == "" {
			t.Errorf("%d bytes: %q, %v", len(damaged), found, err)
		}
	}
	bomb := packed(t, "x.tgz", tarred(t, [2]string{"x.bin", string(make([]byte, roomyBytes+1))}))
	if found, err := Unpack(bomb, t.TempDir()); !errors.Is(err, errBomb) {
		t.Errorf("%q, %v", found, err)
	}
}

// An encrypted member is said to be that, with its name.
func TestEncrypted(t *testing.T) {
	name := archive(t, map[string][]byte{"night.csv": []byte(night)})
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(text, []byte("PK\x01\x02")) // the central directory: its flags are at 8
	text[at+8] |= 1
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Unpack(name, t.TempDir())
	if !errors.Is(err, errLocked) || !strings.Contains(err.Error(), "night.csv") || !strings.Contains(failure.Hint(err), "password") {
		t.Errorf("%v, %s", err, failure.Hint(err))
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte("PK\x03\x04"))
	f.Add([]byte("\x1f\x8b\x08\x00"))
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		name := filepath.Join(folder, "x")
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		to := t.TempDir()
		found, _ := Unpack(name, to)
		for _, file := range found {
			if filepath.Dir(file) != to {
				t.Errorf("%q is not in its folder", file)
			}
		}
	})
}

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
		if err == nil || !strings.Contains(err.Error(), "times") || failure.Hint(err) == "" {
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
