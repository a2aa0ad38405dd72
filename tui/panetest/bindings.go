package panetest

import "perfdeck/tui/keys"

// Conflicts lists keys that mean two things in one map.
func Conflicts(bindings []keys.Binding) []string {
	seen, out := map[string]string{}, []string(nil)
	for i := range bindings {
		for _, k := range bindings[i].Keys {
			if other, dup := seen[k]; dup {
				out = append(out, k+": "+other+", "+bindings[i].Text)
			}
			seen[k] = bindings[i].Text
		}
	}
	return out
}

// Foreign lists the keys of bindings that no action of the table has: nobody
// could give them another key. Those of fixed bindings are meant so.
func Foreign(bindings []keys.Binding) []string {
	var out []string
	for i := range bindings {
		if bindings[i].Fixed {
			continue
		}
		for _, k := range bindings[i].Keys {
			if keys.ActionOf(k) == nil && keys.WhyReserved(k) == "" {
				out = append(out, k)
			}
		}
	}
	return out
}
