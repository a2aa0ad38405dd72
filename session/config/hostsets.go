package config

import (
	"strings"

	"perfdeck/paths"
)

// HostSet is a data collector set of a host that alerts may start and stop.
type HostSet struct {
	Host, Name string // as the config has them
	StopAny    bool
}

// whose are the runs of sets that alerts may stop.
type whose uint8

const anybodys whose = 1 // not only those that alerts began

// setCategories are what may stand before the name of a set; without one it is of the first.
var setCategories = []string{"Service", "System", "Session", "Autosession"}

// plainSet is the name of a set as names are compared: without the category that needs none.
func plainSet(name string) string {
	if category, set, has := strings.Cut(name, `\`); has && paths.EqualFold(category, setCategories[0]) {
		name = set
	}
	return paths.Fold(name)
}

// isSetName tells what can name a set, with or without its category.
func isSetName(s string) bool {
	if category, set, has := strings.Cut(s, `\`); has {
		s = set
		if !paths.ContainsFold(setCategories, category) {
			return false
		}
	}
	return plainText(s) && strings.TrimSpace(s) == s && !strings.Contains(s, `\`)
}

// hostSets are the sets that hosts name.
func hostSets(hosts []Host) (out []HostSet) {
	for i := range hosts {
		for _, name := range hosts[i].Sets {
			out = append(out, HostSet{hosts[i].Name, name, hosts[i].StopAny})
		}
	}
	return out
}

// Set finds a set as actions name it: HOST\NAME.
func (a *Alerts) Set(name string) (HostSet, bool) {
	host, set, _ := strings.Cut(name, `\`)
	return find(a.Sets, func(s *HostSet) bool { return paths.EqualFold(s.Host, host) && plainSet(s.Name) == plainSet(set) })
}
