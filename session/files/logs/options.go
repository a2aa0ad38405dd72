package logs

import (
	"perfdeck/session"
	"perfdeck/session/text/language"
)

// OpenOptions say how a recording is read. The zero OpenOptions will do.
type OpenOptions struct {
	Encoding string               // of a text file: see textfile.Encodings; empty: guessed
	Faults   int                  // how many are kept word for word; 0: a few
	Names    *language.Dictionary // what names are in English; nil: what is built in
	English  bool                 // names are given in English, as far as they are known
	Set      string               // of the sets of an SQLite file, DisplayToID.DisplayString; empty: the one with the newest start
}

// WriteOptions say how a recording is written. The zero WriteOptions are right
// for a recorder.
type WriteOptions struct {
	Overwrite bool // an existing file is replaced; else it is an error
	// NoLinks refuses a link that has the name of the file.
	NoLinks bool
	// Buffered collects rows instead of writing each at once: for conversions.
	Buffered bool
	// Fixed writes numbers with so many Decimals in text formats, as Windows does on
	// the screen; else all of their 17 digits are written.
	Fixed    bool
	Decimals int
	// Set is the name of the set in an SQLite file; empty: that of the file. Append
	// adds a set that is not there.
	Set string
	// Spreadsheet keeps text that begins as a formula from being one.
	Spreadsheet bool
	// Screen is set where a terminal gets the text: names are made printable. Files
	// have them as they are.
	Screen bool
	// Cells is how wide that terminal is now; nil where nobody knows. What is wider
	// than it is written otherwise.
	Cells func() int
	// Beats is how many come to a Printer at most; 0: until it is closed.
	Beats int
	// Looks are how numbers are shown in tables, in sentences and in the text of JSON; nil:
	// as their counters ask.
	Looks session.Looks
}
