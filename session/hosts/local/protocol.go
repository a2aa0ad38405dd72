package local

import (
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
)

// protocol is what is known of one.
type protocol struct {
	counts      *protocolCounts // nil: not read
	established cooker.Reading  // TCPv6
	why         cooker.Status
}

// establishedTCP counts the lines of /proc/net/tcp6 in state 01.
func establishedTCP(b []byte) (n uint64) {
	for l := range lines(b) {
		var state []byte
		for range 4 { // sl local_address rem_address st
			state, l = field(l)
		}
		if string(state) == "01" {
			n++
		}
	}
	return n
}

const (
	needSNMP = 1 << iota
	needSNMP6
	needTCP6
)

// protocolFiles are the files of the needs.
var protocolFiles = map[uint32]string{needSNMP: "/proc/net/snmp", needSNMP6: "/proc/net/snmp6"}

// protocolRow is one counter of a protocol: the sum of counts.
type protocolRow struct {
	name, about string
	keys        []string
	scale       int
}

// rates and totals make rows of counters; ids go on from the last.
func protocolTable(needs uint32, rates, totals []protocolRow) []counter[protocol] {
	var rows []counter[protocol]
	add := func(r protocolRow, kind cooker.CounterType) {
		about := r.about
		if len(r.keys) > 0 {
			about += ". From " + protocolFiles[needs] + " " + strings.Join(r.keys, " + ")
		}
		rows = append(rows, counter[protocol]{uint32(len(rows) + 1), r.name, kind, r.scale, about, totalNone, needs, protocolSum(r.keys)})
	}
	for _, r := range rates {
		add(r, cooker.CounterCounter)
	}
	for _, r := range totals {
		add(r, cooker.CounterRawCount)
	}
	return rows
}

func protocolSum(keys []string) func(*protocol) cooker.Reading {
	return func(p *protocol) cooker.Reading {
		var n uint64
		for _, k := range keys {
			c, ok := p.counts.get(k)
			if !ok {
				return missing(p.why)
			}
			n += c
		}
		if len(keys) == 0 {
			return missing(cooker.Unavailable)
		}
		return raw(n)
	}
}

// protocolSet is a counterset of one protocol.
type protocolSet struct {
	name, about string
	v1          uint32
	rows        []counter[protocol]
}

func (p *protocolSet) counterset() *session.Counterset {
	return describe(&session.Counterset{
		V1Index: p.v1, Name: p.name, Instances: session.SingleInstance, Description: p.about,
	}, p.rows)
}

var protocolSets = []protocolSet{
	{"TCPv4", "TCP of IPv4 and IPv6 together: the kernel does not count them apart.", 638, tcp4Counters()},
	{"TCPv6", "TCP of IPv6, which the kernel counts with TCPv4 but for open connections.", 0, tcp6Counters()},
	{"UDPv4", "UDP of IPv4.", 0, udpCounters(needSNMP, "Udp.")},
	{"UDPv6", "UDP of IPv6.", 0, udpCounters(needSNMP6, "Udp6")},
	{"IPv4", "IP packets of IPv4.", 0, ipCounters(needSNMP, "Ip.", "ForwDatagrams")},
	{"IPv6", "IP packets of IPv6.", 0, ipCounters(needSNMP6, "Ip6", "OutForwDatagrams")},
	{"ICMP", "ICMP messages of IPv4.", 0, icmp4Counters()},
	{"ICMPv6", "ICMP messages of IPv6.", 0, icmp6Counters()},
}
