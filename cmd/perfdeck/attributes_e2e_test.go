//go:build !windows

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// attributedForm is how the manifest's numbers of a counter are written by its name:
// in the counter's own unit and without groups, with decimals where digits say so.
func attributedForm(name, digits string) *regexp.Regexp {
	switch {
	case strings.Contains(name, "hex") && strings.HasPrefix(name, "D32"):
		return regexp.MustCompile(`^0x[0-9A-F]{8}$`)
	case strings.Contains(name, "hex"):
		return regexp.MustCompile(`^0x[0-9A-F]{16}$`)
	case strings.Contains(name, "real"):
		return regexp.MustCompile(`^[0-9]+\.[0-9]{` + digits + `}$`)
	case digits != "3": // a table has decimals for all
		return regexp.MustCompile(`^[0-9]+\.[0-9]{` + digits + `}$`)
	}
	return regexp.MustCompile(`^[0-9]+$`)
}

// The display attributes of a manifest go through a server and its wire into what
// commands print; what the config says of a counter stands above them.
func TestAttributesAreServedAndPrinted(t *testing.T) {
	t.Parallel()
	s := servesFed(t, filepath.Join("..", "..", "session", "hosts", "manifest", "testdata", "attributes.man"))
	config := filepath.Join(t.TempDir(), "config.toml")
	const overrides = `
[[counter]]
path = '\Attributed Types(*)\Bytes/sec one'
units = "si"
[[counter]]
path = '\Attributes\Q64 real one'
digits = 1
`
	if err := os.WriteFile(config, []byte(overrides), 0o600); err != nil {
		t.Fatal(err)
	}
	client := func(args ...string) string {
		t.Helper()
		out, stderr, code := runs(t, withPassword(testPassword), append(args, s.host(), "--user="+testUser, "--config="+config)...)
		if code != exitDone {
			t.Fatalf("%q: exit code %d: %s", args, code, stderr)
		}
		return out
	}

	if out := client("list", "-x", "Attributes"); strings.Count(out, "\n") != 32 || strings.Contains(out, "hidden") {
		t.Errorf("listed are\n%s", out)
	}
	if out := client("list", "--show-hidden", "Attributes"); strings.Count(out, "\n") != 67 { // with the moments of what is fed
		t.Errorf("with hidden ones listed are\n%s", out)
	}

	type value struct{ Path, Text string }
	var sample struct{ Values []value }
	if err := json.Unmarshal([]byte(client("sample", "-n1", "-fjson", `\Attributes\*`, `\Attributes\D32 hex hidden`)), &sample); err != nil || len(sample.Values) != 33 {
		t.Fatalf("sample: %+v, %v", sample, err)
	}
	table := client("sample", "-n1", `\Attributes\*`, `\Attributes\D32 hex hidden`)
	lines := strings.Split(strings.TrimSpace(table), "\n")
	numbers := strings.Fields(lines[len(lines)-1])[1:]
	if len(numbers) != len(sample.Values) {
		t.Fatalf("the table is\n%s", table)
	}
	for i, v := range sample.Values {
		name := v.Path[strings.LastIndexByte(v.Path, '\\')+1:]
		inText, inTable := "3", "6"
		if name == "Q64 real one" {
			inText, inTable = "1", "1"
		}
		if !attributedForm(name, inText).MatchString(v.Text) {
			t.Errorf("%s has the text %q", v.Path, v.Text)
		}
		if !attributedForm(name, inTable).MatchString(numbers[i]) {
			t.Errorf("%s is %q in the table", v.Path, numbers[i])
		}
	}

	recording := filepath.Join(t.TempDir(), "r.json")
	client("record", "-n1", "-i1", "-o", recording, `\Attributes\*`)
	line, err := os.ReadFile(recording)
	if err == nil {
		err = json.Unmarshal(line, &sample)
	}
	if err != nil || len(sample.Values) != 32 {
		t.Fatalf("recorded: %s, %v", line, err)
	}
	for _, v := range sample.Values {
		name, digits := v.Path[strings.LastIndexByte(v.Path, '\\')+1:], "3"
		if name == "Q64 real one" {
			digits = "1"
		}
		if !attributedForm(name, digits).MatchString(v.Text) {
			t.Errorf("%s is recorded with the text %q", v.Path, v.Text)
		}
	}

	explained := client("explain", "-i0.5", `\Attributes\Q64 hex hidden`, `\Attributed Types(Instance 0)\Bytes/sec one`, `\Attributed Types(Instance 0)\Bytes/sec real`)
	for _, want := range []string{
		`attributes  noDisplay displayAsHex`, `result      [0-9]+\n`, `shown       0x[0-9A-F]{16}\n`,
		`shown       [0-9.]{3,4} MB/s\n`, `shown       [0-9]{1,3}(,[0-9]{3})*\.[0-9]{3} B/s\n`,
	} {
		if !regexp.MustCompile(want).MatchString(explained) {
			t.Errorf("no %q in\n%s", want, explained)
		}
	}
}
