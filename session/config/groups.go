package config

import (
	"cmp"
	"slices"

	"perfdeck/paths"
)

const groupsTable = "groups"

// Group is a row of [groups]: hosts that belong together.
type Group struct {
	Name  string
	Hosts []string // names of [[host]] tables, or hosts as --host takes them
}

// maxGroupHosts bounds the hosts of a group.
const maxGroupHosts = 10_000

// Group finds a group by its name, compared without case.
func (c *Config) Group(name string) (Group, bool) {
	return find(c.Groups, func(g *Group) bool { return paths.EqualFold(g.Name, name) })
}

// GroupsOf names the groups of a host that goes by any of the names, in the
// order of the file.
func (c *Config) GroupsOf(names ...string) []string {
	var out []string
	for _, g := range c.Groups {
		if slices.ContainsFunc(g.Hosts, func(h string) bool { return paths.ContainsFold(names, h) }) {
			out = append(out, g.Name)
		}
	}
	return out
}

// decodeGroups reads the table [groups]: NAME = ["HOST", "HOST"].
func decodeGroups(root table) []Group {
	t, ok := root.table(groupsTable)
	if !ok {
		return nil
	}
	names := slices.SortedFunc(slices.Values(t.keys()), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.at.field(a).key, t.at.field(b).key), cmp.Compare(a, b))
	})
	group, host := text(`one word, as "fra"`, func(s string) bool { return isHost(s) && isName(s) }), hostName() // as filters have groups
	var out []Group
	taken := map[string]bool{}
	for _, key := range names {
		g := Group{Name: key}
		if _, ok := group.read(key); !ok {
			t.misnamed(key, group.expected)
		}
		if taken[paths.Fold(key)] {
			t.d.fault(t.at.field(key).key, &FileError{Key: t.key(key), Reason: "there is one already", Expected: "a name that no other group has"})
		}
		taken[paths.Fold(key)] = true
		items, ok := t.values[key].([]any)
		if !ok || len(items) == 0 || len(items) > maxGroupHosts {
			t.wrong(key, `its hosts, as ["web01", "web02"]`)
			continue
		}
		for i, item := range items {
			name, ok := host.read(item)
			if !ok {
				t.d.found(t.at.field(key).item(i).value, t.key(key), item, host.expected)
				continue
			}
			g.Hosts = append(g.Hosts, name)
		}
		out = append(out, g)
	}
	return out
}
