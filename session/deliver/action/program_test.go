package action

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/session/config"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

func sh(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no sh on Windows")
	}
}

func environment() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=/home/ana", "LANG=C", "PERFDECK_PASSWORD=s3cret", "LD_PRELOAD=/tmp/x", "SSH_AUTH_SOCK=/x"}
}

func TestVariables(t *testing.T) {
	n := notice()
	command := []string{"{name}", "{name}", "on {counter}: {value} > {threshold}", "{date}", "{usertext}{usertext}", "{host} {", "}{{value}}", "-x={value}", "{na{name}", ""}
	want := []string{
		"{name}", // the program itself is never made of names
		"slow disk", `on \\db\Disk(C:)\sec/Read: 0.0412 > 0.025`, "2026-03-02T14:07:32Z", "call anacall ana", "db {", "}{0.0412}", "-x=0.0412", "{naslow disk", "",
	}
	if got := arguments(command, variables(&n)); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	n = notice()
	n.Value, n.Op, n.Path = nil, 0, ""
	if got := arguments([]string{"x", "{value}|{threshold}|{counter}"}, variables(&n)); got[1] != `||\\db` {
		t.Errorf("%q", got)
	}
}

// What comes from hosts arrives as it is, in one argument, and is run by nobody.
func TestInjection(t *testing.T) {
	sh(t)
	dir := t.TempDir()
	for i, name := range []string{
		"$(touch " + dir + "/ran)", "`touch " + dir + "/ran`", "; touch " + dir + "/ran", "' ; touch " + dir + "/ran; '", `" && touch ` + dir + `/ran "`,
		"--help", "-rf /", "{value} {usertext}", "a b\tc", "a\nb", "a\x00b", "\x1b]0;x\a", "*", "~", "$HOME", "${PATH}", "\\", "%s%n", "\u202e", strings.Repeat("x", 100_000),
	} {
		n := notice("task:t")
		n.ID.Rule, n.Path, n.Instance = name, `\\db\Disk(`+name+`)\sec/Read`, name
		out := filepath.Join(dir, "out")
		r, f := runner(t, Options{Environ: environment(), Targets: Targets{Alerts: config.Alerts{Tasks: map[string]config.Task{"t": {
			Command: []string{"sh", "-c", `shift; printf '%s\n' "$#" "$1" "$2" "$PERFDECK_ALERT_NAME" "$PERFDECK_ALERT_INSTANCE" >"$0"`, out, "--", "{name}", "<{counter}>"},
			Timeout: time.Minute,
		}}}}})
		r.Deliver(n)
		settle(r)
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatalf("%d: %v, %s", i, err, f.text())
		}
		want := strings.Join([]string{"2", fit(n.ID.Rule), "<" + fit(n.Path) + ">", fit(n.ID.Rule), fit(n.Instance)}, "\n") + "\n"
		if string(text) != want || strings.ContainsAny(fit(n.ID.Rule), "\n\x00\x1b") {
			t.Errorf("%q arrives as %q, want %q", name, text, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("a name was run")
	}
}

// What comes from names is no option of a program: wherever it may come from, and whatever
// stands before it that is empty.
func TestOptions(t *testing.T) {
	n := notice()
	n.ID.Rule, n.UserText, n.Path, n.ID.Host = "-o/etc/x", "--help", "-c", "-h"
	for _, command := range [][]string{
		{"x", "{name}"}, {"x", "{usertext}"}, {"x", "{counter}"}, {"x", "{name} {value}"}, {"x", "a", "{usertext}", "--"}, {"x", "-y", "{name}"},
	} {
		if err := checkOptions(command, arguments(command, variables(&n))); err == nil || failure.Hint(err) == "" {
			t.Errorf("%q: %v", command, err)
		}
	}
	for _, command := range [][]string{
		{"x", "--", "{name}", "{usertext}"}, {"x", "--text={usertext}"}, {"x", "-{name}"}, {"x", "text: {name}"}, {"x", "{value}"}, {"{name}"},
	} {
		if err := checkOptions(command, arguments(command, variables(&n))); err != nil {
			t.Errorf("%q: %v", command, err)
		}
	}
	n.Value = new(-5.0)
	command := []string{"x", "{value}"}
	if got := arguments(command, variables(&n)); !strings.HasPrefix(got[1], "-5") || checkOptions(command, got) != nil {
		t.Errorf("a number below zero: %q", got)
	}
	n.Value = nil
	if command := []string{"x", "{value}{name}"}; checkOptions(command, arguments(command, variables(&n))) == nil {
		t.Error("behind nothing")
	}
	err := Run(t.Context(), config.Task{Command: []string{os.Args[0], "{usertext}"}, Timeout: time.Minute}, map[string]string{"usertext": "-test.list=."}, environment())
	if err == nil || failure.Hint(err) == "" {
		t.Errorf("a task of a set: %v", err)
	}
}

func TestProgramEnvironment(t *testing.T) {
	sh(t)
	out := filepath.Join(t.TempDir(), "out")
	r, f := runner(t, Options{Environ: environment(), Targets: Targets{Alerts: config.Alerts{Tasks: map[string]config.Task{"t": {Command: []string{"sh", "-c", `env >"$0"`, out}, Timeout: time.Minute}}}}})
	r.Deliver(notice("task:t"))
	settle(r)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err, f.text())
	}
	known := []string{"PATH", "HOME", "LANG", "PWD", "SHLVL", "_", "OLDPWD"}
	seen := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		seen[name] = value
		if !slices.Contains(known, name) && !strings.HasPrefix(name, "PERFDECK_ALERT_") {
			t.Errorf("the program sees %s", name)
		}
	}
	if seen["HOME"] != "/home/ana" || seen["PERFDECK_ALERT_VALUE"] != "0.0412" || seen["PERFDECK_ALERT_SEVERITY"] != "critical" || seen["PERFDECK_ALERT_COUNT"] != "1" {
		t.Errorf("the program sees %v", seen)
	}
}

func TestProgramFailures(t *testing.T) {
	sh(t)
	const failed = `alert action task:t: for "slow disk" on db: `
	for script, want := range map[string]string{
		`exit 3`:                             failed + "exit status 3",
		`echo "no route" >&2; exit 3`:        failed + "exit status 3: no route",
		`printf '\033[2Jx\nsecond' ; exit 1`: failed + "exit status 1: ?[2Jx",
		`echo fine`:                          "",
		`yes | head -c 1000000`:              "",
		`cat; echo $?`:                       "", // nothing comes in
	} {
		r, f := runner(t, Options{Environ: environment(), Targets: Targets{Alerts: config.Alerts{Tasks: map[string]config.Task{"t": {Command: []string{"sh", "-c", script}, Timeout: time.Minute}}}}})
		r.Deliver(notice("task:t"))
		settle(r)
		if f.text() != want {
			t.Errorf("%s: %q, want %q", script, f.text(), want)
		}
	}
	r, f := runner(t, Options{Environ: environment(), Targets: Targets{Alerts: config.Alerts{Tasks: map[string]config.Task{"t": {Command: []string{"no-such-program"}, Timeout: time.Minute}}}}})
	r.Deliver(notice("task:t"))
	settle(r)
	if list := f.all(); len(list) != 1 || !errors.Is(list[0], exec.ErrNotFound) {
		t.Errorf("reported %s", f.text())
	}
}

// A program that hangs ends at its limit, with all that it started; so does one
// that goes and leaves others behind.
func TestHangingProgram(t *testing.T) {
	sh(t)
	for _, c := range []struct {
		script string
		limit  time.Duration
		hangs  bool
	}{
		{`trap '' TERM HUP INT; (trap '' TERM HUP; echo up; sleep 600) >"$0" & sleep 600`, 50 * time.Millisecond, true},
		{`(trap '' TERM HUP; echo up; sleep 600) >"$0" 2>/dev/null & exit 0`, time.Hour, false},
	} {
		line := filepath.Join(t.TempDir(), "line")
		if err := exec.CommandContext(t.Context(), "mkfifo", line).Run(); err != nil {
			t.Skipf("no mkfifo: %v", err)
		}
		// Both ends, so that nobody waits for the other to open it.
		keep, err := os.OpenFile(line, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(line)
		if err != nil {
			t.Fatal(err)
		}
		r, reported := runner(t, Options{Environ: environment(), Targets: Targets{Alerts: config.Alerts{Tasks: map[string]config.Task{"t": {Command: []string{"sh", "-c", c.script, line}, Timeout: c.limit}}}}})
		r.Deliver(notice("task:t"))
		settle(r)
		keep.Close()
		if _, err := io.ReadAll(f); err != nil { // ends with the last that could write
			t.Error(err)
		}
		f.Close()
		if list := reported.all(); c.hangs != (len(list) == 1) || c.hangs && (!errors.Is(list[0], errTime) || !strings.Contains(list[0].Error(), `"slow disk"`) || !strings.Contains(list[0].Error(), english.Span(c.limit))) {
			t.Errorf("reported %s", reported.text())
		}
	}
}

// A storm of alerts runs no more programs at once than it may, whatever the tasks
// say, and Close ends those that run.
func TestStorm(t *testing.T) {
	sh(t)
	tasks := map[string]config.Task{}
	for _, name := range []string{"a", "b", "c"} {
		tasks[name] = config.Task{Command: []string{"sleep", "600"}, Timeout: time.Hour, Most: 10}
	}
	r, f := runner(t, Options{Environ: environment(), Targets: Targets{Alerts: config.Alerts{Tasks: tasks}}})
	for i := range 500 {
		n := notice("task:a", "task:b", "task:c")
		n.ID.Name = strconv.Itoa(i)
		r.Deliver(n)
	}
	for len(r.programs) < mostPrograms {
		runtime.Gosched()
	}
	for _, p := range r.all() {
		p.mu.Lock()
		if p.running > 10 || len(p.queue) > mostQueued {
			t.Errorf("%d of a task run, %d wait", p.running, len(p.queue))
		}
		p.mu.Unlock()
	}
	r.Close(0)
	for _, p := range r.all() {
		<-p.whenIdle()
	}
	if len(r.programs) != 0 {
		t.Errorf("%d programs run still", len(r.programs))
	}
	if text := f.text(); strings.Count(text, "were not done") < 3 || strings.Count(text, "dropped") < 3*(500-mostQueued-10) {
		t.Errorf("reported %d faults", len(f.all()))
	}
}

// FuzzArguments: whatever names say, the arguments stay as many and each keeps
// what stood around the variable.
func FuzzArguments(f *testing.F) {
	f.Add("a", "b", "{name}", "{")
	f.Add("{name}", "}", "{{name}}", "\x00")
	f.Fuzz(func(t *testing.T, rule, path, argument, text string) {
		n := notice()
		n.ID.Rule, n.Path, n.UserText = rule, path, text
		got := arguments([]string{"prog", argument, "<{counter}>"}, variables(&n))
		if len(got) != 3 || got[0] != "prog" || !strings.HasPrefix(got[2], "<") || !strings.HasSuffix(got[2], ">") {
			t.Fatalf("%q", got)
		}
		if inner := got[2][1 : len(got[2])-1]; path != "" && inner != fit(path) || printable.Text(inner) != inner {
			t.Errorf("%q of %q", inner, path)
		}
	})
}
