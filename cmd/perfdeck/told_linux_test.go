package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/text/printable"
)

// toldBy runs the program with the state of a folder and holds that whatever it prints is
// fit for a terminal.
func toldBy(t *testing.T, dir string, args ...string) string {
	t.Helper()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	out, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	run(args, null, out, out, stateOf(dir)) // how it ends is not looked at
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if line = strings.ReplaceAll(line, "\t", ""); printable.Text(line) != line {
			t.Errorf("%q prints %q", args, line)
		}
	}
	return string(text)
}

// What is wrong with the command line is told without what steers a terminal: each
// argument and each flag that takes a text is an attack once.
func TestAttacksOnTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir) // some are names of files
	root := (&program{}).rootCommand()
	flags := 0
	var walk func(c *cobra.Command, words []string)
	walk = func(c *cobra.Command, words []string) {
		with := func(more ...string) []string { return append(append([]string{}, words...), more...) }
		toldBy(t, dir, with(attackOnWire)...)
		toldBy(t, dir, with("--"+attackOnWire)...)
		toldBy(t, dir, with("-"+attackOnWire)...)
		var ends []string
		if c.Name() == "exporter" {
			ends = []string{"--listen=nowhere"} // it would serve whatever may come to be
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if flags++; f.Value.Type() != "bool" && !(testing.Short() && flags%5 != 0) {
				toldBy(t, dir, append(with(ends...), "--"+f.Name+"="+attackOnWire)...)
			}
		})
		for _, sub := range c.Commands() {
			walk(sub, with(sub.Name()))
		}
	}
	walk(root, nil)
	for _, args := range [][]string{
		{"sample", `\` + attackOnWire + `\x`}, {"sample", `\Memory\` + attackOnWire}, {"sample", `\Process(` + attackOnWire + `)\Thread Count`, "-n1"},
		{"sample", `\\` + attackOnWire + `\Memory\Available Bytes`, "-n1"}, {"list", attackOnWire}, {"explain", `\Memory\` + attackOnWire},
		{"path", "--alert", `\Memory\Available Bytes>` + attackOnWire}, {"watch", "--alert", `\Memory\` + attackOnWire + `>1`}, {"sample", "--host=tcp://" + attackOnWire + ":1", `\Memory\Available Bytes`},
		{"serve", "passwd", "--accounts=" + dir + "/" + attackOnWire, attackOnWire}, {"watch", "--systemd", "--alert", `\Memory\` + attackOnWire + `>1`},
		{"record", "-n1", "-i0.1", "-o", dir + "/" + attackOnWire + ".csv", `\Memory\Available Bytes`}, {"record", "--list"},
		{"relog", "-q", dir + "/" + attackOnWire + ".csv"}, {"completion", attackOnWire}, {"help", attackOnWire}, {"__complete", "sample", "--host", attackOnWire},
	} {
		toldBy(t, dir, args...)
	}
}

// reference is the config with everything that it may say, as the page of commands has it.
func reference(t *testing.T) string {
	t.Helper()
	_, rest, _ := strings.Cut(readPage(t, "README.md"), "<!-- config -->\n```\n")
	example, _, _ := strings.Cut(rest, "```\n")
	var b strings.Builder
	for line := range strings.Lines(example) {
		if len(line) > 1 && line[0] == '#' && line[1] != ' ' {
			line = line[1:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// No text of the config steers a terminal: each is an attack once, keys too.
func TestAttacksInTheConfig(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all := reference(t)
	quoted, err := json.Marshal(attacked) // TOML reads its escapes
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "config.toml")
	spans := regexp.MustCompile(`(?m)"[^"\n]*"|'[^'\n]*'|^[a-z_]+ =`).FindAllStringIndex(all, -1)
	if len(spans) < 100 {
		t.Fatalf("only %d texts in\n%s", len(spans), all)
	}
	told := 0
	for _, span := range spans {
		if at := strings.LastIndexByte(all[:span[0]], '\n') + 1; strings.HasPrefix(all[at:], "# ") {
			continue
		}
		with := string(quoted)
		if strings.HasSuffix(all[span[0]:span[1]], "=") {
			with += " ="
		}
		if err := os.WriteFile(file, []byte(all[:span[0]]+with+all[span[1]:]), 0o600); err != nil {
			t.Fatal(err)
		}
		out, stderr, code := perfdeck(t, "", "alerts", "list", "--config="+file)
		if code != exitDone {
			told++
		}
		for line := range strings.SplitSeq(out+stderr, "\n") {
			if printable.Text(line) != line {
				t.Errorf("with an attack for %s it prints %q", all[span[0]:span[1]], line)
			}
		}
	}
	if told < 50 {
		t.Errorf("only %d attacks were refused", told)
	}
}

// No file that is read steers a terminal.
func TestAttacksInFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	counters := write("counters.txt", `\Memory\Available Bytes`+"\n"+`\Memory\`+attackOnWire+"\n")
	hosts := write("hosts.txt", attackOnWire+"\n"+strings.ReplaceAll(attackOnWire, "\n", "")+"\n")
	cook := write("cook.tsv", "type\tname\n"+attackOnWire+"\t"+attackOnWire+"\n")
	theme := write("theme.toml", "about = \""+attackOnWire+"\"\n"+attackOnWire+" = 1\n")
	pal := write("pal.xml", `<PAL NAME="`+attackXML+`" VERSION="`+attackXML+`"><ANALYSIS NAME="`+attackXML+`" ENABLED="True"><DATASOURCE NAME="`+attackXML+`" TYPE="CounterLog" EXPRESSIONPATH="\Memory\`+attackXML+
		`"></DATASOURCE><THRESHOLD NAME="`+attackXML+`" CONDITION="Warning" ENABLED="True"><CODE>`+attackXML+`</CODE></THRESHOLD></ANALYSIS></PAL>`)
	accounts := write("accounts", attackOnWire+":0\n")
	broken := write("broken.man", `<`+attackOnWire+` `+attackOnWire+`="`+attackOnWire+`">`)
	manifest := attackManifest(t)
	damaged := write("damaged.csv", "\"(PDH-CSV 4.0) ("+attack+")(0)\",\"\\\\"+attack+"\\Memory\\"+attack+"\",\""+attack+"\"\r\n\"01/02/2026 03:04:05.000\",\""+attack+"\"\r\n"+attackOnWire+"\r\n")
	for _, args := range [][]string{
		{"sample", "-n1", "-c", counters}, {"list", "--hosts-file", hosts}, {"cook", cook}, {"themes", "check", theme}, {"alerts", "import", pal},
		{"serve", "--accounts=" + accounts, "--listen=" + attackOnWire}, {"manifest", "check", broken}, {"manifest", "check", manifest}, {"manifest", "show", manifest}, {"manifest", "show", "--json", manifest},
		{"manifest", "paths", manifest}, {"relog", "-q", damaged}, {"relog", "--summary", damaged}, {"relog", damaged, "-fjson", "-o-"}, {"watch", "--replay", damaged, "--alert", `\Memory\*>1`},
		{"relog", broken}, {"replay", broken}, {"alerts", "check", theme}, {"path", "\\Memory\\" + attackOnWire},
	} {
		if out := toldBy(t, dir, args...); out == "" {
			t.Errorf("%q says nothing", args)
		}
	}
}

// What foreign recordings say of themselves steers no terminal either.
func TestAttacksInRecordings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := []string{"sqlite", "csv", "tsv", "json"}
	if testing.Short() {
		names = names[:1] // one as CSV is shown in TestNamesFromEverywhereToEverySink
	}
	for _, format := range names {
		f, _ := formats.Named(format)
		file := filepath.Join(dir, "attack"+f.Extensions[0])
		h := &logs.Header{Caption: attacked, Zone: logs.Zone{Name: strings.ReplaceAll(attacked, "\n", ""), Known: true}, Columns: []logs.Column{
			{Path: `\\` + attacked + `\` + attacked + `(` + attacked + `)\` + attacked}, {Path: `\\other\Memory\Available Bytes`},
		}}
		w, err := formats.Create(file, f, h, logs.WriteOptions{Set: attacked})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 5 {
			row := &logs.Row{Time: time.Unix(1_700_000_000+int64(n), 0), Values: []cooker.Value{cooker.FloatValue(float64(n)), cooker.TextValue(attacked)}}
			if err := w.WriteRow(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"relog", "-q", file}, {"relog", "-q", "--json", file}, {"relog", "--summary", file}, {"relog", "--summary", "--json", file}, {"relog", file, "-fjson", "-o-"},
			{"watch", "--replay", file, "--alert", `\Memory\*>1`}, {"watch", "--replay", file, "--alert", `\Memory\*>1`, "--json"}, {"relog", file, "--set=x", "--counter", `\*\*`, "-fjson", "-o-"},
		} {
			toldBy(t, dir, args...)
		}
		o := &origin{name: "recording as " + format}
		o.onScreens(t, "replay", file)
	}
}

// What a client calls itself does not come into the log of a server as it is.
func TestAttacksOnAServer(t *testing.T) {
	t.Parallel()
	c := exec.CommandContext(t.Context(), binary(t), "serve", "--listen=127.0.0.1:0", "--account="+testUser)
	c.Env = withPassword(testPassword)
	r, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
	lines := bufio.NewScanner(r)
	lines.Scan()
	_, address, _ := strings.Cut(lines.Text(), "serving on ")
	if _, _, code := runs(t, withPassword("wrong"), "sample", "-n1", "-i0.1", "--host=tcp://"+address, "--user="+attacked, `\System\Processes`); code == exitDone {
		t.Error("a stranger is let in")
	}
	if !lines.Scan() || printable.Text(lines.Text()) != lines.Text() || !strings.Contains(lines.Text(), "201~") {
		t.Errorf("the log says %q", lines.Text())
	}
}
