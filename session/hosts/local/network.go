package local

import (
	"bytes"

	"perfdeck/cooker"
)

// networkColumns are those of /proc/net/dev: 8 received, 8 sent.
const networkColumns = 16

// network is one interface.
type network struct {
	n, before [networkColumns]uint64 // now, and when last read
	unknown   cooker.Reading
	bandwidth cooker.Reading
}

// networkLine reads `name: 16 numbers`.
func networkLine(b []byte) (name []byte, n [networkColumns]uint64, ok bool) {
	name, rest, found := bytes.Cut(b, []byte(":"))
	name = bytes.TrimLeft(name, " ")
	if !found || len(name) == 0 {
		return nil, n, false
	}
	for i := range n {
		if n[i], rest, ok = number(rest); !ok {
			return nil, n, false
		}
	}
	return name, n, true
}

const (
	needUnknown = 1 << iota
	needBandwidth
)

var networkCounters = []counter[network]{
	{"Bytes Total/sec", 0, netSum(0, 8)},
	{"Packets/sec", 0, netSum(1, 9)},
	{"Packets Received/sec", 0, netSum(1)},
	{"Packets Sent/sec", 0, netSum(9)},
	{"Current Bandwidth", needBandwidth, func(n *network) cooker.Reading { return n.bandwidth }},
	{"Bytes Received/sec", 0, netSum(0)},
	{"Packets Received Unicast/sec", 0, unicast},
	{"Packets Received Non-Unicast/sec", 0, netSum(7)},
	{"Packets Received Discarded", 0, netSum(3)},
	{"Packets Received Errors", 0, netSum(2)},
	{"Packets Received Unknown", needUnknown, func(n *network) cooker.Reading { return n.unknown }},
	{"Bytes Sent/sec", 0, netSum(8)},
	{"Packets Outbound Discarded", 0, netSum(11)},
	{"Packets Outbound Errors", 0, netSum(10)},
}

func netSum(columns ...int) func(*network) cooker.Reading {
	return func(n *network) cooker.Reading {
		return sumOf(n.n[:], n.before[:], 1, columns)
	}
}

// unicast is packets less those to groups: nothing where one of both began anew.
func unicast(n *network) cooker.Reading {
	const packets, multicast = 1, 7
	if n.n[multicast] > n.n[packets] || n.n[packets] < n.before[packets] || n.n[multicast] < n.before[multicast] {
		return missing(cooker.NegativeValue)
	}
	return raw(n.n[packets] - n.n[multicast])
}
