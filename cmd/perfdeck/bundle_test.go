package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/config"
	"perfdeck/session/record/bundle"
	"perfdeck/session/record/note"
	"perfdeck/session/record/note/notebook"
)

// unzipped unpacks an archive into a folder: unzipped FILE FOLDER.
func unzipped(ts *testscript.TestScript, _ bool, args []string) {
	all, err := partsOf(ts.MkAbs(args[0]))
	ts.Check(err)
	for name, text := range all {
		file := filepath.Join(ts.MkAbs(args[1]), filepath.Base(name))
		ts.Check(os.MkdirAll(filepath.Dir(file), 0o700))
		ts.Check(os.WriteFile(file, text, 0o600))
	}
}

// partsOf are the files of an archive.
func partsOf(name string) (map[string][]byte, error) {
	archive, err := zip.OpenReader(name)
	if err != nil {
		return nil, err
	}
	defer archive.Close()
	out := map[string][]byte{}
	for _, f := range archive.File {
		in, err := f.Open()
		if err != nil {
			return nil, err
		}
		if out[f.Name], err = io.ReadAll(in); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// plantTexts writes into every text of a value where it stands.
func plantTexts(v reflect.Value, path string) {
	if !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("S3cr" + path + "-")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		plantTexts(v.Index(0), path)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		plantTexts(key, path+".Key")
		plantTexts(value, path)
		v.SetMapIndex(key, value)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		plantTexts(v.Elem(), path)
	case reflect.Struct:
		for i := range v.NumField() {
			plantTexts(v.Field(i), path+"."+v.Type().Field(i).Name)
		}
	default:
	}
}

var plantedForm = regexp.MustCompile(`S3cr([A-Za-z.0-9]+)-`)

// Of all texts of the config only those of this list get into a bundle, though a note and
// a rule quote every one of them.
func TestConfigOfABundle(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	file := nightCSV(t, "night.csv", "sql01", 2, 0)
	c := new(config.Config)
	plantTexts(reflect.ValueOf(c).Elem(), "")
	when, err := alert.ParseRule(`\Memory(S3cr.Alerts.Rules.When-)\x>3`)
	if err != nil {
		t.Fatal(err)
	}
	r := &c.Alerts.Rules[0]
	r.When, r.Quiet, r.Need, r.Of, r.Clear, r.Aggregate, c.Alerts.Packs = when.When, nil, 1, 1, nil, nil, nil
	c.Decks[0].Panes = []session.DeckPane{{Host: "sql01", Paths: []string{`\A(S3cr.Decks.Panes.Paths-)\B`}, Limit: "S3cr.Decks.Panes.Limit-"}}
	var all []string
	private := map[string]bool{}
	eachPlanted(reflect.ValueOf(c).Elem(), func(text string) { all = append(all, text) })
	for _, text := range c.Private() {
		private[text] = true
	}
	if len(private) < 15 {
		t.Errorf("private are %v", private)
	}
	var notes []note.Note
	for _, text := range all {
		n, err := note.New(time.Date(2026, 3, 2, 23, 56, 0, 0, time.UTC), "it says "+text+" and x"+text+"x", "")
		if err != nil {
			t.Fatal(err)
		}
		notes = append(notes, n)
	}
	notes = note.Merge(notes)
	r.Next = all

	pack := func(notes []note.Note) (found []string) {
		if err := os.WriteFile(notebook.Beside(file), note.Lines(notes), 0o600); err != nil {
			t.Fatal(err)
		}
		p := testProgram()
		p.config = c
		p.err, _ = os.Open(os.DevNull)
		k := &packing{program: p, flags: bundleFlags{output: filepath.Join(t.TempDir(), "x"+bundle.Extension)}}
		defer k.close()
		if err := k.open(t.Context(), []string{file}); err != nil {
			t.Fatal(err)
		}
		if k.beside, err = k.gather([]string{file}); err != nil {
			t.Fatal(err)
		}
		if len(k.beside.Rules) != 1 || len(k.beside.Decks) != 1 || len(k.beside.Notes) != len(notes) {
			t.Fatalf("%d rules, %d decks, %d of %d notes", len(k.beside.Rules), len(k.beside.Decks), len(k.beside.Notes), len(notes))
		}
		if _, err := k.write(t.Context()); err != nil {
			t.Fatal(err)
		}
		parts, err := partsOf(k.flags.output)
		if err != nil {
			t.Fatal(err)
		}
		if len(parts) < 4 {
			t.Errorf("%d parts", len(parts))
		}
		for _, text := range parts {
			for _, m := range plantedForm.FindAll(bytes.ToValidUTF8(text, nil), -1) {
				if !slices.Contains(found, string(m)) {
					found = append(found, string(m))
				}
			}
		}
		slices.Sort(found)
		return found
	}
	for _, text := range pack(notes) {
		if private[text] {
			t.Errorf("a text quotes %s, which is private", text)
		}
	}
	r.Next = nil
	want := []string{"S3cr.Alerts.Rules.Except-", "S3cr.Alerts.Rules.Hosts-", "S3cr.Alerts.Rules.Name-", "S3cr.Alerts.Rules.When-", "S3cr.Alerts.Rules.Why-", "S3cr.Decks.Name-", "S3cr.Decks.Panes.Paths-"}
	if got := pack(nil); !slices.Equal(got, want) {
		t.Errorf("a bundle holds\n%q, want\n%q", got, want)
	}
	// What is in the config and is none of these is either private or no secret.
	for _, field := range []string{
		"S3cr.Hosts.User-", "S3cr.Hosts.Password.Command-", "S3cr.Hosts.Password.File-", "S3cr.Hosts.Password.Keyring-", "S3cr.Alerts.Tasks.Command-",
		"S3cr.Alerts.Webhooks.URL-", "S3cr.Alerts.Webhooks.Token.Command-", "S3cr.Alerts.Webhooks.Header-", "S3cr.Feeds.Command-", "S3cr.Alerts.Rules.Actions.Name-", "S3cr.Alerts.Rules.Text-",
	} {
		if !private[field] {
			t.Errorf("%s is not private", field)
		}
	}
}

// eachPlanted calls a function for each text that was planted.
func eachPlanted(v reflect.Value, do func(string)) {
	switch v.Kind() {
	case reflect.String:
		if plantedForm.MatchString(v.String()) {
			do(v.String())
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachPlanted(v.Index(i), do)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			eachPlanted(key, do)
			eachPlanted(v.MapIndex(key), do)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			eachPlanted(v.Elem(), do)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			eachPlanted(v.Field(i), do)
		}
	default:
	}
}
