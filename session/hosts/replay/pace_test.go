package replay

import (
	"context"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
)

// paced plays a recording of a row a second whose rows take so long to read, for
// ten seconds, and tells how many times as fast as recorded it went.
func paced(t *testing.T, rows, speed int, row time.Duration) (p *Player, went float64) {
	t.Helper()
	clock := clocktest.New(start, func() {})
	file := slowFile(t, rows)
	readers := 0
	p, err := Open([]string{file}, Options{Clock: clock, Open: func(name string) (logs.Reader, error) {
		r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
		if readers++; err != nil || readers > 1 {
			return r, err
		}
		return &hooked{Reader: r, on: func(int) { clock.Jump(row) }}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	r := runner{Player: p, ctx: context.Background(), fresh: map[*tape]bool{}}
	p.Hosts()[0].Ask([]session.Ask{{Set: p.Hosts()[0].Catalogue().Sets[0], Counters: []int{0}}})
	p.SetSpan(leastSpan)
	p.Seek(start)
	clock.Jump(r.turn())
	p.SetSpeed(speed)
	p.Play(true)
	began, from := clock.Now().Mono, p.Position()
	for clock.Now().Mono-began < 10*time.Second {
		wait := r.turn()
		r.publish()
		clock.Jump(wait)
	}
	return p, float64(p.tapes[0].newest.Sub(from)) / float64(clock.Now().Mono-began)
}

// slowFile is a recording of one counter.
func slowFile(t testing.TB, n int) string {
	h, some := night(1, utc(), "sql01")
	rows := make([]logs.Row, n)
	for i := range rows {
		rows[i] = some[0]
		rows[i].Time = start.Add(time.Duration(i) * time.Second)
	}
	return write(t, "slow.csv", h, rows)
}

// Where rows take too long to be read at the speed, nearly all time is used to read
// them, and the speed that is reached is told; else none is.
func TestReachedSpeed(t *testing.T) {
	for _, test := range []struct {
		speed int
		row   time.Duration
		least float64
		slow  bool
	}{
		{1000, 100 * time.Microsecond, 990, false},
		{1000, 600 * time.Microsecond, 950, false}, // 600 of 1000 ms
		{1000, 2 * time.Millisecond, 380, true},    // 500 rows a second can be read at most
		{100, 2 * time.Millisecond, 95, false},
	} {
		p, went := paced(t, 12000, test.speed, test.row)
		reached := float64(p.Reached())
		if went < test.least {
			t.Errorf("x%d, %v each row: it went x%.0f", test.speed, test.row, went)
		}
		if test.slow != (reached != 0) || test.slow && (reached < 0.9*went || reached > 1.1*went) {
			t.Errorf("x%d, %v each row: x%.0f is told, it went x%.0f", test.speed, test.row, reached, went)
		}
		p.SetSpeed(1)
		r := runner{Player: p, ctx: context.Background(), fresh: map[*tape]bool{}}
		r.pace.speed = test.speed
		if r.orders(); p.Reached() != 0 {
			t.Errorf("x%d is told of another speed", p.Reached())
		}
	}
}

// TestKeptSpan: how much of a span there can be is told where it is less.
func TestKeptSpan(t *testing.T) {
	p := newPlayer(Options{})
	p.base = &group{tapes: []*tape{{source: &source{interval: time.Second}}}}
	if kept := p.SetSpan(time.Hour); kept != time.Hour {
		t.Errorf("of an hour there is %v", kept)
	}
	if kept := p.SetSpan(7 * 24 * time.Hour); kept != (mostSamples-1)*time.Second {
		t.Errorf("of a week there is %v", kept)
	}
}
