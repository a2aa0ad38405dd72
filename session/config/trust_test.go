package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"perfdeck/session/system/failure"
)

// Of a file that others may write nothing is taken but looks: each other key is refused by
// itself, whatever stands in it, and leaves nothing in the config. The example has every key.
func TestOnlyLooksOfOthers(t *testing.T) {
	distrust := &InsecureError{"config.toml", "everybody may write it", "chmod go-w config.toml"}
	whole, _, err := Parse("f", []byte(uncommented()))
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := parse("f", []byte(uncommented()), distrust, false)
	e, ok := errors.AsType[*FileError](err)
	if !ok || e.Hint() == "" || !errors.Is(err, error(distrust)) {
		t.Fatalf("%v", err)
	}
	refused := map[string]bool{}
	for _, f := range append([]*FileError{e}, e.Others...) {
		key := strings.FieldsFunc(f.Key, func(r rune) bool { return r == '[' || r == '.' })[0]
		refused[key] = true
	}
	values, err := parseTOML("f", []byte(uncommented()))
	if err != nil {
		t.Fatal(err)
	}
	for key, v := range values {
		if _, isTable := v.(map[string]any); !isTable && reflect.ValueOf(v).Kind() != reflect.Slice {
			if refused[key] {
				t.Errorf("%s: refused", key)
			}
			continue
		}
		looks := slices.Contains(harmless(), key) || key == deckTable || key == alertTable
		if refused[key] == looks && !(key == deckTable || key == alertTable) {
			t.Errorf("%s: refused %v", key, refused[key])
		}
	}
	// What is left, by the fields of the config: one that is new is refused, or stands here.
	shown := []string{"File", "Settings", "Counters", "Decks", "Keys", "Alerts", "Taken"}
	v, all := reflect.ValueOf(*c), reflect.ValueOf(*whole)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		is := v.Field(i).Kind() == reflect.Slice && v.Field(i).Len() > 0 || v.Field(i).Kind() != reflect.Slice && !v.Field(i).IsZero()
		if is && !slices.Contains(shown, name) {
			t.Errorf("%s is taken: %v", name, v.Field(i))
		}
		if all.Field(i).IsZero() && name != "Ignored" {
			t.Errorf("the example says nothing of %s", name)
		}
	}
	if len(c.Alerts.Tasks)+len(c.Alerts.Webhooks)+len(c.Alerts.Alertmanagers) > 0 {
		t.Errorf("taken: %+v", c.Alerts)
	}
	// A setting that is a text might be the name of a file.
	for i := range reflect.TypeFor[Settings]().NumField() {
		if f := reflect.TypeFor[Settings]().Field(i); f.Type.Kind() == reflect.String && f.Name != "Theme" && f.Name != "Grouping" {
			t.Errorf("%s: is it harmless, whoever wrote it?", f.Name)
		}
	}
}

// Decks and rules are taken one by one.
func TestDecksAndRulesOfOthers(t *testing.T) {
	distrust := &InsecureError{"config.toml", "everybody may write it", "chmod go-w config.toml"}
	const rule = "[[alert]]\nwhen = '\\M\\A>5'\n"
	for text, refused := range map[string]bool{
		"theme = \"default\"\ninterval = \"2s\"\n":                                      false,
		"[[deck]]\nname = \"a\"\n[[deck.panes]]\npaths = ['\\M\\A']\n":                  false,
		"[[deck]]\nname = \"a\"\nhost = \"evil\"\n[[deck.panes]]\npaths = ['\\M\\A']\n": true,
		"[[deck]]\nname = \"a\"\n[[deck.panes]]\npaths = ['\\M\\A']\nhost = \"evil\"\n": true,
		"[[deck]]\nname = \"a\"\npanes = [{paths = ['\\M\\A'], host = \"evil\"}]\n":     true,
		rule: false,
		rule + "then = [\"log\", \"title\", \"desktop\"]\n":                                false,
		rule + "then = [\"syslog\"]\n":                                                     true,
		rule + "cleared = [\"bell\", \"file:/a\"]\n":                                       true,
		rule + "[[alert]]\nwhen = '\\M\\B>5'\nthen = [\"file:/a\"]\n":                      true,
		"[[alert]]\nwhen = '\\\\evil\\M\\A>5'\n":                                           true,
		"[[alert]]\nabsent = ' \\\\evil\\M\\A'\n":                                          true,
		"[[host]]\nname = \"a\"\naddress = \"evil\"\n":                                     true,
		"[groups]\nall = [\"evil\"]\n":                                                     true,
		"[[record]]\nname = \"a\"\nfile = \"/a.csv\"\npaths = ['\\M\\A']\nalways = true\n": true,
		"[[push]]\nname = \"a\"\nurl = \"https://evil\"\ntoken_file = \"/a\"\n":            true,
		"[[engine]]\nname = \"a\"\nurl = \"prom+https://evil\"\ntoken_file = \"/a\"\n":     true,
		"[[alertmanager]]\nname = \"a\"\nurls = [\"https://evil\"]\ntoken_file = \"/a\"\n": true,
		"[[feed]]\nname = \"a\"\nmanifests = [\"/a\"]\nsocket = \"/b\"\n":                  true,
		"[notes]\nfiles = [\"/etc/shadow\"]\n":                                             true,
		"[alerts]\npacks = [\"disk\"]\n":                                                   false,
	} {
		_, _, err := parse("f", []byte(text), distrust, false)
		if (err != nil) != refused || refused && !errors.Is(err, error(distrust)) {
			t.Errorf("%q: %v", text, err)
		}
		if _, _, err := Parse("f", []byte(text)); err != nil {
			t.Errorf("%q is wrong: %v", text, err)
		}
		c, _, err := parse("f", []byte(text), distrust, true)
		if err != nil || (c.Ignored != nil) != refused {
			t.Errorf("%q: ignored %v, %v", text, c.Ignored, err)
		}
	}
}

// A file is the user's alone if each folder on the way to it is, and each link.
func TestFoldersOfTheConfig(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("mode bits say nothing about others there")
	}
	const text = "[[host]]\nname = \"a\"\naddress = \"b\"\n"
	for what, c := range map[string]struct {
		change func(home string) error
		fine   bool
	}{
		"as it is":               {func(string) error { return nil }, true},
		"its folder":             {func(home string) error { return os.Chmod(filepath.Join(home, ".config/perfdeck"), 0o777) }, false},
		"its folder, by a group": {func(home string) error { return os.Chmod(filepath.Join(home, ".config/perfdeck"), 0o775) }, false},
		"a folder above":         {func(home string) error { return os.Chmod(home, 0o777) }, false},
		"a sticky folder above":  {func(home string) error { return os.Chmod(home, 0o777|os.ModeSticky) }, true},
		"the folder of its target": {func(home string) error {
			open := filepath.Join(home, "open")
			name := filepath.Join(home, ".config/perfdeck/config.toml")
			return errors.Join(os.Mkdir(open, 0o700), os.Chmod(open, 0o777), os.Rename(name, filepath.Join(open, "c")), os.Symlink("../../open/c", name))
		}, false},
		"the folder of a link on the way": {func(home string) error {
			open := filepath.Join(home, "open")
			name := filepath.Join(home, ".config/perfdeck/config.toml")
			return errors.Join(os.Mkdir(open, 0o700), os.Chmod(open, 0o777), os.Rename(name, filepath.Join(home, "c")), os.Symlink("../c", filepath.Join(open, "b")), os.Symlink(filepath.Join(open, "b"), name))
		}, false},
	} {
		home := t.TempDir()
		t.Setenv("HOME", home)
		t.Setenv("XDG_CONFIG_HOME", "")
		folder := filepath.Join(home, ".config/perfdeck")
		if runtime.GOOS == "darwin" {
			t.Skip("its place is another")
		}
		if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "config.toml"), []byte(text), 0o600), c.change(home)); err != nil {
			t.Fatal(err)
		}
		_, _, err := Load(t.Context(), "")
		e, refused := errors.AsType[*InsecureError](err)
		if refused == c.fine || refused && e.Hint() == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Of the config of another user root takes what it may, and says what it leaves out.
func TestConfigOfAnother(t *testing.T) {
	if os.Geteuid() != 0 || runtime.GOOS == "windows" {
		t.Skip("only root gives files away")
	}
	for _, given := range []string{".config/perfdeck/config.toml", ".config", ""} {
		home := t.TempDir()
		t.Setenv("HOME", home)
		t.Setenv("XDG_CONFIG_HOME", "")
		folder := filepath.Join(home, ".config/perfdeck")
		name := filepath.Join(folder, "config.toml")
		text := "interval = \"7s\"\n[[host]]\nname = \"a\"\naddress = \"b\"\n[tasks.x]\ncommand = [\"y\"]\n"
		if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(name, []byte(text), 0o644), os.Chown(filepath.Join(home, given), 4711, 4711)); err != nil {
			t.Skip(err)
		}
		c, _, err := Load(t.Context(), "")
		if err != nil || c.Ignored == nil || len(c.Hosts)+len(c.Alerts.Tasks) > 0 || !c.Settings.Has("interval") {
			t.Errorf("%q: %+v, %v", given, c, err)
			continue
		}
		if said := c.Ignored.Error(); !strings.Contains(said, folder) || !strings.Contains(said, "host[1]") || !strings.Contains(said, "tasks") || failure.Hint(c.Ignored) == "" {
			t.Errorf("%q: %s", given, said)
		}
		if _, _, err := Load(t.Context(), name); err == nil {
			t.Errorf("%q: by its name it is taken", given)
		}
	}
}

// What a config names and is obeyed nobody else may write: files and their folders, of
// programs the files.
func TestObeyed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("mode bits say nothing about others there")
	}
	for _, c := range []struct {
		file, folder os.FileMode
		fine, runs   bool
	}{
		{0o644, 0o755, true, true},
		{0o666, 0o755, false, false},
		{0o664, 0o700, false, false},
		{0o644, 0o777, false, true},
		{0o644, 0o777 | os.ModeSticky, true, true},
	} {
		dir := t.TempDir()
		t.Setenv("HOME", filepath.Dir(dir))
		name := filepath.Join(dir, "file")
		if err := errors.Join(os.WriteFile(name, nil, 0o600), os.Chmod(name, c.file), os.Chmod(dir, c.folder)); err != nil {
			t.Fatal(err)
		}
		t.Chdir(dir)
		for _, as := range []string{name, "~/" + filepath.Base(dir) + "/file", "file"} {
			got, err := Obeyed(as)
			if e, refused := errors.AsType[*InsecureError](err); refused == c.fine || refused && e.Hint() == "" || err == nil && filepath.Base(got) != "file" {
				t.Errorf("mode %o in %o, %s: %s, %v", c.file, c.folder, as, got, err)
			}
		}
		if _, err := Program(name); (err == nil) != c.runs {
			t.Errorf("a program of mode %o in %o: %v", c.file, c.folder, err)
		}
	}
	for _, name := range []string{"", "none", "/none/of/it", os.DevNull, "/dev/stdin"} {
		if _, err := Obeyed(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
