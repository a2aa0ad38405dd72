package canvas

// Picture is what a pane wants to be seen in a region: a graph, a chart. Draw draws it
// of cells.
type Picture interface{ Draw(r Region) }

// Picture draws a picture over all of the region. It is the one place where pictures
// become cells: a terminal that has pixels would be given those here.
func (r Region) Picture(p Picture) { p.Draw(r) }
