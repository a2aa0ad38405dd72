package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// age sets when a file was used.
func age(t *testing.T, name string, days int) {
	t.Helper()
	at := time.Now().AddDate(0, 0, -days)
	if err := os.Chtimes(name, at, at); err != nil {
		t.Fatal(err)
	}
}

// What nobody used for two weeks goes, and what is used stays.
func TestCataloguesGo(t *testing.T) {
	dir := t.TempDir()
	hosts := map[string]*File{}
	for i, name := range []string{"old", "used", "new"} {
		f := &File{Dir: dir, Kind: "pcq", Host: name}
		f.Save(of(memory()))
		age(t, f.Path(), []int{15, 13, 0}[i])
		hosts[name] = f
	}
	other := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	age(t, other, 100)
	_, _ = hosts["used"].Load()
	hosts["new"].Save(of(memory())) // within the hour of the first look
	age(t, filepath.Join(dir, pruned), 1)
	_, _ = hosts["new"].Load() // who only reads clears nothing away
	if _, err := os.Stat(hosts["old"].Path()); err != nil {
		t.Error("it was cleared away too early")
	}
	hosts["new"].Save(of(memory()))
	for name, stays := range map[string]bool{hosts["old"].Path(): false, hosts["used"].Path(): true, hosts["new"].Path(): true, other: true} {
		if _, err := os.Stat(name); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
	if info, err := os.Stat(hosts["used"].Path()); err != nil || time.Since(info.ModTime()) > time.Hour {
		t.Errorf("that it was used is not known: %v", err)
	}
}

// All of them are bounded: what was not used for longest goes.
func TestCataloguesAreBounded(t *testing.T) {
	dir := t.TempDir()
	for i := range 9 {
		name := filepath.Join(dir, fmt.Sprintf("pcq-%d.json", i))
		if err := os.WriteFile(name, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		age(t, name, i)
	}
	prune(dir, time.Now(), 350)
	var left []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if got := strings.Join(left, " "); got != ".pruned pcq-0.json pcq-1.json pcq-2.json" {
		t.Error(got)
	}
}
