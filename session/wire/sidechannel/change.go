package sidechannel

import (
	"encoding/binary"
	"errors"
	"slices"
)

// A change tells how a reply of MS-PCQ is made of the one before, of which most is still
// true from one second to the next: names, numbers and sizes, and what stands still. It
// works in words of 8 bytes, to which the protocol aligns all that it sends.
//
// It is the size of the reply in bytes, then steps, then the bytes of the reply behind
// its last whole word. A step is uvarint(words<<2 | kind), and what the kind says below.
const (
	stepSame  = iota // words of the old reply, behind those that were used last
	stepNew          // words that follow
	stepMoved        // words of the old reply, so many words (varint) from those
)

const wordSize = 8

// MaxGrowth is how much longer than its reply a change can be, in bytes.
const MaxGrowth = 2 * binary.MaxVarintLen64

var errChange = errors.New("it does not fit the reply before")

// AppendChange appends the change that makes text of old.
func AppendChange(dst, old, text []byte) []byte {
	c := &changing{old: old, text: text}
	if len(old) != len(text) {
		c.index()
	}
	dst = c.steps(binary.AppendUvarint(dst, uint64(len(text))))
	return append(dst, text[len(text)/wordSize*wordSize:]...)
}

// changing is a change in the making. Positions are in words.
type changing struct {
	old, text []byte
	at        int            // in old: what most likely comes next
	places    map[pair]int32 // where in old two words are, nil: all is in its place
}

type pair [2]uint64

func word(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at*wordSize:]) }

// index finds out where in old what is.
func (c *changing) index() {
	n := len(c.old)/wordSize - 1
	c.places = make(map[pair]int32, max(n, 0))
	for i := range n {
		c.places[pair{word(c.old, i), word(c.old, i+1)}] = int32(i)
	}
}

func (c *changing) steps(dst []byte) []byte {
	words := len(c.text) / wordSize
	for i := 0; i < words; {
		from, n := c.find(i)
		switch {
		case n > 0 && from == c.at:
			dst = binary.AppendUvarint(dst, uint64(n)<<2)
		case n > 0:
			dst = binary.AppendUvarint(dst, uint64(n)<<2|stepMoved)
			dst = binary.AppendVarint(dst, int64(from-c.at))
		default:
			c.at++
			for n = 1; i+n < words; n++ {
				if _, same := c.find(i + n); same > 0 {
					break
				}
				c.at++
			}
			dst = binary.AppendUvarint(dst, uint64(n)<<2|stepNew)
			dst = append(dst, c.text[i*wordSize:(i+n)*wordSize]...)
			i += n
			continue
		}
		c.at = from + n
		i += n
	}
	return dst
}

// find finds the words of text from i on in old, and how many are the same there.
func (c *changing) find(i int) (from, n int) {
	if n := c.same(i, c.at); n > 0 || c.places == nil || (i+2)*wordSize > len(c.text) {
		return c.at, n
	}
	if at, ok := c.places[pair{word(c.text, i), word(c.text, i+1)}]; ok {
		return int(at), c.same(i, int(at))
	}
	return c.at, 0
}

func (c *changing) same(i, at int) (n int) {
	for (i+n+1)*wordSize <= len(c.text) && (at+n+1)*wordSize <= len(c.old) && word(c.text, i+n) == word(c.old, at+n) {
		n++
	}
	return n
}

// Changed appends to dst what a change makes of old: at most so many bytes.
func Changed(dst, old, change []byte, most int) ([]byte, error) {
	size, n := binary.Uvarint(change)
	if n <= 0 || size > uint64(most) {
		return nil, errChange
	}
	change = change[n:]
	at := 0
	left := int(size) / wordSize // words
	for left > 0 {
		step, n := binary.Uvarint(change)
		words := step >> 2
		if n <= 0 || words == 0 || words > uint64(left) {
			return nil, errChange
		}
		change = change[n:]
		switch step & 3 {
		case stepSame:
		case stepNew:
			if uint64(len(change)) < words*wordSize {
				return nil, errChange
			}
			dst, change = append(dst, change[:words*wordSize]...), change[words*wordSize:]
			at += int(words)
			left -= int(words)
			continue
		case stepMoved:
			by, n := binary.Varint(change)
			if n <= 0 || by < -int64(at) || by > int64(len(old)) {
				return nil, errChange
			}
			at, change = at+int(by), change[n:]
		default:
			return nil, errChange
		}
		end := at + int(words)
		if end > len(old)/wordSize {
			return nil, errChange
		}
		dst = append(dst, old[at*wordSize:end*wordSize]...)
		at = end
		left -= int(words)
	}
	if len(change) != int(size)%wordSize {
		return nil, errChange
	}
	return append(dst, change...), nil
}

// Collection asks for the values of a query handle of MS-PCQ by how they changed.
type Collection struct {
	Handle [20]byte
	Size   uint32 // of the reply itself, at most, bytes
}

// Append makes the bytes of it at the end of b.
func (c *Collection) Append(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(append(b, c.Handle[:]...), c.Size)
}

// ParseCollection reads them.
func ParseCollection(b []byte) (c Collection, ok bool) {
	if len(b) != len(c.Handle)+4 {
		return c, false
	}
	copy(c.Handle[:], b)
	c.Size = binary.LittleEndian.Uint32(b[len(c.Handle):])
	return c, true
}

// Replies are the last ones of the handles of a connection, which either side keeps.
type Replies map[[20]byte][]byte

// mostKept bounds a reply that is kept, in bytes: what follows a longer one is told whole.
const mostKept = 4 << 20

// Keep keeps a reply.
func (r Replies) Keep(handle [20]byte, reply []byte) {
	if len(reply) > mostKept {
		delete(r, handle)
		return
	}
	kept := r[handle]
	if cap(kept) > 2*len(reply) {
		kept = nil
	}
	r[handle] = append(slices.Grow(kept[:0], len(reply)), reply...)
}
