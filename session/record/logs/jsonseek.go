package logs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"
)

// SeekTime bisects the file for a line, and goes to the row that it is of.
func (r *jsonReader) SeekTime(t time.Time) error {
	if r.finder.first < 0 {
		return nil
	}
	at, err := r.finder.find(t)
	if err != nil {
		return err
	}
	r.jump(at)
	if _, err := r.Back(1); err != nil {
		return err
	}
	for row := (Row{}); ; {
		switch err := r.Next(&row); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if !row.Time.Before(t) {
			_, err := r.Back(1)
			return err
		}
	}
}

// Back goes back over the lines of one beat after the other.
func (r *jsonReader) Back(n int) (went int, err error) {
	for ; went < n && r.finder.first >= 0 && r.at > r.finder.first; went++ {
		if err := r.backOne(); err != nil {
			return went, err
		}
	}
	return went, nil
}

func (r *jsonReader) backOne() error {
	line, err := r.before(r.at)
	if err != nil || line == nil {
		return err
	}
	last, hosts := line.time, map[*jsonColumns]bool{r.columnsOf(line): true}
	for {
		here := r.at
		line, err := r.before(here)
		if err != nil || line == nil {
			return err
		}
		host := r.columnsOf(line)
		if last.Sub(line.time).Abs() > r.within || hosts[host] {
			r.jump(here)
			return nil
		}
		hosts[host] = true
	}
}

// before goes to the sample before a place; nil if there is none.
func (r *jsonReader) before(place int64) (*jsonLine, error) {
	for {
		at, _, _, _, err := r.finder.before(place)
		if err != nil || at < 0 {
			return nil, err
		}
		r.jump(at)
		line, err := r.peek()
		if err == nil && r.keptAt == at {
			return line, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		place = at // it only looks like a sample
	}
}

// timeOf is the time of a line that Next would take. Of one that is written as AppendJSON does
// the rest is not read.
func (r *jsonReader) timeOf(_ int64, line []byte, whole bool) (t time.Time, ok bool) {
	line = trimJSON(line)
	if own, isOwn := bytes.CutPrefix(line, jsonTimeKey); isOwn && whole {
		text, _, _ := bytes.Cut(own[:min(len(own), 100)], []byte(`"`))
		if t, err := time.Parse(time.RFC3339Nano, string(text)); err == nil {
			return t, true
		}
	}
	if !r.probed.scan(line) {
		return t, false
	}
	return r.probed.time, true
}

// isComplete: columns may come with any line.
func (r *jsonReader) isComplete() (bool, error) { return false, nil }

// complete reads all lines for their columns.
func (r *jsonReader) complete(ctx context.Context) error {
	for n := 0; ; n++ {
		line, err := r.peek()
		if errors.Is(err, io.EOF) {
			break
		}
		if n%betweenLooks == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		r.addColumns(line)
		r.pass(r.keptEnd)
	}
	r.restart()
	return nil
}

// betweenLooks is how many rows are read between looks at the context.
const betweenLooks = 4096
