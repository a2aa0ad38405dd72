package main

import (
	"io"

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

// writeText writes to a file that the user named, or to standard output.
func (p *program) writeText(output string, overwrite bool, text []byte) error {
	if output != "" {
		return osfile.WriteNamed(output, text, overwrite)
	}
	_, err := p.out.Write(text)
	return unlessPipe(err)
}
