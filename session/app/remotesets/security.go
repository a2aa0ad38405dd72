package remotesets

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"perfdeck/session/system/lazy"
	"perfdeck/session/text/printable"
)

// Security is in SDDL, MS-DTYP 2.5.1: who may do what with a set.

// trustees are accounts and groups that every host has, by the letters of SDDL and by SID.
var trustees = map[string]string{
	"BA": "Administrators", "S-1-5-32-544": "Administrators", "BU": "Users", "S-1-5-32-545": "Users", "BG": "Guests",
	"LU": "Performance Log Users", "S-1-5-32-559": "Performance Log Users",
	"MU": "Performance Monitor Users", "S-1-5-32-558": "Performance Monitor Users",
	"SY": "SYSTEM", "S-1-5-18": "SYSTEM", "LS": "LOCAL SERVICE", "S-1-5-19": "LOCAL SERVICE", "NS": "NETWORK SERVICE", "S-1-5-20": "NETWORK SERVICE",
	"WD": "everyone", "S-1-1-0": "everyone", "AU": "all who logged on", "S-1-5-11": "all who logged on", "AN": "who did not log on",
	"IU": "who works at the host", "NU": "who comes by the network", "SU": "services", "CO": "who made it", "OW": "its owner",
	"DA": "Domain Admins", "DU": "Domain Users", "LA": "the local Administrator", "PU": "Power Users", "SO": "Server Operators", "BO": "Backup Operators",
}

const (
	rightsRead  = 0x120089
	rightsWrite = 0x120116
	rightsRun   = 0x1200A0
	rightsAll   = 0x1F01FF
)

// rights are the letters of SDDL.
var rights = map[string]uint32{
	"GA": rightsAll, "GR": rightsRead, "GW": rightsWrite, "GX": rightsRun, "FA": rightsAll, "FR": rightsRead, "FW": rightsWrite, "FX": rightsRun,
	"KA": 0xF003F, "KR": 0x20019, "KW": 0x20006, "KX": 0x20019, "SD": 0x10000, "RC": 0x20000, "WD": 0x40000, "WO": 0x80000,
	"CC": 1, "DC": 2, "LC": 4, "SW": 8, "RP": 0x10, "WP": 0x20, "DT": 0x40, "LO": 0x80, "CR": 0x100,
}

// generic are rights that stand for others.
var generic = []struct{ bit, means uint32 }{{1 << 28, rightsAll}, {1 << 31, rightsRead}, {1 << 30, rightsWrite}, {1 << 29, rightsRun}}

// rightWords say what bits let one do.
var rightWords = []struct {
	bit  uint32
	word string
}{{1, "read"}, {2, "change"}, {0x20, "start and stop"}, {0x10000, "delete"}, {0x40000, "change the rights"}, {0x80000, "become the owner"}}

// The parts of SDDL, and the entries of its list.
var (
	sddlPart  = lazy.Regexp(`^([OGDS]):((?:[^:(]|\([^()]*(?:\([^()]*\)[^()]*)*\))*?)(?:$|([OGDS]:.*)$)`)
	sddlEntry = lazy.Regexp(`\(([^()]*(?:\([^()]*\)[^()]*)*)\)`)
)

// mostSDDL bounds what is taken apart, in bytes.
const mostSDDL = 1 << 16

// Security says in words what SDDL says, a line for each who is named.
func Security(sddl string) []string {
	unread := []string{"its security is written in no form that is known here: " + printable.Shorten(sddl, 200)}
	if len(sddl) > mostSDDL {
		return unread
	}
	var out []string
	seen := "" // each part is there once
	for rest := strings.TrimSpace(sddl); rest != ""; {
		m := sddlPart().FindStringSubmatch(rest)
		if m == nil || strings.Contains(seen, m[1]) {
			return unread
		}
		rest, seen = m[3], seen+m[1]
		switch m[1] {
		case "O":
			out = append(out, "it belongs to "+trustee(m[2]))
		case "D":
			lines, ok := list(m[2])
			if !ok {
				return unread
			}
			out = append(out, lines...)
		}
	}
	return out
}

func trustee(sid string) string {
	if name := trustees[strings.ToUpper(sid)]; name != "" {
		return name
	}
	return sid
}

// list says who may do what by an access list.
func list(text string) (out []string, ok bool) {
	if strings.Contains(text, "NO_ACCESS_CONTROL") {
		return []string{"everyone may do everything with it"}, true
	}
	entries := sddlEntry().FindAllStringSubmatch(text, -1)
	if len(entries) == 0 {
		return []string{"nobody may do anything with it"}, true
	}
	for _, e := range entries {
		f := strings.Split(e[1], ";")
		if len(f) < 6 {
			return nil, false
		}
		mask, known := maskOf(f[2])
		may := map[string]string{"A": "may", "XA": "may, on conditions,", "OA": "may", "D": "may not", "XD": "may not, on conditions,", "OD": "may not"}[f[0]]
		switch {
		case may == "" || !known:
			out = append(out, "("+e[1]+")")
		case !slices.Contains(pairs(f[1]), "IO"): // which is of what is below
			out = append(out, fmt.Sprintf("%s %s %s", trustee(f[5]), may, said(mask)))
		}
	}
	return out, true
}

// pairs are letters two by two.
func pairs(text string) (out []string) {
	for ; len(text) >= 2; text = text[2:] {
		out = append(out, text[:2])
	}
	return out
}

func maskOf(text string) (mask uint32, ok bool) {
	if n, err := strconv.ParseUint(text, 0, 32); err == nil {
		mask = uint32(n)
	} else {
		if len(text)%2 == 1 {
			return 0, false
		}
		for _, letters := range pairs(strings.ToUpper(text)) {
			bits, known := rights[letters]
			if !known {
				return 0, false
			}
			mask |= bits
		}
	}
	for _, g := range generic {
		if mask&g.bit != 0 {
			mask |= g.means
		}
	}
	return mask, true
}

// said are the rights of a mask in words.
func said(mask uint32) string {
	if mask&rightsAll == rightsAll {
		return "do everything with it"
	}
	var words []string
	for _, w := range rightWords {
		if mask&w.bit != 0 {
			words = append(words, w.word)
		}
	}
	if len(words) == 0 {
		return fmt.Sprintf("do 0x%X with it", mask)
	}
	return strings.Join(words, ", ")
}
