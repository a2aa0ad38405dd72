package perflib

const v1NamesStructure = "name table"

// V1Names goes through a name table of HKEY_PERFORMANCE_DATA, the value "Counter
// 009" or one of another language, or of texts that explain ("Explain 009"):
// title indexes, each followed by its text, as a REG_MULTI_SZ of UTF-16. It
// allocates nothing but errors.
type V1Names struct {
	Index uint32 // of this step
	Text  Text

	buf  []byte
	next int
	err  *DamageError
}

// ReadV1Names begins to read a name table.
func ReadV1Names(buf []byte) V1Names { return V1Names{buf: buf} }

// Err gives the first damage so far. What is read after damage can be used: a
// text is only ever taken with the index before it.
func (n *V1Names) Err() error { return n.err.asError() }

// Next steps to the next entry. An empty index ends the table; an empty text
// does not. What stands where an index should be is passed over.
func (n *V1Names) Next() bool {
	for {
		at := n.next
		index, ok := n.take()
		if !ok || len(index) == 0 {
			return n.end(at)
		}
		number, ok := indexOf(index)
		if !ok {
			n.fail(at, BadIndex, len(index))
			continue
		}
		text, ok := n.take()
		if !ok {
			n.fail(at, Truncated, len(n.buf)-at)
			n.next = len(n.buf)
			return false
		}
		n.Index, n.Text = number, text
		return true
	}
}

// take gives the string at next, ok false at the end of the bytes. The last
// string may lack its NUL.
func (n *V1Names) take() (t Text, ok bool) {
	if len(n.buf)-n.next < 2 {
		return nil, false
	}
	t, ok = textZ(n.buf, n.next, len(n.buf))
	if !ok {
		n.fail(n.next, MissingTerminator, len(n.buf)-n.next)
		end := n.next + (len(n.buf)-n.next)&^1
		t, n.next = Text(n.buf[n.next:end:end]), len(n.buf)
		return t, true
	}
	n.next += len(t) + 2
	return t, true
}

// end sees that nothing but NULs follows the end at at.
func (n *V1Names) end(at int) bool {
	for i := n.next; i < len(n.buf); i++ {
		if n.buf[i] != 0 {
			n.fail(at, TrailingBytes, len(n.buf)-i)
			break
		}
	}
	n.next = len(n.buf)
	return false
}

func (n *V1Names) fail(at int, p Problem, found int) {
	if n.err == nil {
		n.err = damage(v1NamesStructure, at, p, found, 0)
	}
}

// indexOf reads a title index in decimal, blanks around it left aside.
func indexOf(t Text) (index uint32, ok bool) {
	v := uint64(0)
	digits, ended := 0, false
	for o := 0; o < len(t); o += 2 {
		u := u16(t, o)
		switch {
		case u == ' ':
			ended = digits > 0
		case u < '0' || u > '9' || ended:
			return 0, false
		default:
			digits++
			if v = v*10 + uint64(u-'0'); v > 0xFFFFFFFF {
				return 0, false
			}
		}
	}
	return uint32(v), digits > 0
}
