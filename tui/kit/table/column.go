package table

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/names"
)

// Kind says where the cells of a column come from.
type Kind uint8

// The kinds.
const (
	Name    Kind = iota
	Number       // of the instance: the pid
	Counter      // its value
	Fact         // a text about the instance
	Spark        // history of the column that rows are sorted by
	Meter        // how much of its limit a counter is
)

// Column is one column of a table. It has one unit, named in its head.
type Column struct {
	Kind    Kind
	Head    string
	Counter int    // index in Set.Counters; of a meter the one that has the limit
	Fact    string // key
	IsText  bool   // a counter that has texts, not numbers
	Hidden  bool
	Width   int // as the user wants it; 0: as the table has room

	decimals int // where neither the counter nor the user ask for others
	look     session.Look
	unit     *cooker.UnitChooser // one of all columns of a family
	family   string              // what a pair and its sum have in common
	shown    cooker.Unit
	isFine   bool // one unit for all rows: small ones must not read 0
	isBlank  bool // a fact that no row has
	need     int  // cells of its widest cell
	above    string
	total    string     // what it is called in sums of all rows; "": as its head
	drawn    kind.Drawn // of a meter
	fit      columns.Column
}

// MaxWidth bounds the width that the user gives a column, in cells.
const MaxWidth = 200

// Name is what the column is known by when it is kept.
func (c *Column) Name(set *session.Counterset) string {
	switch c.Kind {
	case Counter:
		return set.Counters[c.Counter].Name
	case Fact:
		return c.Fact
	case Spark:
		return "last 60 s"
	}
	return c.Head
}

// Called is what its head says where its name does not say so, else "".
func (c *Column) Called(set *session.Counterset) string {
	if strings.Contains(c.Name(set), c.Head) {
		return ""
	}
	return c.Head
}

// isKept tells whether a name that was kept is the column's; histories were of as many
// samples as their name said.
func (c *Column) isKept(set *session.Counterset, name string) bool {
	return name == c.Name(set) || c.Kind == Spark && strings.HasPrefix(name, "last ")
}

// Step is one in the last place that the column shows.
func (c *Column) Step() float64 {
	step := 1.
	if c.shown.Factor != 0 {
		step = c.shown.Factor
	}
	return step * math.Pow10(-c.decimals-c.look.Scale)
}

// settle takes the unit for the numbers that are shown, the largest of which, and of
// the family, is given.
func (c *Column) settle(r numberRange, largest float64, now time.Time) {
	c.shown = c.unit.Choose(largest, now)
	for _, n := range [...]float64{r.largest, r.least, r.finest} {
		var buf [64]byte
		c.need = max(c.need, len(c.appendText(buf[:0], cooker.FloatValue(n))))
	}
	c.need = max(c.need, r.word)
}

// numberRange is the range of the numbers of a column: one of its ends takes the most
// cells, or what is nearest to 0, or a word that stands for one.
type numberRange struct {
	least, largest, finest float64
	word                   int // cells
}

func (t *Table) rangeOf(m *Moment, col int) (out numberRange) {
	if col < 0 {
		return out
	}
	for _, r := range t.rows {
		v := m.Value(r.At, col)
		n, ok := v.Float()
		switch {
		case !ok:
			out.word = max(out.word, utf8.RuneCountInString(v.Status().Word()))
		case n != 0:
			out.least, out.largest = min(out.least, n), max(out.largest, n)
			if out.finest == 0 || math.Abs(n) < math.Abs(out.finest) {
				out.finest = n
			}
		}
	}
	return out
}

// appendText appends a number in the column's unit, or as its display attributes ask for.
// Of gigabytes the decimals are seen.
func (c *Column) appendText(buf []byte, v cooker.Value) []byte {
	decimals := c.decimals
	if c.isFine && c.shown.Factor >= 1e9 {
		decimals = max(decimals, 2)
	}
	return c.look.AppendInColumn(buf, v, c.shown, decimals)
}

// columnsOf are the columns of a counterset.
func columnsOf(set *session.Counterset, looks session.Looks, s Shape) []Column {
	known := presetsOf(set, s)
	out := []Column{{Kind: Name, Head: "instance", fit: s.name()}}
	if IsProcesses(set) {
		out = append(out, Column{Kind: Number, Head: "pid", fit: columns.Column{Min: pidCells, Rank: columns.Stays, Align: columns.Number}})
	}
	for i := range known {
		out = appendPreset(out, set, &known[i], looks)
	}
	for i := range set.Counters {
		c := &set.Counters[i]
		if c.Hidden() || c.Absent != "" || slices.ContainsFunc(out, func(c Column) bool { return c.Kind == Counter && c.Counter == i }) {
			continue
		}
		cells := counterColumn(set, i, looks)
		cells.Hidden = len(known) > 0 // there for who asks for it
		out = append(out, cells)
	}
	joinUnits(out)
	return withMeters(withSpark(beside(out, set), s), set, s)
}

// joinUnits gives the columns of a pair, and of what both are part of, one unit.
func joinUnits(list []Column) {
	for i := range list {
		a := &list[i]
		for k := range list[:i] {
			if b := &list[k]; a.unit != nil && b.unit != nil && a.family == b.family && a.look == b.look {
				a.unit = b.unit
				break
			}
		}
	}
}

func counterColumn(set *session.Counterset, i int, looks session.Looks) Column {
	counter := &set.Counters[i]
	c := Column{Kind: Counter, Counter: i, decimals: decimalsOf(counter), look: looks.Of(set, counter)}
	c.name(names.Counter(counter.Name, set.Name, 14))
	if c.IsText = counter.Type.IsText(); c.IsText {
		w := max(fieldCells, utf8.RuneCountInString(c.Head))
		c.fit = columns.Column{Min: w, Want: max(w, wantText), Rank: 1}
		return c
	}
	chooser := c.look.Chooser()
	c.unit, c.family = &chooser, kind.Family(counter.Name)
	if c.isFine = counter.Quantity.Kind == cooker.Bytes; c.isFine {
		chooser.Fine()
	}
	c.fit = columns.Column{Min: fieldCells, Rank: 1, Align: columns.Number}
	if c.decimals == 0 {
		c.fit.Min = wholeCells
	}
	return c
}

// decimalsOf is how many decimals suit a column of a counter: means and queue lengths
// are small numbers between whole ones.
func decimalsOf(c *session.Counter) int {
	switch {
	case c.Quantity.Kind == cooker.Count && !c.Type.IsAdditive():
		return 2
	case c.Quantity.Kind == cooker.Count, c.Quantity.Kind == cooker.Bytes:
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
func withSpark(in []Column, s Shape) []Column {
	at := slices.IndexFunc(in, func(c Column) bool { return c.Kind == Counter && !c.IsText })
	if at < 0 {
		return in
	}
	return slices.Insert(in, at+1, Column{Kind: Spark, Head: "last 60 s", above: "last", fit: s.spark(in)})
}

// arranged puts the columns into the order that is kept; those that are not kept come
// last.
func arranged(list []Column, set *session.Counterset, kept *session.KeptTable) []Column {
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
	if at := slices.IndexFunc(out, func(c Column) bool { return c.Kind == Name }); at > 0 {
		c := out[at]
		out = slices.Insert(slices.Delete(out, at, at+1), 0, c)
	}
	return out
}

// name gives a column the name of its counter. What is per second says so by its unit.
func (c *Column) name(short string) {
	c.Head = short
	if c.look.Quantity.Kind == cooker.PerSecond || c.look.Quantity.Kind == cooker.BytesPerSecond {
		c.Head = strings.TrimSuffix(short, "/sec")
	}
}

// label is the unit that stands in the head.
func (c *Column) label() string {
	if c.Kind != Counter || c.shown.Label == "%" || c.shown.Label == "/s" && strings.Contains(c.Head, "/sec") {
		return ""
	}
	return c.shown.Label
}

// unitCells is the room for the unit behind a head, with its blank, whichever it is.
func (c *Column) unitCells() int {
	if c.Kind != Counter || c.IsText {
		return 0
	}
	switch c.look.Quantity.Kind {
	case cooker.Percent:
		return 0
	case cooker.Bytes, cooker.Seconds:
		return 3
	case cooker.Count:
		return 0
	case cooker.PerSecond:
		return 4
	}
	return 5
}

// title is the head with the unit that the column has now, and the sign of its sorting.
func (c *Column) title(head string, mark rune) string {
	if mark != 0 {
		head += " " + string(mark)
	}
	if l := c.label(); l != "" {
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
	if c.Kind != Counter || len(words) == 0 {
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
