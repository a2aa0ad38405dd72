package eventlog

import (
	_ "embed" // the table
	"slices"
	"strconv"
	"strings"
	"sync"

	"perfdeck/session"
	"perfdeck/session/text/printable"
	"perfdeck/session/text/sheet"
)

//go:embed known.txt
var knownText string

// meaning is what is known of a kind of record.
type meaning struct {
	key   string
	names []string // where what it names stands: N, @N
	level session.EventLevel
}

var known = sync.OnceValue(func() map[string]meaning {
	all := map[string]meaning{}
	for r := range sheet.Rows(knownText) {
		m := meaning{key: r.Words[0]}
		for _, word := range r.Words[1:] {
			if word == "critical" {
				m.level = session.EventCritical
			} else {
				m.names = append(m.names, word)
			}
		}
		for source := range strings.SplitSeq(strings.Join(r.Of, " "), ", ") {
			all[kind(r.Part, source, r.Name)] = m
		}
	}
	return all
})

// kind is how the table has a log, a source in it, and an id of that.
func kind(log, source, id string) string {
	if before, _, found := strings.Cut(source, "$"); found {
		source = before + "$"
	}
	return log + ":" + strings.ToLower(source) + "/" + id
}

// understood fills in what is known of a record.
func understood(e *session.HostEvent, r *record) {
	name, state, _ := strings.Cut(wide(r.data), "/")
	m, has := known()[kind(e.Log, e.Source, e.ID)]
	if !has {
		m, has = known()[kind(e.Log, e.Source, e.ID+"/"+state)]
	}
	if !has {
		return
	}
	e.Known, e.Level = m.key, max(e.Level, m.level)
	for _, word := range m.names {
		place, isService := strings.CutPrefix(word, "@")
		at, _ := strconv.Atoi(place)
		said := ""
		if at >= 1 && at <= len(r.inserts) {
			said = r.inserts[at-1]
		}
		if isService && name != "" {
			said, e.Unit = name, name
		}
		e.Names = append(e.Names, printable.Shorten(said, mostNameRunes))
	}
}

// mostNameUnits is how long the name of a service may be (MS-SCMR 3.1.4), with its state and NUL.
const mostNameUnits = 256 + 3

// wide is the text that binary data are; empty where they are none.
func wide(data []byte) string {
	if len(data) > 2*mostNameUnits {
		return ""
	}
	s, behind, err := text(append(slices.Clip(data), 0, 0), 0)
	if err != nil || behind < len(data) || strings.ContainsAny(s, "?\uFFFD") {
		return ""
	}
	return s
}
