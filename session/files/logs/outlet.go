package logs

import (
	"errors"
	"io"

	"perfdeck/cooker"
)

// beatWriter is a format's part of a Printer.
type beatWriter interface {
	write(b *Beat) error
	close() error // writes what is held back
}

// outlet is where beats go: a stream, or a file by its name for formats that replace
// it with each.
type outlet struct {
	WriteOptions

	w    io.Writer
	file string // empty: the screen
}

// close is that of formats that hold nothing back.
func (outlet) close() error { return nil }

// Text is a value as tables show it: in the form of its counter, but in the
// counter's own unit and without groups of digits, as typeperf writes numbers. It has
// so many decimals where nobody says how many.
func (o WriteOptions) Text(c Cell, digits int) string {
	return string(cooker.AppendValue(nil, c.Value, o.format(c, digits)))
}

func (o WriteOptions) format(c Cell, digits int) cooker.Format {
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

// screenDecimals are the decimals of numbers on the screen, as typeperf has them.
const screenDecimals = 6

// ErrNoColumns says that a format with fixed columns found nothing to make them of.
var ErrNoColumns = errors.New("no instance of what was asked for is there")
