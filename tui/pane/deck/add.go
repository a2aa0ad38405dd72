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
	case d.host == nil:
		return d.addOf(h, path)
	case named != nil && d.host != named:
		return errOtherHost
	case b.own[h] != nil: // which need not be the one that is shown
		d = b.Own(h)
	}
	return d.Add(d.host, path)
}

// addOf puts a path of a host on a deck of the user's; of nil that of every host that has it.
func (d *Deck) addOf(h *pane.Host, path string) (err error) {
	hosts := []*pane.Host{h}
	if h == nil {
		hosts = d.desk.Hosts
	}
	added := false
	for _, h := range hosts {
		e := d.Add(h, path)
		added = added || e == nil
		err = e
	}
	if added {
		return nil
	}
	return err
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
