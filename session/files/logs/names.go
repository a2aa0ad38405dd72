package logs

import (
	"slices"

	"perfdeck/paths"
	"perfdeck/session/text/language"
	"perfdeck/session/text/printable"
)

// InEnglish is the path with English names.
func (c *Column) InEnglish() string {
	if c.English == (language.Names{}) {
		return c.Path
	}
	p, err := paths.Parse(c.Path)
	if err != nil {
		return c.Path
	}
	p.Object, p.Counter = c.English.Object, c.English.Counter
	return p.String()
}

// naming says what the names of a recording are in English, as its columns come to be known.
type naming struct {
	names   *language.Dictionary
	english bool // they are given in English
	header  *Header
	known   int // columns that were looked up
}

// of is a header with what its names are in English. Where they are English it is that of the
// recording itself.
func (n *naming) of(h *Header) *Header {
	if n.known == len(h.Columns) && n.header == nil {
		return h
	}
	fresh := h.Columns[min(n.known, len(h.Columns)):]
	if n.header != nil && (len(fresh) > 0 || n.header.Zone != h.Zone || n.header.Caption != h.Caption) {
		n.header.Zone, n.header.Caption = h.Zone, h.Caption
		n.header.Columns = append(n.header.Columns, fresh...)
	}
	if len(fresh) > 0 {
		n.look(h, n.known)
		n.known = len(h.Columns)
	}
	if n.header != nil {
		return n.header
	}
	return h
}

// look looks up the names of the columns from one on, those of each computer by themselves: a
// name may be one of several languages.
func (n *naming) look(h *Header, from int) {
	type computer struct {
		columns []int
		parsed  []paths.Path
		names   []language.Names
	}
	var order []string
	of := map[string]*computer{}
	for i := from; i < len(h.Columns); i++ {
		p, err := paths.Parse(h.Columns[i].Path)
		if err != nil {
			continue
		}
		c := of[p.Computer]
		if c == nil {
			c = &computer{}
			of[p.Computer], order = c, append(order, p.Computer)
		}
		c.columns, c.parsed, c.names = append(c.columns, i), append(c.parsed, p), append(c.names, language.Names{Object: p.Object, Counter: p.Counter})
	}
	for _, name := range order {
		c := of[name]
		taken := n.names.English(c.names)
		if len(taken.Words()) == 0 {
			continue
		}
		if n.header == nil {
			own := *h
			own.Columns = slices.Clone(h.Columns)
			n.header = &own
		}
		n.header.Taken = append(n.header.Taken, taken)
		for at, is := range taken.English {
			if is == (language.Names{}) {
				continue
			}
			p, column := c.parsed[at], &n.header.Columns[c.columns[at]]
			if column.English = is; n.english {
				p.Object, p.Counter = is.Object, is.Counter
				column.Path, column.English = p.String(), language.Names{}
			}
		}
	}
}

// TakenWords say what names of the recording are taken for; none: they are as they stand.
func (h *Header) TakenWords() (words []string) {
	if h.Guess != "" {
		words = append(words, "its names are read in code page "+h.Guess+" by their letters alone: --encoding names another")
	}
	for _, taken := range h.Taken {
		for _, w := range taken.Words() {
			if w = printable.Text(w); !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	return words
}
