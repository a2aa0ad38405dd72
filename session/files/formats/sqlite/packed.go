package sqlite

import (
	"fmt"
	"strconv"
	"strings"
)

// Files that are written here have their data once, packed: a record is one row for each
// 16 slots. A slot is a counter, or what several counters are divided by: a clock, a
// base. Its V is the value, its A the raw value less the first one that the slot has in
// the block of records, so that both are small.
//
//	PerfdeckLog      the sets
//	PerfdeckDetails  the counters, as CounterDetails has them; sets share them
//	PerfdeckSlot     the columns of a set in order, with their paths as they were, and
//	                 the slots of their values, second values and multi counts
//	PerfdeckTime     the time of each record, in nanoseconds since 1970, UTC
//	PerfdeckPacked   V and A of 16 slots in a record
//	PerfdeckDisplay  the attributes of counters that are shown in their own way (MS-PCQ)
//	PerfdeckBase     the raw value of a slot that A counts from in a block of records
//	PerfdeckChange   from a record on: why a counter has no value if it has none, the
//	                 time base and the widths of its raw samples
//	PerfdeckOther    raw samples that A cannot tell
//
// V is a whole number or a real one; a text; NULL, which is the raw value itself where
// there is A, and nothing where there is none; an empty blob where there is a raw sample
// and no value; or a blob of the digits of a number beyond 63 bits.
//
// CounterDetails, DisplayToID and CounterData are views for other programs, with the
// columns of MS-PLA 2.2.2.7 and those that PDH adds in practice. They are not read here.
const (
	slotsPerRow  = 16
	slotBits     = 4
	blockBits    = 6  // of RecordIndex: the records of a block
	groupBits    = 14 // of the key of PerfdeckPacked, below those of RecordIndex
	baseSlotBits = groupBits + slotBits
	setShift     = 48 // of keys; above it is SetNo
	mostSlots    = 1 << baseSlotBits
	mostSetNo    = 1 << (62 - setShift)
	mostRecords  = 1 << (setShift - groupBits) // of a set: 500 years of seconds
)

func packedKey(set, record int64, group int) int64 {
	return set<<setShift | record<<groupBits | int64(group)
}

func baseKey(set, block int64, slot int) int64 {
	return set<<setShift | block<<baseSlotBits | int64(slot)
}

// packedVersion is of PerfdeckLog.
const packedVersion = 2

var packedSchema = `
CREATE TABLE IF NOT EXISTS PerfdeckLog (
	SetNo INTEGER PRIMARY KEY,
	Version int NOT NULL,
	GUID uniqueidentifier NOT NULL,
	DisplayString varchar(1024) NOT NULL UNIQUE,
	MinutesToUTC int NOT NULL,
	TimeZoneName text NOT NULL,
	ZoneKnown int NOT NULL,
	Caption text NOT NULL,
	Records int NOT NULL);
CREATE TABLE IF NOT EXISTS PerfdeckDetails (
	CounterID INTEGER PRIMARY KEY,
	MachineName varchar(1024) NOT NULL,
	ObjectName varchar(1024) NOT NULL,
	CounterName varchar(1024) NOT NULL,
	CounterType int NOT NULL,
	DefaultScale int NOT NULL,
	InstanceName varchar(1024),
	InstanceIndex int,
	ParentName varchar(1024),
	ParentObjectID int,
	TimeBaseA int,
	TimeBaseB int);
CREATE TABLE IF NOT EXISTS PerfdeckSlot (
	SetNo int NOT NULL,
	Position int NOT NULL,
	CounterID int NOT NULL,
	Path text NOT NULL,
	TypeKnown int NOT NULL,
	BaseType int NOT NULL,
	Slot int NOT NULL,
	Second int,
	Multi int,
	PRIMARY KEY (SetNo, Position)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS PerfdeckDisplay (
	SetNo int NOT NULL,
	Position int NOT NULL,
	Attributes int NOT NULL,
	HexWidth int NOT NULL,
	PRIMARY KEY (SetNo, Position)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS PerfdeckTime (
	SetNo int NOT NULL,
	RecordIndex int NOT NULL,
	Time int NOT NULL,
	PRIMARY KEY (SetNo, RecordIndex)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS PerfdeckPacked (Key INTEGER PRIMARY KEY, ` + packedCells + `);
CREATE TABLE IF NOT EXISTS PerfdeckBase (Key INTEGER PRIMARY KEY, First int NOT NULL);
CREATE TABLE IF NOT EXISTS PerfdeckChange (
	SetNo int NOT NULL,
	RecordIndex int NOT NULL,
	CounterID int NOT NULL,
	Status text NOT NULL,
	TimeBase int NOT NULL,
	RawBytes int NOT NULL,
	BaseBytes int NOT NULL,
	NoBase int NOT NULL,
	PRIMARY KEY (SetNo, RecordIndex, CounterID)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS PerfdeckOther (
	SetNo int NOT NULL,
	RecordIndex int NOT NULL,
	CounterID int NOT NULL,
	Status text NOT NULL,
	FirstValue int NOT NULL,
	SecondValue int NOT NULL,
	MultiCount int NOT NULL,
	PRIMARY KEY (SetNo, RecordIndex, CounterID)) WITHOUT ROWID;
` + packedViews

// packedCells are the cells of PerfdeckPacked behind its key.
var packedCells = func() string {
	cells := make([]string, slotsPerRow)
	for i := range cells {
		cells[i] = fmt.Sprintf("V%d, A%d", i, i)
	}
	return strings.Join(cells, ", ")
}()

// cellOf is one of the cells of a row, by the number of a slot.
func cellOf(row, cell, slot string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CASE %s & %d", slot, slotsPerRow-1)
	for i := range slotsPerRow {
		fmt.Fprintf(&b, " WHEN %d THEN %s.%s%d", i, row, cell, i)
	}
	return b.String() + " END"
}

// timeText is a time as Windows writes it: UTC, with a point before the milliseconds.
func timeText(nanos string) string {
	second := "((" + nanos + ") - (((" + nanos + ") % 1000000000) + 1000000000) % 1000000000) / 1000000000"
	milli := "(((" + nanos + ") % 1000000000) + 1000000000) % 1000000000 / 1000000"
	return "strftime('%Y-%m-%d %H:%M:%S', " + second + ", 'unixepoch') || printf('.%03d', " + milli + ")"
}

// lowHalf and highHalf are the halves of a value: signed, of 32 bits.
func lowHalf(value string) string {
	return "((" + value + " & 4294967295) + 2147483648) % 4294967296 - 2147483648"
}
func highHalf(value string) string { return value + " >> 32" }

// joinRaw joins the row and the base of a slot.
func joinRaw(row, base, slot string) string {
	return fmt.Sprintf(` LEFT JOIN PerfdeckPacked %s ON %s.Key = (l.SetNo << %d) + (t.RecordIndex << %d) + (%s >> %d)`,
		row, row, setShift, groupBits, slot, slotBits) + joinBase(base, slot)
}

func joinBase(base, slot string) string {
	return fmt.Sprintf(` LEFT JOIN PerfdeckBase %s ON %s.Key = (l.SetNo << %d) + ((t.RecordIndex >> %d) << %d) + %s`,
		base, base, setShift, blockBits, baseSlotBits, slot)
}

var packedViews = `
CREATE VIEW IF NOT EXISTS CounterDetails AS SELECT
	CounterID, MachineName, ObjectName, CounterName, CounterType, DefaultScale, InstanceName, InstanceIndex, ParentName, ParentObjectID, TimeBaseA, TimeBaseB
FROM PerfdeckDetails;
CREATE VIEW IF NOT EXISTS DisplayToID (GUID, RunID, DisplayString, LogStartTime, LogStopTime, NumberOfRecords, MinutesToUTC, TimeZoneName) AS
SELECT GUID, 0, DisplayString,
	(SELECT ` + timeText("Time") + ` FROM PerfdeckTime t WHERE t.SetNo = l.SetNo ORDER BY RecordIndex LIMIT 1),
	(SELECT ` + timeText("Time") + ` FROM PerfdeckTime t WHERE t.SetNo = l.SetNo ORDER BY RecordIndex DESC LIMIT 1),
	(SELECT count(*) FROM PerfdeckTime t WHERE t.SetNo = l.SetNo), MinutesToUTC, TimeZoneName
FROM PerfdeckLog l;
CREATE VIEW IF NOT EXISTS CounterData (GUID, CounterID, RecordIndex, CounterDateTime, CounterValue, FirstValueA, FirstValueB, SecondValueA, SecondValueB, MultiCount) AS
SELECT GUID, CounterID, RecordIndex, ` + timeText("Time") + `, CAST(CASE typeof(V) WHEN 'null' THEN First WHEN 'blob' THEN CAST(V AS text) ELSE V END AS real),
	` + lowHalf("First") + `, ` + highHalf("First") + `, ` + lowHalf("Second") + `, ` + highHalf("Second") + `, Multi
FROM (
	SELECT l.GUID AS GUID, c.CounterID AS CounterID, t.RecordIndex AS RecordIndex, t.Time AS Time, ` + cellOf("p", "V", "c.Slot") + ` AS V,
		coalesce(o.FirstValue, b.First + ` + cellOf("p", "A", "c.Slot") + `) AS First,
		coalesce(o.SecondValue, b2.First + ` + cellOf("p2", "A", "c.Second") + `, (b.First + ` + cellOf("p", "A", "c.Slot") + `) * 0) AS Second,
		coalesce(o.MultiCount, b3.First + ` + cellOf("p3", "A", "c.Multi") + `, (b.First + ` + cellOf("p", "A", "c.Slot") + `) * 0) AS Multi
	FROM PerfdeckLog l
	JOIN PerfdeckTime t ON t.SetNo = l.SetNo
	JOIN PerfdeckSlot c ON c.SetNo = l.SetNo
	JOIN PerfdeckPacked p ON p.Key = (l.SetNo << ` + strconv.Itoa(setShift) + `) + (t.RecordIndex << ` + strconv.Itoa(groupBits) + `) + (c.Slot >> ` + strconv.Itoa(slotBits) + `)` +
	joinBase("b", "c.Slot") + joinRaw("p2", "b2", "c.Second") + joinRaw("p3", "b3", "c.Multi") + `
	LEFT JOIN PerfdeckOther o ON o.SetNo = l.SetNo AND o.RecordIndex = t.RecordIndex AND o.CounterID = c.CounterID)
WHERE typeof(V) IN ('integer', 'real') OR typeof(V) = 'blob' AND length(V) > 0 OR V IS NULL AND First IS NOT NULL;
`

// tableLayout are the names of the tables that a set is in.
type tableLayout struct {
	key     string // of the set
	details string
	record  string
	packed  bool // it is one of ours
}

// plaRecords is a temporary table, of what others wrote.
const plaRecords = "PerfdeckRecord"

var (
	plaLayout    = tableLayout{"GUID", "CounterDetails", plaRecords, false}
	packedLayout = tableLayout{"SetNo", "PerfdeckDetails", "PerfdeckTime", true}
)
