package local

import (
	"bytes"
	"os"
	"path/filepath"
	"time"

	"perfdeck/cooker"
)

// networks reads Network Interface.
type networks struct {
	options *Options
	dev     kept
	known   map[string]*link
	checked time.Duration
}

// link is what is kept of an interface by its name.
type link struct {
	name    string
	index   uint64 // ifindex
	bytes   uint64 // received when last seen
	unknown kept
	speed   latest[uint64]
	ask     func() uint64 // reads the speed
}

func newNetworks(t *tick) collector {
	return newMany(networkCounters, &networks{options: t.options, dev: t.procPieces("net/dev"), known: make(map[string]*link)}, false)
}

func (n *networks) read(f *found[network], _ cooker.Clocks) error {
	data, err := n.dev.read()
	if err != nil {
		return readError("net/dev", err)
	}
	now := n.options.Monotonic()
	again := now-n.checked >= recheck
	if again {
		n.checked = now
	}
	for len(data) > 0 {
		var l []byte
		l, data = line(data)
		name, columns, ok := networkLine(l)
		if !ok {
			continue
		}
		k := n.link(name, columns[0], again)
		state := f.instance("", k.name, k.index)
		state.n = columns
		n.readMore(k, state, f.needs)
	}
	n.forget(f)
	return nil
}

// link finds what is kept of a name. The index, which tells an interface from
// an older one of the same name, is looked up when counts fell, and now and
// then.
func (n *networks) link(name []byte, received uint64, again bool) *link {
	k := n.known[string(name)]
	if k == nil {
		k = &link{name: string(name)}
		k.unknown.path = filepath.Join(n.dir(k.name), "statistics/rx_nohandler")
		path := filepath.Join(n.dir(k.name), "speed")
		k.ask = func() uint64 { return linkSpeed(path) }
		n.known[k.name] = k
		again = true
	}
	if again || received < k.bytes {
		k.index = fileNumber(filepath.Join(n.dir(k.name), "ifindex"))
	}
	k.bytes = received
	return k
}

func (n *networks) dir(name string) string { return filepath.Join(n.options.Sys, "class/net", name) }

func (n *networks) readMore(k *link, state *network, needs uint32) {
	if needs&needUnknown != 0 {
		state.unknown = missing(cooker.Unavailable)
		if data, err := k.unknown.read(); err == nil {
			addBytes(&state.unknown, data)
		}
	}
	if needs&needBandwidth != 0 {
		megabits, ok := k.speed.get(n.options, recheck, k.ask)
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

func addBytes(r *cooker.Reading, data []byte) {
	if n, _, ok := number(data); ok {
		*r = raw(n)
	}
}

// linkSpeed is in Mbit/s, 0 if the kernel does not know: it writes -1, or
// refuses, for virtual links and those that are down.
func linkSpeed(path string) uint64 {
	data, err := os.ReadFile(path)
	if err != nil || bytes.HasPrefix(data, []byte("-")) {
		return 0
	}
	n, _, _ := number(data)
	return n
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
