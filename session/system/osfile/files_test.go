package osfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"perfdeck/session/system/osfile"
)

// TestReplace replaces a file that another reads for a moment.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "new"), filepath.Join(dir, "old")
	for name, text := range map[string]string{from: "new", to: "old"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reader, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	time.AfterFunc(30*time.Millisecond, func() {
		_ = reader.Close()
		close(done)
	})
	if err := osfile.Replace(from, to); err != nil {
		t.Error(err)
	}
	<-done
	if text, err := os.ReadFile(to); err != nil || string(text) != "new" {
		t.Errorf("%q, %v", text, err)
	}
	if err := osfile.Replace(from, to); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestIsNamed tells an open file from the one that has its name now.
func TestIsNamed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !osfile.IsNamed(f) {
		t.Error("it has its name")
	}
	if runtime.GOOS == "windows" {
		return // no open file is removed there
	}
	if err := os.Remove(name); err != nil || osfile.IsNamed(f) {
		t.Errorf("removed: %v", err)
	}
	if err := os.WriteFile(name, nil, 0o600); err != nil || osfile.IsNamed(f) {
		t.Errorf("replaced: %v", err)
	}
}

// A file is written whole, with the mode that it is to have, or that of the one whose place it takes, and
// what could not take its place leaves nothing behind.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	for i, mode := range []os.FileMode{0o600, 0o640} {
		if err := osfile.Write(name, []byte{'a' + byte(i)}, i == 0); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(name)
		info, statErr := os.Stat(name)
		if err != nil || statErr != nil || string(text) != string(rune('a'+i)) || runtime.GOOS != "windows" && info.Mode().Perm() != mode {
			t.Errorf("%q %v, %v", text, info.Mode(), err)
		}
		if err := os.Chmod(name, 0o640); err != nil {
			t.Fatal(err)
		}
	}
	taken := filepath.Join(dir, "folder", "x")
	if err := os.MkdirAll(taken, 0o700); err != nil {
		t.Fatal(err)
	}
	if osfile.Write(filepath.Dir(taken), nil, true) == nil {
		t.Error("a folder was replaced")
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 2 {
		t.Errorf("left behind: %v, %v", list, err)
	}
}

// One holds a lock at a time, and who ends it lets others have it.
func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	one, other := open(), open()
	if err := osfile.Lock(one); err != nil {
		t.Fatal(err)
	}
	if err := osfile.Lock(other); !errors.Is(err, osfile.ErrLocked) {
		t.Errorf("a second lock: %v", err)
	}
	osfile.Unlock(one)
	if err := osfile.Lock(other); err != nil {
		t.Errorf("after the first ended: %v", err)
	}
}

// Others are waited for, what cannot be locked at all is not.
func TestTake(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	for _, end := range []func(*os.File){osfile.Release, osfile.Discard, osfile.Release} {
		lock, err := osfile.Take(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := osfile.Take(name, 20*time.Millisecond); !errors.Is(err, osfile.ErrLocked) {
			t.Errorf("a second lock: %v", err)
		}
		end(lock)
	}
	if _, err := osfile.Take(filepath.Join(name, "below"), 0); err == nil || errors.Is(err, osfile.ErrLocked) {
		t.Errorf("below a file: %v", err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	began := time.Now()
	if err := osfile.LockWithin(f, 10*time.Second); err == nil || time.Since(began) > 5*time.Second {
		t.Errorf("a file that cannot be locked: %v after %v", err, time.Since(began))
	}
}

// What is put in the place of a file goes where links lead, and they stay; devices, pipes
// and folders are refused.
func TestTarget(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.MkdirAll(at("folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"led": "folder/far", "folder/far": "../file", "dangling": at("new"), "round": "round", "tofolder": "folder"} {
		if err := os.Symlink(filepath.FromSlash(to), at(link)); err != nil {
			t.Skip(err) // users of Windows may not
		}
	}
	for name, want := range map[string]string{"led": "file", "folder/far": "file", "dangling": "new", "file": "file"} {
		if err := osfile.Write(at(name), []byte(name), false); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		info, err := os.Lstat(at(want))
		if err != nil || !info.Mode().IsRegular() {
			t.Fatalf("%s: %v, %v", name, info, err)
		}
		if text, err := os.ReadFile(at(want)); err != nil || string(text) != name {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		if info, err := os.Lstat(at(name)); name != "file" && (err != nil || info.Mode()&os.ModeSymlink == 0) {
			t.Errorf("%s is no link any more: %v", name, err)
		}
	}
	if err := osfile.Write(at("round"), nil, false); err == nil {
		t.Error("a link to itself")
	}
	for _, name := range []string{"folder", "tofolder"} {
		if err := osfile.Write(at(name), nil, false); !errors.Is(err, osfile.ErrNotPlain) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
