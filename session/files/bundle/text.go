package bundle

import (
	"fmt"
	"strings"
	"time"

	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// replacedMark begins what of Manifest.Left is in the bundle, by other names.
const replacedMark = "replaced: "

// Text tells what is in a bundle, and what was left out. Bytes is how large its file is; 0:
// nobody knows.
func (m *Manifest) Text(file string, bytes int64) string {
	recordings, counters := 0, 0
	var rest []string
	for _, part := range m.Parts {
		if part.Counters > 0 {
			recordings, counters = recordings+1, counters+part.Counters
			continue
		}
		one, many := strings.TrimSuffix(part.Kind, "s"), part.Kind
		if part.Kind == kindLog {
			one, many = "line of the log", "lines of the log"
		}
		rest = append(rest, english.Count(part.Items, one, many))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s, %s to %s", printable.Text(file), english.Count(recordings, "recording", "recordings"), english.Count(counters, "counter", "counters"),
		m.Begin.Format(time.DateTime), m.End.Format(time.DateTime))
	if bytes > 0 {
		b.WriteString(", " + english.Size(bytes))
	}
	b.WriteString("\n")
	if len(rest) > 0 {
		b.WriteString("  with " + strings.Join(rest, ", ") + "\n")
	}
	for _, left := range m.Left {
		word := "left out: "
		if strings.HasPrefix(left, replacedMark) {
			word = ""
		}
		b.WriteString("  " + word + printable.Text(left) + "\n")
	}
	return b.String()
}
