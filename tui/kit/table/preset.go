package table

import (
	"slices"
	"strings"

	"perfdeck/session"
	"perfdeck/tui/kit/columns"
)

// Shape is what a table is for: it has other columns and widths then.
type Shape uint8

// The shapes.
const (
	// Screen is a table of its own screen, with all columns.
	Screen Shape = iota
	// Pane is a pane of a deck beside others: who, then how much.
	Pane
	// Strip is a pane of a small deck over its whole width: the command tells more than
	// user and threads.
	Strip
)

// IsProcesses holds for both countersets of processes.
func IsProcesses(set *session.Counterset) bool {
	return strings.EqualFold(set.Name, "Process") || strings.EqualFold(set.Name, "Process V2")
}

const (
	pidCells   = 5
	fieldCells = 7 // of a number
	wholeCells = 6 // of one without decimals
	wantText   = 32
)

// preset is a column of a well-known table: a counter by its name or a fact.
type preset struct {
	counter, fact string
	head          string
	above         string // the line above the head, where heads have two
	total         string // what sums of all rows call it, those of the same name together
	decimals      int
	in            [3]cells // by shape
	hidden        bool     // there for who asks for it
}

// cells are the widths of a column in a shape, and when it leaves: see columns.Column.
type cells struct{ min, want, rank int }

// same is one width for all shapes.
func same(least, rank int) [3]cells {
	c := cells{least, 0, rank}
	return [3]cells{c, c, c}
}

// diskColumns are those of physical and logical disks.
var diskColumns = []preset{
	{counter: "Disk Bytes/sec", above: "Bytes", head: "Bytes Total", decimals: 2, in: same(7, 9)},
	{counter: "Disk Read Bytes/sec", above: "Bytes", head: "Bytes Read", total: "read", decimals: 2, in: same(7, 8)},
	{counter: "Disk Write Bytes/sec", above: "Bytes", head: "Bytes Write", total: "written", decimals: 2, in: same(7, 8)},
	{counter: "Disk Reads/sec", head: "Reads", total: "requests", decimals: 1, in: same(7, 5)},
	{counter: "Disk Writes/sec", head: "Writes", total: "requests", decimals: 1, in: same(7, 5)},
	{counter: "Avg. Disk sec/Read", above: "Time a", head: "Time a Read", decimals: 2, in: same(7, 3)},
	{counter: "Avg. Disk sec/Write", above: "Time a", head: "Time a Write", decimals: 2, in: same(7, 3)},
	{counter: "Avg. Disk Queue Length", above: "Queue", head: "Queue Len", decimals: 2, in: same(6, 6)},
	{counter: "% Idle Time", above: "%", head: "% Idle", decimals: 1, in: same(6, 4)},
}

// presets are the columns of tables that everybody looks at; other countersets show
// their counters in the order of the catalogue. Their names are in small letters, as some
// recordings have them.
var presets = map[string][]preset{
	"process": {
		{fact: userName, head: "user", in: [3]cells{{8, 8, 3}, {9, 9, 3}, {}}},
		{counter: "% Processor Time", head: "% CPU", decimals: 1, in: same(7, 9)},
		{counter: "% Privileged Time", head: "% Priv", decimals: 1, in: [3]cells{{6, 0, 4}, {}, {}}},
		{counter: "Working Set", head: "Mem", in: same(6, 8)},
		{counter: "IO Data Bytes/sec", head: "IO", decimals: 1, in: same(7, 7)},
		{counter: "Thread Count", head: "Thr", in: [3]cells{{4, 0, 2}, {3, 0, 2}, {}}},
		{counter: "Page Faults/sec", head: "Faults", decimals: 1, hidden: true, in: [3]cells{{7, 0, 1}, {}, {}}},
		{counter: "Private Bytes", head: "Private", hidden: true, in: [3]cells{{6, 0, 1}, {}, {}}},
		{counter: "Handle Count", head: "Handles", hidden: true, in: [3]cells{{6, 0, 1}, {}, {}}},
		{fact: commandLine, head: "command", in: [3]cells{{14, columns.All, columns.Stays}, {20, columns.All, 1}, {15, columns.All, 5}}},
	},
	"network interface": {
		{counter: "Bytes Total/sec", above: "Bytes", head: "Bytes Total", decimals: 2, in: same(7, 9)},
		{counter: "Bytes Received/sec", above: "Bytes", head: "Bytes Recv", total: "received", decimals: 2, in: same(7, 8)},
		{counter: "Bytes Sent/sec", above: "Bytes", head: "Bytes Sent", total: "sent", decimals: 2, in: same(7, 8)},
		{counter: "Packets Received/sec", above: "Pkts", head: "Pkts Recv", total: "packets", decimals: 1, in: same(7, 4)},
		{counter: "Packets Sent/sec", above: "Pkts", head: "Pkts Sent", total: "packets", decimals: 1, in: same(7, 4)},
		{counter: "Packets Received Errors", above: "Recv", head: "Recv Errs", total: "errors", in: same(4, 3)},
		{counter: "Packets Outbound Errors", above: "Out", head: "Out Errs", total: "errors", in: same(4, 3)},
		{counter: "Packets Received Discarded", above: "Recv", head: "Recv Discard", total: "discarded", in: same(7, 2)},
	},
	"physicaldisk": diskColumns,
	"logicaldisk": append(slices.Clone(diskColumns),
		preset{counter: "% Free Space", above: "%", head: "% Free", decimals: 1, in: same(6, 7)},
		preset{counter: "Free Megabytes", head: "Free", in: same(6, 7)}),
}

const commandLine, userName = "command line", "user"

// presetsOf are the columns that a counterset is known by.
func presetsOf(set *session.Counterset, s Shape) (out []preset) {
	name := set.Name
	if IsProcesses(set) {
		name = "Process"
	}
	for _, p := range presets[strings.ToLower(name)] {
		if p.counter != "" || slices.Contains(set.Facts, p.fact) { // not told by every system
			out = append(out, p)
			last := &out[len(out)-1]
			last.in[0] = p.in[s]
			last.hidden = p.hidden || p.in[s].min == 0
		}
	}
	return out
}

func appendPreset(out []Column, set *session.Counterset, p *preset, looks session.Looks) []Column {
	at := p.in[0]
	if p.fact != "" {
		fit := columns.Column{Min: at.min, Want: at.want, Rank: at.rank}
		if at.want == columns.All {
			fit.Enough = at.min
		}
		return append(out, Column{Kind: Fact, Head: p.head, Fact: p.fact, Hidden: p.hidden, fit: fit})
	}
	i, ok := set.Counter(p.counter)
	if !ok || set.Counters[i].Absent != "" {
		return out
	}
	c := counterColumn(set, i, looks)
	c.Head, c.above, c.total, c.decimals, c.Hidden = p.head, p.above, p.total, p.decimals, p.hidden
	c.fit = columns.Column{Min: max(1, at.min), Rank: max(1, at.rank), Align: columns.Number}
	return append(out, c)
}

// name is how much room names have.
func (s Shape) name() columns.Column {
	if s == Screen {
		return columns.Column{Min: 9, Want: 30, Rank: columns.Stays}
	}
	return columns.Column{Min: 12, Enough: 13, Want: 16, Rank: columns.Stays}
}

// spark is how much room a history has.
func (s Shape) spark(in []Column) columns.Column {
	const least, most = 10, 12
	isWide := slices.ContainsFunc(in, func(c Column) bool { return c.Kind == Fact && c.fit.Want == columns.All })
	out := columns.Column{Min: least, Want: least, Rank: 6}
	if isWide && s != Strip {
		out.Want = most
	}
	if s == Pane { // names grow first
		out.Enough = least
	}
	return out
}
