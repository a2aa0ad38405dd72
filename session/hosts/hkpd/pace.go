package hkpd

import (
	"fmt"
	"time"

	"perfdeck/session/text/english"
)

const (
	share     = 2  // a call may take one part in so many of the interval
	maxFactor = 60 // times the interval that an object is read less often
	patience  = 3  // cheaper calls in a row before an object is read more often
	quickly   = 8  // calls that take one part in so many of the interval cost next to nothing
	manyQuick = 10 // of these in a row let an object go back to the others
)

// pace is how often a want is read: every factor-th time it is due. 0 is 1.
type pace struct {
	factor int
	passed int
	lower  int // calls in a row after which a smaller factor would have done
}

// due tells whether this is the time, of those it is due, that it is read.
func (p *pace) due() bool {
	if p.passed++; p.passed < p.factor {
		return false
	}
	p.passed = 0
	return true
}

// adapt widens at once and narrows after a while, so that a call of this cost
// takes no more than its share of the time.
func (p *pace) adapt(cost, every time.Duration) {
	factor := int(min((share*cost+every-1)/every, maxFactor))
	switch {
	case factor >= p.factor:
		p.factor, p.lower = factor, 0
	default:
		if p.lower++; p.lower >= patience {
			p.factor, p.lower = factor, 0
		}
	}
}

// judge draws the consequences of a call for these objects that took so long. A
// call for several that takes more than its share of the shortest interval loses
// the largest of them to a call of its own; one that is slow by itself is read
// less often. The first call for an object says nothing: hosts load the provider
// then.
func judge(objects []*object, took time.Duration) {
	first := false
	shortest := time.Duration(0)
	for _, o := range objects {
		first = first || o.reads == 0
		o.reads++
		for _, w := range o.due {
			if w.Every > 0 && (shortest == 0 || w.Every < shortest) {
				shortest = w.Every
			}
		}
	}
	switch {
	case first || shortest == 0:
	case len(objects) > 1:
		if share*took > shortest {
			largest(objects).part()
		}
	default:
		objects[0].measure(took, shortest)
	}
}

func largest(objects []*object) *object {
	out := objects[0]
	for _, o := range objects {
		if o.size > out.size {
			out = o
		}
	}
	return out
}

// part lets the object be read by a call of its own.
func (o *object) part() { o.alone, o.cost, o.quick = true, 0, 0 }

// measure takes a call for this object alone into account.
func (o *object) measure(took, every time.Duration) {
	if o.cost == 0 {
		o.cost = took
	}
	o.cost = (o.cost + took) / 2
	for _, w := range o.due {
		if w.Every > 0 {
			w.pace.adapt(o.cost, w.Every)
			o.alone = o.alone || w.pace.factor > 1
		}
	}
	if quickly*took > every {
		o.quick = 0
		return
	}
	if o.quick++; o.quick >= manyQuick {
		o.alone, o.quick = false, 0
	}
}

// note says that the want is read less often than it was asked for, nil if it is
// not.
func (w *want) note() error {
	if w.pace.factor <= 1 || w.object == nil {
		return nil
	}
	every := time.Duration(w.pace.factor) * w.Every
	return fmt.Errorf("%s is read every %s, not every %s: its %s take %s",
		w.Set.Name, english.Span(every), english.Span(w.Every), english.Size(int64(rounded(w.object.size))), english.Span(rounded(w.object.cost)))
}

// rounded has two digits, so that notes stay the same while little changes.
func rounded[N ~int64 | ~uint32](n N) N {
	unit := N(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}
