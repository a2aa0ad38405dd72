package replay

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/logs"
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
		if err := s.pass(ctx, t); err != nil {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tapes {
		if len(t.asked) > 0 {
			t.choose()
			return t
		}
	}
	for _, t := range s.tapes {
		if t.seen == 0 {
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
			select {
			case s.woken <- struct{}{}:
			default:
			}
			return cells, 0
		}
	}
	if t.low == nil {
		return cells, t.seen
	}
	width := t.width()
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

// pass reads a tape from the beginning to the end.
func (s *survey) pass(ctx context.Context, t *tapeSurvey) error {
	r, err := t.tape.source.reader()
	if err != nil {
		return err
	}
	defer r.Close()
	s.mu.Lock()
	chosen, width := t.chosen, t.width()
	t.low, t.high = nans(surveyParts*width), nans(surveyParts*width)
	t.passed = make([]bool, surveyParts)
	s.mu.Unlock()
	r.Only(chosen)
	p := pass{survey: s, t: t, chosen: chosen, width: width, reader: r, part: -1, told: time.Now()}
	p.first, p.last = s.player.Bounds()
	if err := p.preview(ctx); err != nil {
		return err
	}
	if err := r.SeekTime(t.tape.source.first); err != nil {
		return err
	}
	return p.read(ctx)
}

func nans(n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(math.NaN())
	}
	return out
}

// pass is one look at a tape.
type pass struct {
	*survey

	t           *tapeSurvey
	chosen      []int
	width       int
	reader      logs.Reader
	row         logs.Row
	first, last time.Time
	before      time.Time // of the row before, and its part; -1: there is none
	part        int
	told        time.Time
}

// preview looks at places all over the tape.
func (p *pass) preview(ctx context.Context) error {
	length := p.last.Sub(p.first) / previews
	if length <= 0 {
		return nil
	}
	for i := range previews {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := p.reader.SeekTime(p.first.Add(time.Duration(i) * length)); err != nil {
			return err
		}
		err := p.reader.Next(&p.row)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		p.mu.Lock()
		for part := i * surveyParts / previews; part < (i+1)*surveyParts/previews; part++ {
			p.add(part)
		}
		p.mu.Unlock()
	}
	p.player.tell()
	return nil
}

// read reads all rows.
func (p *pass) read(ctx context.Context) error {
	for n := 1; ; n++ {
		err := p.reader.Next(&p.row)
		if errors.Is(err, io.EOF) {
			p.end()
			return nil
		}
		if err != nil {
			return err
		}
		p.mu.Lock()
		p.take()
		p.mu.Unlock()
		if n%surveyRows != 0 {
			continue
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case p.isOutdated():
			return nil
		case time.Since(p.told) > surveyTold:
			p.told = time.Now()
			p.player.tell()
		}
	}
}

// end forgets what the preview saw of parts that have no rows.
func (p *pass) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.t.seen = 1
	for part, passed := range p.t.passed {
		if !passed {
			p.clear(part)
		}
	}
}

// isOutdated notes how far the pass is. It reports whether other columns were
// asked for meanwhile.
func (p *pass) isOutdated() bool {
	span, err := p.reader.Span()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.t.seen = min(float64(span.At)/float64(max(span.Bytes, 1)), 0.999)
	}
	return len(p.t.asked) > 0
}

// take takes the row into its part, and into those since the row before: its
// values are those of the time since then.
func (p *pass) take() {
	isGap := p.gap()
	part := 0
	if length := p.last.Sub(p.first); length > 0 {
		part = int(math.Floor(float64(p.row.Time.Sub(p.first)) / float64(length) * surveyParts))
	}
	from := part
	if !isGap && p.part >= 0 && p.part < part {
		from = p.part + 1
	}
	p.part = part
	for part := max(from, 0); part <= min(p.part, surveyParts); part++ { // an overlay may be longer
		part := min(part, surveyParts-1)
		if !p.t.passed[part] {
			p.t.passed[part] = true
			p.clear(part)
		}
		p.add(part)
	}
}

// gap tells whether there is a gap before the row, and notes it.
func (p *pass) gap() bool {
	g := Gap{p.before, p.row.Time}
	p.before = p.row.Time
	if g.From.IsZero() || !p.t.tape.source.isGap(g.To.Sub(g.From)) {
		return false
	}
	if !p.t.tape.isOverlay && len(p.gaps) < mostGaps && !slices.Contains(p.gaps, g) {
		p.gaps = append(p.gaps, g)
		slices.SortFunc(p.gaps, func(a, b Gap) int { return a.From.Compare(b.From) })
	}
	return true
}

// clear forgets what the preview saw of a part.
func (p *pass) clear(part int) {
	for _, of := range [][]float32{p.t.low, p.t.high} {
		for i := range p.width {
			of[part*p.width+i] = float32(math.NaN())
		}
	}
}

// add takes the row into a part.
func (p *pass) add(part int) {
	low, high := p.t.low[part*p.width:(part+1)*p.width], p.t.high[part*p.width:(part+1)*p.width]
	for i := range p.width {
		column := i
		if p.chosen != nil {
			column = p.chosen[i]
		}
		f, ok := p.row.Values[column].Float()
		if !ok || math.Abs(f) > math.MaxFloat32 {
			continue
		}
		v := float32(f)
		if !(low[i] <= v) {
			low[i] = v
		}
		if !(high[i] >= v) {
			high[i] = v
		}
	}
}
