package table

import (
	"slices"
	"strings"

	"perfdeck/session"
	"perfdeck/tui/kit/columns"
)

// IsProcesses holds for both countersets of processes.
func IsProcesses(set *session.Counterset) bool {
	return session.IsOfProcesses(set.InEnglish())
}

const (
	pidCells   = 7  // of numbers of processes
	fieldCells = 7  // of a number
	wholeCells = 6  // of one without decimals, and of words
	plainCells = 10 // of one in the counter's own unit
	wantText   = 32
	ampleText  = 13 // of a command line
	nameAlone  = 12
	nameBeside = 9  // of a name beside a command line
	nameMost   = 20 // before other columns have room
)

// preset is a column of a well-known table: a counter by its name or a fact.
type preset struct {
	counter, fact string
	head          string
	above         string // the line above the head, where heads have two
	total         string // what sums of all rows call it, those of the same name together
	decimals      int
	least, rank   int    // cells, and when it leaves: see columns.Column
	hidden        bool   // there for who asks for it
	word, example string // what it is called in filters of all countersets, with a condition; "": by its name
}

// diskColumns are those of physical and logical disks.
var diskColumns = []preset{
	{counter: "Disk Bytes/sec", above: "Bytes", head: "Bytes Total", least: 7, rank: 9},
	{counter: "Disk Read Bytes/sec", above: "Bytes", head: "Bytes Read", total: "read", least: 7, rank: 8},
	{counter: "Disk Write Bytes/sec", above: "Bytes", head: "Bytes Write", total: "written", least: 7, rank: 8},
	{counter: "Disk Reads/sec", head: "Reads", total: "requests", decimals: 1, least: 7, rank: 5},
	{counter: "Disk Writes/sec", head: "Writes", total: "requests", decimals: 1, least: 7, rank: 5},
	{counter: "Avg. Disk sec/Read", above: "Time a", head: "Time a Read", least: 7, rank: 3},
	{counter: "Avg. Disk sec/Write", above: "Time a", head: "Time a Write", least: 7, rank: 3},
	{counter: "Avg. Disk Queue Length", above: "Queue", head: "Queue Len", decimals: 2, least: 6, rank: 6},
	{counter: "% Idle Time", above: "%", head: "% Idle", decimals: 1, least: 6, rank: 4},
}

// presets are the columns of tables that everybody looks at; other countersets show
// their counters in the order of the catalogue. Their names are in small letters, as some
// recordings have them.
var presets = map[string][]preset{
	"process": {
		{fact: userName, head: "user", least: 8, rank: 5},
		{counter: "% Processor Time", head: "% CPU", decimals: 1, least: 7, rank: 9, word: "cpu", example: "cpu>5"},
		{counter: "% Privileged Time", head: "% Priv", decimals: 1, least: 6, rank: 2, word: "priv"},
		{counter: "Working Set", head: "Mem", least: 6, rank: 8, word: "mem", example: "mem>10MB"},
		{counter: "IO Data Bytes/sec", head: "IO", least: 7, rank: 7, word: "io"},
		{counter: "Thread Count", head: "Thr", least: 6, rank: 4, word: "threads"},
		{counter: "Page Faults/sec", head: "Faults", decimals: 1, hidden: true, least: 7, rank: 1, word: "faults"},
		{counter: "Private Bytes", head: "Private", hidden: true, least: 6, rank: 1, word: "private"},
		{counter: "Handle Count", head: "Handles", hidden: true, least: 6, rank: 1, word: "handles"},
		{counter: "Creating Process ID", head: "ppid", hidden: true, least: 7, rank: 1},
		{counter: "Elapsed Time", head: "Age", hidden: true, least: 7, rank: 1},
		{counter: "% Ended Children Time", head: "% Ended", decimals: 1, hidden: true, least: 7, rank: 1},
		{fact: "state", head: "state", hidden: true, least: 8, rank: 1},
		{fact: "nice", head: "nice", hidden: true, least: 4, rank: 1},
		{fact: "container", head: "container", hidden: true, least: 10, rank: 1},
		{fact: "cgroup", head: "group", hidden: true, least: 12, rank: 1},
		{fact: commandLine, head: "command", least: 9, rank: 6},
	},
	"service": {
		{counter: "State", head: "State", least: 8, rank: 9},
		{counter: "Start Type", head: "Start", least: 9, rank: 4},
		{counter: "Failed", head: "Failed", least: 6, rank: 7},
		{counter: "ID Process", head: "pid", least: pidCells, rank: 6},
		{counter: "Elapsed Time", head: "Age", least: 7, rank: 5},
		{counter: "Restarts", head: "Restarts", least: 8, rank: 5},
		{counter: "Exit Code", head: "Exit", least: 6, rank: 3},
		{fact: "result", head: "result", least: 9, rank: 3},
		{fact: "setting", head: "setting", hidden: true, least: 8, rank: 1},
		{fact: "description", head: "description", least: 12, rank: 2},
	},
	"network interface": {
		{counter: "Bytes Total/sec", above: "Bytes", head: "Bytes Total", least: 7, rank: 9},
		{counter: "Bytes Received/sec", above: "Bytes", head: "Bytes Recv", total: "received", least: 7, rank: 8},
		{counter: "Bytes Sent/sec", above: "Bytes", head: "Bytes Sent", total: "sent", least: 7, rank: 8},
		{counter: "Packets Received/sec", above: "Pkts", head: "Pkts Recv", total: "packets", decimals: 1, least: 7, rank: 4},
		{counter: "Packets Sent/sec", above: "Pkts", head: "Pkts Sent", total: "packets", decimals: 1, least: 7, rank: 4},
		{counter: "Packets Received Errors", above: "Recv", head: "Recv Errs", total: "errors", least: 6, rank: 3},
		{counter: "Packets Outbound Errors", above: "Out", head: "Out Errs", total: "errors", least: 6, rank: 3},
		{counter: "Packets Received Discarded", above: "Recv", head: "Recv Discard", total: "discarded", least: 7, rank: 2},
	},
	"physicaldisk": diskColumns,
	"logicaldisk": append(slices.Clone(diskColumns),
		preset{counter: "% Free Space", above: "%", head: "% Free", decimals: 1, least: 6, rank: 7},
		preset{counter: "Free Megabytes", head: "Free", least: 6, rank: 7}),
}

const commandLine, userName = "command line", "user"

// presetsOf are the columns that a counterset is known by.
func presetsOf(set *session.Counterset) []preset {
	name := set.InEnglish()
	if IsProcesses(set) {
		name = "Process"
	}
	return slices.DeleteFunc(slices.Clone(presets[strings.ToLower(name)]), func(p preset) bool {
		return p.counter == "" && !slices.Contains(set.Facts, p.fact) // not told by every system
	})
}

// Word is what a counter is called in filters.
type Word struct {
	Name, Example string
	Counter       int
}

// Words are those of a counterset.
func Words(set *session.Counterset) (out []Word) {
	for _, p := range presets["process"] {
		if i, ok := set.Counter(p.counter); ok && p.word != "" {
			out = append(out, Word{p.word, p.example, i})
		}
	}
	return out
}

func appendPreset(out []Column, set *session.Counterset, p *preset, looks session.Looks) []Column {
	if p.fact != "" {
		c := of(Fact, Column{Head: p.head, Fact: p.fact, Hidden: p.hidden, fit: columns.Column{Min: p.least, Rank: p.rank}})
		if p.fact == commandLine { // half a line tells little; the rest tells who it is, where names are cut
			c.fit.Want, c.fit.Ample, c.fit.Enough = columns.All, ampleText, ampleText
			out[0].fit.Min, out[0].fit.Want = nameBeside, 0
		}
		return append(out, c)
	}
	i := set.Given(p.counter)
	if i < 0 {
		return out
	}
	c := counterColumn(set, i, looks, p.least)
	c.Head, c.above, c.total, c.decimals, c.Hidden, c.fit.Rank = p.head, p.above, p.total, p.decimals, p.hidden, p.rank
	return append(out, c)
}
