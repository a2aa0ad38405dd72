package bundle

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/formats"
)

// secretText is what a host wrote of somebody.
const secretText = "cron of annameyer ran /opt/projectx/pay.sh with Tulip-Harvest"

func hostEvents(host string) []session.HostEvent {
	at := start.Add(2 * time.Minute)
	all := []session.HostEvent{
		{Time: at, Log: "journal", Source: "systemd", Level: session.EventWarning, Known: "unit-failed", Names: []string{"projectx-worker", "exit-code"}, Unit: "projectx-worker", Count: 3, PID: 7001, Text: secretText},
		{Time: at.Add(time.Second), Log: "payroll log", Source: "projectx", ID: "annameyer", Level: session.EventError, Text: secretText},
		{Time: at.Add(2 * time.Second), Log: "System", Source: "disk", ID: "153", Level: session.EventWarning, Known: "disk-retried", Names: []string{"contoso-lun"}},
		{Time: at.Add(3 * time.Second), Known: session.EventGap, Names: []string{"annameyer"}, Until: at.Add(7 * time.Second)},
		{Time: at.Add(4 * time.Second), Known: session.EventCleared, Names: []string{"payroll"}},
		{Time: at.Add(5 * time.Second), Log: "journal", Source: "sqlprod7-agent", Unit: "Contoso Billing", ID: "abcd", Level: session.EventCritical, Text: secretText},
		{Time: start.Add(time.Hour), Source: "late", Text: secretText},
	}
	for i := range all {
		e := &all[i]
		e.Host, e.Count, e.Own = host, max(e.Count, 1), e.Time
		if e.Until.IsZero() {
			e.Until = e.Time
		}
	}
	return all
}

// packedEvents are those of the recording of a bundle.
func packedEvents(t *testing.T, file string) []session.HostEvent {
	t.Helper()
	b := unpack(t, file)
	events, kept, damaged := formats.Events(t.Context(), b.Files, nil, time.Time{}, time.Time{})
	if !kept || len(damaged) > 0 {
		t.Fatal(kept, damaged)
	}
	return events
}

// What hosts say in their own words is in no file of a bundle unless it was asked for; the rest of
// their events is.
func TestTextsOfEvents(t *testing.T) {
	const host = "web01"
	for _, asked := range []bool{false, true} {
		file, m := pack(t, []Recording{{Title: "night", Reader: night(t, "night", host), HostEvents: hostEvents(host), HasEvents: true}}, beside(t, host), Options{Texts: asked, End: start.Add(30 * time.Minute)})
		has := false
		for _, f := range members(t, file) {
			has = has || bytes.Contains(f.text, []byte("Harvest"))
		}
		events := packedEvents(t, file)
		if has != asked || len(events) != 6 || events[0].Names[0] != "projectx-worker" || events[0].Count != 3 || events[2].ID != "153" || (events[0].Text == secretText) != asked {
			t.Errorf("asked %v: %v, %+v", asked, has, events)
		}
		if told := strings.Contains(strings.Join(m.Left, "\n"), "own words of 3 events"); told == asked || m.Parts[0].Events != 6 {
			t.Errorf("asked %v: %q, %+v", asked, m.Left, m.Parts[0])
		}
	}
}

// An anonymous bundle has of events when they were, how bad, how many, and our sentence, whatever else
// is asked for.
func TestAnonymousEvents(t *testing.T) {
	const host = "SQLPROD7.corp.acme-example.net"
	events := hostEvents(host)
	if events[1].Host = "sqlprod7"; len(events) != 7 {
		t.Fatal("events")
	}
	file, _ := pack(t, []Recording{{Title: "night", Reader: night(t, "night", host), HostEvents: events, HasEvents: true}}, Extras{}, Options{Anonymous: true, Texts: true, End: start.Add(30 * time.Minute)})
	for _, f := range members(t, file) {
		lower := bytes.ToLower(f.text)
		for _, name := range append(planted, "tulip") {
			if at := bytes.Index(lower, []byte(name)); at >= 0 {
				t.Errorf("%s holds %s: %q", f.header.Name, name, lower[max(at-60, 0):min(at+60, len(lower))])
			}
		}
	}
	got := packedEvents(t, file)
	if len(got) != 6 {
		t.Fatalf("%+v", got)
	}
	first := got[0]
	if title := first.Title(); !strings.HasPrefix(title, "service ") || !strings.Contains(title, " failed: exit-code") || first.Unit != first.Names[0] || first.Count != 3 || first.Source != "systemd" && !strings.HasPrefix(first.Source, "instance") || first.Log != "journal" {
		t.Errorf("%s: %+v", first.Title(), first)
	}
	if got[5].ID != "" || got[2].ID != "153" || got[2].Log != "System" || got[3].Title() != "events were not read for 4 s" || got[5].Level != session.EventCritical {
		t.Errorf("%+v", got)
	}
	for _, e := range got {
		if e.Text != "" || e.PID != 0 || !e.Own.IsZero() || !strings.HasPrefix(e.Host, "host-") {
			t.Errorf("%+v", e)
		}
	}
}
