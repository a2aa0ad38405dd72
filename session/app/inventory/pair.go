package inventory

import (
	"net"
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session/hosts/ssh"
)

// paired makes one host of each that is named itself and that an engine has, too: by its name,
// or by its short name where no other host has that.
func paired(targets []Target) []Target {
	if !slices.ContainsFunc(targets, func(t Target) bool { return t.IsEngine() }) {
		return targets
	}
	whole, short := map[string][]int{}, map[string][]int{}
	for i := range targets {
		if targets[i].IsEngine() {
			continue
		}
		for _, name := range targets[i].names() {
			add(whole, name, i)
			add(short, shortName(name), i)
		}
	}
	engines := map[string]int{} // how many hosts of engines have a short name
	var theirs []int
	for i := range targets {
		if t := &targets[i]; t.IsEngine() {
			engines[shortName(engineName(t.Address))]++
			if t.Own.Name == "" { // else it has its name by the config
				theirs = append(theirs, i)
			}
		}
	}
	gone := make([]bool, len(targets))
	pair := func(at []int, engine int) {
		if len(at) == 1 && targets[at[0]].Engine == "" {
			targets[at[0]].Engine, gone[engine] = targets[engine].Address, true
		}
	}
	for _, i := range theirs {
		pair(whole[paths.Fold(engineName(targets[i].Address))], i)
	}
	for _, i := range theirs {
		name := engineName(targets[i].Address)
		at := short[shortName(name)]
		if !gone[i] && engines[shortName(name)] == 1 && len(at) == 1 && targets[at[0]].alsoCalled(name) {
			pair(at, i)
		}
	}
	out := targets[:0]
	for i := range targets {
		if !gone[i] {
			out = append(out, targets[i])
		}
	}
	return out
}

func add(to map[string][]int, name string, i int) {
	if name = paths.Fold(name); !slices.Contains(to[name], i) {
		to[name] = append(to[name], i)
	}
}

// names are what a host that is named itself may be called by others.
func (t *Target) names() []string {
	out := []string{t.Name}
	if t.IsOwn() {
		out = append(out, LocalName())
	}
	if at, err := parseAddress(t.Address); err == nil && !t.IsOwn() {
		out = append(out, strings.TrimSuffix(at.host, "."))
	}
	if d, err := ssh.Parse(t.Address); err == nil {
		out = append(out, d.Host)
	}
	return out
}

// alsoCalled tells whether a name is the short one of a host's, or its name the short one of it.
func (t *Target) alsoCalled(name string) bool {
	return slices.ContainsFunc(t.names(), func(own string) bool {
		return paths.EqualFold(shortName(own), shortName(name)) && (paths.EqualFold(own, shortName(own)) || paths.EqualFold(name, shortName(name)))
	})
}

// shortName is a host's name without its domain, folded; an address has no other.
func shortName(name string) string {
	if net.ParseIP(name) == nil {
		name, _, _ = strings.Cut(name, ".")
	}
	return paths.Fold(name)
}
