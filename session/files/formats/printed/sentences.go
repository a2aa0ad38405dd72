package printed

import (
	"io"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session/files/logs"
	"perfdeck/session/text/printable"
)

// sentences writes a sentence for each value, for screen readers: no columns, no
// drawings. After the first sample only what reads differently is said.
type sentences struct {
	logs.Outlet

	said map[string]map[string]string // by host and path, of the host's newest sample
}

// Sentences writes sentences to hear.
func Sentences(o logs.Outlet) logs.BeatWriter {
	return &sentences{Outlet: o, said: map[string]map[string]string{}}
}

func (l *sentences) Write(r *logs.Beat) error {
	var b strings.Builder
	for _, s := range r.Samples {
		before, said := l.said[s.Host], make(map[string]string, len(s.Cells))
		l.said[s.Host] = said
		for _, c := range s.Cells {
			text := spoken(l.WriteOptions, c)
			if said[c.Text] = text; before[c.Text] == text {
				continue
			}
			if b.Len() == 0 {
				b.WriteString(r.Time.Format("15:04:05") + "\n")
			}
			if r.Several {
				b.WriteString(printable.Text(s.Host) + ", ")
			}
			b.WriteString(printable.Text(sentence(c.Named)) + ": " + text + "\n")
		}
	}
	_, err := io.WriteString(l.W, b.String())
	return err
}

// sentence names a series as it is read aloud: "PhysicalDisk 0 C:, % Idle Time".
func sentence(s *logs.Named) string {
	name := s.Path.Object
	if in := s.Instance(); in != "" {
		name += " " + in
	}
	return name + ", " + s.Path.Counter
}

// spoken is a value with its unit, or why there is none.
func spoken(o logs.WriteOptions, c logs.Cell) string {
	if _, ok := c.Value.Float(); !ok {
		if text, ok := c.Value.Text(); ok {
			return printable.Text(text)
		}
		return spokenStatus(c.Value.Status())
	}
	if c.Counter == nil {
		return spokenStatus(cooker.Unavailable)
	}
	return string(cooker.AppendValue(nil, c.Value, o.Looks.Of(c.Set, c.Counter).Format))
}

// spokenStatus says why there is no value.
func spokenStatus(s cooker.Status) string {
	switch s {
	case cooker.FirstSample, cooker.ZeroTime:
		return "no value yet" // a sign on the screens
	}
	return s.Word()
}
