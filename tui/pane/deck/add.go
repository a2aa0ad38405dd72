package deck

import (
	"fmt"
	"slices"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/tui/pane"
)

// Add puts a path on the deck that is shown. On that of several hosts it comes to every
// one, unless the path names one; without a host it does so on any.
func (b *Book) Add(h *pane.Host, path string) error {
	named, path, err := hostOfPath(b.desk, path)
	if err != nil {
		return err
	}
	if named != nil {
		h = named
	}
	if h == nil && b.page() == nil {
		b.put(nil)
	}
	d := b.deck()
	switch {
	case d == nil:
		return b.abreast().Add(named, path)
	case d.host != nil && named != nil && d.host != named:
		return errOtherHost
	case d.host != nil && b.own[h] != nil: // which need not be the one that is shown
		d = b.Own(h)
	}
	return d.Add(h, path)
}

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

// pathsFor are the paths that mean a host, without their computers: those that have none,
// and those that name it; of nil those of all that are watched.
func pathsFor(desk *pane.Desk, h *pane.Host, list []string) (out []string) {
	for _, text := range list {
		named, path, err := hostOfPath(desk, text)
		if err == nil && (h == nil || named == nil || named == h) && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}

// isNamed tells whether a computer of a path is the host.
func isNamed(h *pane.Host, computer string) bool {
	return paths.EqualFold(h.Name, computer) || h.Local && (computer == "." || paths.EqualFold(computer, "local") || paths.EqualFold(computer, "localhost"))
}
