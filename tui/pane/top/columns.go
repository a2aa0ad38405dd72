package top

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// columnKind says where the cells of a column come from.
type columnKind uint8

const (
	nameColumn columnKind = iota
	numberColumn
	counterColumn
	factColumn
	sparkColumn
)

// column is one column of a table. It has one unit, named in its head.
type column struct {
	kind     columnKind
	head     string
	counter  int    // index in Set.Counters
	fact     string // key
	decimals int
	grouping string
	scale    int // power of ten
	unit     *cooker.UnitChooser
	shown    cooker.Unit
	layout.Column
}

// preset is a column of a well-known table: a counter by its name or a fact.
type preset struct {
	counter, fact, head string
	decimals            int
}

// presets are the columns of tables that everybody looks at; other countersets
// show their counters in the order of the catalogue.
var presets = map[string][]preset{
	"Process": {
		{fact: "user", head: "user"},
		{counter: "% Processor Time", head: "% CPU", decimals: 1},
		{counter: "Working Set", head: "Mem"},
		{counter: "% Privileged Time", head: "% Priv", decimals: 1},
		{counter: "Thread Count", head: "Threads"},
		{counter: "Page Faults/sec", head: "Faults"},
		{counter: "IO Data Bytes/sec", head: "IO", decimals: 1},
		{counter: "Private Bytes", head: "Private"},
		{counter: "Handle Count", head: "Handles"},
		{fact: "command line", head: "command"},
	},
}

const (
	minName, maxName = 12, 30
	treeName         = 24 // with its branches
	minCell          = 7
	sparkCells       = 12
)

// columnsOf are the columns of a counterset.
func columnsOf(set *session.Counterset, numbers *pane.Numbers) []column {
	out := []column{{kind: nameColumn, head: "instance", Column: layout.Column{Min: minName, Want: maxName, Keep: true}}}
	if set.Name == "Process" {
		out[0].Want = 20 // the command line says more
		out = append(out, column{kind: numberColumn, head: "pid", Column: layout.Column{Min: minCell, Want: minCell, Keep: true}})
	}
	known := presets[set.Name]
	for _, p := range known {
		out = appendPreset(out, set, p, numbers)
	}
	if len(known) == 0 {
		for i := range set.Counters {
			if c := &set.Counters[i]; !c.Hidden() && c.Absent == "" {
				out = append(out, counterCells(set, i, pane.Shorten(c.Name, set.Name, 14), decimalsOf(c.Quantity), numbers))
			}
		}
	}
	return withSpark(out)
}

func appendPreset(out []column, set *session.Counterset, p preset, numbers *pane.Numbers) []column {
	if p.fact != "" {
		c := column{kind: factColumn, head: p.head, fact: p.fact, Column: layout.Column{Min: 8, Want: 10}}
		if p.fact == "command line" {
			c.Column = layout.Column{Min: 14, Want: 400, Keep: true}
		}
		return append(out, c)
	}
	if i, ok := set.Counter(p.counter); ok && set.Counters[i].Absent == "" {
		out = append(out, counterCells(set, i, p.head, p.decimals, numbers))
	}
	return out
}

func counterCells(set *session.Counterset, i int, head string, decimals int, numbers *pane.Numbers) column {
	chooser, look := numbers.Chooser(set, i)
	if look.Digits >= 0 {
		decimals = look.Digits
	}
	c := column{scale: look.Scale, grouping: numbers.Separator(), kind: counterColumn, head: head, counter: i, decimals: decimals, unit: &chooser}
	w := max(minCell, utf8.RuneCountInString(head)+unitCells(set.Counters[i].Quantity))
	c.Column = layout.Column{Min: w, Want: w}
	return c
}

// unitCells is the room for the unit behind a head, with its blank.
func unitCells(q cooker.Quantity) int {
	switch q.Kind {
	case cooker.Percent:
		return 0
	case cooker.Bytes, cooker.Seconds, cooker.Count:
		return 3
	}
	return 5
}

// decimalsOf is how many decimals suit a column of a quantity.
func decimalsOf(q cooker.Quantity) int {
	switch q.Kind {
	case cooker.Count, cooker.Bytes:
		return 0
	}
	return 1
}

// withSpark puts the history of the sorted column behind the first counter.
func withSpark(in []column) []column {
	out := make([]column, 0, len(in)+1)
	done := false
	for _, c := range in {
		out = append(out, c)
		if c.kind == counterColumn && !done {
			done = true
			out = append(out, column{kind: sparkColumn, head: "last " + strconv.Itoa(sparkCells),
				Column: layout.Column{Min: sparkCells, Want: sparkCells}})
		}
	}
	return out
}

// sortColumn is the column that a table is sorted by at first: its first
// counter.
func sortColumn(columns []column) int {
	for i := range columns {
		if columns[i].kind == counterColumn {
			return i
		}
	}
	return 0
}

// title is the head with the unit that the column has now.
func (c *column) title() string {
	if c.kind != counterColumn || c.shown.Label == "" || c.shown.Label == "%" {
		return c.head
	}
	if head, ok := strings.CutSuffix(c.head, "/sec"); ok && strings.HasSuffix(c.shown.Label, "/s") {
		return strings.TrimSpace(head + " " + c.shown.Label)
	}
	if strings.HasPrefix(c.shown.Label, "/") {
		return c.head + c.shown.Label
	}
	return c.head + " " + c.shown.Label
}
