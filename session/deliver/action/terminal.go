package action

import (
	"slices"
	"strings"

	"perfdeck/session/alert"
	"perfdeck/session/text/printable"
)

// Request is what the owner of the terminal is asked to do. Its texts are fit for
// a terminal.
type Request struct {
	Bell    bool
	Title   string // of the window; empty: none
	Heading string // of a notification of the desktop; empty: none
	Body    string
}

// requestOf is what a notice asks of the terminal.
func requestOf(n *alert.Notice) (r Request, ok bool) {
	has := func(d alert.Do) bool {
		return slices.ContainsFunc(n.Actions, func(a alert.Action) bool { return a.Do == d })
	}
	line := printable.Text(n.Line())
	r.Bell = has(alert.Bell)
	ok = r.Bell
	if has(alert.Title) {
		r.Title, ok = line, true
	}
	if has(alert.Desktop) {
		r.Heading, r.Body, ok = "perfdeck: "+n.Severity.String(), line, true
	}
	return r, ok
}

// Desktop is how a terminal is asked for a notification.
type Desktop uint8

// The ways.
const (
	OSC9   Desktop = iota // iTerm2, kitty, WezTerm, Ghostty, ConEmu
	OSC777                // urxvt, foot, VTE (GNOME Terminal and others)
)

// DesktopOf is the way of the terminal that the environment names.
func DesktopOf(environ []string) Desktop {
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		switch {
		case name == "VTE_VERSION" && value != "":
			return OSC777
		case name == "TERM" && (strings.HasPrefix(value, "rxvt") || strings.HasPrefix(value, "foot")):
			return OSC777
		}
	}
	return OSC9
}

// The pieces of control sequences (ECMA-48): operating system command, string
// terminator.
const (
	osc = "\x1b]"
	st  = "\x1b\\"
)

// Sequences is the request as a terminal reads it.
func (r Request) Sequences(d Desktop) []byte {
	var b []byte
	if r.Bell {
		b = append(b, '\a')
	}
	if r.Title != "" {
		b = append(b, osc+"2;"+printable.Text(r.Title)+st...)
	}
	if r.Heading == "" {
		return b
	}
	heading, body := printable.Text(r.Heading), printable.Text(r.Body)
	if d == OSC777 {
		heading = strings.ReplaceAll(heading, ";", ",") // it parts heading and body
		return append(b, osc+"777;notify;"+heading+";"+body+st...)
	}
	// A text that begins with a digit and a semicolon is a progress bar to ConEmu
	// and Windows Terminal: the heading never does.
	return append(b, osc+"9;"+heading+": "+body+st...)
}
