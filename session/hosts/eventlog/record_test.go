package eventlog

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/text/eventtext"
)

var noon = time.Unix(1_700_000_000, 0)

func TestRecord(t *testing.T) {
	p := planted{number: 7, at: noon, id: 0x8004_0007, kind: 1, source: "disk", inserts: []string{`\Device\Harddisk0\DR0`, "", "three\r\nlines\x1b[2J"}, data: []byte{1, 2, 3}}
	b := append(p.bytes(), planted{number: 8, source: "x", inserts: []string{"a", "<xml/>"}, flags: lastIsXML}.bytes()...)
	r, rest, err := next(b)
	if err != nil || r.number != 7 || !r.time.Equal(noon) || r.id != 7 || r.level != session.EventError || r.source != "disk" || string(r.data) != "\x01\x02\x03" {
		t.Errorf("%+v, %v", r, err)
	}
	if want := []string{`\Device\Harddisk0\DR0`, "", "three lines?[2J"}; !slices.Equal(r.inserts, want) {
		t.Errorf("%q", r.inserts)
	}
	if r, rest, err = next(rest); err != nil || r.number != 8 || len(rest) != 0 || !slices.Equal(r.inserts, []string{"a"}) {
		t.Errorf("%+v, %d bytes, %v", r, len(rest), err)
	}
}

// A record that is cut anywhere is damaged, and so is one that says something impossible.
func TestDamagedRecord(t *testing.T) {
	whole := planted{number: 7, at: noon, source: "disk", inserts: []string{"a", "b"}, data: []byte{1}}.bytes()
	for n := range whole {
		if _, _, err := next(whole[:n]); !errors.Is(err, errRecord) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for what, change := range map[string]struct {
		at int
		to uint32
	}{
		"length": {0, 64 << 20}, "no length": {0, 0}, "odd length": {0, uint32(len(whole)) - 2}, "signature": {4, 1}, "end": {len(whole) - 4, 60},
		"texts behind the end": {36, uint32(len(whole))}, "texts at the very end": {36, uint32(len(whole)) - 6}, "texts in the head": {36, 4}, "texts nowhere": {36, 0xffffffff},
		"data behind the end": {52, uint32(len(whole)) - 4}, "data without end": {48, 0xffffffff}, "many texts": {24, 257 << 16}, "more texts than there are": {24, 200 << 16},
	} {
		b := slices.Clone(whole)
		binary.LittleEndian.PutUint32(b[change.at:], change.to)
		if _, _, err := next(b); !errors.Is(err, errRecord) {
			t.Errorf("%s: %v", what, err)
		}
	}
	long := planted{source: strings.Repeat("s", 40_000), inserts: []string{strings.Repeat("i", 90_000)}}
	if r, _, err := next(long.bytes()); err != nil || len(r.source) > 4*session.MostEventText || len(r.inserts[0]) > 4*session.MostEventText {
		t.Errorf("%d, %d characters, %v", len(r.source), len(r.inserts[0]), err)
	}
}

func FuzzRecord(f *testing.F) {
	f.Add(planted{number: 7, at: noon, id: 7036, source: "Service Control Manager", inserts: []string{"a", "b"}, data: wideBytes("Spooler/4")}.bytes())
	f.Add(planted{number: 1, source: "x", flags: lastIsXML, inserts: []string{"a"}}.bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		for len(b) > 0 {
			r, rest, err := next(b)
			if err != nil {
				return
			}
			if len(rest) > len(b)-leastRecordBytes || len(r.inserts) > mostInserts {
				t.Fatalf("%d of %d bytes left, %d texts", len(rest), len(b), len(r.inserts))
			}
			var e session.HostEvent
			understood(&e, &r)
			b = rest
		}
	})
}

// Every row of the table has a sentence, and none of the log into which everybody may write makes a finding.
func TestTable(t *testing.T) {
	if len(known()) < 50 {
		t.Errorf("only %d rows", len(known()))
	}
	for kind, m := range known() {
		if log, _, _ := strings.Cut(kind, ":"); (eventtext.Log(m.key) == "Application") != (log == "Application") {
			t.Errorf("%s is told as %s, which is of log %q", kind, m.key, eventtext.Log(m.key))
		}
		if !eventtext.Is(m.key) {
			t.Errorf("%s: no sentence %q", kind, m.key)
		}
		if !strings.HasPrefix(kind, "System:") && (!strings.HasPrefix(kind, "Application:") || eventtext.IsFinding(m.key)) {
			t.Errorf("%s: %q", kind, m.key)
		}
	}
}

func TestUnderstood(t *testing.T) {
	const manager = "Service Control Manager"
	for _, c := range []struct {
		log, want, unit string
		level           session.EventLevel
		planted
	}{
		{log: "System", planted: planted{id: 7036, kind: 4, source: manager, inserts: []string{"Druckwarteschlange", "beendet"}, data: wideBytes("Spooler/1")}, want: "service Spooler stopped", unit: "Spooler"},
		{log: "System", planted: planted{id: 0x4000_0000 | 7036, kind: 4, source: manager, inserts: []string{"Print Spooler", "running"}, data: wideBytes("Spooler/4")}, want: "service Spooler started", unit: "Spooler"},
		{log: "System", planted: planted{id: 7036, kind: 4, source: manager, inserts: []string{"Print Spooler", "running"}}},
		{log: "System", planted: planted{id: 7034, kind: 1, source: manager, inserts: []string{"Print Spooler", "1"}}, want: "service Print Spooler ended unexpectedly", level: session.EventError},
		{log: "System", planted: planted{id: 7031, kind: 1, source: manager, inserts: []string{"Print Spooler", "1"}, data: wideBytes("Spooler")}, want: "service Spooler ended unexpectedly", unit: "Spooler", level: session.EventError},
		{log: "System", planted: planted{id: 7031, kind: 1, source: manager, inserts: []string{"Print Spooler"}, data: []byte{5, 0, 0, 0}}, want: "service Print Spooler ended unexpectedly", level: session.EventError},
		{log: "System", planted: planted{id: 7031, kind: 1, source: manager}, want: "service  ended unexpectedly", level: session.EventError},
		{log: "System", planted: planted{id: 0x8004_0099, kind: 2, source: "Disk", inserts: []string{`\Device\Harddisk0\DR0`, "0x1", "0"}}, want: `disk \Device\Harddisk0\DR0 repeated a transfer`, level: session.EventWarning},
		{log: "System", planted: planted{id: 41, kind: 1, source: "Microsoft-Windows-Kernel-Power"}, want: "the computer restarted unexpectedly", level: session.EventCritical},
		{log: "Application", planted: planted{id: 1105, kind: 1, source: "MSSQL$ERP", inserts: []string{"t", "sales"}}, want: "database sales has no room left", level: session.EventError},
		// what everybody may write into Application
		{log: "Application", planted: planted{id: 7031, kind: 1, source: manager, inserts: []string{"Spooler"}}, level: session.EventError},
		{log: "Application", planted: planted{id: 6008, kind: 1, source: "EventLog"}, level: session.EventError},
	} {
		r, _, err := next(c.bytes())
		if err != nil {
			t.Fatal(err)
		}
		e := event(c.log, &r)
		if got := eventtext.Sentence(e.Known, e.Names); got != c.want || e.Unit != c.unit || e.Level != c.level {
			t.Errorf("%s %s/%s: %q, unit %q, level %d", c.log, e.Source, e.ID, got, e.Unit, e.Level)
		}
	}
}

// Every user may write to Application whatever it likes: of that no more is told where texts are not
// than a name may be long.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("n", session.MostEventText)
	for source, id := range map[string]uint16{long: 1, "Application Error": 1000} {
		e := event("Application", &record{source: source, id: id, inserts: []string{long, long, long, long}})
		if title := e.Title(); len(title) > 3*mostNameRunes || len(e.Text) < session.MostEventText {
			t.Errorf("%d: %s", len(e.Text), title)
		}
	}
}
