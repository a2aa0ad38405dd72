package deck

import (
	"slices"

	"perfdeck/tui/pane"
)

// Add puts a path on the deck that is shown. On that of several hosts it comes to every
// one, unless the path names one; without a host it does so on any.
func (b *Book) Add(h *pane.Host, path string) error {
	named, path, err := b.desk.HostOfPath(path)
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

// pathsFor are the paths that mean a host, without their computers: those that have none,
// and those that name it; of nil those of all that are watched.
func pathsFor(desk *pane.Desk, h *pane.Host, list []string) (out []string) {
	for _, text := range list {
		named, path, err := desk.HostOfPath(text)
		if err == nil && (h == nil || named == nil || named == h) && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}
