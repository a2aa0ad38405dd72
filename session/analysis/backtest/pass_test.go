package backtest

import (
	"errors"
	"testing"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/system/failure"
)

// Only what lies within the limits is judged, whether what is before is read or not.
func TestTry(t *testing.T) {
	player := recording(t)
	first, last := player.Bounds()
	second := func(n int) time.Time { return first.Add(time.Duration(n) * time.Second) }
	for name, c := range map[string]struct {
		begin, end     time.Time
		fired, cleared int
		samples        int64
	}{
		"all":                 {time.Time{}, time.Time{}, 1, 1, 60},
		"before anything":     {time.Time{}, second(19), 0, 0, 20},
		"until it fires":      {time.Time{}, second(25), 1, 0, 26},
		"from the middle":     {second(30), time.Time{}, 1, 1, 30},
		"a second":            {second(30), second(30), 1, 0, 1},
		"behind the last one": {last.Add(time.Second), time.Time{}, 0, 0, 0},
	} {
		for _, jump := range []bool{false, true} {
			fired, cleared := 0, 0
			read := 0
			try := Try{
				Begin: c.begin, End: c.end, Jump: jump, Meant: func(h *replay.Host) bool { return h.Name() == "db" }, Tick: func(time.Time) { read++ },
				Take: func(events []alert.Event) error {
					for _, e := range events {
						switch e.Kind {
						case alert.Fired:
							fired++
						case alert.Cleared:
							cleared++
						}
					}
					return nil
				},
			}
			b := alert.NewBacktest(alert.BacktestOptions{Rules: []alert.Rule{loadRule(t)}, Zone: time.UTC})
			if err := try.Run(t.Context(), player, b); err != nil {
				t.Fatal(err)
			}
			if fired != c.fired || cleared != c.cleared || try.samples != c.samples {
				t.Errorf("%s: %d fired, %d cleared, %d samples", name, fired, cleared, try.samples)
			}
			if !jump && c.end.IsZero() && read != 60 {
				t.Errorf("%s: %d were read", name, read)
			}
		}
	}
}

// Limits are read as relog reads them; the share and the span are of what lies between them.
func TestTryLimits(t *testing.T) {
	player := recording(t)
	first, last := player.Bounds()
	text := func(at time.Time) string { return at.Format(time.DateTime) }
	none := func(words string) { t.Errorf("said: %s", words) }
	half := first.Add(last.Sub(first) / 2)
	try := Try{Meant: func(*replay.Host) bool { return true }, Take: func([]alert.Event) error { return nil }}
	if err := try.Limit(player, "", text(half), none); err != nil || try.Begin != (time.Time{}) || try.End.IsZero() {
		t.Fatalf("%+v, %v", try, err)
	}
	if at := try.Share(player, try.End); at != 1 {
		t.Errorf("at the end %v is done", at)
	}
	b := alert.NewBacktest(alert.BacktestOptions{Rules: []alert.Rule{loadRule(t)}, Zone: time.UTC})
	if from, to := try.Span(player, b); !from.Equal(first) || !to.Equal(last) {
		t.Errorf("before anything it is from %v to %v", from, to)
	}
	if err := try.Limit(player, text(first.Add(2*time.Second)), text(half), none); err != nil {
		t.Fatal(err)
	}
	if err := try.Run(t.Context(), player, b); err != nil {
		t.Fatal(err)
	}
	if from, to := try.Span(player, b); !from.Equal(first.Add(2*time.Second)) || to.After(half) || to.Before(half.Add(-time.Second)) {
		t.Errorf("from %v to %v", from, to)
	}
	for _, wrong := range [][2]string{{text(last.Add(time.Hour)), ""}, {"", text(first.Add(-time.Hour))}, {"noon", ""}} {
		err := try.Limit(player, wrong[0], wrong[1], none)
		if _, is := errors.AsType[*failure.UsageError](err); !is {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// The error of whoever takes ends it; enough is none.
func TestTryEnds(t *testing.T) {
	player := recording(t)
	full := errors.New("disk full")
	for why, want := range map[error]error{full: full, ErrEnough: nil} {
		try := Try{Meant: func(*replay.Host) bool { return true }, Take: func([]alert.Event) error { return why }}
		err := try.Run(t.Context(), player, alert.NewBacktest(alert.BacktestOptions{Rules: []alert.Rule{loadRule(t)}}))
		if try.samples != 1 || !errors.Is(err, want) {
			t.Errorf("%v: %v after %d samples", why, err, try.samples)
		}
	}
}
