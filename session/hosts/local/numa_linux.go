package local

import (
	"os"
	"path/filepath"
)

// maxNodes bounds node numbers; kernels have at most 1024.
const maxNodes = 1024

// numaNodes knows to which node each CPU belongs, and its index there. It
// remembers CPUs that are offline, so that the names of the others stay.
type numaNodes struct {
	root   string // of sysfs
	node   map[int]int
	totals []string // names of the rows that stand for a node
	known  bool     // the kernel told of more than one node
}

// read learns the nodes of CPUs that are new.
func (n *numaNodes) read(online []int) {
	if n.node == nil {
		n.node = make(map[int]int)
	}
	unknown := false
	for _, cpu := range online {
		if _, ok := n.node[cpu]; !ok {
			unknown = true
			n.node[cpu] = 0
		}
	}
	if !unknown {
		return
	}
	dir := filepath.Join(n.root, "devices/system/node")
	entries, _ := os.ReadDir(dir) // without it, all is node 0
	for _, e := range entries {
		number, ok := numberedName([]byte(e.Name()), "node")
		if !ok || number >= maxNodes {
			continue
		}
		list, _ := os.ReadFile(filepath.Join(dir, e.Name(), "cpulist"))
		cpuList(list, func(cpu int) {
			n.node[cpu] = number
			n.known = n.known || number > 0
		})
	}
}

// place is the node of a CPU and its index among the CPUs of the node. With
// one node the index is the number.
func (n *numaNodes) place(cpu int) (node, index int) {
	node = n.node[cpu]
	for len(n.totals) <= node {
		n.totals = append(n.totals, decimal(len(n.totals))+",_Total")
	}
	if !n.known {
		return node, cpu
	}
	for other, on := range n.node {
		if on == node && other < cpu {
			index++
		}
	}
	return node, index
}
