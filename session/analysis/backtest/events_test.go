package backtest

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/hosts/replay"
)

// told is the recording of the other tests as one that has what its host wrote down.
func told(t *testing.T, events ...session.HostEvent) *replay.Player {
	t.Helper()
	from, err := formats.Open(t.Context(), loadFile(t), logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	f, _ := formats.Named("sqlite")
	file := filepath.Join(t.TempDir(), "told.db")
	w, err := formats.Create(file, f, from.Header(), logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var row logs.Row
	for err = from.Next(&row); err == nil; err = from.Next(&row) {
		if err := w.WriteRow(&row); err != nil {
			t.Fatal(err)
		}
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if err := errors.Join(formats.WriteEvents(w, events), w.Close()); err != nil {
		t.Fatal(err)
	}
	return opened(t, file)
}

// What hosts wrote down is counted where the recording has it, up to the end that is given; else the
// rule is not judged, and that is said. What a host said itself is not told.
func TestCountsOverRecordings(t *testing.T) {
	plain := recording(t)
	first, _ := plain.Bounds()
	event := func(second int, text string) session.HostEvent {
		at := first.Add(time.Duration(second) * time.Second)
		return session.HostEvent{Time: at, Until: at, Count: 1, Host: "db", Log: "System", Source: "disk", ID: "153", Known: "disk-retried", Names: []string{"2"}, Text: text}
	}
	const secret = "password=hunter2"
	rule, err := alert.ParseRule("event disk/153>1 in 10s")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		player  *replay.Player
		end     time.Duration
		fired   int
		problem string
	}{
		"of another kind": {plain, 0, 0, "no events of it"},
		"none":            {told(t), 0, 0, ""},
		"all":             {told(t, event(10, secret), event(15, secret), event(40, secret), event(45, secret)), 0, 2, ""},
		"the beginning":   {told(t, event(10, secret), event(15, secret), event(40, secret), event(45, secret)), 30 * time.Second, 1, ""},
	} {
		try := Try{Meant: func(*replay.Host) bool { return true }}
		if c.end > 0 {
			try.End = first.Add(c.end)
		}
		got, err := try.Timeline(t.Context(), c.player, alert.BacktestOptions{Rules: []alert.Rule{rule}})
		if err != nil {
			t.Fatal(err)
		}
		o := got.Backtest.Outcomes()[0]
		if o.Fired != c.fired || !strings.Contains(o.Problem, c.problem) || (o.Problem == "") != (c.problem == "") {
			t.Errorf("%s: fired %d times, %q", name, o.Fired, o.Problem)
		}
		for i := range got.Events {
			text := got.Events[i].Text()
			if strings.Contains(text, secret) || !strings.Contains(text, "disk") {
				t.Errorf("%s: %s", name, text)
			}
		}
		if ep := got.Episodes(); len(ep) != c.fired || c.fired > 0 && (ep[0].Began.Sub(first) != 10*time.Second || ep[0].Until.Sub(first) != 20*time.Second) {
			t.Errorf("%s: %+v", name, ep)
		}
	}
}
