package packing

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/app/ruleset"
	"perfdeck/session/config"
	"perfdeck/session/files/bundle"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/recording/relog"
	"perfdeck/session/system/failure"
)

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

// recording is one of sql01, of ten minutes.
func recording(t *testing.T) string {
	t.Helper()
	text := "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\sql01\\Memory\\Available MBytes\"\r\n"
	for i := range 40 {
		at := time.Date(2026, 3, 2, 23, 50, 15*i, 0, time.UTC)
		text += fmt.Sprintf("%q,\"%d\"\r\n", at.Format("01/02/2006 15:04:05.000"), 9000+i)
	}
	file := filepath.Join(t.TempDir(), "night.csv")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
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
	file := recording(t)
	c := new(config.Config)
	plantTexts(reflect.ValueOf(c).Elem(), "")
	when, err := alert.ParseRule(`\Memory(S3cr.Alerts.Rules.When-)\x>3`)
	if err != nil {
		t.Fatal(err)
	}
	r := &c.Alerts.Rules[0]
	r.When, r.Quiet, r.Need, r.Of, r.Clear, r.Aggregate, r.Events, c.Alerts.Packs = when.When, nil, 1, 1, nil, nil, alert.Count{}, nil
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
		output := filepath.Join(t.TempDir(), "x"+bundle.Extension)
		packed, err := Pack(t.Context(), []string{file}, Options{
			Output: output, Config: c,
			Open:  func(name string) (logs.Reader, error) { return relog.Open(t.Context(), name, logs.OpenOptions{}) },
			Rules: func() ([]alert.Rule, error) { return ruleset.Of(c, nil, nil) },
			Half:  func(string) func() { return func() {} }, Report: func(err error) { t.Error(err) },
		})
		if err != nil || packed.Missing {
			t.Fatal(err)
		}
		items := map[string]int{}
		for _, p := range packed.Manifest.Parts {
			items[p.Kind] = p.Items
		}
		if items["rules"] != 1 || items["decks"] != 1 || items["notes"] != len(notes) {
			t.Fatalf("%v; %d notes", items, len(notes))
		}
		parts, err := partsOf(output)
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

// What is wrong leaves the file that was there, and nothing beside it.
func TestPackFails(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	file := recording(t)
	output := filepath.Join(t.TempDir(), "x"+bundle.Extension)
	if err := os.WriteFile(output, []byte("of before"), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := 0
	plain := Options{
		Output: output, Overwrite: true, Config: new(config.Config),
		Open:  func(name string) (logs.Reader, error) { return relog.Open(t.Context(), name, logs.OpenOptions{}) },
		Rules: func() ([]alert.Rule, error) { return nil, nil },
		Half:  func(string) func() { return func() { whole++ } }, Report: func(error) {},
	}
	for name, c := range map[string]struct {
		files []string
		with  func(o *Options)
		usage bool
	}{
		"no recording":          {[]string{file + "x"}, func(*Options) {}, false},
		"nothing in the time":   {[]string{file}, func(o *Options) { o.Begin = "2027-01-01" }, false},
		"begin behind the end":  {[]string{file}, func(o *Options) { o.Begin, o.End = "23:55", "2026-03-02 23:51" }, true},
		"a deck that is none":   {[]string{file}, func(o *Options) { o.Deck = "none" }, true},
		"a begin that is none":  {[]string{file}, func(o *Options) { o.Begin = "99:99" }, true},
		"rules that are wrong":  {[]string{file}, func(o *Options) { o.Rules = func() ([]alert.Rule, error) { return nil, os.ErrInvalid } }, false},
		"it is there meanwhile": {[]string{file}, func(o *Options) { o.Overwrite = false }, false},
	} {
		o := plain
		c.with(&o)
		_, err := Pack(t.Context(), c.files, o)
		if err == nil || errors.As(err, new(*failure.UsageError)) != c.usage {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, err := os.ReadFile(output); err != nil || string(text) != "of before" {
		t.Errorf("%q, %v", text, err)
	}
	if left, err := os.ReadDir(filepath.Dir(output)); err != nil || len(left) != 1 || whole == 0 {
		t.Errorf("%v, %v, %d", left, err, whole)
	}
	if p, err := Pack(t.Context(), []string{file, file + "x"}, plain); err != nil || !p.Missing {
		t.Errorf("one that is missing among others: %+v, %v", p, err)
	}
}
