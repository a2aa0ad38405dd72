package logs

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
)

// isSQLite tells an SQLite file by its first bytes (sqlite.org/fileformat2.html).
func isSQLite(head []byte) bool { return bytes.HasPrefix(head, []byte("SQLite format 3\x00")) }

// The first three tables are those of MS-PLA 2.2.2.7, with the columns that PDH
// adds to them in practice: MultiCount and the time base. A missing value has no
// row in CounterData. Values and raw samples stand there as in a PDH_RAW_COUNTER;
// CounterID and RecordIndex count from 1.
//
// What they have no place for stands beside them:
//
//	PerfdeckSet     what is known of a set besides DisplayToID
//	PerfdeckColumn  the columns in order, with their paths as they were
//	PerfdeckRecord  the time of each record, in nanoseconds since 1970, UTC
//	PerfdeckState   from a record on: why a counter has no value if it has none,
//	                the time base and the widths of its raw samples
//	PerfdeckRaw     raw samples that gave no value, and why
//	PerfdeckExact   values that no float holds: texts, large whole numbers
//
// The key of CounterData stands in an order in which rows are written at the end.
const sqliteSchema = `
CREATE TABLE IF NOT EXISTS CounterDetails (
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
CREATE TABLE IF NOT EXISTS DisplayToID (
	GUID uniqueidentifier NOT NULL PRIMARY KEY,
	RunID int,
	DisplayString varchar(1024) NOT NULL UNIQUE,
	LogStartTime char(24),
	LogStopTime char(24),
	NumberOfRecords int,
	MinutesToUTC int,
	TimeZoneName char(32));
CREATE TABLE IF NOT EXISTS CounterData (
	GUID uniqueidentifier NOT NULL,
	CounterID int NOT NULL,
	RecordIndex int NOT NULL,
	CounterDateTime char(24) NOT NULL,
	CounterValue float NOT NULL,
	FirstValueA int,
	FirstValueB int,
	SecondValueA int,
	SecondValueB int,
	MultiCount int,
	PRIMARY KEY (GUID, RecordIndex, CounterID)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS PerfdeckSet (
	GUID uniqueidentifier NOT NULL PRIMARY KEY,
	Version int NOT NULL,
	Caption text NOT NULL,
	ZoneKnown int NOT NULL);
CREATE TABLE IF NOT EXISTS PerfdeckColumn (
	GUID uniqueidentifier NOT NULL,
	Position int NOT NULL,
	CounterID int NOT NULL,
	Path text NOT NULL,
	TypeKnown int NOT NULL,
	BaseType int NOT NULL,
	PRIMARY KEY (GUID, Position)) WITHOUT ROWID;
` + recordSchema

// recordSchema are the tables that readers want beside those of MS-PLA.
const recordSchema = `
CREATE TABLE IF NOT EXISTS PerfdeckRecord (
	GUID uniqueidentifier NOT NULL,
	RecordIndex int NOT NULL,
	Time int NOT NULL,
	PRIMARY KEY (GUID, RecordIndex)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS PerfdeckState (
	GUID uniqueidentifier NOT NULL,
	RecordIndex int NOT NULL,
	CounterID int NOT NULL,
	Status text NOT NULL,
	TimeBase int NOT NULL,
	RawBytes int NOT NULL,
	BaseBytes int NOT NULL,
	NoBase int NOT NULL,
	PRIMARY KEY (GUID, RecordIndex, CounterID)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS PerfdeckRaw (
	GUID uniqueidentifier NOT NULL,
	RecordIndex int NOT NULL,
	CounterID int NOT NULL,
	Status text NOT NULL,
	FirstValue int NOT NULL,
	SecondValue int NOT NULL,
	MultiCount int NOT NULL,
	PRIMARY KEY (GUID, RecordIndex, CounterID)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS PerfdeckExact (
	GUID uniqueidentifier NOT NULL,
	RecordIndex int NOT NULL,
	CounterID int NOT NULL,
	Value text NOT NULL,
	IsText int NOT NULL,
	PRIMARY KEY (GUID, RecordIndex, CounterID)) WITHOUT ROWID;
`

const sqliteVersion = 1

// plaTime is the form of times in the tables of MS-PLA: UTC, with a colon before
// the milliseconds. SQLite's own functions want a point there: readers take both.
const plaTime = "2006-01-02 15:04:05.000"

func formatPLATime(t time.Time) string {
	text := []byte(t.UTC().Format(plaTime))
	text[len(text)-4] = ':'
	return string(text)
}

// newGUID makes the identity of a set (RFC 9562, version 4).
func newGUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0F|0x40, b[8]&0x3F|0x80
	return strings.ToUpper(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
}

// setName is what a set is called: by the options, or as the file.
func setName(file string, o WriteOptions) string {
	if o.Set != "" {
		return o.Set
	}
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// details are the parts of a path as CounterDetails has them.
type details struct {
	machine, object, counter string
	instance, parent         string
	index                    int64
	hasInstance              bool
}

// detailsOf takes a path apart. What is no path is all counter name.
func detailsOf(path string) details {
	p, err := paths.Parse(path)
	if err != nil {
		return details{counter: path}
	}
	d := details{object: p.Object, counter: p.Counter, instance: p.Instance, parent: p.Parent, hasInstance: p.HasInstance}
	if p.Computer != "" {
		d.machine = `\\` + p.Computer
	}
	if n, ok := p.Index.Number(); ok {
		d.index = int64(n)
	}
	return d
}

// path puts a path together.
func (d *details) path() string {
	p := paths.Path{Computer: strings.TrimLeft(d.machine, `\`), Object: d.object, Counter: d.counter}
	if d.hasInstance {
		p = paths.Of(p.Computer, d.object, d.parent, d.instance, int(min(max(d.index, 0), 1<<30)), d.counter)
	}
	if d.object == "" {
		return d.counter
	}
	return p.String()
}

// isHexType tells the types whose values are shown in hexadecimal.
func isHexType(t cooker.CounterType) bool {
	return t == cooker.CounterRawCountHex || t == cooker.CounterLargeRawCountHex
}

func createSQLite(file *os.File, h *Header, o WriteOptions) (Writer, error) {
	name := file.Name()
	if err := file.Close(); err != nil {
		return nil, err
	}
	removeJournals(name) // of a file that was here before
	w, err := newSQLiteWriter(name, o)
	if err != nil {
		return nil, err
	}
	if err := w.newSet(h, setName(name, o)); err != nil {
		w.abandon()
		return nil, err
	}
	return w, nil
}

func resumeSQLite(name string, h *Header, o WriteOptions) (Writer, Tail, error) {
	if info, err := os.Stat(name); err == nil && info.Size() == 0 {
		if err := Orphan(name); err != nil {
			return nil, Tail{}, err
		}
	}
	w, err := newSQLiteWriter(name, o)
	if err != nil {
		return nil, Tail{}, err
	}
	tail, err := w.continueSet(h, o)
	if err != nil {
		w.abandon()
		return nil, Tail{}, err
	}
	return w, tail, nil
}
