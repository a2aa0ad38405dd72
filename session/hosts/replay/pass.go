package replay

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"time"

	"perfdeck/session/files/logs"
)

// pass reads a tape from the beginning to the end.
func (s *survey) pass(ctx context.Context, t *tapeSurvey) error {
	first, last := s.player.Bounds()
	s.mu.Lock()
	t.until = last
	s.mu.Unlock()
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
	p := pass{survey: s, t: t, chosen: chosen, width: width, reader: r, first: first, last: last, part: -1, told: time.Now()}
	if err := p.preview(ctx); err != nil {
		return err
	}
	if err := logs.Know(ctx, r); err != nil { // what lacks tells the pace of the rows behind it
		return err
	}
	s.player.learned(t.tape, r)
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
	var row logs.Row
	for i := range previews {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := p.reader.SeekTime(p.first.Add(time.Duration(i) * length)); err != nil {
			return err
		}
		err := p.reader.Next(&row)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		p.mu.Lock()
		for part := i * surveyParts / previews; part < (i+1)*surveyParts/previews; part++ {
			p.add(part, &row)
		}
		p.mu.Unlock()
	}
	p.player.tell()
	return nil
}

// read reads all rows.
func (p *pass) read(ctx context.Context) error {
	n := 0
	for row, err := range (logs.Scan{}).Rows(ctx, p.reader) {
		if err != nil {
			return err
		}
		p.mu.Lock()
		p.receive(row)
		p.mu.Unlock()
		if n++; n%surveyRows != 0 {
			continue
		}
		if p.isOutdated() {
			return nil
		}
		if time.Since(p.told) > surveyTold {
			p.told = time.Now()
			p.player.tell()
		}
	}
	p.end()
	return nil
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

// receive takes the row into its part, and into those since the row before: its
// values are those of the time since then.
func (p *pass) receive(row *logs.Row) {
	isGap := p.gap(row.Time)
	part := 0
	if length := p.last.Sub(p.first); length > 0 {
		part = int(math.Floor(float64(row.Time.Sub(p.first)) / float64(length) * surveyParts))
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
		p.add(part, row)
	}
}

// gap tells whether there is a gap before the row, and notes it.
func (p *pass) gap(at time.Time) bool {
	g := Gap{p.before, at}
	p.before = at
	if g.From.IsZero() || !p.t.tape.source.isGap(g.From, g.To) {
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
func (p *pass) add(part int, row *logs.Row) {
	low, high := p.t.low[part*p.width:(part+1)*p.width], p.t.high[part*p.width:(part+1)*p.width]
	for i := range p.width {
		column := i
		if p.chosen != nil {
			column = p.chosen[i]
		}
		f, ok := row.Values[column].Float()
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
