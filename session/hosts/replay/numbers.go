package replay

import (
	"context"
	"errors"
	"io"
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

// Read reads a time of all recordings, with files of its own. Each gets the rows, a number
// for each of the series, NaN where there is none; they are good until it returns. Came is
// told how much was read, 0 to 1.
func (n *Numbers) Read(ctx context.Context, from, to time.Time, each func(at time.Time, values []float64), came func(share float64)) error {
	var open []session.Numbered
	for i := range n.parts {
		p := &n.parts[i]
		if len(p.columns) == 0 || p.recording.First.After(to) || p.recording.Last.Before(from) {
			continue
		}
		r, err := p.open(from)
		if err != nil {
			return err
		}
		defer r.reader.Close()
		open = append(open, r)
	}
	rows := session.Merged{From: from, To: to, Within: n.within, Width: len(n.Series), Came: came}
	return rows.Read(ctx, open, each)
}

// numbersReader reads one recording.
type numbersReader struct {
	part   *numbersPart
	reader logs.Reader
	row    logs.Row
	more   bool // row is to be taken yet
}

// open opens a recording at a moment.
func (p *numbersPart) open(from time.Time) (*numbersReader, error) {
	reader, err := p.recording.Open()
	if err != nil {
		return nil, err
	}
	r := &numbersReader{part: p, reader: reader}
	if len(p.columns) < len(p.recording.Columns) {
		reader.Only(p.columns)
	}
	if err = reader.SeekTime(from); err == nil {
		err = r.read()
	}
	if err != nil {
		_ = reader.Close()
		return nil, err
	}
	return r, nil
}

// read reads the row that comes next.
func (r *numbersReader) read() error {
	err := r.reader.Next(&r.row)
	r.more = err == nil
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Next implements session.Numbered.
func (r *numbersReader) Next() (at time.Time, ok bool) { return r.row.Time, r.more }

// Take implements session.Numbered. Of several columns of one counter the first that has a value
// counts.
func (r *numbersReader) Take(among []float64) error {
	for i, c := range r.part.columns {
		if f, ok := r.row.Values[c].Float(); ok && among[r.part.places[i]] != among[r.part.places[i]] {
			among[r.part.places[i]] = f
		}
	}
	return r.read()
}
