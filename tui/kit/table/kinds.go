package table

import (
	"math"
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/columns"
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

// kindOf is all that is asked of the columns of a kind.
type kindOf struct {
	name func(c *Column, set *session.Counterset) string // that it is kept by
	was  string                                          // what such names began with before; "": nothing else

	isParted bool                                               // its head stands in two lines, where there are two
	isWide   bool                                               // it takes what others leave, and has room for its head
	isValue  bool                                               // it has no cells in the row of an instance that ended
	lacks    func(t *Table) bool                                // tells that there is nothing to show; nil: there is
	need     func(t *Table, i, lines, w int) columns.Column     // what column i needs in a table of w cells; nil: what it was made with
	counters func(c *Column) []int                              // whose values it needs, -1 for none; nil: none
	rank     func(t *Table, c *Column, m *Frame) func(is *rank) // of the row of a rank, as sorted by it; nil: it has no order
	draw     func(t *Table, r canvas.Region, c *Column, row *Row)
}

// kinds are the kinds of columns: another one is an entry here, and a column of it in columnsOf.
var kinds = [...]kindOf{
	Name: {
		isWide: true, need: needOfName, draw: drawName,
		rank: func(_ *Table, _ *Column, m *Frame) func(*rank) {
			return func(is *rank) { is.kind, is.text = isText, m.View.Rows[is.row].Key.Name }
		},
	},
	Number: {
		lacks: func(t *Table) bool { return !t.numbered }, need: needOfNumbers, draw: drawNumber,
		rank: func(_ *Table, _ *Column, m *Frame) func(*rank) {
			return func(is *rank) { is.kind, is.number = isNumber, -float64(m.View.Rows[is.row].Number) } // up
		},
	},
	Counter: {
		name: func(c *Column, set *session.Counterset) string {
			if c.Growth {
				return "growth"
			}
			return set.Counters[c.Counter].Name
		},
		isParted: true, isValue: true, need: needOfNumbers, counters: func(c *Column) []int { return []int{c.Counter} }, rank: rankOfCounter, draw: drawCounter,
	},
	Fact: {
		name: func(c *Column, _ *session.Counterset) string { return c.Fact }, draw: drawFact,
		rank: func(_ *Table, c *Column, m *Frame) func(*rank) {
			return func(is *rank) { is.kind, is.text = isText, m.View.Fact(is.row, c.Fact) }
		},
	},
	Spark: {
		name: func(*Column, *session.Counterset) string { return lastMinute }, was: "last ", isWide: true,
		lacks: func(t *Table) bool { return t.curve() == nil }, need: needOfSpark, draw: drawSpark,
	},
	Meter: {
		isValue: true, need: needOfNumbers, rank: rankOfCounter, draw: drawMeter,
		counters: func(c *Column) []int { return []int{c.Counter, c.Limited()} },
	},
}

// Sorts tells whether rows can be sorted by a column.
func (c *Column) Sorts() bool { return c.rank != nil }

// lastMinute is what histories are known by: they were once of as many samples as their name said.
const lastMinute = "last 60 s"

// of is a column of a kind.
func of(k Kind, c Column) Column {
	c.Kind, c.kindOf = k, &kinds[k]
	return c
}

func needOfName(t *Table, i, _, w int) columns.Column {
	out := t.Columns[i].fit
	beside := out.Want == 0
	out.Min = max(out.Min, min(w/8, nameMost))
	if t.InRule { // the first head stands behind the title
		out.Min = max(out.Min, min(t.Title-1, w/2))
	}
	if t.Tree {
		out.Min = max(out.Min, min(treeName, w/3))
	}
	if out.Want = t.longest.now; beside {
		out.Want = min(out.Want, w/5)
	}
	return out
}

func needOfSpark(t *Table, i, lines, _ int) columns.Column {
	out := t.Columns[i].fit
	if lines == 1 || t.InRule {
		out.Min = max(out.Min, sparkHead)
	}
	return out
}

func needOfNumbers(t *Table, i, lines, _ int) columns.Column {
	c := &t.Columns[i]
	out, isMarked := c.fit, t.isHome(i) || c.Hidden
	if t.InRule { // in one line
		out.Min = max(out.Min, min(c.shortest(isMarked), ruledHead))
	} else {
		out.Min = max(out.Min, c.cells(lines, isMarked))
	}
	out.Want = max(out.Want, c.longest.now)
	return out
}

func rankOfCounter(t *Table, c *Column, m *Frame) func(*rank) {
	col, places := m.View.Column(c.Counter), 0.
	if col < 0 {
		return rankOfNothing
	}
	if c.unit == "%" && !t.order.isFine && !c.isPlain && c.look.Digits < 0 { // equal is what reads so
		places = math.Pow10(c.decimals + c.look.Scale)
	}
	return func(is *rank) {
		v := t.value(c, m, is.row, col)
		n, ok := v.Float()
		if places > 0 {
			n = math.RoundToEven(n*places) / places
		}
		if ok && n == n {
			is.kind, is.number = isNumber, n
		} else if is.text, ok = v.Text(); ok {
			is.kind = isText
		}
	}
}

func rankOfNothing(*rank) {}

func drawNumber(t *Table, r canvas.Region, _ *Column, row *Row) {
	if n := t.shown.View.Rows[row.At].Number; n != 0 {
		var buf [20]byte
		columns.DrawNumber(r, 0, 0, r.Width(), string(strconv.AppendUint(buf[:0], n, 10)), themes.Muted)
	}
}

func drawFact(t *Table, r canvas.Region, c *Column, row *Row) {
	fact, in := t.shown.View.Fact(row.At, c.Fact), &t.shown.View.Rows[row.At]
	switch {
	case fact == "" && !in.Gone && in.Flags&session.FlagEnded == 0 && t.Coming != nil && t.Coming(in.Key, c.Fact):
		fact = r.Glyphs().Ellipsis
	case c.Fact == commandLine:
		fact = Command(fact)
	case c.Fact == userName && canvas.Full.TextWidth(fact) > r.Width():
		fact = fact[strings.LastIndexByte(fact, '\\')+1:] // who it is tells more than the domain
	}
	r.Rest(0, 0, fact, themes.Muted)
}

func drawCounter(t *Table, r canvas.Region, c *Column, row *Row) {
	m := &t.shown
	col := m.View.Column(c.Counter)
	if col < 0 {
		r.Right(0, 0, r.Width(), r.Glyphs().Ellipsis, themes.Muted)
		return
	}
	if v := t.value(c, m, row.At, col); m.View.Rows[row.At].Flags&session.FlagEnded == 0 || v.Status() != cooker.Unavailable {
		drawValue(r, v, c, c == &t.Columns[t.Sort])
	}
}
