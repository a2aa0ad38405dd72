package deck

import (
	"fmt"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/tui/pane"
)

const errOtherHost = deckError("the path is of another host: D makes a deck of several")

// hostOfPath is the host that a path names, and the path without it. A path
// without a computer means no host (nil). One that is not watched is an error: the
// values of another host must not stand for it.
func hostOfPath(desk *pane.Desk, text string) (*pane.Host, string, error) {
	p, err := paths.Parse(text)
	if err != nil || p.Computer == "" {
		return nil, text, nil //nolint:nilerr // what is wrong with it is told by the look-up
	}
	computer := p.Computer
	p.Computer = ""
	for _, h := range desk.Hosts {
		if isNamed(h, computer) {
			return h, p.String(), nil
		}
	}
	return nil, "", fmt.Errorf("%s is not watched: 7 adds it", session.Printable(computer))
}

// pathsFor are the paths that mean a host: those without a computer, and those
// that name it.
func pathsFor(desk *pane.Desk, h *pane.Host, list []string) []string {
	var out []string
	for _, text := range list {
		if named, path, err := hostOfPath(desk, text); err == nil && (named == nil || named == h) {
			out = append(out, path)
		}
	}
	return out
}

// isNamed tells whether a computer of a path is the host.
func isNamed(h *pane.Host, computer string) bool {
	return paths.EqualFold(h.Name, computer) || h.Local && (computer == "." || paths.EqualFold(computer, "local") || paths.EqualFold(computer, "localhost"))
}
