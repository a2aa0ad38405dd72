package main

import (
	"io"

	"perfdeck/session/record/spool"
)

// spooled are the recordings of the run that do not lie in plain files.
func (p *program) spooled() *spool.Spool {
	s, _ := p.spool.Get(func() (*spool.Spool, error) {
		return spool.New(spool.Options{
			Context: p.context, Half: p.life.Half, Report: func(err error) { p.report(err) },
			Stdin: func() (io.Reader, func()) { return p.standardInput(), p.takeTerminal },
			Past: func(name string) (func(string) (string, error), bool) {
				engine, is := p.pastNamed(name)
				return func(folder string) (string, error) { return p.spoolPast(engine, folder) }, is
			},
		}), nil
	})
	return s
}

// shown is a text with the names that the user knows in it, in place of those of folders
// that hold what was read.
func (p *program) shown(text string) string {
	if s, made := p.spool.Made(); made {
		return s.Shown(text)
	}
	return text
}
