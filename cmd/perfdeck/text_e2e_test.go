//go:build !windows

package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const textManifest = `<?xml version="1.0" encoding="UTF-8"?>
<instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events">
 <instrumentation>
  <counters xmlns="http://schemas.microsoft.com/win/2005/12/counters" schemaVersion="1.1">
   <provider providerName="Words" symbol="Words" providerGuid="{51D1685C-35ED-45BE-99FE-17261A4F27F4}" applicationIdentity="words.exe" providerType="userMode" callback="custom">
    <counterSet guid="{0D2C1E0A-5E1B-4A53-8B0C-2D3C6A5C9F12}" uri="Words.Service" symbol="WordsService" name="Service State" description="What services do" instances="multiple">
     <counter id="1" uri="Words.Service.State" symbol="State" name="State" description="What it does now" type="perf_counter_text" detailLevel="standard"/>
     <counter id="2" uri="Words.Service.Jobs" symbol="Jobs" name="Jobs" description="How many wait" type="perf_counter_rawcount" detailLevel="standard"/>
    </counterSet>
   </provider>
  </counters>
 </instrumentation>
</instrumentationManifest>
`

// The text of a manifest's counter goes through a server and its wire to the screen,
// into what sample prints, and through a recording into a file of Windows' form; a
// limit on it is refused.
func TestTextsAreServedAndShown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	manifest := filepath.Join(dir, "words.man")
	if err := os.WriteFile(manifest, []byte(textManifest), 0o600); err != nil {
		t.Fatal(err)
	}
	s := servesFed(t, manifest)
	said := regexp.MustCompile(`^(starting|running|busy: 3 requests wait|paused by operator)$`)
	const path = `\Service State(Instance 2)\State`

	c := onConsole(t, []string{"PERFDECK_PASSWORD=" + testPassword}, s.host(), "--user="+testUser, path)
	c.await("the text", func(text string) bool {
		return regexp.MustCompile(`State {5,}(starting|running|busy: 3 requests wait|paused by operator)`).MatchString(text)
	})
	c.write("c")
	c.awaitText("a text has no curve")
	c.write("q")
	if code := c.ends(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, c.text())
	}

	client := func(args ...string) string {
		t.Helper()
		out, stderr, code := runs(t, withPassword(testPassword), append(args, s.host(), "--user="+testUser)...)
		if code != exitDone {
			t.Fatalf("%q: exit code %d: %s", args, code, stderr)
		}
		return out
	}
	var sample struct{ Values []struct{ Path, Text string } }
	if err := json.Unmarshal([]byte(client("sample", "-n1", "-fjson", path)), &sample); err != nil || len(sample.Values) != 1 || !said.MatchString(sample.Values[0].Text) {
		t.Errorf("sample: %+v, %v", sample, err)
	}
	recording := filepath.Join(dir, "a.db")
	client("record", "-n2", "-i0.5", "-o", recording, path)
	out, stderr, code := runs(t, nil, "relog", recording, "-fcsv", "-o", "-")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if code != exitDone || err != nil || len(rows) != 3 || !said.MatchString(rows[2][1]) {
		t.Errorf("recorded: %q, %v, exit code %d: %s", rows, err, code, stderr)
	}
	if _, stderr, code := runs(t, withPassword(testPassword), "alerts", "check", s.host(), "--user="+testUser, "--alert", path+">5"); code != exitPartly || !strings.Contains(stderr, "is a text") {
		t.Errorf("a limit on a text: exit code %d: %s", code, stderr)
	}
}
