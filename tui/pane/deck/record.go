package deck

import (
	"slices"

	"perfdeck/tui/pane"
)

// Recordable is what is recorded when the deck that is shown is: its paths, by host, with those of the rows
// beside them, of the columns of tables and of what limits them, so that a replay draws it as it was.
func (b *Book) Recordable() (out []pane.RecordHost) {
	for _, d := range b.each() {
		for _, bl := range d.panes {
			if bl.host == nil {
				continue
			}
			list := slices.Concat(bl.spec.Paths, bl.spec.Also, d.tablePaths(bl))
			for _, it := range bl.items {
				if l := &it.drawn.Limit; l.Set != nil && !it.missing {
					list = append(list, l.Path(it.sel.Path).String())
				}
			}
			i := slices.IndexFunc(out, func(r pane.RecordHost) bool { return r.Host == bl.host })
			if i < 0 {
				i = len(out)
				out = append(out, pane.RecordHost{Host: bl.host})
			}
			for _, p := range list {
				if !slices.Contains(out[i].Paths, p) {
					out[i].Paths = append(out[i].Paths, p)
				}
			}
		}
	}
	return out
}

// tablePaths are the paths of what the columns of a pane show that is a table: of the instances of its own paths.
func (d *Deck) tablePaths(b *block) (out []string) {
	if !d.isTable(b) {
		return nil
	}
	t := d.tableOf(b)
	counters := t.Counters()
	if n := b.set.NumberCounter(); n >= 0 && t.HasNumbers() {
		counters = append(counters, n)
	}
	for _, it := range b.items {
		if it.also || it.missing || it.sel.Set != b.set {
			continue
		}
		for _, c := range counters {
			p := it.sel.Path
			p.Counter = b.set.Counters[c].Name
			out = append(out, p.String())
		}
	}
	return out
}

// PathCount is how many paths the panes of the deck that is shown have.
func (b *Book) PathCount() (n int) {
	for _, d := range b.each() {
		for _, bl := range d.panes {
			n += len(bl.spec.Paths)
		}
	}
	return n
}
