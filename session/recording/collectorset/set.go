// Package collectorset holds data collector sets as MS-PLA describes them: what one
// collects, when it runs, how its files are called, and how much of them is kept. It
// reads and writes their XML (3.2.4.19), checks them (2.2.2.11), says when they are due
// (3.2.4.12) and what their data manager removes (3.2.4.2). It is pure: it knows no
// clock and no disk.
package collectorset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"perfdeck/session/files/naming"
	"perfdeck/session/system/failure"
)

// Set is a data collector set: MS-PLA 3.2.4.1. Fields are called as their elements, or have
// that name in a tag.
type Set struct {
	Status                uint32   // 0 stopped, 1 running, 2 compiling, 4 undefined
	Keywords              []string `pla:"Keyword"`
	Duration              uint32   // seconds of a run, over all its segments; 0: endless
	Description           string
	DescriptionUnresolved string
	DisplayName           string // may name a resource: @dll,#id
	DisplayNameUnresolved string
	SchedulesEnabled      bool
	Schedules             []Schedule
	LatestOutputLocation  string // folder of the last run
	Name                  string
	OutputLocation        string // folder of a run that began now
	RootPath              string // as it is written, with %variables%
	Segment               bool
	SegmentMaxDuration    uint32 // seconds; 0: no limit
	SegmentMaxSize        uint32 // MB of a file; 0: no limit
	SerialNumber          uint32 // of the next run
	Server                string
	Subdirectory          string
	SubdirectoryFormat    uint32 // naming.Parts
	SubdirectoryPattern   string `pla:"SubdirectoryFormatPattern"`
	Task                  string
	TaskRunAsSelf         bool
	TaskArguments         string
	TaskUserTextArguments string
	UserAccount           string
	Security              string // SDDL
	StopOnCompletion      bool
	Collectors            []Collector
	Manager               *Manager // nil: it has none

	Extra []string // elements that nobody knows, as they were written
}

// Kind is what a collector is.
type Kind uint8

// The kinds. Traces, configurations and API calls are kept as they are written, and
// not collected.
const (
	Counters Kind = iota
	Alerts
	Kept
)

// Collector is a collector of a set: MS-PLA 3.2.4.5, with what 3.2.4.6 adds for counters
// and 3.2.4.8 for alerts.
type Collector struct {
	Kind    Kind
	Element string // of one that is kept
	Raw     string // of one that is kept: as it is written

	Name                 string
	FileName             string
	FileNameFormat       uint32 // naming.Parts
	FileNamePattern      string `pla:"FileNameFormatPattern"`
	LogAppend            bool
	LogCircular          bool
	LogOverwrite         bool
	LatestOutputLocation string
	SampleInterval       uint32 // seconds; OneSample: of alerts

	// Of counters.
	DataSourceName    string
	SegmentMaxRecords uint32 // samples; 0: no limit
	LogFileFormat     uint32
	Counters          []string `pla:"Counter"` // paths

	// Of alerts.
	Alerts                []string `pla:"Alert"` // thresholds, see paths.ParseAlert
	EventLog              bool
	Task                  string
	TaskRunAsSelf         bool
	TaskArguments         string
	TaskUserTextArguments string
	Trigger               string `pla:"TriggerDataCollectorSet"`

	Extra []string
}

// The formats of files: LogFileFormat, MS-PLA 2.2.2.5.
const (
	CommaSeparated uint32 = iota
	TabSeparated
	SQL
	Binary
)

// FileFormat is one of them.
type FileFormat struct {
	Word      string // as logman -f takes it
	Said      string // what files are written as, in words
	Extension string // with its point
	Text      bool   // files are neither added to nor circular
}

var fileFormats = [...]FileFormat{
	CommaSeparated: {"csv", "CSV", ".csv", true},
	TabSeparated:   {"tsv", "TSV", ".tsv", true},
	SQL:            {"sql", "a database", ".db", false},
	Binary:         {"bin", "binary, as SQLite here", ".blg", false},
}

// Circular is the word for binary files in which the oldest samples go.
const Circular = "bincirc"

// FormatWords are the words for formats.
func FormatWords() []string {
	words := []string{fileFormats[Binary].Word, Circular}
	for _, f := range fileFormats[:Binary] {
		words = append(words, f.Word)
	}
	return words
}

// FormatOfWord finds a format by its word; that of circular files is Binary.
func FormatOfWord(word string) (format uint32, ok bool) {
	if strings.EqualFold(word, Circular) {
		return Binary, true
	}
	i := slices.IndexFunc(fileFormats[:], func(f FileFormat) bool { return strings.EqualFold(f.Word, word) })
	return uint32(max(i, 0)), i >= 0
}

// IsExtension tells whether an extension is that of a format.
func IsExtension(extension string) bool {
	return slices.ContainsFunc(fileFormats[:], func(f FileFormat) bool { return strings.EqualFold(f.Extension, extension) })
}

// Format is that of the files of a collector of counters.
func (c *Collector) Format() FileFormat {
	if int(c.LogFileFormat) >= len(fileFormats) { // of a set that does not run
		return FileFormat{Word: fileFormats[Binary].Word, Said: "?", Extension: fileFormats[Binary].Extension}
	}
	return fileFormats[c.LogFileFormat]
}

// OneSample is the interval of an alert that looks once: MS-PLA 3.2.4.8.
const OneSample uint32 = 0xFFFFFFFF

// Manager is the data manager of a set: MS-PLA 3.2.4.2.
type Manager struct {
	Enabled            bool
	CheckBeforeRunning bool
	MinFreeDisk        uint32 // MB; 0: no limit, as of the next two
	MaxSize            uint32 // MB
	MaxFolderCount     uint32
	ResourcePolicy     uint32 // DeleteLargest, DeleteOldest
	ReportFileName     string
	RuleTargetFileName string
	EventsFileName     string
	ReportSchema       Inner
	Rules              Inner
	FolderActions      []FolderAction

	Extra []string
}

// What goes first: ResourcePolicy.
const (
	DeleteLargest uint32 = iota
	DeleteOldest
)

// FolderAction is done with folders that reached an age and a size: MS-PLA 3.2.4.3.
type FolderAction struct {
	Size      uint32 // MB
	Age       uint32 // days
	Actions   uint32
	SendCabTo string // UNC path

	Extra []string
}

// The actions, in the order in which they are done.
const (
	CreateCab    uint32 = 1
	DeleteData   uint32 = 2
	SendCab      uint32 = 4
	DeleteCab    uint32 = 8
	DeleteReport uint32 = 16

	allActions = CreateCab | DeleteData | SendCab | DeleteCab | DeleteReport
	cabActions = CreateCab | SendCab | DeleteCab
)

// defaultFolder is how perfmon names the folder of a run.
const defaultFolder = `yyyyMMdd\-NNNNNN`

// New is a set of which nothing but its name was said.
func New(name string) *Set {
	return &Set{
		Name: name, SchedulesEnabled: true, SerialNumber: 1, UserAccount: "SYSTEM",
		SubdirectoryFormat: uint32(naming.PartPattern | naming.PartComputer), SubdirectoryPattern: defaultFolder,
	}
}

// NewCollector is a collector of which nothing was said.
func NewCollector(k Kind, name string) Collector {
	c := Collector{Kind: k, Name: name, SampleInterval: 15}
	if k == Counters {
		c.LogFileFormat = Binary
	}
	return c
}

// NewManager is a data manager that does nothing.
func NewManager() *Manager {
	return &Manager{ReportFileName: "report.html", RuleTargetFileName: "report.xml"}
}

// File is how the files of a collector are called; extension is that of what is written.
func (c *Collector) File(extension string) naming.Name {
	base := c.FileName
	if base == "" {
		base = c.Name
	}
	n := naming.Name{Base: base, Parts: naming.Parts(c.FileNameFormat), Pattern: c.FileNamePattern, Extension: extension}
	if n.Pattern == "" {
		n.Parts &^= naming.PartPattern
	}
	return n
}

// Folder is how the folders of runs are called.
func (s *Set) Folder() naming.Name {
	return naming.Name{Base: s.Subdirectory, Parts: naming.Parts(s.SubdirectoryFormat), Pattern: s.SubdirectoryPattern}
}

// Clone is a set of its own: what is changed in it is not changed in the other.
func (s *Set) Clone() *Set {
	c := *s
	c.Keywords, c.Schedules, c.Collectors = slices.Clone(s.Keywords), slices.Clone(s.Schedules), slices.Clone(s.Collectors)
	for i := range c.Collectors {
		one := &c.Collectors[i]
		one.Counters, one.Alerts = slices.Clone(one.Counters), slices.Clone(one.Alerts)
	}
	if s.Manager != nil {
		m := *s.Manager
		m.FolderActions = slices.Clone(m.FolderActions)
		c.Manager = &m
	}
	return &c
}

// OpError says what could not be done with a set.
type OpError struct {
	Op, Name string
	Code     uint32 // HRESULT; 0: none
	Err      error
	Advice   string // what can be done; empty: nothing is known
}

func (e *OpError) Error() string {
	if e.Code != 0 {
		return fmt.Sprintf("%s the set %s: %v (0x%08X)", e.Op, e.Name, e.Err, e.Code)
	}
	return fmt.Sprintf("%s the set %s: %v", e.Op, e.Name, e.Err)
}

// Hint says what can be done.
func (e *OpError) Hint() string { return cmp.Or(e.Advice, failure.Hint(e.Err)) }

func (e *OpError) Unwrap() error { return e.Err }
