package local

import (
	_ "embed" // the countersets
	"strconv"
	"strings"
	"sync"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/text/sheet"
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

//go:embed protocols.txt
var protocolText string

// protocolSets are those of the sheet; ids are places in it.
var protocolSets = sync.OnceValue(func() (out []*protocolSet) {
	needs := map[string]uint32{"snmp": needSNMP, "snmp6": needSNMP6}
	kinds := map[string]cooker.CounterType{"rate": cooker.CounterCounter, "total": cooker.CounterRawCount}
	var set *protocolSet
	for r := range sheet.Rows(protocolText) {
		if set == nil || set.name != r.Part {
			index, _ := strconv.Atoi(r.Of[0])
			set = &protocolSet{name: r.Part, about: strings.Join(r.Of[2:], " "), v1: uint32(index)}
			out = append(out, set)
		}
		scale, _ := strconv.Atoi(r.Words[1])
		c := counter[protocol]{
			id: uint32(len(set.rows) + 1), name: r.Name, kind: kinds[r.Words[0]], scale: scale,
			about: strings.Join(r.Words[3:], " "), total: totalNone, needs: needs[r.Of[1]],
		}
		switch keys := r.Words[2]; keys {
		case "-":
			c.read = func(*protocol) cooker.Reading { return missing(cooker.Unavailable) }
		case "tcp6":
			c.about += ". From /proc/net/tcp6: lines of state 01"
			c.needs, c.read = needTCP6, func(p *protocol) cooker.Reading { return p.established }
		default:
			list := strings.Split(keys, ",")
			c.about += ". From /proc/net/" + r.Of[1] + " " + strings.Join(list, " + ")
			c.read = protocolSum(list)
		}
		set.rows = append(set.rows, c)
	}
	return out
})
