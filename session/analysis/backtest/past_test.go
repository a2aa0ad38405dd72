package backtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/system/guard"
)

// recording is a minute of a host whose load is beyond 5 from 20 s to 40 s.
func recording(t *testing.T) *replay.Player {
	t.Helper()
	return opened(t, loadFile(t))
}

func opened(t *testing.T, file string) *replay.Player {
	t.Helper()
	p, err := replay.Open([]string{file}, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func loadFile(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\db\\M\\load\"\r\n")
	start := time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)
	for i := range 60 {
		load := 1
		if i >= 20 && i < 40 {
			load = 9
		}
		fmt.Fprintf(&b, "%q,\"%d\"\r\n", start.Add(time.Duration(i)*time.Second).Format("01/02/2006 15:04:05.000"), load)
	}
	file := filepath.Join(t.TempDir(), "load.csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func loadRule(t *testing.T) alert.Rule {
	t.Helper()
	r, err := alert.ParseRule(`\M\load>5`)
	if err != nil {
		t.Fatal(err)
	}
	r.Name, r.Severity, r.Interval, r.Need, r.Of = "load", alert.Critical, time.Second, 1, 1
	return r
}

// How things stood is told for the moment that is shown, with what users did then.
func TestPast(t *testing.T) {
	player := recording(t)
	first, _ := player.Bounds()
	rules := []alert.Rule{loadRule(t)}
	act := alert.Event{Kind: alert.Acked, ID: alert.ID{Rule: "load", Host: "db"}, Time: first.Add(30 * time.Second), By: "ana"}
	p := NewPast(player, rules, []alert.Event{act})
	if b := p.Board(); p.IsJudged() || len(b.Rules) != 1 || len(b.Active) != 0 {
		t.Errorf("before it is judged: %+v", b)
	}
	told := 0
	p.Judge(t.Context(), alert.BacktestOptions{Rules: rules}, func() { told++ })
	if told != 1 || !p.IsJudged() {
		t.Fatal("it is not judged")
	}
	if marks := player.Marks(); len(marks) != 1 || marks[0].Kind != replay.Critical || marks[0].At.Sub(first) != 20*time.Second {
		t.Errorf("marks %+v", marks)
	}
	for at, active := range map[time.Duration]int{5 * time.Second: 0, 35 * time.Second: 1, 59 * time.Second: 0} {
		player.Seek(first.Add(at))
		b := p.Board()
		if len(b.Active) != active {
			t.Errorf("after %v: %d active", at, len(b.Active))
		}
		if p.Board() != b {
			t.Errorf("after %v: another board of the same moment", at)
		}
		kinds := ""
		for _, ev := range b.History {
			kinds += ev.Kind.String() + " "
		}
		if !strings.Contains(kinds, alert.Acked.String()) {
			t.Errorf("after %v: %s", at, kinds)
		}
	}
	if p.Put("ana", rules[0]) == nil || p.Enable("ana", "load", false) == nil || p.Acknowledge("ana") != 0 {
		t.Error("the past is changed")
	}
}

// A pass that is ended shows nothing, and tells nobody.
func TestPastThatIsLeft(t *testing.T) {
	player := recording(t)
	p := NewPast(player, []alert.Rule{loadRule(t)}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.Judge(ctx, alert.BacktestOptions{Rules: []alert.Rule{loadRule(t)}}, func() { t.Error("somebody is told") })
	if p.IsJudged() || len(player.Marks()) != 0 {
		t.Error("it is judged")
	}
}

// What plays and judges beside each other ends with the context.
func TestPastBegins(t *testing.T) {
	player := recording(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rules := []alert.Rule{loadRule(t)}
	past, judged := NewPast(player, rules, nil), make(chan struct{})
	wait := past.Begin(ctx, guard.New(func(e *guard.PanicError) { panic(e) }), alert.BacktestOptions{Rules: rules}, func() { close(judged) })
	<-judged
	if !past.IsJudged() || len(player.Marks()) == 0 {
		t.Error("nothing is judged")
	}
	cancel()
	wait()
}

func TestMoment(t *testing.T) {
	var m Progress
	if _, ok := m.Get(); ok {
		t.Error("a moment before the first")
	}
	now := time.Now()
	m.Set(now)
	if at, ok := m.Get(); !ok || !at.Equal(now) {
		t.Errorf("%v, %v", at, ok)
	}
}
