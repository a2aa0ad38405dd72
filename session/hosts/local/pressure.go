package local

import (
	"bytes"

	"perfdeck/cooker"
)

// pressure is a file of stall information (Documentation/accounting/psi.rst).
type pressure struct {
	some, full stall
	why        cooker.Status
}

type stall struct {
	ok       bool
	averages [3]uint64 // hundredths of a percent, over 10, 60, 300 s
	totalUS  uint64
}

func (p *pressure) parse(b []byte) {
	p.some, p.full = stall{}, stall{}
	for l := range lines(b) {
		kind, rest := field(l)
		switch string(kind) {
		case "some":
			p.some.parse(rest)
		case "full":
			p.full.parse(rest)
		}
	}
}

func (s *stall) parse(b []byte) {
	for {
		var word []byte
		if word, b = field(b); len(word) == 0 {
			return
		}
		key, value, _ := bytes.Cut(word, []byte("="))
		switch string(key) {
		case "avg10":
			s.averages[0], _ = hundredths(value)
		case "avg60":
			s.averages[1], _ = hundredths(value)
		case "avg300":
			s.averages[2], _ = hundredths(value)
		case "total":
			s.totalUS, _, s.ok = number(value)
		}
	}
}

var pressureCounters = []counter[pressure]{
	{"% Some Stall Time", 0, stallTime(someOf)},
	{"% Full Stall Time", 0, stallTime(fullOf)},
	{"Some Average 10", 0, stallMean(someOf, 0)},
	{"Some Average 60", 0, stallMean(someOf, 1)},
	{"Some Average 300", 0, stallMean(someOf, 2)},
	{"Full Average 10", 0, stallMean(fullOf, 0)},
	{"Full Average 60", 0, stallMean(fullOf, 1)},
	{"Full Average 300", 0, stallMean(fullOf, 2)},
}

func someOf(p *pressure) *stall { return &p.some }
func fullOf(p *pressure) *stall { return &p.full }

// microsecond is 1 µs in units of 100 ns.
const microsecond = 10

// stalled are the counts of a resource that grow no faster than time: a stall of
// all tasks is one of some.
func stalled(p *pressure) [mostPaced]uint64 { return [mostPaced]uint64{p.time()} }

func (p *pressure) time() uint64 { return max(p.some.totalUS, p.full.totalUS) * microsecond }

func stallTime(of func(*pressure) *stall) func(*pressure) cooker.Reading {
	return func(p *pressure) cooker.Reading {
		if s := of(p); s.ok {
			return raw(s.totalUS * microsecond)
		}
		return missing(p.why)
	}
}

func stallMean(of func(*pressure) *stall, i int) func(*pressure) cooker.Reading {
	const whole = 100_00 // hundredths of a percent
	return func(p *pressure) cooker.Reading {
		if s := of(p); s.ok {
			return ratio(s.averages[i], whole)
		}
		return missing(p.why)
	}
}
