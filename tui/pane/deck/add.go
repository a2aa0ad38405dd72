package deck

import (
	"fmt"
	"slices"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/tui/pane"
)

// Add puts a path on the deck that is shown; on that of all hosts it comes to
// every one.
func (b *Book) Add(h *pane.Host, path string) error {
	named, path, err := hostOfPath(b.desk, path)
	if err != nil {
		return err
	}
	if named != nil {
		if a := b.abreast(); a != nil && a.of(named) != nil {
			return a.of(named).Add(named, path)
		}
		if d := b.deck(); d != nil && d.host != nil && d.host != named {
			return errOtherHost
		}
		h = named
	}
	if h == nil && b.all != nil {
		return b.addToAll(path)
	}
	if b.page != nil {
		return b.page.Add(h, path)
	}
	if a := b.abreast(); a != nil {
		return a.Add(path)
	}
	if own := b.mine(h); own != nil {
		return own.Add(h, path)
	}
	return b.mine(b.host).Add(b.host, path)
}

// addToAll puts a path of every host that has it on the user's deck that is
// shown, else on that of all hosts, which comes to the front.
func (b *Book) addToAll(path string) error {
	if b.page == nil {
		b.host, b.some = nil, nil
		return b.all.Add(path)
	}
	err := error(errNotWatched)
	added := false
	for _, h := range b.desk.Hosts {
		e := b.page.Add(h, path)
		added = added || e == nil
		err = e
	}
	if added {
		return nil
	}
	return err
}

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

// pathsForAll are the paths without their computers, those of hosts that are not
// watched left out.
func pathsForAll(desk *pane.Desk, list []string) []string {
	var out []string
	for _, text := range list {
		if _, path, err := hostOfPath(desk, text); err == nil && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}

// isNamed tells whether a computer of a path is the host.
func isNamed(h *pane.Host, computer string) bool {
	return paths.EqualFold(h.Name, computer) || h.Local && (computer == "." || paths.EqualFold(computer, "local") || paths.EqualFold(computer, "localhost"))
}
