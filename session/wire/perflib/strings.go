package perflib

import "bytes"

const (
	stringTableSize = 8 // _STRING_BUFFER_HEADER
	stringEntrySize = 8 // _STRING_COUNTER_HEADER
	noString        = 0xFFFFFFFF

	// Strings of a table may share bytes. This bounds how much text one table
	// can mean: 1 MiB, or 16 times its size.
	textFloor  = 1 << 20
	textFactor = 16
)

// CounterString is the name or description of one counter. Text is nil when
// the counter has none.
type CounterString struct {
	ID   uint32
	Text Text
}

// DecodeString reads the answer to CountersetName, CountersetHelp,
// ProviderName and EnglishName. What follows the NUL is ignored.
func DecodeString(buf []byte) (Text, error) {
	t, ok := textZ(buf, 0, len(buf))
	if !ok {
		return nil, damage("string", 0, MissingTerminator, len(buf), 0)
	}
	return t, nil
}

// AppendString appends the text and its NUL, unpadded.
func AppendString(dst []byte, t Text) []byte { return appendZ(dst, t) }

// DecodeStrings reads the answer to CounterNames, CounterHelps and
// EnglishCounterNames (MS-PCQ 2.2.4.3, 2.2.4.4). Counters may come twice, in any
// order, and share strings. After damage the strings that can be read are
// returned; the first damage is the error.
func DecodeStrings(buf []byte) ([]CounterString, error) {
	const structure = "STRING_BUFFER_HEADER"
	if len(buf) < stringTableSize {
		return nil, damage(structure, 0, Truncated, len(buf), stringTableSize)
	}
	size := u32(buf, 0)
	err := checkSize(structure, 0, size, stringTableSize, len(buf), SizeExceedsBuffer)
	if err != nil && err.Problem == SizeTooSmall {
		return nil, err
	}
	t := stringTable{buf: buf[:min(uint64(size), uint64(len(buf)))]}
	announced, room := u32(buf, 4), (len(t.buf)-stringTableSize)/stringEntrySize
	if exceeds(announced, room) { // where the strings begin is unknown then
		return nil, first(err, damage(structure, 4, CountExceedsSize, announced, room))
	}
	t.count = int(announced)
	strings, damaged := t.read()
	return strings, first(err, damaged).asError()
}

// AppendStrings appends a table of strings, offsets counted from its start as
// Windows does, not from the end of its headers as MS-PCQ 2.2.4.4 has it. Equal
// texts one after the other are sent once.
func AppendStrings(dst []byte, list []CounterString) []byte {
	start := len(dst)
	dst = appendU32(dst, 0) // dwSize, below
	dst = appendU32(dst, uint32(len(list)))
	next, last, previous := stringTableSize+len(list)*stringEntrySize, 0, Text(nil)
	for _, s := range list {
		dst = appendU32(dst, s.ID)
		switch {
		case s.Text == nil:
			dst = appendU32(dst, noString)
			continue
		case previous == nil || !bytes.Equal(s.Text, previous):
			last, previous = next, s.Text
			next += sizeZ(s.Text)
		}
		dst = appendU32(dst, uint32(last))
	}
	previous = nil
	for _, s := range list {
		if s.Text != nil && (previous == nil || !bytes.Equal(s.Text, previous)) {
			dst, previous = appendZ(dst, s.Text), s.Text
		}
	}
	dst = appendPad(dst, start)
	putU32(dst, start, uint32(len(dst)-start))
	return dst
}

// stringTable reads the entries of one table.
type stringTable struct {
	buf   []byte
	count int
	base  uint32 // what offsets are counted from
	spent int    // bytes of text looked at
}

func (t *stringTable) read() (strings []CounterString, damaged *DamageError) {
	t.base = t.offsetBase()
	strings = make([]CounterString, 0, t.count)
	for i := range t.count {
		o := stringTableSize + i*stringEntrySize
		text, err := t.text(o + 4)
		if err != nil {
			damaged = first(damaged, err)
			if err.Problem == TextOversized {
				break
			}
			continue
		}
		strings = append(strings, CounterString{ID: u32(t.buf, o), Text: text})
	}
	return strings, damaged
}

// offsetBase tells what offsets are counted from: the start of the table, as
// Windows does, or the end of the headers, as MS-PCQ 2.2.4.4 says. Only the
// latter can have an offset that would point into the headers.
func (t *stringTable) offsetBase() uint32 {
	headers := uint32(stringTableSize + t.count*stringEntrySize)
	for i := range t.count {
		if u32(t.buf, stringTableSize+i*stringEntrySize+4) < headers {
			return headers
		}
	}
	return 0
}

// text reads the string whose dwOffset stands at field; nil for none.
func (t *stringTable) text(field int) (Text, *DamageError) {
	const structure = "STRING_COUNTER_HEADER"
	offset := u32(t.buf, field)
	if offset == noString {
		return nil, nil
	}
	o := uint64(offset) + uint64(t.base)
	switch {
	case o >= uint64(len(t.buf)):
		return nil, damage(structure, field, OffsetOutOfRange, offset, len(t.buf)-int(t.base))
	case o%2 != 0:
		return nil, damage(structure, field, OffsetOdd, offset, 0)
	}
	limit := max(textFloor, textFactor*len(t.buf))
	if t.spent > limit {
		return nil, damage(structure, field, TextOversized, t.spent, limit)
	}
	text, ok := textZ(t.buf, int(o), len(t.buf))
	if !ok {
		t.spent += len(t.buf) - int(o)
		return nil, damage(structure, int(o), MissingTerminator, len(t.buf)-int(o), 0)
	}
	t.spent += len(text)
	return text, nil
}
