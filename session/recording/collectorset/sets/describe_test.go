package sets

import (
	"strings"
	"testing"
	"time"
)

// A set is told line by line; names of resources are no names, and nothing reaches a
// terminal that is no text.
func TestDescribe(t *testing.T) {
	dir := t.TempDir()
	all := New(Options{StateDir: func() (string, error) { return dir, nil }})
	for file, title := range map[string]string{"<DisplayName>Load\u009b of all</DisplayName>": "web (Load", "<DisplayName>@res.dll,-5</DisplayName><Description>\n @%systemroot%\\res.dll,#7</Description>": "web", "<DisplayName>web</DisplayName>": "web"} {
		set, err := all.Decode("x", []byte(`<DataCollectorSet><Name>web</Name>`+file+`<RootPath>%systemdrive%\x</RootPath><SerialNumber>7</SerialNumber>
<PerformanceCounterDataCollector><Name>A</Name><Counter>\A\B</Counter></PerformanceCounterDataCollector></DataCollectorSet>`))
		if err != nil {
			t.Fatal(err)
		}
		lines := set.Describe(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
		text := strings.Join(lines, "\n")
		if !strings.HasPrefix(lines[0], title) || title == "web" && lines[0] != title || strings.ContainsAny(text, "\u009b@") {
			t.Errorf("%s: %q", file, lines[0])
		}
		for _, want := range []string{`%systemdrive%\x`, dir, "number 7", "starts when it is told to", `\A\B`} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
	}
}
