package pipeline

import (
	"perfdeck/session/alert"
)

// Unjudged knows which rules no host can follow, tells each once, and knows whether any is
// left to judge. One goroutine uses it; the zero value has told nothing.
type Unjudged struct {
	told   map[string]string // by rule: the problem
	judged bool              // some rule could be judged
}

// Left is what an Unjudged sees.
type Left uint8

// What is left to judge.
const (
	Something  Left = iota
	HadAll          // no more: all rules were to be judged once, and were
	HadSome         // no more: some were judged, and others have problems that were told
	HadNothing      // no rule can be judged
)

// idle is told of a rule that finds no instance.
const idle = "no instance matches it now; one that comes is judged"

// Look tells what the board has of problems that were not told. waits: some host did not
// answer so far. Something is left where a rule has not had its only sample, or may be
// judged when a host answers or a user switches it on: what a host lacks later it may have
// again. Rules of packs are for many kinds of hosts, and lack something on most.
func (o *Unjudged) Look(b *alert.Board, waits bool, tell func(rule, problem string)) Left {
	if o.told == nil {
		o.told = map[string]string{}
	}
	left, over, off := waits, false, true
	for i := range b.Rules {
		r := &b.Rules[i]
		if r.Disabled {
			continue
		}
		off = false
		problem := r.Problem
		switch {
		case problem != "":
		case r.Over:
			over = true
		default:
			left, o.judged = true, o.judged || r.Hosts > 0 && r.Interval != alert.Once
			if r.Idle && o.told[r.Name] == "" {
				problem = idle
			}
		}
		if problem == "" || o.told[r.Name] == problem || r.IsOfPack() {
			continue
		}
		o.told[r.Name] = problem
		tell(r.Name, problem)
	}
	switch {
	case left || o.judged || off:
		return Something
	case !over:
		return HadNothing
	case len(o.told) > 0:
		return HadSome
	}
	return HadAll
}
