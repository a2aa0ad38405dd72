package logs

import (
	"errors"
	"io"

	"perfdeck/cooker"
)

// BeatWriter is a format's part of a Printer.
type BeatWriter interface {
	Write(b *Beat) error
	Close() error // writes what is held back
}

// Outlet is where beats go: a stream, or a file by its name for formats that replace
// it with each.
type Outlet struct {
	WriteOptions

	W    io.Writer
	File string // empty: the screen
}

// Close is that of formats that hold nothing back.
func (Outlet) Close() error { return nil }

// Text is a value as tables show it: in the form of its counter, but in the
// counter's own unit and without groups of digits, as typeperf writes numbers. It has
// so many decimals where nobody says how many.
func (o WriteOptions) Text(c Cell, digits int) string {
	return string(cooker.AppendValue(nil, c.Value, o.Format(c, digits)))
}

// Format is that of Text.
func (o WriteOptions) Format(c Cell, digits int) cooker.Format {
	f := o.Looks.Of(c.Set, c.Counter).Format
	f.Style, f.Grouping = cooker.UnitPlain, ""
	switch {
	case o.Fixed:
		f.Digits = o.Decimals
	case f.Digits == cooker.DefaultDigits:
		f.Digits = digits
	}
	return f
}

// ScreenDecimals are the decimals of numbers on the screen, as typeperf has them.
const ScreenDecimals = 6

// ErrNoColumns says that a format with fixed columns found nothing to make them of.
var ErrNoColumns = errors.New("no instance of what was asked for is there")
