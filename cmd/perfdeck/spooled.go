package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"perfdeck/session/files/past"
	"perfdeck/session/files/spool"
	"perfdeck/session/hosts/engine"
)

// spooled are the recordings of the run that do not lie in plain files.
func (p *program) spooled() *spool.Spool {
	s, _ := p.spool.Get(func() (*spool.Spool, error) {
		return spool.New(spool.Options{
			Context: p.context, Half: p.life.Half, Report: p.tellError,
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

// pastNamed is the address of a part of the past of an engine, which may be named as an
// [[engine]] of the config is; ok is false for a file.
func (p *program) pastNamed(name string) (address string, ok bool) {
	if past.IsSpan(name) {
		return name, true
	}
	if _, err := os.Stat(name); err == nil || strings.ContainsAny(name, `/\`) && !strings.Contains(name, past.Mark) {
		return "", false
	}
	known, err := p.inventory()
	if err != nil {
		return "", false // the file that is not there is told
	}
	return known.EngineAddress(name)
}

// isSpan tells a part of the past of an engine that says when it was.
func (p *program) isSpan(name string) bool {
	if !strings.Contains(name, past.Mark) {
		return false
	}
	_, is := p.pastNamed(name)
	return is
}

// pastHosts are hosts of engines that are named with a moment, which are played as recordings
// are: either all are, or none.
func (p *program) pastHosts() ([]string, error) {
	if len(p.flags.Hosts) == 0 {
		return nil, nil
	}
	known, err := p.inventory()
	if err != nil {
		return nil, err
	}
	return known.PastHosts(p.flags.Hosts)
}

// spoolPast reads a part of the past into a recording in a folder.
func (p *program) spoolPast(name, folder string) (file string, err error) {
	known, err := p.inventory()
	if err != nil {
		return "", err
	}
	tick, end := p.shareBar()
	defer end()
	return past.Record(p.context(), known, name, folder, func(hosts string, by time.Duration) {
		p.spooled().Tell(fmt.Errorf("%s: %s: times are by the engine's", hosts, engine.ClockWords(by)))
	}, tick)
}
