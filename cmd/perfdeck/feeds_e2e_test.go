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
)

// readmeExample is the example of the part about feeds of the page on sources in a language.
func readmeExample(t *testing.T, language string) string {
	t.Helper()
	text, err := os.ReadFile("../../session/source/README.md")
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
