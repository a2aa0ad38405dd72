package logs

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"
)

// salvaged is a recording that ends where it cannot be read any further.
type salvaged struct {
	Reader

	ctx    context.Context
	faults Faults
	over   bool
}

// Salvage lets a recording end with a fault where Next would fail: among others its rows
// up to there are of use. What ends with the context fails all the same.
func Salvage(ctx context.Context, r Reader) Reader { return &salvaged{Reader: r, ctx: ctx} }

func (s *salvaged) Next(row *Row) error {
	if s.over {
		return io.EOF
	}
	err := s.Reader.Next(row)
	if err == nil || errors.Is(err, io.EOF) || s.ctx.Err() != nil {
		return err
	}
	e, ok := errors.AsType[*FileError](err)
	if !ok {
		e = &FileError{Err: err}
	}
	s.over = true
	s.faults.row(e)
	return io.EOF
}

func (s *salvaged) SeekTime(t time.Time) error {
	s.over = false
	return s.Reader.SeekTime(t)
}

func (s *salvaged) Back(n int) (int, error) {
	s.over = false
	return s.Reader.Back(n)
}

func (s *salvaged) complete(ctx context.Context) error { return Complete(ctx, s.Reader) }

func (s *salvaged) isComplete() (bool, error) { return IsComplete(s.Reader) }

func (s *salvaged) Faults() Faults {
	all := s.Reader.Faults()
	all.Rows += s.faults.Rows
	all.First = append(slices.Clone(all.First), s.faults.First...)
	return all
}
