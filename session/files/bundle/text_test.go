package bundle

import (
	"strings"
	"testing"
	"time"
)

// Counters of all recordings are told together, what stands beside them by its kind.
func TestManifestText(t *testing.T) {
	at := time.Date(2026, 3, 1, 22, 30, 0, 0, time.UTC)
	m := Manifest{Begin: at, End: at.Add(time.Hour), Left: []string{"rules\x1b of others", replacedMark + "2 hosts"}, Parts: []Part{
		{Kind: kindRecording, Counters: 3, Samples: 9}, {Kind: kindRecording, Counters: 4}, {Kind: kindRules, Items: 1}, {Kind: kindLog, Items: 1}, {Kind: kindNotes, Items: 2},
	}}
	want := []string{
		"x.perfdeck: 2 recordings, 7 counters, 2026-03-01 22:30:00 to 2026-03-01 23:30:00, 1.43 MB", "  with 1 rule, 1 line of the log, 2 notes",
		"  left out: rules", "  " + replacedMark + "2 hosts",
	}
	lines := strings.Split(strings.TrimSuffix(m.Text("x.perfdeck", 1_500_000), "\n"), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%q", lines)
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, want[i]) || strings.Contains(line, "\x1b") {
			t.Errorf("%q, want %q", line, want[i])
		}
	}
	if text := m.Text("x", 0); strings.Contains(text, "MB") {
		t.Errorf("a size that nobody knows is told: %s", text)
	}
}
