package engine

import (
	"slices"
	"time"

	"perfdeck/session/engine/query"
)

// reply is what an engine has of hosts. It is made once, and then only read.
type reply struct {
	hosts    []hosted
	at       map[string]int // hosts by their names
	series   query.Seen     // in the order of the answer
	of       []int          // by series: its host
	spacing  spacing
	took     time.Duration
	warnings []string

	now []int // by host of the reply before: the same in this one; -1: it is not here yet
}

// hosted is what there is of a host.
type hosted struct {
	name    string
	samples []sample
	gap     time.Duration // between its samples; 0: it is not known
}

// newReply is a reply that is to be filled, most likely with what the one before had.
func newReply(before *reply) *reply {
	n := len(before.hosts)
	a := &reply{hosts: make([]hosted, 0, n), at: make(map[string]int, n), now: make([]int, n)}
	a.series, a.of = make(query.Seen, 0, len(before.series)), make([]int, 0, len(before.of))
	for i := range a.now {
		a.now[i] = -1
	}
	return a
}

// samplesOf are those of a host, and how far they are from each other.
func (a *reply) samplesOf(name string) ([]sample, time.Duration) {
	if i, ok := a.at[name]; ok {
		return a.hosts[i].samples, a.hosts[i].gap
	}
	return nil, 0
}

// host is the place of a host, which has so many series, as far as is known.
func (a *reply) host(name string, series int) int {
	i, ok := a.at[name]
	if !ok {
		i = len(a.hosts)
		a.at[name] = i
		a.hosts = append(a.hosts, hosted{name: name, samples: make([]sample, 0, max(series, 1))})
	}
	return i
}

// set puts in the place of what there is of a host what another reply has of it.
func (a *reply) set(name string, from *reply) {
	if samples, gap := from.samplesOf(name); len(samples) > 0 {
		i := a.host(name, 0)
		a.hosts[i].samples, a.hosts[i].gap = samples, gap
	}
}

// add adds a series of a host that a label names. Most are those of the reply before, in the same
// order.
func (a *reply) add(s query.Series, label string, before *reply) {
	n := len(s.Points)
	if n == 0 {
		return
	}
	one := sample{at: s.Points[n-1].At, value: s.Points[n-1].Value}
	var i int
	if s.Seen >= 0 {
		one.labels = before.series[s.Seen]
		was := before.of[s.Seen]
		if i = a.now[was]; i < 0 {
			i = a.host(before.hosts[was].name, len(before.hosts[was].samples))
			a.now[was] = i
		}
	} else {
		one.labels = slices.Clone(s.Labels)
		i = a.host(s.Labels.Get(label), 0)
	}
	h := &a.hosts[i]
	if n > 1 {
		one.before = s.Points[n-2]
		h.gap = max(h.gap, time.Duration(one.at-one.before.At)*time.Millisecond)
	}
	h.samples = append(h.samples, one)
	a.series, a.of = append(a.series, one.labels), append(a.of, i)
}
