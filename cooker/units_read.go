package cooker

import "strings"

// UnitNamed is the unit of a quantity that a user names: its label in any style
// and case ("MB/s", "MiB", "ms"), or the prefix alone ("M", "mb" of MB/s). A
// prefix means what [UnitWindows] shows by it: powers of 1024 for bytes, of
// 1000 for all else.
func UnitNamed(q Quantity, name string) (Unit, bool) {
	if q.Kind >= quantityKinds {
		return Unit{}, false
	}
	name = strings.ToLower(name)
	if name == "us" { // µ is on few keyboards
		name = "µs"
	}
	for _, style := range []UnitStyle{UnitWindows, UnitIEC, UnitSI} {
		for _, s := range ladders[q.Kind][style] {
			label := strings.ToLower(s.label)
			if label != "" && (name == label || name == strings.TrimSuffix(label, "/s") || isPrefix(q.Kind, name, label)) {
				return Unit{Factor: s.factor / q.Base(), Label: s.label}, true
			}
		}
	}
	return Unit{}, false
}

// isPrefix tells a label without its unit: "m" of "mb/s". Seconds have units
// whose names are as short.
func isPrefix(kind QuantityKind, name, label string) bool {
	return name != "" && kind != Seconds && kind != Percent && name == strings.TrimRight(strings.TrimSuffix(label, "hz"), "b/s")
}
