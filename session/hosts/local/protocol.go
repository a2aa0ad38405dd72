package local

import (
	"strings"

	"perfdeck/cooker"
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
		return raw(n)
	}
}

// protocolCounters are how the counters of a protocol are read: as their origins say.
func protocolCounters(s *listedSet) (rows []counter[protocol]) {
	for i, origin := range s.origins {
		r := counter[protocol]{name: s.Counters[i].Name}
		file, keys, _ := strings.Cut(origin, " ")
		switch file {
		case "/proc/net/snmp":
			r.needs, r.read = needSNMP, protocolSum(strings.Split(keys, " + "))
		case "/proc/net/snmp6":
			r.needs, r.read = needSNMP6, protocolSum(strings.Split(keys, " + "))
		case "/proc/net/tcp6:":
			r.needs, r.read = needTCP6, func(p *protocol) cooker.Reading { return p.established }
		default:
			r.read = func(*protocol) cooker.Reading { return missing(cooker.Unavailable) }
		}
		rows = append(rows, r)
	}
	return rows
}
