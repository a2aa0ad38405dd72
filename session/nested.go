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
		if paths.EqualFold(nesting[i].set, s.Name) {
			return i
		}
	}
	return -1
}
