package canvas

import "strings"

// Caps are the optional abilities of a terminal. The zero value is what every
// ANSI terminal has.
type Caps struct {
	Sync       bool // synchronized output, private mode 2026
	Rep        bool // REP: repeat the preceding character, used for ASCII only
	ShiftChars bool // DCH and ICH: delete and insert characters
	BCE        bool // erasing leaves the current background colour
}

// capsByTerm is searched in order for a prefix of TERM. REP is left to the
// terminals that have a name of their own: many that call themselves xterm
// lack it. Sync is asked of the terminal instead (DECRQM).
var capsByTerm = []struct {
	prefix string
	caps   Caps
}{
	{"xterm-kitty", Caps{Rep: true, ShiftChars: true, BCE: true}},
	{"xterm-ghostty", Caps{Rep: true, ShiftChars: true, BCE: true}},
	{"alacritty", Caps{Rep: true, ShiftChars: true, BCE: true}},
	{"foot", Caps{Rep: true, ShiftChars: true, BCE: true}},
	{"wezterm", Caps{Rep: true, ShiftChars: true, BCE: true}},
	{"contour", Caps{Rep: true, ShiftChars: true, BCE: true}},
	{"xterm", Caps{ShiftChars: true, BCE: true}},
	{"vte", Caps{ShiftChars: true, BCE: true}},
	{"gnome", Caps{ShiftChars: true, BCE: true}},
	{"konsole", Caps{ShiftChars: true, BCE: true}},
	{"rxvt", Caps{ShiftChars: true, BCE: true}},
	{"putty", Caps{ShiftChars: true, BCE: true}},
	{"st-", Caps{ShiftChars: true, BCE: true}},
	{"linux", Caps{ShiftChars: true, BCE: true}},
	{"tmux", Caps{ShiftChars: true}},
	{"screen", Caps{ShiftChars: true}},
}

// CapsOf returns what a terminal of this TERM can do; an unknown one gets no
// more than every terminal has. A Windows console, which sets no TERM, goes by
// "xterm".
func CapsOf(term string) Caps {
	for _, row := range capsByTerm {
		if strings.HasPrefix(term, row.prefix) {
			return row.caps
		}
	}
	return Caps{}
}
