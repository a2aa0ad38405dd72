package jsonlines

import (
	"context"
	"errors"
	"io"
	"time"

	"perfdeck/session/files/logs"
)

// Settle finds the row of a line, or the one behind it if that row is before a time: the row has
// that of its earliest line.
func (r *reader) Settle(line int64, t time.Time) (at int64, err error) {
	_, next, _, err := r.Window.Line(line)
	if err == nil {
		at, err = r.rowBefore(next, false)
	}
	for err == nil && at >= 0 {
		when, behind, err := r.rowFrom(at, next)
		if err != nil || behind == at || !when.Before(t) {
			return at, err
		}
		at, next = behind, behind
	}
	return line, err
}

// rowFrom is the time of the row that begins with a line, and where the next one begins, which is
// not before to.
func (r *reader) rowFrom(at, to int64) (t time.Time, next int64, err error) {
	var began time.Time
	hosts := map[string]bool{}
	for next = at; ; {
		line, end, whole, err := r.Window.Line(next)
		if err != nil || line == nil {
			return t, next, err
		}
		when, ok := r.timeOf(next, line, whole)
		host := string(r.probed.host)
		switch {
		case !ok:
		case len(hosts) == 0:
			began, t = when, when
		case next >= to && (hosts[host] || when.Sub(began).Abs() > r.within):
			return t, next, nil
		case when.Before(t):
			t = when
		}
		if next = end; ok {
			hosts[host] = true
		}
	}
}

func (r *reader) BackFrom(place int64, n int) (at int64, went int, err error) {
	return logs.BackBy(place, n, func(place int64) (int64, error) { return r.rowBefore(place, true) })
}

// rowBefore is where the row begins that ends at a place; -1: there is none. sure: of lines that are
// samples to their end.
func (r *reader) rowBefore(place int64, sure bool) (at int64, err error) {
	var last time.Time
	hosts := map[string]bool{}
	for at = -1; ; {
		before, _, when, _, err := r.Finder.Before(place)
		if err != nil || before < 0 {
			return at, err
		}
		host := string(r.probed.host)
		if sure && before != r.sureAt {
			line, _, _, err := r.Window.Line(before)
			if err != nil {
				return at, err
			}
			if !r.probed.scan(trimJSON(line)) {
				place = before
				continue
			}
			r.sureAt = before
		}
		if at >= 0 && (hosts[host] || last.Sub(when).Abs() > r.within) {
			return at, nil
		}
		if at < 0 {
			last = when
		}
		hosts[host], at, place = true, before, before
	}
}

// timeOf is the time of a line that Next would take, whose host is that of probed. Of one that is
// written as here the rest is not read.
func (r *reader) timeOf(_ int64, line []byte, whole bool) (t time.Time, ok bool) {
	line = trimJSON(line)
	ok = whole && r.probed.scanHead(&jsonScanner{rest: line[:min(len(line), 1000)], ok: true}) || r.probed.scan(line)
	return r.probed.time, ok
}

// IsComplete: columns may come with any line.
func (r *reader) IsComplete() (bool, error) { return false, nil }

// Complete reads all lines for their columns.
func (r *reader) Complete(ctx context.Context) error {
	for n := 0; ; n++ {
		line, err := r.peek()
		if errors.Is(err, io.EOF) {
			break
		}
		if n%logs.BetweenLooks == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		r.addColumns(line)
		r.Pass(r.keptEnd)
	}
	r.restart()
	return nil
}
