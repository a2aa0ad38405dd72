package replay

import (
	"context"
	"slices"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/logs"
)

// Gap is a time without samples.
type Gap struct{ From, To time.Time }

// MinMax is the lowest and the highest value of a part of a recording; Has is
// false where there is none.
type MinMax struct {
	Min, Max float64
	Has      bool
}

// survey looks at the whole recording once, in the background: the extent of
// every counter in parts of equal length, and gaps. Where there are too many
// counters it looks at those that somebody asks for, once more if need be.
type survey struct {
	player *Player
	woken  chan struct{}

	mu    sync.Mutex
	tapes []*tapeSurvey
	gaps  []Gap
}

// tapeSurvey is what was seen of a tape.
type tapeSurvey struct {
	tape   *tape
	chosen []int // columns; nil: all
	asked  []int // columns that are not among them
	low    []float32
	high   []float32 // part by part, a value for each chosen column; NaN: none
	passed []bool    // parts of which low and high are not of the preview alone
	seen   float64   // 0 to 1
	until  time.Time // the end of the last part
}

const (
	surveyParts = 512
	// mostSurveyed is how many extents are kept in all: eight bytes each.
	mostSurveyed = 4 << 20
	mostChosen   = 64 // columns, where there are too many for all
	mostGaps     = 1000
	previews     = 128 // places that are looked at first
	surveyRows   = 1024
	surveyTold   = 200 * time.Millisecond
)

func newSurvey(p *Player) *survey { return &survey{player: p, woken: make(chan struct{}, 1)} }

// run surveys tape after tape, and again what was asked for meanwhile.
func (s *survey) run(ctx context.Context) {
	s.begin()
	for ctx.Err() == nil {
		t := s.next()
		if t == nil {
			select {
			case <-s.woken:
			case <-ctx.Done():
			}
			continue
		}
		s.player.sayDamaged(s.player.readEvents(ctx, t.tape))
		err := s.pass(ctx, t)
		if logs.Common(t.tape.source.lines).Falls() { // which tells when they were
			s.player.readEvents(ctx, t.tape)
		}
		if err != nil {
			s.mu.Lock()
			t.seen = 1 // more will not be known
			s.mu.Unlock()
		}
		s.player.tell()
	}
}

func (s *survey) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	columns := 0
	for _, t := range s.player.tapes {
		columns += len(t.source.columns)
	}
	for _, t := range s.player.tapes {
		one := &tapeSurvey{tape: t}
		if columns*surveyParts > mostSurveyed {
			one.chosen = []int{}
		}
		s.tapes = append(s.tapes, one)
	}
}

// next is a tape that has to be looked at, nil if there is none.
func (s *survey) next() *tapeSurvey {
	first, last := s.player.Bounds()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tapes {
		if len(t.asked) > 0 {
			t.choose()
			return t
		}
	}
	for _, t := range s.tapes {
		if t.seen == 0 || last.Sub(t.until) > last.Sub(first)/surveyParts { // it grew
			return t
		}
	}
	return nil
}

// choose takes the columns that were asked for among those that are looked at.
func (t *tapeSurvey) choose() {
	t.chosen = append(t.asked, t.chosen...)
	t.chosen = slices.Clone(t.chosen[:min(len(t.chosen), mostChosen)])
	slices.Sort(t.chosen)
	t.chosen = slices.Compact(t.chosen)
	t.asked, t.low, t.high, t.seen = nil, nil, nil, 0
}

// Overview is the extent of a counter in n parts of the recording, and how much
// of the recording was looked at so far, 0 to 1. It changes until that is 1:
// Changed tells.
func (p *Player) Overview(h *Host, set *session.Counterset, counter int, key session.InstanceKey, n int) (cells []MinMax, seen float64) {
	cols := h.track.columns.sets[set]
	if cols == nil || n <= 0 || counter < 0 || counter >= len(set.Counters) {
		return make([]MinMax, max(n, 0)), 1
	}
	at := slices.IndexFunc(cols.instances, func(in session.Instance) bool { return in.Key == key })
	if at < 0 && !set.Instances.Multiple() {
		at = 0
	}
	if at < 0 {
		return make([]MinMax, n), 1
	}
	found := cols.of(at, counter)
	if len(found) == 0 {
		return make([]MinMax, n), 1
	}
	return p.survey.overview(h.tape, int(found[0].column), n)
}

func (s *survey) overview(tape *tape, column, n int) (cells []MinMax, seen float64) {
	first, last := s.player.Bounds()
	s.mu.Lock()
	defer s.mu.Unlock()
	cells = make([]MinMax, n)
	i := slices.IndexFunc(s.tapes, func(t *tapeSurvey) bool { return t.tape == tape })
	if i < 0 {
		return cells, 0
	}
	t := s.tapes[i]
	at := column
	if t.chosen != nil {
		var ok bool
		if at, ok = slices.BinarySearch(t.chosen, column); !ok {
			if !slices.Contains(t.asked, column) {
				t.asked = append([]int{column}, t.asked[:min(len(t.asked), mostChosen-1)]...)
			}
			s.wake()
			return cells, 0
		}
	}
	if t.low == nil {
		return cells, t.seen
	}
	width := t.width()
	if last.After(t.until) && t.until.After(first) { // it grew: of the rest nothing is known yet
		n = max(int(float64(n)*float64(t.until.Sub(first))/float64(last.Sub(first))), 1)
	}
	for part := range surveyParts {
		low, high := float64(t.low[part*width+at]), float64(t.high[part*width+at])
		if low != low {
			continue
		}
		// A part covers several cells where there are more cells than parts.
		from := part * n / surveyParts
		to := max((part+1)*n/surveyParts, from+1)
		for c := from; c < min(to, n); c++ {
			cells[c].add(low, high)
		}
	}
	return cells, t.seen
}

// wake has it look whether there is something to do.
func (s *survey) wake() {
	session.Wake(s.woken)
}

func (m *MinMax) add(low, high float64) {
	if !m.Has {
		*m = MinMax{low, high, true}
		return
	}
	m.Min, m.Max = min(m.Min, low), max(m.Max, high)
}

// width is how many columns are looked at.
func (t *tapeSurvey) width() int {
	if t.chosen != nil {
		return len(t.chosen)
	}
	return len(t.tape.source.columns)
}

// foundGaps are the gaps so far, in order of time, and how much of the recording
// was looked at.
func (s *survey) foundGaps() (gaps []Gap, seen float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen = 1
	for _, t := range s.tapes {
		if !t.tape.isOverlay {
			seen = min(seen, t.seen)
		}
	}
	if len(s.tapes) == 0 {
		seen = 0
	}
	return slices.Clone(s.gaps), seen
}
