package main

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/deliver/journal"
	"perfdeck/session/files/bundle"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/files/screenlog"
	"perfdeck/session/give/push"
	"perfdeck/session/hosts/cache"
	"perfdeck/session/hosts/ssh"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/collectorset/store"
)

// kept is each file that version 0.1.0 kept: what every later one reads of it, and how it tells that it
// is of a later version.
var kept = []struct {
	file  string // below testdata/kept
	says  string
	later [2]string // what of its text makes it one of a later version; empty: it does not say any
	read  func(t *testing.T, name string) (says any, err error)
}{
	{file: "config.toml", says: "memory web01", read: func(_ *testing.T, name string) (any, error) {
		text, _ := os.ReadFile(name)
		c, _, err := config.Parse(name, text)
		if err != nil {
			return nil, err
		}
		return c.Alerts.Rules[0].Name + " " + c.Hosts[0].Name, nil
	}},
	{file: "night.csv", says: "3", read: readRows},
	{file: "night.json", says: "3", read: readRows},
	{file: "night.blg.gz", says: "3", read: readRows},
	{file: "night.db.gz", says: "3", later: [2]string{"PerfdeckLog", "UPDATE PerfdeckLog SET Version = Version + 1"}, read: readRows},
	{file: "night.perfdeck", says: "1", read: func(t *testing.T, name string) (any, error) {
		b, err := bundle.Open(t.Context(), name, t.TempDir())
		if err != nil {
			return nil, err
		}
		return len(b.Files), nil
	}},
	{file: stateFolder + "screens.toml", says: "work", later: formTOML, read: func(*testing.T, string) (any, error) {
		s, err := config.LoadState()
		if err != nil {
			return nil, errors.Join(err, config.SaverOf(s)(s))
		}
		return s.Decks[0].Name, nil
	}},
	{file: stateFolder + "alerts.jsonl", says: "muted", later: formJSON, read: func(_ *testing.T, name string) (any, error) {
		_, memory, _, err := journal.Open(filepath.Dir(name), keptAt)
		if err != nil {
			return nil, err
		}
		return memory.History[0].Kind, nil
	}},
	{file: stateFolder + "notes.jsonl", says: "the backup began", later: formJSON, read: func(_ *testing.T, name string) (any, error) {
		notes, err := notebook.New(filepath.Dir(name)).News()
		if err != nil {
			return nil, err
		}
		return notes[0].Text, nil
	}},
	{file: stateFolder + "log.jsonl", says: "4", later: formJSON, read: func(_ *testing.T, name string) (any, error) {
		list, err := screenlog.Read(filepath.Dir(name), time.Time{}, time.Time{})
		return len(list), err
	}},
	{file: stateFolder + "recordings/made.jsonl", says: "4", later: formJSON, read: func(_ *testing.T, name string) (any, error) {
		_, damaged := collector.List(filepath.Dir(name), keptAt)
		return len(collector.ListMade(filepath.Dir(name))), errors.Join(damaged...)
	}},
	{file: stateFolder + "recordings/8pbj7n.toml", says: "[8pbj7n]", later: formTOML, read: func(_ *testing.T, name string) (any, error) {
		list, damaged := collector.List(filepath.Dir(name), keptAt)
		var ids []string
		for i := range list {
			ids = append(ids, list[i].ID)
		}
		return ids, errors.Join(damaged...)
	}},
	{file: stateFolder + "sets/night.json", says: "night vm_20261130-000001", later: formJSON, read: func(_ *testing.T, name string) (any, error) {
		of := store.Open(filepath.Dir(name))
		e, err := of.Load("night")
		if err != nil {
			return nil, errors.Join(err, of.Change("change", "night", func(*store.Entry) error { return nil }))
		}
		return e.Set.Name + " " + e.State.Folders[0].Name, nil
	}},
	{file: stateFolder + "sets/night.xml", says: "night", read: func(_ *testing.T, name string) (any, error) {
		e, err := store.Open(filepath.Dir(name)).Load("night")
		if err != nil {
			return nil, err
		}
		return e.Set.Name, nil
	}},
	{file: stateFolder + "catalogues/pcq-47850cad0e6ac1ae155df02c.json", says: "Memory", later: formJSON, read: func(_ *testing.T, name string) (any, error) {
		f := cache.File{Dir: filepath.Dir(name), Kind: "pcq", Host: "web01"}
		cat, err := f.Load()
		if cat != nil {
			return cat.Sets[0].Name, err
		}
		f.Save(&session.Catalogue{Host: "web01", Sets: []*session.Counterset{{Name: "Memory"}}})
		f.Remove()
		return 0, err
	}},
	{file: stateFolder + "ssh.json", says: "1", later: formJSON, read: func(_ *testing.T, name string) (any, error) {
		return (&ssh.Known{File: name}).Load()
	}},
	{file: stateFolder + "push/queue/0000000000000001.queue", says: "10", later: [2]string{"queue 1", "queue 2"}, read: func(_ *testing.T, name string) (any, error) {
		q, err := push.OpenQueue(filepath.Dir(name), push.QueueOptions{Bytes: push.LeastQueue, Clock: session.NewSystemClock()})
		if err != nil {
			return nil, err
		}
		defer q.Close()
		return q.Status().Samples, nil
	}},
}

const stateFolder = "state/perfdeck/"

var (
	keptAt   = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	formJSON = [2]string{`{"form":1}`, `{"form":2}`}
	formTOML = [2]string{"form = 1\n", "form = 2\n"}
)

// readRows counts the rows of a recording.
func readRows(t *testing.T, name string) (any, error) {
	in, err := formats.Open(t.Context(), name, logs.OpenOptions{})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var row logs.Row
	for n := 0; ; n++ {
		if err := in.Next(&row); errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return nil, err
		}
	}
}

// unpackKept copies a file, unpacked.
func unpackKept(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil && strings.HasSuffix(from, ".gz") {
		var z io.Reader
		if z, err = gzip.NewReader(bytes.NewReader(text)); err == nil {
			text, err = io.ReadAll(z)
		}
	}
	err = errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, text, 0o600))
	if err != nil {
		t.Fatal(err)
	}
}

// What 0.1.0 kept is read. What a later version kept is refused in a sentence, and stays as it is
// whatever is done.
func TestKept(t *testing.T) {
	known := map[string]bool{}
	for _, k := range kept {
		known[k.file] = true
		read := func(t *testing.T, later func(name string)) (says any, err error) {
			dir := t.TempDir()
			t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
			for _, o := range kept {
				unpackKept(t, filepath.Join("testdata", "kept", o.file), filepath.Join(dir, strings.TrimSuffix(o.file, ".gz")))
			}
			name := filepath.Join(dir, strings.TrimSuffix(k.file, ".gz"))
			later(name)
			before, _ := os.ReadFile(name)
			says, err = k.read(t, name)
			if after, _ := os.ReadFile(name); !bytes.Equal(before, after) {
				t.Errorf("it was %q, and is %q", before, after)
			}
			return says, err
		}
		t.Run(k.file, func(t *testing.T) {
			if says, err := read(t, func(string) {}); err != nil || fmt.Sprint(says) != k.says {
				t.Errorf("%v, %v: want %s", says, err, k.says)
			}
		})
		if k.later[0] == "" {
			continue
		}
		t.Run("later "+k.file, func(t *testing.T) {
			says, err := read(t, func(name string) { makeLater(t, name, k.later) })
			if err == nil || !strings.Contains(err.Error(), "version") {
				t.Errorf("%v, %v", says, err)
			}
		})
	}
	err := filepath.WalkDir(filepath.Join("testdata", "kept"), func(name string, e fs.DirEntry, err error) error {
		if file := strings.TrimPrefix(filepath.ToSlash(name), "testdata/kept/"); err == nil && !e.IsDir() && !known[file] {
			t.Errorf("nobody reads %s", file)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// makeLater makes a file one of a later version.
func makeLater(t *testing.T, name string, later [2]string) {
	t.Helper()
	if strings.HasSuffix(name, ".db") {
		db, err := sql.Open("sqlite", name)
		if err == nil {
			_, err = db.ExecContext(t.Context(), later[1])
			err = errors.Join(err, db.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	text, _ := os.ReadFile(name)
	now := bytes.Replace(text, []byte(later[0]), []byte(later[1]), 1)
	if err := os.WriteFile(name, now, 0o600); err != nil || bytes.Equal(text, now) {
		t.Fatalf("not changed: %v", err)
	}
}
