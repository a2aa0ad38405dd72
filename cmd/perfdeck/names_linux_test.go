package main

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/hosts/enumerate"
	"perfdeck/session/text/printable"
	"perfdeck/session/wire/smbtest"
)

// attack is a name as anyone may give it to what is theirs: it ends a bracketed
// paste and a line, runs a command, sets a title, colours and turns text around.
const attack = "z\x1b[201~\nid\n;\u009b31m\u202e\x1b]0;x\x07"

// attackOnWire is attack as it was written by hand: with a broken byte.
const attackOnWire = attack + "\xff"

// attacked is the name as the model has it.
const attacked = attack + "\ufffd"

// madeUp writes a computer on which everything that can be named has that name.
func madeUp(t *testing.T) (dir string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "p") // short: it is a part of the name of the mount
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	point := filepath.Join(dir, attackOnWire) // it is looked at: statfs
	if err := os.Mkdir(point, 0o700); err != nil {
		t.Fatal(err)
	}
	escaped := strings.NewReplacer(" ", `\040`, "\n", `\012`, "\t", `\011`, `\`, `\134`).Replace(point)
	onLine := strings.ReplaceAll(attackOnWire, "\n", "") // the kernel allows no blanks in the names of interfaces
	for name, text := range map[string]string{
		"proc/stat":                            "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 100 0 100 800 0 0 0 0 0 0\nintr 50 1\nctxt 7\nbtime 1700000000\nprocesses 3\nprocs_running 1\nprocs_blocked 0\n",
		"proc/uptime":                          "1000.00 900.00\n",
		"proc/4242/stat":                       "4242 (" + attackOnWire + ") S 1 1 1 0 -1 4194560 100 7 3 7 20 20 7 7 15 -5 4 0 500 8192000 25 18446744073709551615 1 1 1 1 1 0 0 0 0 0 0 0 17 1 0 0 0 0\n",
		"proc/4242/status":                     "Name:\tx\nUid:\t0\t0\t0\t0\nVmPeak:\t    9000 kB\nVmSize:\t    8000 kB\nThreads:\t1\n",
		"proc/4242/cmdline":                    attackOnWire + "\x00" + attackOnWire + "\x00",
		"proc/4242/cgroup":                     "0::/" + attackOnWire + "\n",
		"proc/4242/task/4242/stat":             "4242 (" + attackOnWire + ") S 1 1 1 0 -1 4194560 100 7 3 7 20 20 7 7 15 -5 4 0 500 8192000 25 18446744073709551615 1 1 1 1 1 0 0 0 0 0 0 0 17 1 0 0 0 0\n",
		"proc/self/mountinfo":                  "22 1 8:1 / " + escaped + " rw - ext4 /dev/" + strings.NewReplacer("\n", `\012`).Replace(attackOnWire) + " rw\n",
		"proc/diskstats":                       "   8       1 sda1 10 0 80 1 0 0 0 0 0 1 1 0 0 0 0 0 0\n",
		"proc/net/dev":                         "Inter-|   Receive  |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes\n" + onLine + ": 1000 10 0 0 0 0 0 0 500 10 0 0 0 0 0 0\n",
		"sys/class/net/" + onLine + "/ifindex": "2\n",
		"sys/fs/cgroup/cgroup.procs":           "1\n",
		"sys/fs/cgroup/" + attackOnWire + "/cgroup.procs":   "1\n",
		"sys/fs/cgroup/" + attackOnWire + "/memory.current": "1048576\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// origin is a place that names come from.
type origin struct {
	name    string
	environ []string
	args    []string // the hosts
	paths   []string
	names   []string // exactly, of what the paths mean: one is in every path
}

// origins are all of them; each bears the name of an attack.
func origins(t *testing.T) []origin {
	made := []string{computerVariable + "=" + madeUp(t)}
	onLine := strings.ReplaceAll(attacked, "\n", "")
	here := func(name, path, text string) origin {
		return origin{name: name, environ: append(slices.Clone(plainEnviron), made...), paths: []string{path}, names: []string{text}}
	}
	all := []origin{
		here("process", `\Process(z*)\Thread Count`, "("+attacked+")"),
		here("thread", `\Thread(z*/*)\ID Thread`, "("+attacked+"/0)"),
		here("mount", `\LogicalDisk(*z*)\Current Disk Queue Length`, "_"+attacked+")"),
		here("interface", `\Network Interface(z*)\Packets Outbound Errors`, "("+onLine+")"),
		here("control group", `\Control Group(z*)\Memory Bytes`, "("+attacked+")"),
	}
	s := servesWith(t, append(withPassword(testPassword), made...), "--account="+testUser, "--expose=Process,Thread,LogicalDisk,Network Interface,Control Group")
	served := origin{name: "served V2", environ: withPassword(testPassword), args: []string{s.host(), "--user=" + testUser}}
	for _, o := range all {
		served.paths, served.names = append(served.paths, o.paths...), append(served.names, o.names...)
	}
	played := servesFed(t, attackManifest(t))
	all = append(all, served, origin{
		name: "manifest", environ: withPassword(testPassword), args: []string{played.host(), "--user=" + testUser},
		paths: []string{`\` + attackXML + ` Set(*)\*`}, names: []string{attackXML + ` Set(Instance 0)\` + attackXML},
	})
	if _, err := exec.LookPath("smbd"); err == nil {
		all = append(all, windowsOrigin(t))
	}
	return all
}

// attackXML is as much of the attack as XML can hold.
const attackXML = "z\u009b201~\nid\n;\u202e\u2066\u2028"

// attackManifest is a manifest whose texts are the attack.
func attackManifest(t *testing.T) string {
	t.Helper()
	text := strings.NewReplacer("Sample Set", attackXML+" Set", `name="Things"`, `name="`+attackXML+`"`, "How many", attackXML).Replace(servedManifest)
	file := filepath.Join(t.TempDir(), "attack.man")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, attackXML, strings.ReplaceAll(attackXML, "\n", "&#10;"))), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// attackASCII is as much of it as Samba's list of the names of counters can hold.
const attackASCII = "z\x1b[201~\nid\n;\x1b]0;x\x07"

// windowsOrigin is a Windows host with V1 objects.
func windowsOrigin(t *testing.T) origin {
	s := smbtest.Start(t, smbtest.Options{Performance: &smbtest.Performance{
		PerfTime: 123456789, PerfFreqHz: 10_000_000, Time: time.Unix(1_700_000_000, 0),
		Objects: []smbtest.Object{{
			Name: attackASCII + " object", Help: attackASCII, Instances: []string{attacked},
			Counters: []smbtest.Counter{{Name: attackASCII + " counter", Help: attackASCII, Type: 0x00010000, Values: []uint64{5}}},
		}},
	}})
	return origin{
		name: "Windows V1", environ: withPassword(smbtest.Password), args: []string{"--host=" + s.Address(), "--user=" + smbtest.Workgroup + `\` + smbtest.User},
		paths: []string{`\` + attackASCII + ` object(z*)\` + attackASCII + ` counter`}, names: []string{attackASCII + " object(" + attacked + `)\` + attackASCII + " counter"},
	}
}

// printed holds that a text is fit for a terminal, a line at a time, and that the
// attack is in it, harmless.
func (o *origin) printed(t *testing.T, sink, text string) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		if printable.Text(strings.TrimSuffix(line, "\r")) != strings.TrimSuffix(line, "\r") {
			t.Errorf("%s: the attack comes through: %q", sink, line)
		}
	}
	if !strings.Contains(text, "201") {
		t.Errorf("%s: the name is not there: %q", sink, text)
	}
}

// kept holds that every name is in a list of paths as it is.
func (o *origin) kept(t *testing.T, sink string, paths []string) {
	t.Helper()
	for _, name := range o.names {
		if !slices.ContainsFunc(paths, func(path string) bool { return strings.Contains(path, name) }) {
			t.Errorf("%s: %q is in none of %.2000q", sink, name, paths)
		}
	}
}

// pathsOfJSON are the paths of samples, which must be escaped.
func pathsOfJSON(t *testing.T, sink, text string) (paths []string) {
	t.Helper()
	for line := range strings.Lines(text) {
		var sample struct{ Values []struct{ Path string } }
		if err := json.Unmarshal([]byte(line), &sample); err != nil || printable.Text(strings.TrimSuffix(line, "\n"))+"\n" != line {
			t.Errorf("%s: %v: %q", sink, err, line)
		}
		for _, v := range sample.Values {
			paths = append(paths, v.Path)
		}
	}
	return paths
}

// runs runs a command on what the origin has.
func (o *origin) runs(t *testing.T, args ...string) string {
	t.Helper()
	out, stderr, code := runs(t, append([]string{"XDG_STATE_HOME=" + t.TempDir()}, o.environ...), append(args, o.args...)...)
	if code != exitDone && code != exitPartly {
		t.Errorf("%q: exit code %d: %s", args, code, stderr)
	}
	for line := range strings.SplitSeq(stderr, "\n") {
		if printable.Text(line) != line {
			t.Errorf("%q: the attack comes through on standard error: %q", args, line)
		}
	}
	return out
}

// What a name does to a terminal, a shell or a file is nothing, wherever it comes
// from and wherever it goes: each origin against each sink. Recordings and JSON have
// the names as they are.
func TestNamesFromEverywhereToEverySink(t *testing.T) {
	t.Parallel()
	for i, o := range origins(t) {
		if testing.Short() && i%6 != 0 {
			continue
		}
		t.Run(o.name, func(t *testing.T) {
			for sink, args := range map[string][]string{
				"list": {"list", "-x"}, "explain": {"explain", "-i0.5"},
				"table": {"sample", "-n1", "-i0.5", "-ftable"}, "lines": {"sample", "-n1", "-i0.5", "-flines"}, "prom": {"sample", "-n1", "-i0.5", "-fprom"},
			} {
				if sink != "list" {
					args = append(args, o.paths...)
				}
				o.printed(t, sink, o.runs(t, args...))
			}
			sampled := o.runs(t, append([]string{"sample", "-n1", "-i0.5", "-fjson"}, o.paths...)...)
			o.kept(t, "json", pathsOfJSON(t, "json", sampled))
			o.listed(t)
			o.recorded(t)
			o.alerted(t)
			o.onScreens(t, "", append(slices.Clone(o.args), o.paths...)...)
		})
	}
}

// listed checks the list for programs, and what a shell completes.
func (o *origin) listed(t *testing.T) {
	text := o.runs(t, "list", "-x", "--json")
	var words []string
	for line := range strings.Lines(text) {
		var set enumerate.Set
		if err := json.Unmarshal([]byte(line), &set); err != nil || printable.Text(strings.TrimSuffix(line, "\n"))+"\n" != line {
			t.Errorf("list --json: %v: %q", err, line)
		}
		for _, in := range append([]string{""}, set.Instances...) {
			for _, c := range set.Counters {
				words = append(words, set.Counterset+"("+in+`)\`+c.Name)
			}
		}
	}
	for _, name := range o.names {
		name = strings.Trim(name, "()")
		if !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, name) }) {
			t.Errorf("list --json: %q is nowhere in %.500s", name, text)
		}
	}
	object, _, _ := strings.Cut(o.paths[0], "(")
	out := o.runs(t, append(slices.Clone(o.args), "__complete", "sample", object+"(")...)
	for line := range strings.SplitSeq(out, "\n") {
		if printable.Text(strings.ReplaceAll(line, "\t", "")) != strings.ReplaceAll(line, "\t", "") {
			t.Errorf("completion: %q", line)
		}
	}
}

// recorded checks recordings in all formats, and all that reads them.
func (o *origin) recorded(t *testing.T) {
	formats := []string{"csv", "db", "tsv", "json"}
	if testing.Short() {
		formats = formats[:2]
	}
	for _, format := range formats {
		file := filepath.Join(t.TempDir(), "night."+format)
		o.runs(t, append([]string{"record", "-n3", "-i0.1", "-o", file}, o.paths...)...)
		out, stderr, code := runs(t, plainEnviron, "relog", file, "-fjson", "-o-")
		if code != exitDone {
			t.Errorf("relog %s: exit code %d: %s", format, code, stderr)
		}
		o.kept(t, "recording as "+format, pathsOfJSON(t, format, out))
		for _, args := range [][]string{{"relog", "-q", file}, {"relog", "--summary", file}} {
			out, _, _ := runs(t, plainEnviron, args...)
			o.printed(t, strings.Join(args[:2], " ")+" of "+format, out)
		}
		if format == "csv" {
			text, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			header, err := csv.NewReader(text).Read()
			text.Close()
			if err != nil {
				t.Error(err)
			}
			o.kept(t, "header of the CSV", header)
			c := onConsole(t, nil, "relog", file, "-o-")
			c.await("the header", func(string) bool {
				return strings.Contains(c.written(), "PDH-CSV") && strings.Contains(c.written(), "201~")
			})
			o.harmless(t, "CSV on a terminal", c)
			if o.name == "process" {
				o.onScreens(t, "replay", file)
			}
		}
	}
}

// alerted checks what alerts do.
func (o *origin) alerted(t *testing.T) {
	got := make(chan string, 1)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		select {
		case got <- string(body):
		default: // enough
		}
	}))
	defer hook.Close()
	dir := t.TempDir()
	when, err := json.Marshal(o.paths[0] + "> -1") // TOML reads its escapes
	if err != nil {
		t.Fatal(err)
	}
	config := "[tasks.note]\ncommand = [\"/bin/sh\", \"-c\", \"env -0 > " + dir + "/environ; printf '%s\\\\n' \\\"$@\\\" > " + dir + "/args\", \"sh\", \"{counter}\", \"{name}\"]\n" +
		"[webhooks.ops]\nurl = \"" + hook.URL + "\"\n[[alert]]\nname = \"attack\"\nwhen = " + string(when) +
		"\ninterval = \"once\"\nthen = [\"log\", \"bell\", \"title\", \"desktop\", \"syslog\", \"file:" + dir + "/file\", \"task:note\", \"webhook:ops\"]\n"
	file := filepath.Join(dir, "config.toml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(dir, "state")
	o.printed(t, "watch", o.runs(t, "watch", "--config="+file))
	o.printed(t, "watch --json", o.runs(t, "watch", "--json", "--config="+file))
	for _, name := range []string{"file", "args", "environ"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		o.printed(t, name+" of an alert", strings.ReplaceAll(string(text), "\x00", "\n"))
	}
	select {
	case body := <-got:
		o.printed(t, "webhook", body)
	default:
		t.Error("no webhook was called")
	}
	kept := *o
	kept.environ = append(slices.Clone(o.environ), "XDG_STATE_HOME="+state)
	kept.runs(t, "watch", "--config="+file)
	o.printed(t, "alerts list --history", kept.runs(t, "alerts", "list", "--history"))
	o.printed(t, "alerts ack", kept.runs(t, "alerts", "ack")+"201~")
	checkState(t, state)
}

// checkState holds that what is kept can be looked at: names are escaped.
func checkState(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		for line := range strings.SplitSeq(string(text), "\n") {
			if printable.Text(line) != line {
				t.Errorf("%s: %q", name, line)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// harmless holds that nothing of the attack reached a terminal as it is. What a
// program writes itself has escapes, but none of these.
func (o *origin) harmless(t *testing.T, what string, c *console) {
	t.Helper()
	for _, piece := range []string{"\x1b[201~", "\u009b", "\u202e", "\u2066", "\u2028", "\x1b]0;x", "\nid\n", "\xff"} {
		if at := strings.Index(c.written(), piece); at >= 0 {
			t.Errorf("%s: %q reached the terminal: %q", what, piece, c.written()[max(0, at-40):min(len(c.written()), at+40)])
		}
	}
	for _, text := range c.copied() {
		if printable.Text(text) != text {
			t.Errorf("%s: the clipboard gets %q", what, text)
		}
	}
}

// onScreens walks through all screens and copies what is selected on each.
func (o *origin) onScreens(t *testing.T, command string, args ...string) {
	if command != "" {
		args = append([]string{command}, args...)
	}
	state := t.TempDir()
	c := onConsole(t, append(slices.Clone(o.environ), "XDG_STATE_HOME="+state), args...)
	c.await("the name", func(text string) bool { // a table may cut the middle of it, or its end
		return strings.Contains(text, "201") || strings.Contains(text, "0;x")
	})
	const escape = "\x1b[27u" // as one key, whatever comes behind it
	for _, step := range []struct{ press, await string }{
		{"y", "copied"}, {"c", "Chart]"}, {"y", "copied"}, {"1", "Deck]"}, {"x", "━ Explain "}, {"y", ""}, {escape, ""},
		{"m", ""}, {escape, ""}, {"2", "Fleet]"}, {"y", ""}, {"3", "Top]"}, {"y", ""}, {"/z", ""}, {"\r", ""}, {"y", ""}, {escape, ""}, {"4", "Browse]"}, {"/201", ""}, {"\r", ""}, {"y", ""},
		{" ", ""}, {"y", ""}, {escape, ""}, {"5", "Chart]"}, {"6", "Alerts]"}, {"y", ""}, {"7", "Hosts]"}, {"y", ""}, {"8", "Log]"}, {"y", ""}, {":201", ""}, {"\r", ""},
	} {
		c.write(step.press)
		if step.await != "" {
			c.awaitText(step.await)
			continue
		}
		before, same := "", 0
		c.await("a screen that rests", func(text string) bool {
			if same++; text != before {
				same = 0
			}
			before = text
			return same >= 10
		})
	}
	o.harmless(t, "screens "+command, c)
	checkState(t, state)
	if len(c.copied()) < 2 {
		t.Errorf("only %q was copied", c.copied())
	}
}
