package local

import (
	"bytes"

	"perfdeck/cooker"
	"perfdeck/session"
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

func networkSet() *session.Counterset {
	return describe(&session.Counterset{
		V1Index: 510, Name: "Network Interface", Instances: session.MultipleInstances,
		Description: "Network interfaces. Bonds, bridges, VLANs and containers' links count what others carry again.",
	}, networkCounters)
}

var networkCounters = []counter[network]{
	{1, "Bytes Total/sec", cooker.CounterBulkCount, -4, "Bytes in and out", 0, 0, netSum(0, 8)},
	{2, "Packets/sec", cooker.CounterBulkCount, -1, "Packets in and out", 0, 0, netSum(1, 9)},
	{3, "Packets Received/sec", cooker.CounterBulkCount, -1, "Packets in", 0, 0, netSum(1)},
	{4, "Packets Sent/sec", cooker.CounterBulkCount, -1, "Packets out", 0, 0, netSum(9)},
	{5, "Current Bandwidth", cooker.CounterLargeRawCount, -6, "Link speed, bits/s", 0, needBandwidth, func(n *network) cooker.Reading { return n.bandwidth }},
	{6, "Bytes Received/sec", cooker.CounterBulkCount, -4, "Bytes in", 0, 0, netSum(0)},
	{7, "Packets Received Unicast/sec", cooker.CounterBulkCount, -1, "Packets in to one, broadcast included", 0, 0, unicast},
	{8, "Packets Received Non-Unicast/sec", cooker.CounterBulkCount, -1, "Packets in to groups", 0, 0, netSum(7)},
	{9, "Packets Received Discarded", cooker.CounterLargeRawCount, 0, "Packets in that were dropped, in total", 0, 0, netSum(3)},
	{10, "Packets Received Errors", cooker.CounterLargeRawCount, 0, "Packets in that were faulty, in total", 0, 0, netSum(2)},
	{11, "Packets Received Unknown", cooker.CounterLargeRawCount, 0, "Packets in that nobody wanted, in total", 0, needUnknown, func(n *network) cooker.Reading { return n.unknown }},
	{12, "Bytes Sent/sec", cooker.CounterBulkCount, -4, "Bytes out", 0, 0, netSum(8)},
	{13, "Packets Outbound Discarded", cooker.CounterLargeRawCount, 0, "Packets out that were dropped, in total", 0, 0, netSum(11)},
	{14, "Packets Outbound Errors", cooker.CounterLargeRawCount, 0, "Packets out that failed, in total", 0, 0, netSum(10)},
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
