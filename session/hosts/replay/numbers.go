package replay

import (
	"context"
	"errors"
	"io"
	"math"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/logs"
)

// Numbers is every counter with numbers that a player's recordings have, for who reads
// all of them.
type Numbers struct {
	Series []Column

	parts  []numbersPart
	within time.Duration // rows of different recordings this near are one
}

// numbersPart is the columns of one recording, and which of the series each is of.
type numbersPart struct {
	recording Recording
	columns   []int
	places    []int
}

// numberKey tells the counters apart: a recording may have several columns of one.
type numberKey struct {
	host    *Host
	set     *session.Counterset
	counter int
	in      session.InstanceKey
}

// Numbers are those of all recordings.
func (p *Player) Numbers() *Numbers {
	n := &Numbers{}
	known := map[numberKey]int{}
	for _, r := range p.Recordings() {
		part := numbersPart{recording: r}
		for i := range r.Columns {
			c := &r.Columns[i]
			if c.Host == nil || c.Set.Counters[c.Counter].Type.IsText() {
				continue
			}
			key := numberKey{c.Host, c.Set, c.Counter, c.Instance.Key}
			place, ok := known[key]
			if !ok {
				place = len(n.Series)
				known[key] = place
				n.Series = append(n.Series, *c)
			}
			part.columns, part.places = append(part.columns, i), append(part.places, place)
		}
		n.parts = append(n.parts, part)
		if half := r.Interval / 2; half > 0 && (n.within == 0 || half < n.within) {
			n.within = half
		}
	}
	return n
}

// checkedRows is how many rows are read between two looks at what else there is.
const checkedRows = 64

// Read reads a time of all recordings, with files of its own. Each gets the rows, a number
// for each of the series, NaN where there is none; they are good until it returns. Came is
// told how much was read, 0 to 1.
func (n *Numbers) Read(ctx context.Context, from, to time.Time, each func(at time.Time, values []float64), came func(share float64)) error {
	var open []*numbersReader
	defer func() {
		for _, r := range open {
			_ = r.Close()
		}
	}()
	for i := range n.parts {
		p := &n.parts[i]
		if len(p.columns) == 0 || p.recording.First.After(to) || p.recording.Last.Before(from) {
			continue
		}
		r, err := p.open(from, to)
		if err != nil {
			return err
		}
		open = append(open, r)
	}
	values := make([]float64, len(n.Series))
	for rows := 0; ; rows++ {
		if rows%checkedRows == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		at, err := n.row(open, to, values)
		if err != nil || at.IsZero() {
			return err
		}
		if each(at, values); rows%checkedRows == 0 {
			came(min(max(float64(at.Sub(from))/float64(to.Sub(from)), 0), 1))
		}
	}
}

// row takes the row that comes next, of all recordings that have one near it, and returns
// its time; zero: there is none.
func (n *Numbers) row(open []*numbersReader, to time.Time, values []float64) (at time.Time, err error) {
	for _, r := range open {
		if r.more && (at.IsZero() || r.row.Time.Before(at)) {
			at = r.row.Time
		}
	}
	for i := range values {
		values[i] = math.NaN()
	}
	for _, r := range open {
		if r.more && r.row.Time.Sub(at) <= n.within {
			r.project(values)
			if err := r.next(to); err != nil {
				return at, err
			}
		}
	}
	return at, nil
}

// numbersReader reads one recording.
type numbersReader struct {
	logs.Reader

	part *numbersPart
	row  logs.Row
	more bool // row is to be taken yet
}

// open opens a recording at a moment.
func (p *numbersPart) open(from, to time.Time) (*numbersReader, error) {
	reader, err := p.recording.Open()
	if err != nil {
		return nil, err
	}
	r := &numbersReader{Reader: reader, part: p}
	if len(p.columns) < len(p.recording.Columns) {
		reader.Only(p.columns)
	}
	if err = reader.SeekTime(from); err == nil {
		err = r.next(to)
	}
	if err != nil {
		_ = reader.Close()
		return nil, err
	}
	return r, nil
}

// next reads the row that comes next, if it is before a moment.
func (r *numbersReader) next(to time.Time) error {
	err := r.Next(&r.row)
	r.more = err == nil && r.row.Time.Before(to)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// project puts the values of the row at the places of their series. Of several columns of
// one counter the first that has a value counts.
func (r *numbersReader) project(values []float64) {
	for i, c := range r.part.columns {
		if f, ok := r.row.Values[c].Float(); ok && values[r.part.places[i]] != values[r.part.places[i]] {
			values[r.part.places[i]] = f
		}
	}
}
