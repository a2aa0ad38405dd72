package local

import (
	"errors"

	"golang.org/x/sys/unix"

	"perfdeck/cooker"
	"perfdeck/session"
)

// protocolGroups are the groups of all protocols.
func protocolGroups() []group {
	var out []group
	for _, set := range protocolSets() {
		rows := protocolCounters(&set)
		out = append(out, group{
			counterset: set.withOrigins(), probe: true,
			open: func(t *tick) collector { return newProtocolCollector(t, rows) },
		})
	}
	return out
}

// protocolFile is a file of counts that several protocols share.
type protocolFile struct {
	sharedFile[protocolCounts]

	clocks cooker.Clocks // when it was read
}

// read takes a file of this collection and gives the clocks of its reading.
func (p *protocol) read(f *protocolFile, t *tick) cooker.Clocks {
	if f.gen != t.gen {
		f.clocks = t.clocks()
	}
	counts, err := f.of(t.gen)
	p.counts, p.why = counts, absent(err)
	return f.clocks
}

type protocolCollector struct {
	single[protocol]

	tick     *tick
	tcp6     latest[cooker.Reading]
	protocol protocol
}

func newProtocolCollector(t *tick, rows []counter[protocol]) *protocolCollector {
	return &protocolCollector{single: single[protocol]{rows: rows}, tick: t}
}

func (c *protocolCollector) collect(b *session.SetBatch, clocks cooker.Clocks) {
	b.Clocks = clocks
	p := &c.protocol
	p.counts, p.why = nil, cooker.Unavailable
	switch {
	case c.needs&needSNMP != 0:
		b.Clocks = p.read(&c.tick.snmp, c.tick)
	case c.needs&needSNMP6 != 0:
		b.Clocks = p.read(&c.tick.snmp6, c.tick)
	}
	if c.needs&needTCP6 != 0 {
		p.established = missing(cooker.Pending)
		path := c.tick.proc("net/tcp6").path
		if r, ok := c.tcp6.get(c.tick.options, recheck, func() cooker.Reading { return countTCP6(path) }); ok {
			p.established = r
		}
	}
	c.fill(b, p)
}

// countTCP6 goes through all sockets, which takes long where there are many.
func countTCP6(path string) cooker.Reading {
	f := kernelFile{path: path, record: anySize}
	defer f.close()
	data, err := f.read()
	if err != nil {
		if errors.Is(err, unix.ENOENT) { // IPv6 is off
			return missing(cooker.Unavailable)
		}
		return missing(statusOf(err))
	}
	return raw(establishedTCP(data))
}

func (c *protocolCollector) close() {}
