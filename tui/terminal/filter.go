package terminal

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// What the terminal sends is cut into keys, text and control sequences before the library
// sees it: its parsers index fixed arrays by what they read, wait for the rest of what they
// do not know, and take it for letters then. Only sequences that mean something here go on.

const (
	esc        = 0x1b
	ctrlC      = 0x03
	bell       = 0x07
	del        = 0x7f
	st8        = 0x9c // the end of a string, as one byte
	introduces = "[OP]_^X"
	escapeKey  = "\x1b[27u" // as kitty sends it: nothing is waited for behind it
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"

	mostSequence = 96      // bytes; longer ones are dropped up to their end
	mostPaste    = 1 << 20 // bytes of one paste, of which a line takes far less
	mostCell     = 9999    // where the mouse may be

	// escapeWait is how long an ESC may be followed by the rest of a sequence.
	escapeWait = 50 * time.Millisecond
	// cutWait is how long a sequence may be cut: what comes later is no part of it.
	cutWait = time.Second
)

// filter is the state between two reads.
type filter struct {
	sequence []byte // as far as it came, from its ESC on
	isLong   bool   // it is dropped up to its end
	is8Bit   bool   // it began with one byte in place of ESC and another
	char     []byte // of UTF-8, as far as it came
	isPaste  bool
	pasted   int
	last     time.Time // of the last byte

	answered func() // the terminal told what it is (DA1)
	out      []byte
}

// feed gives what of some bytes goes on. It is good until the next call.
func (f *filter) feed(b []byte, now time.Time) []byte {
	f.out = f.out[:0]
	if !f.isPaste && len(f.sequence) > 0 {
		if late := now.Sub(f.last); late > cutWait || late > escapeWait && (f.waits() || f.isX10()) {
			f.giveUp()
		}
	}
	f.last = now
	if f.isPaste && len(b) == 1 && b[0] == ctrlC { // typed: the end of the paste is lost
		f.out, f.isPaste, f.sequence = append(f.out, pasteEnd...), false, nil
	}
	for _, c := range b {
		for again := true; again; {
			again = f.step(c)
		}
	}
	return f.out
}

// waits tells whether keys wait for what comes behind them: an ESC may be one, or begin a
// sequence.
func (f *filter) waits() bool {
	return !f.isPaste && !f.is8Bit && len(f.sequence) > 0 && len(f.sequence) <= 2
}

func (f *filter) isX10() bool { return bytes.HasPrefix(f.sequence, []byte("\x1b[M")) }

// expire gives the keys that waited: nothing came behind them.
func (f *filter) expire() []byte {
	f.out = f.out[:0]
	f.giveUp()
	return f.out
}

func (f *filter) giveUp() {
	if f.waits() {
		f.out = append(append(f.out, escapeKey...), f.sequence[1:]...)
	}
	f.end()
}

// end goes back to keys and text.
func (f *filter) end() { f.sequence, f.isLong, f.is8Bit = f.sequence[:0], false, false }

// step takes one byte. It reports whether that ended what was before it, and is to be
// taken again.
func (f *filter) step(c byte) (again bool) {
	switch {
	case len(f.sequence) == 0:
		f.ground(c)
		return false
	case len(f.sequence) == 1:
		return f.escape(c)
	}
	switch f.sequence[1] {
	case '[':
		return f.csi(c)
	case 'O':
		return f.ss3(c)
	}
	return f.text(c)
}

// ground takes a byte of text.
func (f *filter) ground(c byte) {
	if len(f.char) > 0 {
		f.char = append(f.char, c)
		if !utf8.FullRune(f.char) {
			return
		}
		r, n := utf8.DecodeRune(f.char)
		whole := n == len(f.char)
		if f.char = f.char[:0]; whole {
			if r != utf8.RuneError && !unicode.IsControl(r) {
				f.put(string(r))
			}
			return
		}
	}
	switch {
	case c == esc:
		f.sequence = append(f.sequence, esc)
	case c < utf8.RuneSelf:
		f.put(string(rune(c)))
	case c >= 0x80 && c <= 0x9f && !f.isPaste && strings.IndexByte(introduces, c-0x40) >= 0:
		f.sequence, f.is8Bit = append(f.sequence, esc, c-0x40), true
	case c >= 0xc2 && c <= 0xf4:
		f.char = append(f.char, c)
	}
}

// put lets text go on.
func (f *filter) put(s string) {
	if f.isPaste {
		if f.pasted += len(s); f.pasted > mostPaste {
			return
		}
	}
	f.out = append(f.out, s...)
}

// escape takes what comes behind an ESC: but for a sequence that is the key, and another.
func (f *filter) escape(c byte) (again bool) {
	if f.isPaste && c == '[' || !f.isPaste && strings.IndexByte(introduces, c) >= 0 {
		f.sequence = append(f.sequence, c)
		return false
	}
	if !f.isPaste {
		f.out = append(f.out, escapeKey...)
	}
	f.end()
	return true
}

// csi takes a byte of a control sequence.
func (f *filter) csi(c byte) (again bool) {
	switch body := f.sequence[2:]; {
	case c < ' ' || c >= del && !f.isX10():
		f.end() // no byte of one: it was cut
		return true
	case f.isPaste:
	case len(body) > 0 && body[0] == '[': // function keys of the Linux console
		if at := strings.IndexByte("ABCDE", c); at >= 0 {
			f.out = append(f.out, []string{"\x1bOP", "\x1bOQ", "\x1bOR", "\x1bOS", "\x1b[15~"}[at]...)
		}
		f.end()
		return false
	case len(body) == 0 && (c == '[' || c == 'M'), f.isX10() && len(body) < 3:
		f.sequence = append(f.sequence, c)
		return false
	case f.isX10():
		f.x10(body[1], body[2], c)
		f.end()
		return false
	}
	if c < '@' && (c != '$' || !isNumber(f.sequence[2:])) {
		f.keep(c)
		return false
	}
	if c != '$' && !f.isLong { // rxvt ends keys with shift so, which are none here
		f.control(string(f.sequence[2:]), c)
	}
	f.end()
	return false
}

func isNumber(b []byte) bool {
	_, err := strconv.ParseUint(string(b), 10, 16)
	return err == nil
}

// keep adds a byte to a sequence, or makes it one that is too long.
func (f *filter) keep(c byte) {
	if f.isLong = f.isLong || len(f.sequence) >= mostSequence; !f.isLong {
		f.sequence = append(f.sequence, c)
	}
}

// x10 is a mouse report of terminals that know no other: it goes on as others send it.
func (f *filter) x10(button, x, y byte) {
	b, end := int(button)-' ', "M"
	if b >= 0 && b < ' ' && b&3 == 3 {
		b, end = b&^3, "m" // some button was released
	}
	if b >= 0 && x > ' ' && y > ' ' {
		f.out = append(f.out, "\x1b[<"+strconv.Itoa(b)+";"+strconv.Itoa(int(x)-' ')+";"+strconv.Itoa(int(y)-' ')+end...)
	}
}

// ss3 takes a byte behind ESC O: an optional number, the modifiers, and the key.
func (f *filter) ss3(c byte) (again bool) {
	switch {
	case c < ' ' || c >= del:
		f.end()
		return true
	case c >= '0' && c <= ';':
		f.keep(c)
		return false
	}
	body := string(f.sequence[2:])
	switch {
	case body == "" && c == 'w': // PuTTY's; of the keypad, which is never asked to send it, it is 7
		f.out = append(f.out, "\x1b[F"...)
	case body == "" && strings.IndexByte("ABCDEFHMPQRSabcd", c) >= 0,
		len(body) <= 3 && isNumber([]byte(body)) && strings.IndexByte("ABCDFHPQRS", c) >= 0:
		f.out = append(append(append(f.out, "\x1bO"...), body...), c)
	}
	f.end()
	return false
}

// text takes a byte of a string: an answer of the terminal, up to its end.
func (f *filter) text(c byte) (again bool) {
	if n := len(f.sequence); !f.isLong && n > 2 && f.sequence[n-1] == esc {
		if c == '\\' {
			f.answer(string(f.sequence[2 : n-1]))
			f.end()
			return false
		}
		f.end()
		f.sequence = append(f.sequence, esc) // which began something else
		return true
	}
	switch {
	case c == bell, c == st8 && f.is8Bit:
		if !f.isLong {
			f.answer(string(f.sequence[2:]))
		}
		f.end()
	case c == esc && f.isLong:
		f.sequence, f.isLong = append(f.sequence[:2], 'x', esc), false // nobody knows it
	case c == esc:
		f.sequence = append(f.sequence, c)
	case c < ' ': // none has one: it was cut, or cancelled
		f.end()
		return c != 0x18 && c != 0x1a
	default:
		f.keep(c)
	}
	return false
}

// answer lets the background colour go on; nothing else that strings tell was asked.
func (f *filter) answer(data string) {
	colour, ok := strings.CutPrefix(data, "11;rgb:")
	parts := strings.Split(colour, "/")
	if f.sequence[1] != ']' || !ok || len(data) > 40 || len(parts) != 3 {
		return
	}
	if !slices.ContainsFunc(parts, func(p string) bool { _, err := strconv.ParseUint(p, 16, 16); return err != nil }) {
		f.out = append(append(append(f.out, f.sequence[:2]...), data...), bell)
	}
}

// control lets a control sequence go on that is known: its parameters and its last byte.
func (f *filter) control(body string, final byte) {
	whole := "\x1b[" + body + string(rune(final))
	switch {
	case f.isPaste:
		if whole == pasteEnd {
			f.out, f.isPaste = append(f.out, whole...), false
		}
		return
	case final == 'c' && body != "" && body[0] == '?':
		f.answered()
		return
	case whole == pasteEnd:
		return // of nothing
	case whole == pasteStart:
		f.isPaste, f.pasted = true, 0
	case !isKnown(body, final):
		return
	}
	f.out = append(f.out, whole...)
}

// tilde are the numbers of keys that end with one.
var tilde = []int{1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34}

// isKnown tells whether a control sequence is a key, the mouse, the focus, or an answer to
// a question of the screens.
func isKnown(body string, final byte) bool {
	prefix := byte(0)
	if body != "" && (body[0] == '?' || body[0] == '<') {
		prefix, body = body[0], body[1:]
	}
	if prefix == '?' && final == 'y' && body != "" && body[len(body)-1] == '$' {
		n, groups, ok := numbers(body[:len(body)-1])
		return ok && groups == 2 && len(n) == 2 && n[0] <= mostCell && n[1] <= 4
	}
	n, groups, ok := numbers(body)
	switch {
	case !ok:
		return false
	case prefix == '<':
		return (final == 'M' || final == 'm') && groups == 3 && len(n) == 3 && n[0] <= 0xff && isCell(n[1]) && isCell(n[2])
	case prefix == '?':
		return final == 'u' && len(n) == 1
	case body == "":
		return strings.IndexByte("ABCDEFHPQRSZIOabcd", final) >= 0
	}
	isModified := groups <= 2 && len(n)-groups <= 1 && (len(n) == 1 || groups == 2 && n[1] >= 1 && n[1] <= 0x100)
	switch final {
	case 'A', 'B', 'C', 'D', 'E', 'F', 'H', 'P', 'Q', 'S', 'Z':
		return isModified && n[0] == 1
	case '~':
		return isModified && slices.Contains(tilde, n[0]) || groups == 3 && len(n) == 3 && n[0] == 27 && n[1] <= 0x100 && isCharacter(n[2])
	case '^', '@':
		return len(n) == 1 && slices.Contains(tilde, n[0])
	case 'u':
		return groups <= 2 && len(n) <= 6 && !slices.ContainsFunc(n[1:], func(n int) bool { return n != 0 && !isCharacter(n) && n > 0x100 }) && isCharacter(n[0])
	}
	return false
}

func isCell(n int) bool { return n >= 1 && n <= mostCell }

// isCharacter tells whether a number is that of a key, or of what it types.
func isCharacter(n int) bool {
	switch n {
	case '\b', '\t', '\r', esc, del:
		return true
	}
	return utf8.ValidRune(rune(n)) && n != utf8.RuneError && !unicode.IsControl(rune(n))
}

// numbers are the parameters of a sequence, and how many groups of them there are: those
// of one have colons between them.
func numbers(body string) (n []int, groups int, ok bool) {
	if body == "" {
		return nil, 0, true
	}
	for group := range strings.SplitSeq(body, ";") {
		groups++
		for digits := range strings.SplitSeq(group, ":") {
			at, err := strconv.ParseUint("0"+digits, 10, 32)
			if err != nil || len(digits) > 7 {
				return nil, 0, false
			}
			n = append(n, int(at))
		}
	}
	return n, groups, true
}
