package session

import (
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
)

// nesting are the countersets of which instances count what others of them do. It goes by
// names, so that it holds whichever way a counterset came here. within tells whether one of
// a folded name is within another; upper are the names of all that have a value.
var nesting = []struct {
	set    string
	always bool // it has such instances on each host
	within func(name string, upper map[string]bool) bool
}{
	{"Control Group", true, isGroupWithin},
	{"PhysicalDisk", false, isDiskWithin}, // as exporters name those of Linux
}

// isGroupWithin: the group / holds all, a those whose names begin with a_.
func isGroupWithin(name string, upper map[string]bool) bool {
	if name == "/" {
		return false
	}
	within := upper["/"]
	for i := strings.LastIndexByte(name, '_'); !within && i > 0; i = strings.LastIndexByte(name[:i], '_') {
		within = upper[name[:i]]
	}
	return within
}

// isDiskWithin: a disk holds its partitions, and disks hold what is mapped onto them.
func isDiskWithin(name string, upper map[string]bool) bool {
	if isMappedDisk(name) {
		for other := range upper {
			if !isMappedDisk(other) {
				return true
			}
		}
	}
	whole := strings.TrimRight(name, "0123456789")
	if whole == name {
		return false
	}
	before, isPart := strings.CutSuffix(whole, "p") // nvme0n1p2
	return upper[whole] || isPart && upper[before]
}

// isMappedDisk tells device mapper, RAID and loop devices of Linux by their names.
func isMappedDisk(name string) bool {
	for _, kind := range []string{"dm-", "md", "loop"} {
		if rest, ok := strings.CutPrefix(name, kind); ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			return true
		}
	}
	return false
}

// Outermost leaves out of rows those of instances within another one that has a value too:
// that one counts them already. at is the instance of a row and its value. Rows of countersets
// without such instances stay as they are.
func (s *Counterset) Outermost(rows []int, at func(row int) (*Instance, cooker.Value)) []int {
	i := s.nesting()
	if i < 0 {
		return rows
	}
	upper := make(map[string]bool, len(rows))
	for _, row := range rows {
		if in, v := at(row); v.Valid() {
			upper[paths.Fold(in.Key.Name)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(rows), func(row int) bool {
		in, _ := at(row)
		return nesting[i].within(paths.Fold(in.Key.Name), upper)
	})
}

// Nests tells whether instances of the counterset count what others of it do on each host.
func (s *Counterset) Nests() bool {
	i := s.nesting()
	return i >= 0 && nesting[i].always
}

func (s *Counterset) nesting() int {
	for i := range nesting {
		if paths.EqualFold(nesting[i].set, s.InEnglish()) {
			return i
		}
	}
	return -1
}

// IsOfProcesses tells whether the instances are processes, by the name of the counterset.
func IsOfProcesses(set string) bool {
	return paths.EqualFold(set, "Process") || paths.EqualFold(set, "Process V2")
}

// IsOfInterfaces tells whether the instances are network interfaces.
func (s *Counterset) IsOfInterfaces() bool {
	return paths.EqualFold(s.InEnglish(), "Network Interface") || paths.EqualFold(s.InEnglish(), "Network Adapter")
}

// Names of interfaces that loop back, or count what others carry again, in lower case, as
// alternatives of a regular expression: those of Linux, its containers and the BSDs before a
// number, and before anything but blanks; words in those of the drivers of Windows.
const (
	numberedAgain = "lo|bond|team|br|bridge|dummy|ifb|gre|gretap|erspan|sit|ip6tnl|ip6gre|ip_vti|ip6_vti|gif|stf|utun|awdl|llw|anpi|lagg|epair|wg|pflog|pfsync|nlmon"
	namedAgain    = "br-|veth|vnet|virbr|vmbr|fwbr|fwpr|fwln|ovs-|docker|podman|cni|cbr|isatap|cali|cilium|flannel|weave|kube-|lxc|lxd|tun|tap|wg-|ppp|vlan|vxlan|geneve|macv|ipvl|tailscale|zt"
	wordsAgain    = "loopback|pseudo-interface|isatap|6to4|teredo|tunnel|wan miniport|bridge miniport|multiplexor|virtual ethernet|virtual switch|host-only|tap-windows|kernel debug|lightweight filter|packet scheduler-"
)

// InterfacesAgain is a regular expression of the whole names, in lower case, of interfaces
// that loop back or count what others carry again; VLANs have that of another one, and a number.
const InterfacesAgain = "(" + numberedAgain + ")[0-9]*|(" + namedAgain + ")[^ ]*|[^ ]+[.][1-9][0-9]*|.*(" + wordsAgain + ").*"

// carriesAgain tells the names of InterfacesAgain. Those of Unix are shorter than 16 bytes.
func carriesAgain(name string) bool {
	const unixSize = 16
	name = paths.Fold(name)
	if len(name) >= unixSize || strings.Contains(name, " ") {
		return isAnyOf(wordsAgain, name, strings.Contains)
	}
	stem := strings.TrimRight(name, "0123456789")
	isVLAN := len(stem) > 1 && strings.HasSuffix(stem, ".") && len(stem) < len(name) && name[len(stem)] != '0'
	return isVLAN || isAnyOf(numberedAgain, stem, strings.EqualFold) || isAnyOf(namedAgain, name, strings.HasPrefix)
}

// isAnyOf tells whether a name is one of the alternatives by is.
func isAnyOf(alternatives, name string, is func(name, part string) bool) bool {
	for part := range strings.SplitSeq(alternatives, "|") {
		if is(name, part) {
			return true
		}
	}
	return false
}

// Settle shows all interfaces but the loopback where each is one that counts again what others
// carry, as in containers.
func (s *Counterset) Settle(instances []Instance) {
	if !s.IsOfInterfaces() || slices.ContainsFunc(instances, func(in Instance) bool { return in.Flags&(FlagTotal|FlagBackground) == 0 }) {
		return
	}
	for i := range instances {
		if in := &instances[i]; !isLoopback(paths.Fold(in.Key.Name)) {
			in.Flags &^= FlagBackground
		}
	}
}

func isLoopback(name string) bool {
	return strings.TrimRight(name, "0123456789") == "lo" || strings.Contains(name, "loopback")
}
