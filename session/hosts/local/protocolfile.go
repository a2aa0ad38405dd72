package local

// protocolCounts holds the counts of /proc/net/snmp as `Tcp.InSegs`, or those
// of /proc/net/snmp6 as they are named there. Their names are looked up only
// when the file names others than the last time.
type protocolCounts struct {
	names []string
	n     []uint64
	index map[string]int // of names
	fresh bool           // names are those of index
	next  int            // position of the next count
}

// maxProtocolCounts bounds what broken files can make; kernels have about 250.
const maxProtocolCounts = 4096

// get is the count of a name. A nil file has none.
func (c *protocolCounts) get(name string) (uint64, bool) {
	if c == nil {
		return 0, false
	}
	i, ok := c.index[name]
	if !ok {
		return 0, false
	}
	return c.n[i], true
}

func (c *protocolCounts) begin() { c.next = 0 }

// end drops what was not there any more.
func (c *protocolCounts) end() {
	if c.next < len(c.names) {
		c.names, c.n, c.fresh = c.names[:c.next], c.n[:c.next], false
	}
	if c.fresh {
		return
	}
	c.fresh = true
	c.index = make(map[string]int, len(c.names))
	for i, name := range c.names {
		c.index[name] = i
	}
}

func (c *protocolCounts) addCount(prefix, name []byte, n uint64) {
	i := c.next
	if i >= maxProtocolCounts {
		return
	}
	c.next++
	if i == len(c.names) {
		c.names, c.n, c.fresh = append(c.names, protocolName(prefix, name)), append(c.n, 0), false
	}
	if !isProtocolName(c.names[i], prefix, name) {
		c.names[i], c.fresh = protocolName(prefix, name), false
	}
	c.n[i] = n
}

func protocolName(prefix, name []byte) string {
	if len(prefix) == 0 {
		return string(name)
	}
	return string(prefix) + "." + string(name)
}

func isProtocolName(s string, prefix, name []byte) bool {
	if len(prefix) == 0 {
		return s == string(name)
	}
	n := len(prefix)
	return len(s) == n+1+len(name) && s[:n] == string(prefix) && s[n] == '.' && s[n+1:] == string(name)
}

// parseSNMP reads pairs of lines: `Tcp: names`, `Tcp: numbers`.
func (c *protocolCounts) parseSNMP(b []byte) {
	c.begin()
	for len(b) > 0 {
		var head, values []byte
		head, b = line(b)
		values, b = line(b)
		prefix, head := keyed(head)
		if again, rest := keyed(values); string(again) == string(prefix) {
			values = rest
		} else {
			continue
		}
		for {
			var name, value []byte
			name, head = field(head)
			value, values = field(values)
			if len(name) == 0 || len(value) == 0 {
				break
			}
			if n, _, ok := number(value); ok { // MaxConn is -1
				c.addCount(prefix, name, n)
			}
		}
	}
	c.end()
}

// parseSNMP6 reads lines of `name number`.
func (c *protocolCounts) parseSNMP6(b []byte) {
	c.begin()
	for l := range lines(b) {
		name, value := field(l)
		if n, _, ok := number(value); ok && len(name) > 0 {
			c.addCount(nil, name, n)
		}
	}
	c.end()
}
