//go:build !windows

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"perfdeck/session/system/sharedtest"
)

// readmeExample is the example of the part about feeds of the page on sources in a language.
func readmeExample(t *testing.T, language string) string {
	t.Helper()
	text, err := os.ReadFile("../../session/hosts/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(text), "\n## Feeds")
	_, code, ok := strings.Cut(part, "\n```"+language+"\n")
	code, _, closed := strings.Cut(code, "\n```\n")
	if !ok || !closed {
		t.Fatalf("the page has no example in %s", language)
	}
	return code + "\n"
}

// sampled is a sample by path, as text.
func sampled(t *testing.T, out string) map[string]string {
	t.Helper()
	values := map[string]string{}
	for line := range strings.Lines(out) {
		var s struct {
			Values []struct{ Path, Text, Status string }
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		for _, v := range s.Values {
			values[v.Path[strings.LastIndexByte(v.Path, '\\')+1:]] = v.Text + v.Status
		}
	}
	return values
}

// What a program tells goes by a manifest that its first lines made through a feed, a
// server and its wire into what sample prints and onto the screen.
func TestFeedsAreServedAndShown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "jobs.sh")
	const jobs = `#!/bin/sh
n=0
while :; do
  n=$((n+1))
  echo '{"set":"Print Jobs","instance":"mail","State":"busy","Length":42,"Done/sec":'$((n*10))',"Avg. sec/Job":{"raw":'$((n*500000))',"base":'$n'}}'
  sleep 0.1
done
`
	if err := os.WriteFile(script, []byte(jobs), 0o700); err != nil {
		t.Fatal(err)
	}
	lines := filepath.Join(dir, "lines")
	if err := os.WriteFile(lines, []byte(`{"set":"Print Jobs","instance":"x","State":"","Length":1,"Done/sec":1,"Avg. sec/Job":{"raw":1,"base":1}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	text, said, code := runs(t, nil, "manifest", "init", "--provider=Printing", lines)
	if code != exitDone || !strings.Contains(said, `\Print Jobs(*)\Avg. sec/Job  perf_average_timer`) {
		t.Fatalf("exit code %d: %s", code, said)
	}
	man := filepath.Join(dir, "jobs.man")
	if err := os.WriteFile(man, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serves(t, "--manifest="+man, "--feed=run:"+script)

	out, stderr, code := runs(t, withPassword(testPassword), "sample", "-n2", "-i0.5", "-fjson", `\Print Jobs(*)\*`, s.host(), "--user="+testUser)
	values := sampled(t, out)
	if code != exitDone || values["State"] != "busyok" || values["Length"] != "42ok" || !regexp.MustCompile(`^\d+\.\d+ok$`).MatchString(values["Done/sec"]) || values["Avg. sec/Job"] != "0.050ok" {
		t.Errorf("exit code %d: %s: %v", code, stderr, values)
	}
	c := onConsole(t, []string{"PERFDECK_PASSWORD=" + testPassword}, s.host(), "--user="+testUser, `\Print Jobs(mail)\State`, `\Print Jobs(mail)\Length`)
	c.await("the values", func(text string) bool {
		return regexp.MustCompile(`State +busy`).MatchString(text) && regexp.MustCompile(`Length +42`).MatchString(text)
	})
	c.write("q")
	if code := c.ends(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, c.text())
	}
}

// The README's examples do what it says, as feeds of the config beside this computer.
func TestReadmeFeeds(t *testing.T) {
	t.Parallel()
	for _, e := range []struct{ language, file, program, want string }{
		{"sh", "files.sh", "sh", "Files"}, {"python", "jobs.py", "python3", "State"}, {"go", "workers.go", "go", "Idle"},
	} {
		t.Run(e.language, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(e.program); err != nil {
				t.Skipf("no %s", e.program)
			}
			dir, err := os.MkdirTemp("", "feed") // short: a socket is in it
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			file := filepath.Join(dir, e.file)
			write := func(name, text string) {
				t.Helper()
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write(file, readmeExample(t, e.language))
			source := `command = ["` + e.program + `", "` + file + `"]`
			first := exec.CommandContext(t.Context(), e.program, file)
			man := filepath.Join(dir, "a.man")
			var made string
			if e.language == "go" {
				socket := filepath.Join(dir, "s")
				program := filepath.Join(dir, "workers")
				if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, file).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				first = exec.CommandContext(t.Context(), program, socket)
				if err := first.Start(); err != nil {
					t.Fatal(err)
				}
				source = `socket = "` + socket + `"`
				write(filepath.Join(dir, "lines"), `{"set": "Workers", "Idle": 4, "Requests/sec": 10}`)
				made, _, _ = runs(t, nil, "manifest", "init", filepath.Join(dir, "lines"))
			} else {
				r, err := first.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := first.Start(); err != nil {
					t.Fatal(err)
				}
				buf := make([]byte, 4096)
				n, _ := r.Read(buf)
				write(filepath.Join(dir, "lines"), string(buf[:n]))
				made, _, _ = runs(t, nil, "manifest", "init", filepath.Join(dir, "lines"))
			}
			defer func() {
				_ = first.Process.Kill()
				_ = first.Wait()
			}()
			write(man, made)
			config := filepath.Join(dir, "config.toml")
			write(config, "[[feed]]\nname = \"example\"\nmanifests = [\""+man+"\"]\n"+source+"\n")
			set := regexp.MustCompile(`<counterSet[^>]* name="([^"]*)"[^>]* instances="(\w+)"`).FindStringSubmatch(made)
			if set == nil {
				t.Fatalf("the manifest is %q", made)
			}
			path := `\` + set[1] + `\` + e.want
			if set[2] == "multiple" {
				path = `\` + set[1] + `(*)\` + e.want
			}
			var out, stderr string
			for end := time.Now().Add(time.Minute); time.Now().Before(end); {
				out, stderr, _ = runs(t, nil, "--config="+config, "sample", "-n2", "-fjson", path)
				if strings.HasSuffix(sampled(t, out)[e.want], "ok") {
					return
				}
			}
			t.Errorf("sampled is %s\n%s", out, stderr)
		})
	}
}

// Manifests are browsed without a host that has them, and tell which one has.
func TestManifestsAreBrowsed(t *testing.T) {
	t.Parallel()
	man := filepath.Join(t.TempDir(), "words.man")
	if err := os.WriteFile(man, []byte(textManifest), 0o600); err != nil {
		t.Fatal(err)
	}
	c := onConsole(t, nil, "--demo", "--manifest="+man)
	c.await("the countersets of the manifest", func(text string) bool {
		return regexp.MustCompile(`not here +2`).MatchString(text)
	})
	c.write("l")
	c.awaitText("What it does now")
	c.awaitText("PERF_COUNTER_TEXT  0x00000B00")
	c.write("q")
	if code := c.ends(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, c.text())
	}
	if _, stderr, code := runs(t, nil, "--manifest="+man+".no"); code != exitFailed || !strings.Contains(stderr, "no such file") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// stepsManifest is a manifest of one counterset without instances, Steps, with a rate.
const stepsManifest = `<counters xmlns="http://schemas.microsoft.com/win/2005/12/counters" schemaVersion="1.1">
 <provider providerName="Steps" symbol="Steps" providerGuid="{51D1685C-35ED-45BE-99FE-17261A4F27F5}" applicationIdentity="s.exe" providerType="userMode" callback="custom">
  <counterSet guid="{0D2C1E0A-5E1B-4A53-8B0C-2D3C6A5C9F15}" uri="S.S" symbol="S" name="Steps" description="d" instances="single">
   <counter id="1" uri="S.1" symbol="A" name="Done/sec" description="d" type="perf_counter_bulk_count" detailLevel="standard"/>
   <counter id="2" uri="S.2" symbol="B" name="Left" description="d" type="perf_counter_large_rawcount" detailLevel="standard"/>
  </counterSet>
 </provider>
</counters>`

// fedConfig is a config with a feed of Steps.
func fedConfig(t *testing.T, source string) (file string) {
	t.Helper()
	dir := t.TempDir()
	man := filepath.Join(dir, "steps.man")
	file = filepath.Join(dir, "config.toml")
	for name, text := range map[string]string{man: stepsManifest, file: "[[feed]]\nname = \"steps\"\nmanifests = [\"" + man + "\"]\n" + source + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return file
}

// rates are the values of the one path of samples in JSON; those that are none are left out.
func rates(t *testing.T, out string) (all []float64) {
	t.Helper()
	for line := range strings.Lines(out) {
		var s struct{ Values []struct{ Value *float64 } }
		if err := json.Unmarshal([]byte(line), &s); err != nil || len(s.Values) != 1 {
			t.Fatalf("%v: %q", err, line)
		}
		if v := s.Values[0].Value; v != nil {
			all = append(all, *v)
		}
	}
	return all
}

// areSteady checks rates of 100 a second, or fewer where the computer is busy.
func areSteady(t *testing.T, way string, all []float64, least int) {
	t.Helper()
	if len(all) < least {
		t.Errorf("%s: %d rates: %v", way, len(all), all)
	}
	for _, v := range all {
		if v < 40 || v > 110 {
			t.Errorf("%s: %v a second, not 100: %v", way, v, all)
			return
		}
	}
}

// A program that tells each 0.6 s has rates over as long, for who samples three times as
// often: on this computer, and over a server.
func TestRatesOfAFeedAreThoseOfItsProgram(t *testing.T) {
	t.Parallel()
	config := "--config=" + fedConfig(t, `command = ["sh", "-c", 'n=0; while :; do n=$((n+60)); echo "{\"Done/sec\": $n, \"Left\": 5}"; sleep 0.6; done']`)
	sample := []string{"sample", "-n14", "-i0.2", "-fjson", `\Steps\Done/sec`}
	out, stderr, code := runs(t, nil, append([]string{config}, sample...)...)
	if code != exitDone {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	areSteady(t, "here", rates(t, out), 3)
	s := serves(t, config)
	out, stderr, code = runs(t, withPassword(testPassword), append(sample, s.host(), "--user="+testUser)...)
	if code != exitDone {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	areSteady(t, "served", rates(t, out), 3)
}

// What a file said before it was followed makes no rate: the nearer the next line was, the
// higher that would be. Explain waits for two lines.
func TestRatesOfAFileAreThoseOfItsLines(t *testing.T) {
	t.Parallel()
	lines := filepath.Join(t.TempDir(), "lines")
	config := "--config=" + fedConfig(t, `file = "`+lines+`"`)
	const writer = `n=0; while :; do n=$((n+100)); echo "{\"Done/sec\": $n, \"Left\": 5}" >> "$1"; sleep 1; done`
	program := exec.CommandContext(t.Context(), "sh", "-c", writer, "sh", lines)
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = program.Process.Kill()
		_ = program.Wait()
	}()
	sharedtest.Until(t, "a line", func() bool { info, err := os.Stat(lines); return err == nil && info.Size() > 0 })
	time.Sleep(800 * time.Millisecond) // nearer to the next line than to the last
	out, stderr, _ := runs(t, nil, config, "sample", "-n16", "-i0.2", "-fjson", `\Steps\Done/sec`)
	all := rates(t, out)
	areSteady(t, "sampled", all, 1)
	if len(all) > 12 {
		t.Errorf("there is a rate before two lines: %v: %s", all, stderr)
	}
	out, stderr, code := runs(t, nil, config, "explain", "-i0.2", "--json", `\Steps\Done/sec`)
	var explained struct{ Value *float64 }
	if err := json.Unmarshal([]byte(out), &explained); err != nil || code != exitDone || explained.Value == nil {
		t.Fatalf("exit code %d, %v: %s%s", code, err, out, stderr)
	}
	areSteady(t, "explained", []float64{*explained.Value}, 1)
}
