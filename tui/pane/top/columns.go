package top

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/names"
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
	decimals int    // where neither the counter nor the user ask for others
	look     session.Look
	unit     *cooker.UnitChooser
	shown    cooker.Unit
	isFine   bool // one unit for all rows: small ones must not read 0
	need     int  // cells of its widest number
	isText   bool // it has texts, not numbers
	hidden   bool
	width    int // as the user wants it; 0: as the table has room
	columns.Column
}

// name is what the column is known by when it is kept.
func (c *column) name(set *session.Counterset) string {
	switch c.kind {
	case counterColumn:
		return set.Counters[c.counter].Name
	case factColumn:
		return c.fact
	}
	return c.head
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
	wantText         = 32
)

// isProcesses holds for both countersets of processes.
func isProcesses(set *session.Counterset) bool {
	return set.Name == "Process" || set.Name == "Process V2"
}

// columnsOf are the columns of a counterset.
func columnsOf(set *session.Counterset, numbers *pane.Numbers) []column {
	out := []column{{kind: nameColumn, head: "instance", Column: columns.Column{Min: minName, Want: maxName, Rank: columns.Stays}}}
	if isProcesses(set) {
		if slices.Contains(set.Facts, "command line") {
			out[0].Want = 20 // which says more
		}
		out = append(out, column{kind: numberColumn, head: "pid", Column: columns.Column{Min: minCell, Rank: columns.Stays, Align: columns.Number}})
	}
	known := presets[set.Name]
	if isProcesses(set) {
		known = presets["Process"]
	}
	for _, p := range known {
		out = appendPreset(out, set, p, numbers)
	}
	for i := range set.Counters {
		c := &set.Counters[i]
		if c.Hidden() || c.Absent != "" || hasCounter(out, i) {
			continue
		}
		cells := counterCells(set, i, names.Counter(c.Name, set.Name, 14), decimalsOf(c.Quantity), numbers)
		cells.hidden = len(known) > 0 // there for who asks for it
		out = append(out, cells)
	}
	return withSpark(out)
}

func hasCounter(list []column, counter int) bool {
	return slices.ContainsFunc(list, func(c column) bool { return c.kind == counterColumn && c.counter == counter })
}

// arrange puts the columns into the order that is kept; those that are not kept
// come last. The instance stays first.
func arrange(list []column, set *session.Counterset, kept *session.KeptTable) []column {
	if kept == nil {
		return list
	}
	out := make([]column, 0, len(list))
	left := slices.Clone(list)
	for _, k := range kept.Columns {
		at := slices.IndexFunc(left, func(c column) bool { return c.name(set) == k.Name })
		if at < 0 {
			continue // another version of the host had it
		}
		c := left[at]
		c.hidden, c.width = k.Hidden && c.kind != nameColumn, max(0, min(k.Width, maxWidth))
		out = append(out, c)
		left = slices.Delete(left, at, at+1)
	}
	out = append(out, left...)
	if at := slices.IndexFunc(out, func(c column) bool { return c.kind == nameColumn }); at > 0 {
		c := out[at]
		out = slices.Insert(slices.Delete(out, at, at+1), 0, c)
	}
	return out
}

// maxWidth bounds the width that the user gives a column, in cells.
const maxWidth = 200

func appendPreset(out []column, set *session.Counterset, p preset, numbers *pane.Numbers) []column {
	if p.fact != "" && !slices.Contains(set.Facts, p.fact) {
		return out // not told by every system
	}
	if p.fact != "" {
		c := column{kind: factColumn, head: p.head, fact: p.fact, Column: columns.Column{Min: 8, Want: 16, Rank: 1}}
		if p.fact == "command line" {
			c.Column = columns.Column{Min: 14, Enough: 14, Want: columns.All, Rank: columns.Stays}
		}
		return append(out, c)
	}
	if i, ok := set.Counter(p.counter); ok && set.Counters[i].Absent == "" {
		out = append(out, counterCells(set, i, p.head, p.decimals, numbers))
	}
	return out
}

func counterCells(set *session.Counterset, i int, head string, decimals int, numbers *pane.Numbers) column {
	if set.Counters[i].Type.IsText() {
		w := max(minCell, utf8.RuneCountInString(head))
		return column{kind: counterColumn, head: head, counter: i, isText: true, Column: columns.Column{Min: w, Want: max(w, wantText), Rank: 1}}
	}
	look := numbers.Look(set, i)
	chooser := look.Chooser()
	c := column{kind: counterColumn, head: head, counter: i, decimals: decimals, look: look, unit: &chooser}
	if c.isFine = set.Counters[i].Quantity.Kind == cooker.Bytes; c.isFine {
		chooser.Fine()
	}
	w := max(minCell, utf8.RuneCountInString(head)+unitCells(set.Counters[i].Quantity))
	c.Column = columns.Column{Min: w, Rank: 1, Align: columns.Number}
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
		if c.kind == counterColumn && !c.isText && !done {
			done = true
			out = append(out, column{kind: sparkColumn, head: "last " + strconv.Itoa(sparkCells),
				Column: columns.Column{Min: sparkCells, Rank: 1}})
		}
	}
	return out
}

// sortColumn is the column that a table is sorted by at first: its first
// counter that is a number.
func sortColumn(list []column) int {
	for i := range list {
		if list[i].kind == counterColumn && !list[i].isText {
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
