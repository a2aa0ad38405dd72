package anonymous

import (
	"encoding/binary"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"perfdeck/paths"
	"perfdeck/session/system/lazy"
)

// Addresses and long numbers are spelled in many ways, most of which look as harmless numbers
// in their parts: here they are looked for in the whole of a text.

// spelled is a part of a text for which something else stands.
type spelled struct {
	from, to int // bytes
	kind     kind
	name     string
}

const between = `(?:\s*(?:[-_/.,:;|]|\[\.\]|\(\.\)|\[dot\]|\(dot\)|\bdot\b)\s*|\s+)`

var (
	octet  = `(?:0x[0-9a-f]{1,2}|[0-9]{3,5}|[0-9a-f]{1,2})`
	octets = lazy.Regexp(`(?i)` + octet + `(?:` + between + octet + `){3}`)
	first  = lazy.Regexp(`(?i)^` + octet)
	// An address whose last number is all that is left of it.
	short = lazy.Regexp(`(?i)(?:(?:0x[0-9a-f]{1,2}|\d{1,4})\.){1,2}(?:0x[0-9a-f]{3,6}|\d{3,9})`)
	// An address as one number, and those of IPv6 with other signs than colons.
	number = lazy.Regexp(`(?i)(?:0x)?[0-9a-f]{6,12}`)
	wide   = lazy.Regexp(`(?i)[0-9a-f]{32}|[0-9a-f]\.(?:[0-9a-f]\.){30}[0-9a-f]|[0-9a-f]{1,4}(?:[ :._/-]{1,2}[0-9a-f]{0,4}){2,7}`)
	macs   = lazy.Regexp(`(?i)[0-9a-f]{2}(?:[ _.][0-9a-f]{2}){5}`)
	ipName = lazy.Regexp(`(?i)\bip[-_](\d{1,3}(?:[-_]\d{1,3}){3})`)

	// What has many digits and is a time.
	times = lazy.Regexp(`(?:19|20)\d\d([-_./]?)[01]\d([-_./]?)[0-3]\d(?:[-_Tt ]+[0-2]\d(?:[-_:.]?[0-5]\d){1,2}(?:[.,]\d{1,9})?(?:[Zz]|[+-]\d{2}:?\d{2})?)?|\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d|\d{1,2}(?::\d{2}){1,2}(?:[.,]\d{1,9})?`)
	run   = lazy.Regexp(`\+?\(?\d+(?:[-  /._()+–]{1,3}\d+)+`)
	group = lazy.Regexp(`\d+`)
	iban  = lazy.Regexp(`\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,4})?\b`)
	// Places on the earth: two numbers with some decimals, or one that is called so.
	place   = lazy.Regexp(`(?i)[+-]?\d{1,3}\.\d{4,}\s*°?\s*[NS]?\s*[,;/ ]\s*[+-]?\d{1,3}\.\d{3,}(?:\s*°)?(?:\s*[EWO]\b)?|[+-]?\d{1,3},\d{4,}\s*[;/ ]\s*[+-]?\d{1,3},\d{4,}`)
	degrees = lazy.Regexp(`(?i)\d{1,3}\s*°\s*\d{1,2}(?:\.\d+)?\s*['′’](?:\s*\d{1,2}(?:\.\d+)?\s*(?:"|″|”|''))?`)
	called  = lazy.Regexp(`(?i)\b(?:lat|lon|lng|long|latitude|longitude)\b["']?\s*[:= ]\s*([+-]?\d{1,3}\.\d+)`)
)

// spell notes the addresses of hosts, so that each is found however it is spelled.
func (n *Names) spell() {
	n.addresses = map[netip.Addr]bool{}
	for key, k := range n.kinds {
		if a, err := netip.ParseAddr(key); k == ofAddress && err == nil {
			n.addresses[a.Unmap().WithZone("")] = true
		}
		if k != ofHost && k != ofDomain {
			continue
		}
		for _, found := range octets().FindAllString(key, -1) { // ip-10-20-30-40
			for _, a := range octetsOf(found)[:1] {
				n.addresses[a] = true
			}
		}
	}
}

// spellings are the addresses of hosts and the long numbers in a text, in its order.
func (n *Names) spellings(text string) (out []spelled) {
	if strings.IndexFunc(text, func(r rune) bool { return r >= '0' && r <= '9' }) < 0 && len(n.addresses) == 0 {
		return nil
	}
	out = append(n.addressesIn(text), numbersIn(text)...)
	slices.SortStableFunc(out, func(a, b spelled) int { return a.from - b.from })
	return out
}

// addressesIn are known addresses in a text.
func (n *Names) addressesIn(text string) (out []spelled) {
	for _, at := range ipName().FindAllStringSubmatchIndex(text, -1) {
		if all := octetsOf(text[at[2]:at[3]]); len(all) > 0 {
			out = append(out, spelled{at[2], at[3], ofAddress, all[0].String()})
		}
	}
	if len(n.addresses) == 0 {
		return out
	}
	for _, form := range []struct {
		find *regexp.Regexp
		read func(string) []netip.Addr
	}{{octets(), octetsOf}, {short(), shortOf}, {number(), numberOf}, {wide(), wideOf}} {
		for at := 0; at < len(text); {
			found := form.find.FindStringIndex(text[at:])
			if found == nil {
				break
			}
			from, to := at+found[0], at+found[1]
			at = from + 1
			for at < len(text) && isHex(text[at]) && isHex(text[at-1]) {
				at++ // not from within a number
			}
			if !isApart(text, from, to) {
				continue
			}
			for _, a := range form.read(text[from:to]) {
				if n.addresses[a] {
					out = append(out, spelled{from, to, ofAddress, a.String()})
					at = to
					break
				}
			}
		}
	}
	return out
}

// isApart tells whether digits end where a part of a text does.
func isApart(text string, from, to int) bool {
	digit := func(b byte) bool { return b >= '0' && b <= '9' }
	return (from == 0 || !digit(text[from-1])) && (to == len(text) || !digit(text[to]) && !isHex(text[to]) || !isHex(text[to-1]))
}

func isHex(b byte) bool { return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'f' }

// octetsOf are the addresses that four numbers may be, in either order: the first is that of
// decimal ones.
func octetsOf(text string) (out []netip.Addr) {
	var parts []string
	for rest := text; rest != ""; {
		if part := first().FindString(rest); part != "" {
			parts, rest = append(parts, part), rest[len(part):]
		} else {
			rest = rest[1:]
			if strings.HasPrefix(strings.ToLower(rest), "dot") { // its d is none of a number
				rest = rest[3:]
			}
		}
	}
	if len(parts) != 4 {
		return nil
	}
	for _, base := range []int{10, 0, 8, 16} {
		var b [4]byte
		fits := true
		for i, part := range parts {
			if base == 16 || base == 8 {
				part = strings.TrimPrefix(strings.ToLower(part), "0x")
			}
			v, err := strconv.ParseUint(part, base, 8)
			fits = fits && err == nil
			b[i] = byte(v)
		}
		if fits {
			out = append(out, inBothOrders(b)...)
		}
	}
	return out
}

func inBothOrders(b [4]byte) []netip.Addr {
	return []netip.Addr{netip.AddrFrom4(b), netip.AddrFrom4([4]byte{b[3], b[2], b[1], b[0]})}
}

// numberOf are the addresses that a number may be, in either order of its bytes.
func numberOf(text string) (out []netip.Addr) {
	bare := strings.TrimPrefix(strings.ToLower(text), "0x")
	for _, base := range []int{10, 16, 8} {
		v, err := strconv.ParseUint(bare, base, 32)
		if err != nil || base != 16 && bare != strings.ToLower(text) {
			continue
		}
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], uint32(v))
		out = append(out, inBothOrders(b)...)
	}
	return out
}

// shortOf is the address of two or three numbers.
func shortOf(text string) (out []netip.Addr) {
	parts := strings.Split(text, ".")
	var whole uint64
	for i, part := range parts {
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		v, err := strconv.ParseUint(part, 0, bits)
		if err != nil {
			return nil
		}
		whole = whole<<bits | v
	}
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(whole))
	return append(out, netip.AddrFrom4(b))
}

// wideOf are the addresses of IPv6 that a text may be.
func wideOf(text string) (out []netip.Addr) {
	add := func(text string) {
		if a, err := netip.ParseAddr(text); err == nil {
			out = append(out, a.Unmap())
		}
	}
	digits := strings.ReplaceAll(text, ".", "")
	if len(digits) == 32 && strings.Trim(strings.ToLower(digits), "0123456789abcdef") == "" {
		turned := []byte(digits)
		slices.Reverse(turned)
		for _, d := range []string{digits, string(turned)} {
			var groups []string
			for i := 0; i < 32; i += 4 {
				groups = append(groups, d[i:i+4])
			}
			add(strings.Join(groups, ":"))
		}
	}
	add(strings.NewReplacer("-", ":", "_", ":", "/", ":", ".", ":", " ", ":").Replace(text))
	return out
}

// numbersIn are numbers of many digits in a text, however they are grouped: of customers,
// cards, telephones, persons, and of places.
func numbersIn(text string) (out []spelled) {
	add := func(from, to int) { out = append(out, spelled{from, to, ofNumber, text[from:to]}) }
	for _, form := range []*regexp.Regexp{iban(), place(), degrees()} {
		for _, at := range form.FindAllStringIndex(text, -1) {
			add(at[0], at[1])
		}
	}
	for _, at := range called().FindAllStringSubmatchIndex(text, -1) {
		add(at[2], at[3])
	}
	for _, at := range macs().FindAllStringIndex(text, -1) {
		if strings.ContainsAny(strings.ToLower(text[at[0]:at[1]]), "abcdef") && isApart(text, at[0], at[1]) {
			out = append(out, spelled{at[0], at[1], ofAddress, text[at[0]:at[1]]})
		}
	}
	masked := times().ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("\x01", len(s)) })
	for _, at := range run().FindAllStringIndex(masked, -1) {
		from, to := at[0], at[1]
		if from > 0 && isHex(text[from-1]) && text[from] != '+' || to < len(text) && isHex(text[to]) {
			continue // a part of a longer word
		}
		if isLong(text[from:to]) {
			add(from, to)
		}
	}
	return out
}

// isLong tells a number in groups of which the whole has more digits than stay, or that is
// one of a telephone or a person by how it is grouped. Several numbers, as a list of ports,
// are none.
func isLong(text string) bool {
	groups := group().FindAllString(text, -1)
	signs := strings.Trim(group().ReplaceAllString(text, ""), "()+")
	digits, led, same := 0, false, true
	var lengths strings.Builder
	for i, g := range groups {
		digits += len(g)
		led = led || len(g) > 1 && g[0] == '0'
		same = same && (len(g) == len(groups[0]) || i == len(groups)-1 && len(g) < len(groups[0]))
		lengths.WriteString(strconv.Itoa(len(g)) + " ")
	}
	shape := lengths.String()
	called := text[0] == '+' || text[0] == '(' || len(groups[0]) > 1 && groups[0][0] == '0'
	blank := strings.Trim(signs, " .") == ""
	switch {
	case shape == "3 2 4 ": // a number of a person
		return true
	case strings.Trim(signs, ".") == "" && !called: // a version, an address, a number with decimals
		return false
	case called && digits >= 7 && !strings.Contains(signs, "."):
		return true
	case digits <= mostDigits:
		return false
	case !blank:
		return !isRange(groups, signs)
	}
	thousands := len(groups[0]) <= 3 && strings.Trim(shape[2:], "3 ") == ""
	return led || same && len(groups) > 2 && len(groups[0]) > 2 || thousands || slices.Contains([]string{"3 3 4 ", "4 6 5 ", "4 6 4 ", "2 3 3 3 "}, shape)
}

// isRange tells two ports, the first and the last.
func isRange(groups []string, signs string) bool {
	if len(groups) != 2 || strings.TrimSpace(signs) != "-" && strings.TrimSpace(signs) != "–" {
		return false
	}
	a, err := strconv.ParseUint(groups[0], 10, 16)
	b, err2 := strconv.ParseUint(groups[1], 10, 16)
	return err == nil && err2 == nil && a < b
}

// digitsIn is how many digits a text has.
func digitsIn(text string) (n int) {
	for _, b := range []byte(text) {
		if b >= '0' && b <= '9' {
			n++
		}
	}
	return n
}

// isHarmlessNumber tells a name that has neither a known address nor more digits than stay.
func (n *Names) isHarmlessNumber(name string) bool {
	return digitsIn(name) <= mostDigits && len(n.addressesIn(paths.Fold(name))) == 0
}
