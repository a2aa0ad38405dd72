package screenlog

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

var start = time.Date(2026, 3, 2, 3, 0, 0, 0, time.UTC)

func entry(i int, text string) Entry {
	return Entry{start.Add(time.Duration(i) * time.Second), Levels[i%len(Levels)], fmt.Sprint("host", i%3), text}
}

func run(f func()) { go f() }

// What is told is there again, as it was, for the user alone.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	var want []Entry
	for round := range 2 {
		b, err := Open(dir, run, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		for i := range 50 {
			e := entry(100*round+i, fmt.Sprintf("line %d \x1b[31m\u202e \"x\"", i))
			want = append(want, e)
			b.Add(e)
		}
		b.Close(time.Minute)
		b.Add(entry(0, "too late"))
	}
	got, err := Read(dir, time.Time{}, time.Time{})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%d entries, want %d: %v", len(got), len(want), err)
	}
	some, err := Read(dir, start.Add(10*time.Second), start.Add(19*time.Second))
	if err != nil || !reflect.DeepEqual(some, want[10:20]) {
		t.Errorf("%v, %v", some, err)
	}
	name := filepath.Join(dir, fileName)
	text, _ := os.ReadFile(name)
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 || strings.ContainsAny(string(text), "\x1b\u202e") {
		t.Errorf("%v, %v", info, err)
	}
}

// Only the last lines are kept, and what is no line is passed over.
func TestBounded(t *testing.T) {
	dir := t.TempDir()
	if list, err := Read(filepath.Join(dir, "missing"), time.Time{}, time.Time{}); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
	long := strings.Repeat("x", 2*mostText)
	for round := range 12 {
		b, err := Open(dir, run, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		for i := range 60 {
			b.Add(entry(60*round+i, long))
		}
		b.Close(time.Minute)
	}
	if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || info.Size() > 2*roomyBytes {
		t.Errorf("%v, %v", info, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, fileName), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.WriteString("nonsense\n{}\n{\"level\":\"shout\",\"text\":\"x\"}\n{\"ti")
	_ = f.Close()
	list, err := Read(dir, time.Time{}, time.Time{})
	if err != nil || len(list) < 200 || !list[len(list)-1].Time.Equal(start.Add(719*time.Second)) {
		t.Errorf("%d entries, %v", len(list), err)
	}
}

// That the file cannot be written is told once, and nothing is harmed: not one of another version.
func TestThatNothingIsKeptIsTold(t *testing.T) {
	dir := t.TempDir()
	told := 0
	unwritten := func(what string, err error) {
		if told++; err == nil || !strings.Contains(err.Error(), "is not kept") {
			t.Errorf("%s: %v", what, err)
		}
	}
	b, err := Open(dir, run, func(err error) { unwritten("no file can be made", err) })
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, fileName), 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		b.Add(entry(i, "a line"))
	}
	b.Close(time.Minute)
	if told != 1 {
		t.Errorf("told %d times", told)
	}
	other := t.TempDir()
	const later = "{\"form\":9}\n"
	if err := os.WriteFile(filepath.Join(other, fileName), []byte(later), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err = Open(other, run, func(err error) { t.Errorf("told again: %v", err) })
	unwritten("of another version", err)
	b.Add(entry(0, "a line"))
	b.Close(time.Minute)
	if text, _ := os.ReadFile(filepath.Join(other, fileName)); string(text) != later {
		t.Errorf("%q", text)
	}
}
