package prom

import (
	"cmp"
	"errors"

	"perfdeck/paths"
	"perfdeck/session"
)

// The metrics of a host, with the label host.
var (
	hostUp   = Metric{Name: "perfdeck_host_up", Scale: 1, Help: "Whether the host answered: 1, or 0 with perfdeck_host_down_info."}
	hostDown = Metric{Name: "perfdeck_host_down_info", Scale: 1, Help: "Why a host gives no values: denied, no answer, not there, or failed."}
)

// HostMetrics are whether a host answers, and why not, with the label reason besides.
func HostMetrics() (up, down *Metric) { return &hostUp, &hostDown }

// Why a host gives nothing, as one of few words: a label that is a text of its own each
// time would be a new series each time.
const (
	Denied   = "denied"
	NoAnswer = "no answer"
	NotThere = "not there"
	Failed   = "failed"
)

// ReasonLabel has them.
const ReasonLabel = "reason"

// ReasonOf is why a host gives nothing.
func ReasonOf(err error) string {
	var late interface{ Timeout() bool }
	switch {
	case errors.Is(err, session.ErrDenied):
		return Denied
	case errors.Is(err, session.ErrNotThere):
		return NotThere
	case errors.As(err, &late) && late.Timeout():
		return NoAnswer
	}
	return Failed
}

// EachHostLabel goes through the labels of a host.
func EachHostLabel(host string, put func(name, value string)) { put(HostLabel, LabelValue(host)) }

// UsualSets are the countersets that are given where nobody says which: those that tell of
// any computer how it is.
func UsualSets() []string {
	return []string{"System", "Memory", "Processor Information", "PhysicalDisk", "LogicalDisk", "Network Interface", "TCPv4", "TCPv6"}
}

// TotalsOf are the paths that one is given who names a counterset whole of which the instances are many,
// and each is a series for ever: a path names one. nil: all of it is given.
func TotalsOf(set string) []string {
	if paths.EqualFold(set, "Service") {
		return []string{`\Service(_Total)\Running`, `\Service(_Total)\Stopped`, `\Service(_Total)\Failed`}
	}
	return nil
}

// Whole are the questions of who names countersets whole; optional: a host need not have them.
func Whole(sets []string, optional bool) (out []session.Question) {
	for _, name := range sets {
		totals := TotalsOf(name)
		for _, text := range totals {
			out = append(out, session.Question{Text: text, Optional: optional})
		}
		if totals == nil {
			out = append(out, session.Question{Text: name, Whole: true, Optional: optional})
		}
	}
	return out
}

// EachAlertLabel goes through the labels of an alert about an instance of a counter, or,
// without a counterset, about a host: those that its values have, and the names of
// counterset and counter. A process is told apart by its number, as its values are.
func EachAlertLabel(host, set, counter string, hasInstance bool, in *session.Instance, put func(name, value string)) {
	put(HostLabel, LabelValue(host))
	if set == "" {
		return
	}
	put(SetLabel, LabelValue(set))
	put(CounterLabel, LabelValue(counter))
	if !hasInstance {
		return
	}
	n := Names{Instance: "name"}
	if k := knownAs(set, counter); k != nil {
		n.Instance, n.ByNumber = cmp.Or(k.instance, n.Instance), k.byNumber
	}
	n.EachLabel(host, in, func(name, value string) {
		if name != HostLabel {
			put(name, value)
		}
	})
}

// The labels of alerts that tell what they are about.
const (
	SetLabel     = "counterset"
	CounterLabel = "counter"
)
