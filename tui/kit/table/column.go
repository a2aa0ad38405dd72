package table

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/names"
)

// Column is one column of a table.
type Column struct {
	*kindOf

	Kind    Kind
	Head    string
	Counter int    // index in Set.Counters; of a meter the one that has the limit
	Growth  bool   // by how much the counter grew in the span, not its value
	Fact    string // key
	IsText  bool   // a counter that has texts, not numbers
	Hidden  bool
	Width   int // as the user wants it; 0: as the table has room

	decimals int // where neither the counter nor the user ask for others
	look     session.Look
	own      cooker.Unit // of zero, and of all numbers without prefixes
	unit     string      // what its numbers are in; they have prefixes of their own
	isPlain  bool        // they have none
	longest  longest     // of them
	above    string
	total    string     // what it is called in sums of all rows; "": as its head
	drawn    kind.Drawn // of a meter
	fit      columns.Column
}

// MaxWidth bounds the width that the user gives a column, in cells.
const MaxWidth = 200

// Name is what the column is known by when it is kept.
func (c *Column) Name(set *session.Counterset) string {
	if c.name == nil {
		return c.Head
	}
	return c.name(c, set)
}

// Called is what its head says where its name does not say so, else "".
func (c *Column) Called(set *session.Counterset) string {
	if strings.Contains(c.Name(set), c.Head) {
		return ""
	}
	return c.Head
}

// isKept tells whether a name that was kept is the column's.
func (c *Column) isKept(set *session.Counterset, name string) bool {
	return name == c.Name(set) || c.was != "" && strings.HasPrefix(name, c.was)
}

// Step is one in the last place of a number that the column shows.
func (c *Column) Step(n float64) float64 {
	u, _, decimals := c.form(n)
	return c.look.One(u) * math.Pow10(-decimals)
}

// One is what a number is in that is written as its head says, 0 where numbers have prefixes.
func (c *Column) One() float64 {
	if !c.isPlain {
		return 0
	}
	return c.look.One(c.own)
}

// form is how a number is written: in which unit, with what behind it, and with how many
// decimals: where that is a prefix, with three digits.
func (c *Column) form(n float64) (u cooker.Unit, prefix string, decimals int) {
	if n == 0 || c.isPlain || c.unit == "%" {
		return c.own, "", c.decimals
	}
	u = c.look.Unit(n)
	if prefix = strings.TrimSuffix(u.Label, c.unit); prefix == "" {
		return u, "", c.decimals
	}
	switch n = math.Abs(n) / c.look.One(u); {
	case n < 9.995: // else it rounds to 10, the next to 100
		decimals = 2
	case n < 99.95:
		decimals = 1
	}
	return u, prefix, decimals
}

// appendText appends a number, with the prefix of the unit that suits it, as its display
// attributes ask for. Decimals go where w cells have no room for them, of one without prefix
// all but its magnitude.
func (c *Column) appendText(buf []byte, v cooker.Value, w int) []byte {
	n, _ := v.Float()
	u, prefix, decimals := c.form(n)
	f, start := c.look.Format, len(buf)
	if prefix == "" || f.Digits >= 0 {
		if buf = f.AppendInColumn(buf, v, u, decimals); c.unit != "%" { // points of numbers with prefixes are not in one column
			buf = bytes.TrimRight(buf, " ")
		}
		if c.isPlain && len(buf)-start > w {
			return strconv.AppendFloat(buf[:start], n/c.look.One(u), 'e', 2, 64)
		}
		return append(buf, prefix...)
	}
	f.Digits = decimals
	if buf = append(f.AppendIn(buf, v, u), prefix...); len(buf)-start > w && decimals > 0 {
		f.Digits = 0
		buf = append(f.AppendIn(buf[:start], v, u), prefix...)
	}
	return buf
}

// columnsOf are the columns of a counterset.
func columnsOf(set *session.Counterset, looks session.Looks) []Column {
	known := presetsOf(set)
	out := []Column{of(Name, Column{Head: "instance", fit: columns.Column{Min: nameAlone, Want: columns.All, Rank: columns.Stays}})}
	if IsProcesses(set) {
		out = append(out, of(Number, Column{Head: "pid", fit: columns.Column{Min: pidCells, Rank: columns.Stays, Align: columns.Number}}))
	}
	for i := range known {
		out = appendPreset(out, set, &known[i], looks)
	}
	for i := range set.Counters {
		c := &set.Counters[i]
		if c.Hidden() || c.Absent != "" || slices.ContainsFunc(out, func(c Column) bool { return c.isOf(i) }) {
			continue
		}
		least := fieldCells
		if decimalsOf(c) == 0 {
			least = wholeCells
		}
		cells := counterColumn(set, i, looks, least)
		cells.Hidden = len(known) > 0 // there for who asks for it
		out = append(out, cells)
	}
	slices.SortStableFunc(out[1:], func(a, b Column) int { return cmp.Compare(a.fit.Want/columns.All, b.fit.Want/columns.All) }) // what takes the rest is last
	return withGrowth(withMeters(withSpark(beside(out, set)), set), set)
}

// withGrowth puts how much something grew, for who asks for it, behind what everybody sees but for
// what takes the rest.
func withGrowth(in []Column, set *session.Counterset) []Column {
	first, best := -1, 0
	for i := range in {
		c, fits := &in[i], 0
		switch {
		case !c.hasCurve():
		case c.isLevel(set) && !c.Hidden:
			fits = 3
		case c.isLevel(set) && c.look.Quantity.Kind == cooker.Bytes:
			fits = 2
		case !c.Hidden:
			fits = 1
		}
		if fits > best {
			first, best = i, fits
		}
	}
	if first < 0 {
		return in
	}
	last := first
	for i := range in {
		if !in[i].Hidden && in[i].fit.Want < columns.All {
			last = i
		}
	}
	return slices.Insert(in, last+1, in[first].growth(&Column{Hidden: true}))
}

// growth is the column of how much a counter grew, in the place of another one.
func (c *Column) growth(was *Column) Column {
	g := *c
	g.Growth, g.Hidden, g.Width, g.longest, g.total = true, was.Hidden, was.Width, longest{}, ""
	g.fit.Rank = 1
	return g
}

// isLevel tells a number of what is there from one of what happens just now.
func (c *Column) isLevel(set *session.Counterset) bool {
	counter := &set.Counters[c.Counter]
	return !counter.IsFlow() && !counter.IsCode(c.look)
}

// counterColumn is the column of a counter with so many cells at least.
func counterColumn(set *session.Counterset, i int, looks session.Looks, least int) Column {
	counter := &set.Counters[i]
	c := of(Counter, Column{Counter: i, decimals: decimalsOf(counter), look: looks.Of(set, counter)})
	c.call(names.Counter(counter.Name, set.Name, 14))
	if c.IsText = counter.Type.IsText(); c.IsText {
		w := max(fieldCells, utf8.RuneCountInString(c.Head))
		c.fit = columns.Column{Min: w, Want: max(w, wantText), Rank: 1}
		return c
	}
	f := &c.look.Format
	c.own = f.Unit(0)
	switch {
	case f.IsHex():
		least = max(least, len("0x")+f.HexWidth)
	case f.IsOneNumber() || f.Style == cooker.UnitPlain:
		c.unit, c.isPlain = c.own.Label, true
		least = max(least, plainCells)
	default:
		f.Grouping = "" // the unit keeps it short
		if f.Digits >= 0 {
			least = max(least, wholeCells+f.Digits)
		}
		if f.Quantity.Kind != cooker.Seconds { // whose units have nothing in common
			c.unit = cooker.UnitFor(cooker.Quantity{Kind: f.Quantity.Kind}, f.Style, 0).Label
		}
	}
	c.fit = columns.Column{Min: least, Rank: 1, Align: columns.Number}
	return c
}

// decimalsOf is how many decimals suit a column of a counter: means and queue lengths
// are small numbers between whole ones.
func decimalsOf(c *session.Counter) int {
	switch {
	case c.Quantity.Kind == cooker.Count && !c.Type.IsAdditive():
		return 2
	case slices.Contains([]cooker.QuantityKind{cooker.Count, cooker.Bytes, cooker.BytesPerSecond}, c.Quantity.Kind):
		return 0
	}
	return 1
}

// beside puts the second counter of each pair behind the first.
func beside(in []Column, set *session.Counterset) []Column {
	out := make([]Column, 0, len(in))
	done := make([]bool, len(in))
	for i := range in {
		if done[i] {
			continue
		}
		out = append(out, in[i])
		if in[i].Kind != Counter {
			continue
		}
		pair := kind.PairName(set.Counters[in[i].Counter].Name)
		for k := i + 1; k < len(in); k++ {
			if !done[k] && in[k].Kind == Counter && in[k].Hidden == in[i].Hidden && kind.PairName(set.Counters[in[k].Counter].Name) == pair {
				out, done[k] = append(out, in[k]), true
			}
		}
	}
	return out
}

// withSpark puts the history of the sorted column behind the first counter.
func withSpark(in []Column) []Column {
	const least, beside, most = 6, 12, 20
	at := slices.IndexFunc(in, func(c Column) bool { return c.hasCurve() })
	if at < 0 {
		return in
	}
	fit := columns.Column{Min: least, Want: most, Rank: 3}
	if in[0].fit.Want == 0 { // beside a command line
		fit.Want = beside
	}
	return slices.Insert(in, at+1, of(Spark, Column{Head: lastMinute, above: "last", fit: fit}))
}

// arranged puts the columns into the order that is kept; those that are not kept come
// last.
func arranged(list []Column, set *session.Counterset, kept *session.SavedTable) []Column {
	out := make([]Column, 0, len(list))
	left := slices.Clone(list)
	for _, k := range kept.Columns {
		at := slices.IndexFunc(left, func(c Column) bool { return c.isKept(set, k.Name) })
		if at < 0 {
			continue // another version of the host had it
		}
		c := left[at]
		c.Hidden, c.Width = k.Hidden && c.Kind != Name, max(0, min(k.Width, MaxWidth))
		out = append(out, c)
		left = slices.Delete(left, at, at+1)
	}
	out = append(out, left...)
	return moved(out, slices.IndexFunc(out, func(c Column) bool { return c.Kind == Name }), 0)
}

// call gives a column the name of its counter. What is per second says so by its unit.
func (c *Column) call(short string) {
	c.Head = short
	if c.look.Quantity.Kind == cooker.PerSecond || c.look.Quantity.Kind == cooker.BytesPerSecond {
		c.Head = strings.TrimSuffix(short, "/sec")
	}
}

// label is a unit as it stands in the head and behind sums.
func (c *Column) label(unit string) string {
	if c.Growth || unit == "%" || unit == "/s" && strings.Contains(c.Head, "/sec") {
		return ""
	}
	return unit
}

// unitCells is the room for the unit behind a head, with its blank.
func (c *Column) unitCells() int {
	if l := c.label(c.unit); l != "" {
		return 1 + len(l)
	}
	return 0
}

// title is the head with the unit of the column, and the sign of its sorting.
func (c *Column) title(head string, mark rune) string {
	if mark != 0 {
		head += " " + string(mark)
	}
	if l := c.label(c.unit); l != "" {
		head += " " + l
	}
	return head
}

// lines are the two lines of a head, parted where the longer one is shortest with the
// unit behind the second.
func (c *Column) lines() (above, below string) {
	if c.above != "" {
		return c.above, strings.TrimSpace(strings.TrimPrefix(c.Head, c.above))
	}
	words := strings.Fields(c.Head)
	if !c.isParted || len(words) == 0 {
		return c.Head, ""
	}
	best := math.MaxInt
	for i := 0; i <= len(words); i++ {
		a, b := strings.Join(words[:i], " "), strings.Join(words[i:], " ")
		w := canvas.Full.TextWidth(b) + c.unitCells()
		if b == "" {
			w--
		}
		if i == len(words) && c.unitCells() == 0 {
			continue // the second line would be empty
		}
		if w = max(w, canvas.Full.TextWidth(a)); w <= best {
			best, above, below = w, a, b
		}
	}
	return above, below
}

// shortest is what the head takes in one line without what others begin with.
func (c *Column) shortest(sorted bool) int {
	rest, ok := strings.CutPrefix(c.Head, c.above+" ")
	if c.above == "" || !ok {
		return c.cells(1, sorted)
	}
	short := *c
	short.Head = rest
	return short.cells(1, sorted)
}

// cells is what the head takes at least, in so many lines.
func (c *Column) cells(lines int, sorted bool) int {
	head, above := c.Head, ""
	if lines > 1 {
		above, head = c.lines()
	}
	w := canvas.Full.TextWidth(head) + c.unitCells()
	if head == "" && c.unitCells() > 0 {
		w--
	}
	if sorted {
		w += 2
	}
	return max(w, canvas.Full.TextWidth(above))
}
