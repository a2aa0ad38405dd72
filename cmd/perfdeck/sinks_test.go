package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/deliver/action"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/terminal"
)

// hostile is text as a host could send it to steer a terminal or a reader.
const hostile = "a\x1b]0;x\x07b\x1b[2Jc\u009b31md\x7fe\u2028f\u2029g\u202eh\u2066i\u200bj\rk\nl\tm\x00n\xffo\xed\xa0\x80p\u061cq\ufeffr\U000e0041s"

// steers finds what steers a terminal or reorders text.
func steers(s string) rune {
	for i, c := range s {
		switch {
		case c < 0x20 && c != '\n', c >= 0x7f && c < 0xa0, c == 0x2028, c == 0x2029, c == 0x61c,
			c >= 0x200b && c <= 0x200f, c >= 0x202a && c <= 0x202e, c >= 0x2060 && c <= 0x2069, c == 0xfeff, c >= 0xe0000 && c < 0xe1000:
			return c
		case c == 0xfffd && !strings.HasPrefix(s[i:], "\ufffd"):
			return c
		}
	}
	return 0
}

// No text of a host or a file steers the terminal through any sink.
func TestHostileTextInEverySink(t *testing.T) {
	set := &session.Counterset{Name: hostile, Label: hostile, Description: hostile, Instances: session.MultipleInstances,
		Counters: []session.Counter{{Name: hostile, Description: hostile}}}
	in := session.Instance{Key: session.InstanceKey{Name: hostile, ID: 1}}
	path := session.PathOf("", set, 0, &in)
	series := &logs.Named{Host: hostile, Path: path, Text: path.String(), Set: set, Counter: &set.Counters[0], Key: in.Key, Found: true, Wild: true}
	printed := func(format string, v cooker.Value) string {
		var b strings.Builder
		kind, _ := formats.PrintFormat(format, "")
		sample := logs.Sample{Host: hostile, Cells: []logs.Cell{{Named: series, Value: v}}}
		if err := kind.Print(&b, logs.WriteOptions{}).Write(&logs.Beat{Samples: []logs.Sample{sample}}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	event := alert.Event{Time: time.Unix(0, 0), Kind: alert.Fired, ID: alert.ID{Rule: hostile, Host: hostile},
		Path: hostile, Instance: hostile, Shown: hostile, ShownLimit: hostile, Why: hostile, UserText: hostile, By: hostile}
	request := action.Request{Bell: true, Title: hostile, Heading: hostile, Body: hostile}
	const bel = 1 // its own
	for _, sink := range []struct {
		name string
		text string
	}{
		{"cells", func() string {
			c := canvas.New(200, 1, canvas.Full)
			c.Root().Text(0, 0, hostile, themes.Text)
			return c.String()
		}()},
		{"window title (OSC 2)", between(terminal.TitleSequence(hostile), "\x1b]2;", "\x07")},
		{"clipboard (OSC 52)", clipboardText(t, terminal.ClipboardSequence(hostile))},
		{"notification (OSC 9)", afterTitle(string(request.Sequences(action.OSC9))[bel:], "\x1b]9;")},
		{"notification (OSC 777)", afterTitle(string(request.Sequences(action.OSC777))[bel:], "\x1b]777;")},
		{"error of a host", (&session.HostError{Host: hostile, Op: hostile, Err: errors.New(hostile)}).Error()},
		{"log line of an alert", event.Text()},
		{"table", printed("table", cooker.TextValue(hostile))},
		{"lines", printed("lines", cooker.TextValue(hostile))},
		{"prometheus", printed("prom", cooker.FloatValue(1))},
		{"reported path", func() string {
			_, err := paths.Parse(`\\` + hostile + `(`)
			return reported(t, err)
		}()},
		{"reported error", reported(t, fmt.Errorf("read %s: %w", hostile, errors.New(hostile)))},
	} {
		if c := steers(sink.text); c != 0 {
			t.Errorf("%s: %q in %q", sink.name, c, sink.text)
		}
		if sink.text == "" {
			t.Errorf("%s: nothing came out", sink.name)
		}
	}
	// JSON keeps the text and escapes what steers.
	lines := printed("json", cooker.TextValue(hostile))
	if c := steers(strings.ReplaceAll(lines, "\u200b", "")); c != 0 && c < 0x80 {
		t.Errorf("JSON: %q in %q", c, lines)
	}
	if !json.Valid([]byte(strings.TrimSpace(lines))) {
		t.Errorf("not JSON: %q", lines)
	}
}

// clipboardText is what a sequence puts on the clipboard.
func clipboardText(t *testing.T, sequence string) string {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(between(sequence, "\x1b]52;", "\x07"), "c;"))
	if err != nil || strings.Contains(string(text), "\n") {
		t.Errorf("the clipboard gets %q, %v", text, err)
	}
	return string(text)
}

// between is what stands between a beginning and an end, each once.
func between(s, begin, end string) string {
	inner, ok := strings.CutPrefix(s, begin)
	if !ok {
		return "\x1b does not begin with " + begin
	}
	inner, ok = strings.CutSuffix(inner, end)
	if !ok {
		return "\x1b does not end with " + end
	}
	return inner
}

// afterTitle is the text of a notification behind that of the window title.
func afterTitle(s, begin string) string {
	title, rest, _ := strings.Cut(s, "\x1b\\")
	return between(title+"\x1b\\", "\x1b]2;", "\x1b\\") + between(rest, begin, "\x1b\\")
}

// reported is what the program prints of an error.
func reported(t *testing.T, err error) string {
	t.Helper()
	r, w, e := os.Pipe()
	if e != nil {
		t.Fatal(e)
	}
	defer r.Close()
	p := &program{err: w}
	p.report(err)
	w.Close()
	text, e := io.ReadAll(r)
	if e != nil {
		t.Fatal(e)
	}
	return string(text)
}

// writers is who may write operating system commands to a terminal: each makes what
// it writes printable itself.
var writers = map[string]bool{"tui/terminal/sequences.go": true, "tui/output.go": true, "session/deliver/action/terminal.go": true}

// Nobody else reaches titles, clipboards and notifications of terminals.
func TestTerminalIsWrittenInOnePlace(t *testing.T) {
	osc := regexp.MustCompile(`\b(ansi|tea)\.(Set|Reset|Request|Notify|DesktopNotif|Raw)\w*(Clipboard|Title|Notif\w*|IconName|Hyperlink|Raw)?\(|\\x1b\]|\\033\]|\\u009d`)
	beginnings := []string{"ansi.", "tea.", `\x1b]`, `\033]`, `\u009d`} // looked for first: an expression takes its time
	seen := map[string]bool{}
	err := filepath.WalkDir("../..", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(filepath.Dir(name), "test") {
			return err
		}
		text, err := os.ReadFile(name)
		if !slices.ContainsFunc(beginnings, func(b string) bool { return bytes.Contains(text, []byte(b)) }) {
			return err
		}
		if found := osc.Find(text); found != nil {
			name, _ = filepath.Rel("../..", name)
			name = filepath.ToSlash(name)
			seen[name] = true
			if !writers[name] {
				t.Errorf("%s has %s", name, found)
			}
		}
		return err
	})
	if err != nil || len(seen) < len(writers) {
		t.Errorf("%v: only %v write", err, seen)
	}
}
