package prom

import (
	"cmp"

	"perfdeck/session"
)

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
