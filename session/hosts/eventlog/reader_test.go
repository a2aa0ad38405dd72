package eventlog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/wire/rpc"
)

// told is what events say, in their order, whatever minute they are of.
func told(events []session.HostEvent) (out []string) {
	for i := 0; i < len(events); {
		e, count := events[i], events[i].Count
		for i++; i < len(events) && events[i].Same(&e); i++ {
			count += events[i].Count
		}
		text := fmt.Sprintf("%s %s/%s", e.Log, e.Source, e.ID)
		if e.Known != "" {
			text = e.Log + " " + e.Known
		}
		if count > 1 {
			text += fmt.Sprintf(" x%d", count)
		}
		out = append(out, text)
	}
	return out
}

func expect(t *testing.T, what string, events []session.HostEvent, want ...string) {
	t.Helper()
	if got := told(events); !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// many are so many records of one source, from a time on one a second.
func many(n int, id uint32, from time.Time) (out []planted) {
	for i := range n {
		out = append(out, planted{id: id, source: "disk", at: from.Add(time.Duration(i) * time.Second)})
	}
	return out
}

func TestFirstLookAndPolls(t *testing.T) {
	h := newHost()
	system := h.logs["System"]
	system.write(planted{id: 1, source: "old", at: noon.Add(-2 * time.Hour)}, planted{id: 153, source: "disk", at: noon.Add(-time.Minute)},
		planted{id: 7, source: "chatty", kind: 4, at: noon.Add(-50 * time.Second)}, planted{id: 153, source: "disk", at: noon})
	h.logs["Application"].write(planted{id: 1000, source: "Application Error", kind: 1, at: noon, inserts: []string{"a.exe", "1", "2", "b.dll"}})
	r := h.reader(t, session.EventsFrom{Time: noon.Add(-time.Hour)})
	events := all(t, r)
	expect(t, "first look", events, "System disk-retried x2", "Application crash")
	if e := events[0]; !e.Time.Equal(noon.Add(-time.Minute)) || !e.Until.Equal(e.Time) || !e.Own.IsZero() || r.Every() != 10*time.Second {
		t.Errorf("%+v", e)
	}
	if e := events[2]; !slices.Equal(e.Names, []string{"a.exe", "b.dll"}) || e.Text != "a.exe; 1; 2; b.dll" {
		t.Errorf("%+v", e)
	}

	h.calls = 0
	expect(t, "nothing new", all(t, r))
	if h.calls != 4 {
		t.Errorf("%d calls of a poll without news, of two logs", h.calls)
	}
	system.write(planted{id: 11, source: "disk", at: noon.Add(time.Second)})
	expect(t, "one more", all(t, r), "System disk-error")

	cursor := r.Cursor()
	_ = r.Close()
	if h.open != 0 {
		t.Errorf("%d logs stay open", h.open)
	}
	system.write(planted{id: 7, source: "disk", at: noon.Add(2 * time.Second)})
	r = h.reader(t, session.EventsFrom{Cursor: cursor, Time: noon.Add(-time.Hour)})
	expect(t, "from the cursor", all(t, r), "System bad-block")
	h.logs["Application"].records = nil
	r = h.reader(t, session.EventsFrom{Cursor: `{"Application":{"empty":true}}`, Time: noon.Add(2500 * time.Millisecond)})
	h.logs["Application"].write(planted{id: 1, source: "first", at: noon.Add(2 * time.Second)})
	expect(t, "from an empty log, in the same second", all(t, r), "System bad-block", "Application first/1")
	h.logs["Application"].records = nil
	r = h.reader(t, session.EventsFrom{Cursor: "nonsense", Time: noon.Add(2 * time.Second)})
	expect(t, "from no cursor", all(t, r), "System bad-block")
}

// Times are put onto our line; the host's own stands beside.
func TestClocks(t *testing.T) {
	h := newHost()
	ahead := 5 * time.Minute
	h.logs["System"].write(planted{id: 1, source: "early", at: noon.Add(ahead - 2*time.Second)}, planted{id: 153, source: "disk", at: noon.Add(ahead)})
	e := all(t, h.reader(t, session.EventsFrom{Time: noon.Add(-time.Second)}, ahead))
	expect(t, "by our clock", e, "System disk-retried")
	if !e[0].Time.Equal(noon) || !e[0].Own.Equal(noon.Add(ahead)) {
		t.Errorf("%v, own %v", e[0].Time, e[0].Own)
	}
}

// A log that has more than is read at first says so, and so does one that wrapped before it was read.
func TestGaps(t *testing.T) {
	h := newHost()
	system := h.logs["System"]
	system.write(many(1500, 153, noon)...)
	r := h.reader(t, session.EventsFrom{Time: noon})
	events := all(t, r)
	expect(t, "first look", events, "System gap", "System disk-retried x1000")
	if e := events[0]; !e.Time.Equal(noon) || !e.Until.Equal(noon.Add(500*time.Second)) || !slices.Equal(e.Names, []string{"8 min 20 s"}) || e.Text == "" {
		t.Errorf("%+v", e)
	}
	system.write(many(100, 7, noon.Add(2000*time.Second))...)
	system.records = system.records[1550:]
	events = all(t, r)
	expect(t, "wrapped", events, "System gap", "System bad-block x50")
	if e := events[0]; !e.Time.Equal(noon.Add(1499*time.Second)) || !e.Until.Equal(noon.Add(2050*time.Second)) {
		t.Errorf("%+v", e)
	}
	// one that wraps while it is read
	system.write(many(2000, 153, noon.Add(3000*time.Second))...)
	reads := 0
	h.begins = func(l *hostLog) {
		if reads++; reads == 3 {
			l.records = l.records[1000:]
		}
	}
	count := 0
	gaps := 0
	for _, e := range append(all(t, r), all(t, r)...) { // a poll and the one after it
		if e.Known == session.EventGap {
			gaps++
		} else {
			count += e.Count
		}
	}
	if gaps != 1 || count >= 2000 || count < 1000 {
		t.Errorf("%d gaps, %d records", gaps, count)
	}
}

// A log that was cleared begins anew: whatever numbers it has since, and where it is empty.
func TestCleared(t *testing.T) {
	h := newHost()
	system := h.logs["System"]
	system.write(many(10, 153, noon)...)
	r := h.reader(t, session.EventsFrom{Time: noon})
	expect(t, "before", all(t, r), "System disk-retried x10")
	anew := func(records ...planted) {
		system.records = nil
		system.write(records...)
	}
	anew(many(3, 7, noon.Add(time.Hour))...)
	expect(t, "fewer", all(t, r), "System cleared", "System bad-block x3")
	anew()
	expect(t, "empty", all(t, r), "System cleared")
	expect(t, "still empty", all(t, r))
	system.write(many(2, 7, noon.Add(2*time.Hour))...)
	expect(t, "first of an empty one", all(t, r), "System bad-block x2")
	anew(many(20, 11, noon.Add(3*time.Hour))...)
	expect(t, "more than before", all(t, r), "System cleared", "System disk-error x20")

	cursor := r.Cursor()
	anew(many(20, 51, noon.Add(4*time.Hour))...)
	expect(t, "as many as at the cursor", all(t, h.reader(t, session.EventsFrom{Cursor: cursor, Time: noon.Add(4*time.Hour + 10*time.Second)})), "System cleared", "System paging-error x10")
	anew()
	expect(t, "empty at the cursor", all(t, h.reader(t, session.EventsFrom{Cursor: cursor, Time: noon})), "System cleared")
}

// Numbers are the low half of 64 bits: they wrap.
func TestNumbersWrap(t *testing.T) {
	h := newHost()
	system := h.logs["System"]
	system.write(planted{number: 0xffff_fff0, id: 153, source: "disk", at: noon})
	system.write(many(10, 153, noon)...)
	r := h.reader(t, session.EventsFrom{Time: noon})
	expect(t, "before", all(t, r), "System disk-retried x11")
	for i, p := range many(20, 7, noon.Add(time.Minute)) {
		p.number = 0xffff_fffb + uint32(i)
		system.records = append(system.records, p)
	}
	for i := range system.records {
		system.records[i].kind = 2
	}
	expect(t, "over the wrap", all(t, r), "System bad-block x20")
	expect(t, "behind it", all(t, r))
	expect(t, "a look over it", all(t, h.reader(t, session.EventsFrom{Time: noon.Add(time.Minute)})), "System bad-block x20")
}

// Records that do not fit into what is read are asked for as they are, and what is damaged is told and left behind.
func TestHostileRecords(t *testing.T) {
	h := newHost()
	system := h.logs["System"]
	system.write(planted{id: 153, source: "disk", at: noon})
	r := h.reader(t, session.EventsFrom{Time: noon})
	all(t, r)
	big := planted{id: 7, source: "disk", at: noon.Add(time.Second), data: make([]byte, 100_000)}
	system.write(big, big, planted{id: 11, source: "disk", at: noon.Add(2 * time.Second)})
	expect(t, "big ones", all(t, r), "System bad-block x2", "System disk-error")
	for what, raw := range map[string][]byte{
		"nonsense": []byte("nonsense"), "the same once more": append(planted{number: 4, at: noon.Add(2 * time.Second)}.bytes(), planted{number: 4}.bytes()...),
		"half a record": planted{number: 4, at: noon.Add(2 * time.Second)}.bytes()[:40], "far behind": planted{number: 1}.bytes(),
	} {
		cursor := r.Cursor()
		system.write(planted{id: 51, source: "disk", at: noon.Add(3 * time.Second)})
		system.raw = raw
		expect(t, what, all(t, r), "System gap")
		system.raw = nil
		system.records = system.records[:4]
		r = h.reader(t, session.EventsFrom{Cursor: cursor})
		expect(t, "after "+what, all(t, r))
	}
	system.raw = []byte("nonsense")
	expect(t, "a look at nonsense", all(t, h.reader(t, session.EventsFrom{Time: noon})), "System gap")
	system.raw = planted{number: 3}.bytes()
	expect(t, "a look at another", all(t, h.reader(t, session.EventsFrom{Time: noon})), "System gap")
}

// A host that never ends to have more costs so much a read.
func TestReadIsBounded(t *testing.T) {
	h := newHost()
	system := h.logs["System"]
	system.write(planted{id: 153, source: "disk", at: noon})
	r := h.reader(t, session.EventsFrom{Time: noon})
	all(t, r)
	system.write(many(20_000, 153, noon)...)
	h.parts = 0
	events, more, err := r.Read(t.Context())
	if err != nil || !more || h.parts > mostParts+1 {
		t.Errorf("%d events, more %v, %v, %d reads", len(events), more, err, h.parts)
	}
}

func TestRefused(t *testing.T) {
	const denied = rpc.Code(0xC0000022)
	h := newHost()
	h.logs["Application"].refused = denied
	h.logs["System"].write(planted{id: 153, source: "disk", at: noon})
	events := all(t, h.reader(t, session.EventsFrom{Time: noon}))
	expect(t, "one is denied", events, "Application denied", "System disk-retried")
	if !strings.Contains(events[0].Text, "Application") || strings.Contains(events[0].Text, "\n") {
		t.Errorf("%q", events[0].Text)
	}
	h.logs["System"].refused = denied
	o := Options{Host: "win1", Dial: func(context.Context) (Conn, error) { return h, nil }, Right: RemoteRight}
	_, err := New(t.Context(), o, session.EventsFrom{})
	if !errors.Is(err, session.ErrDenied) || failure.Hint(err) != RemoteRight || !strings.Contains(err.Error(), "win1") {
		t.Errorf("%v: %q", err, failure.Hint(err))
	}
	h = newHost()
	r := h.reader(t, session.EventsFrom{Time: noon})
	h.fails = errors.New("the line is gone")
	if _, _, err := r.Read(t.Context()); !errors.Is(err, h.fails) {
		t.Error(err)
	}
}

// BenchmarkRead reads a part of 32 KiB.
func BenchmarkRead(b *testing.B) {
	var part []byte
	for i := uint32(1); len(part) < partBytes-200; i++ {
		part = append(part, planted{number: i, at: noon, id: 7031, source: "Service Control Manager", inserts: []string{"Print Spooler", "1", "60000"}, data: wideBytes("Spooler")}.bytes()...)
	}
	r := &reader{}
	b.ReportAllocs()
	for b.Loop() {
		for rest := part; len(rest) > 0; {
			var one record
			var err error
			if one, rest, err = next(rest); err != nil {
				b.Fatal(err)
			}
			r.take(&log{name: "System"}, &one)
		}
	}
}
