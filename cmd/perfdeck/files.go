package main

import (
	"bytes"
	"io"
	"unicode/utf16"

	"perfdeck/session/record/target"
	"perfdeck/session/system/osfile"
)

// stdinName is how the standard input is named in place of a file.
const stdinName = target.Stdio

// readInput reads a file, or standard input for -, up to a size.
func (p *program) readInput(name string, most int64) ([]byte, error) {
	if name == stdinName {
		return osfile.ReadUpTo(p.standardInput(), "standard input", most)
	}
	return osfile.Read(p.context(), name, most)
}

// standardInput is what is read until a signal ends the program.
func (p *program) standardInput() io.Reader { return osfile.Until(p.context(), p.in) }

// decodeText turns the bytes of a text file into UTF-8: UTF-16 with a byte order
// mark, or UTF-8 with or without one.
func decodeText(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return decodeUTF16(data[2:], 0)
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return decodeUTF16(data[2:], 1)
	}
	return string(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")))
}

// decodeUTF16 reads UTF-16; low is where in a pair the low byte stands.
func decodeUTF16(data []byte, low int) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = uint16(data[2*i+low]) | uint16(data[2*i+1-low])<<8
	}
	return string(utf16.Decode(units))
}

// writeText writes to a file that the user named, or to standard output.
func (p *program) writeText(output string, overwrite bool, text []byte) error {
	if output != "" {
		return osfile.WriteNamed(output, text, overwrite)
	}
	_, err := p.out.Write(text)
	return unlessPipe(err)
}
