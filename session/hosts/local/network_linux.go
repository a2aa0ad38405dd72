package local

import (
	"os"
	"path/filepath"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// networks reads Network Interface.
type networks struct {
	options *Options
	dev     kernelFile
	known   map[string]*link
	looks   int // that may still be taken in this read
}

// link is what is kept of an interface by its name.
type link struct {
	name    string
	index   uint64 // ifindex
	flags   session.InstanceFlags
	columns [networkColumns]uint64 // when last seen
	looked  uint64                 // bytes received when sysfs was asked
	checked time.Duration          // index and flags
	unknown kernelFile
	dropped cooker.Reading // rx_nohandler
	counted bool           // dropped is as columns are
	speed   latest[uint64]
	ask     func() uint64 // reads the speed
}

func newNetworks(t *tick) collector {
	return newMany(networkCounters, &networks{options: t.options, dev: t.records("net/dev", 512), known: make(map[string]*link)}, false)
}

func (n *networks) read(f *found[network]) error {
	data, err := n.dev.read()
	if err != nil {
		return readError("net/dev", err)
	}
	n.looks = 1
	for l := range lines(data) {
		name, columns, ok := networkLine(l)
		if !ok {
			continue
		}
		k := n.link(name, &columns)
		state := f.flagged(k.flags, "", k.name, k.index)
		state.before, state.n = state.n, columns
		n.readMore(k, state, f.needs)
	}
	n.forget(f)
	return nil
}

// link finds what is kept of a name. The index, which tells an interface from
// an older one of the same name, is looked up when counts fell, and now and
// then, for one interface at a time.
func (n *networks) link(name []byte, columns *[networkColumns]uint64) *link {
	k := n.known[string(name)]
	now := n.options.Monotonic()
	switch {
	case k == nil:
		k = n.newLink(string(name))
		n.known[k.name] = k
		n.look(k, columns, now)
	case columns[0] < k.columns[0]:
		n.look(k, columns, now)
	case n.looks > 0 && now-k.checked >= recheckOf(columns[0] != k.looked):
		n.looks--
		n.look(k, columns, now)
	}
	k.counted = k.counted && k.columns == *columns
	k.columns = *columns
	return k
}

func (n *networks) newLink(name string) *link {
	dir := n.dir(name)
	return &link{
		name:    name,
		unknown: newKernelFile(n.options, filepath.Join(dir, "statistics/rx_nohandler")),
		// In Mbit/s. For virtual links and those that are down the kernel writes -1, which is
		// no number, or refuses.
		ask: func() uint64 { return fileNumber(filepath.Join(dir, "speed")) },
	}
}

// look reads what sysfs says of an interface. One without a device (lo, bonds,
// bridges, VLANs, links of containers) counts what others carry again, so that
// screens leave it out unless asked.
func (n *networks) look(k *link, columns *[networkColumns]uint64, now time.Duration) {
	k.checked, k.looked, k.flags, k.counted = now, columns[0], 0, false
	k.index = fileNumber(filepath.Join(n.dir(k.name), "ifindex"))
	if _, err := os.Stat(filepath.Join(n.dir(k.name), "device")); err != nil {
		k.flags = session.FlagBackground
	}
}

func (n *networks) dir(name string) string { return filepath.Join(n.options.Sys, "class/net", name) }

func (n *networks) readMore(k *link, state *network, needs uint32) {
	if needs&needUnknown != 0 {
		state.unknown = k.unwanted()
	}
	if needs&needBandwidth != 0 {
		megabits, ok := k.speed.get(n.options, recheckOf(k.flags&session.FlagBackground == 0), k.ask)
		switch {
		case !ok:
			state.bandwidth = missing(cooker.Pending)
		case megabits == 0:
			state.bandwidth = missing(cooker.Unavailable)
		default:
			state.bandwidth = raw(megabits * 1_000_000)
		}
	}
}

// unwanted is the number of packets that nobody wanted. It is a file of its
// own, and is read again only when the interface has moved.
func (k *link) unwanted() cooker.Reading {
	if !k.counted {
		data, err := k.unknown.read()
		k.dropped = missing(absent(err))
		if n, _, ok := number(data); err == nil && ok {
			k.dropped = raw(n)
		}
		k.counted = true
	}
	return k.dropped
}

// forget drops links that are not there any more.
func (n *networks) forget(f *found[network]) {
	if len(n.known) == len(f.list) {
		return
	}
	for name, k := range n.known {
		here := false
		for _, i := range f.list {
			here = here || i.raw.name == name
		}
		if !here {
			k.unknown.close()
			delete(n.known, name)
		}
	}
}

func (n *networks) close() {
	n.dev.close()
	for _, k := range n.known {
		k.unknown.close()
	}
}
