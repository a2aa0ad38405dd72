package deck

import (
	"slices"

	"perfdeck/tui/pane"
)

// Recordable is what is recorded when the deck that is shown is: its paths, by
// host.
func (b *Book) Recordable() []pane.RecordHost {
	var out []pane.RecordHost
	add := func(h *pane.Host, paths []string) {
		if h == nil {
			return
		}
		i := slices.IndexFunc(out, func(r pane.RecordHost) bool { return r.Host == h })
		if i < 0 {
			i = len(out)
			out = append(out, pane.RecordHost{Host: h})
		}
		for _, p := range paths {
			if !slices.Contains(out[i].Paths, p) {
				out[i].Paths = append(out[i].Paths, p)
			}
		}
	}
	each := func(d *Deck) {
		for _, bl := range d.panes {
			add(bl.host, bl.spec.Paths)
		}
	}
	if a := b.abreast(); a != nil {
		for _, d := range a.all() {
			each(d)
		}
	} else if d := b.deck(); d != nil {
		each(d)
	}
	return out
}
