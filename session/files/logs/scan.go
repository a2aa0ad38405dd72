package logs

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"
)

// Scan says how rows are read one after the other.
type Scan struct {
	Until time.Time // the last moment; zero: the end
	// Tick is called now and then, and Came is told, less often, how many of the bytes were
	// read; nil: nobody asks.
	Tick func()
	Came func(at, of int64)
}

const (
	betweenTicks = 256 // rows
	betweenCame  = 200 * time.Millisecond
)

// Rows gives rows from where a reader is. A row is good until the next one. An error is the last
// that is given: of reading, or why the context ended.
func (s Scan) Rows(ctx context.Context, r Reader) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		var row Row
		var looked time.Time
		for n := 0; ; n++ {
			if ctx.Err() != nil { // a row may be long
				yield(nil, context.Cause(ctx))
				return
			}
			if n%betweenTicks == 0 {
				s.tell(r, &looked)
			}
			err := r.Next(&row)
			if errors.Is(err, io.EOF) || err == nil && !s.Until.IsZero() && row.Time.After(s.Until) {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&row, nil) {
				return
			}
		}
	}
}

// tell tells how far the reading is.
func (s Scan) tell(r Reader, looked *time.Time) {
	if s.Tick != nil {
		s.Tick()
	}
	if s.Came == nil {
		return
	}
	if now := time.Now(); now.Sub(*looked) > betweenCame { // it takes reading
		*looked = now
		if span, err := r.Span(); err == nil {
			s.Came(span.At, span.Bytes)
		}
	}
}
