// Package report tells what was wrong in recordings: the verdicts of alert rules with
// what stands behind each, hosts side by side, all counters, what changed, and what is
// missing.
//
// A Gatherer reads the recordings, twice at most and in fixed memory, and makes a Report
// of them and of what rules found: a model of numbers and words, which JSON has as it is.
// Of the model one document of blocks is composed, which writers of HTML, Markdown and text
// write; they know nothing of reports. The same input gives the same bytes.
//
//   - the model: report.go, number.go, words.go
//   - reading, finding, judging: make.go, gather.go, measure.go, draft.go, judged.go, window.go,
//     growth.go
//   - telling: tell.go, parts.go, role.go, sentence.go, instances.go, culprits.go, explain.go, grew.go
//   - the document: document.go has its blocks, compose.go makes it
//   - writers: page.go with the pictures of svg.go, axis.go and multiples.go; markdown.go; text.go
//     with those of strokes.go; json.go; why.go for the short answer; form.go names them all
package report

import (
	"cmp"
	"math"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/text/english"
	"perfdeck/session/text/language"
)

// Report is all that is told.
type Report struct {
	clock

	Title       string // of the recordings, as the user knows them
	Command     string // that makes it
	Version     string // of this program
	Begin, End  time.Time
	Line        *logs.Line // of the recordings
	Hosts       []*Host
	Verdicts    []*Verdict // the gravest first, then by time
	Rules       Rules
	Lead        []Text // sentences on the gravest
	Parts       int    // of courses
	Hours       []time.Time
	HourLength  time.Duration
	Measures    []*Measure
	MeasurePart time.Duration
	Strips      []Strip
	Changes     Changes
	Gaps        []Gap
	Notes       []note.Note
	Clocks      []Text
	Missing     []string // what could not be read
	Values      int64    // in all
	Rows, Lost  int64    // that were read, and that could not be

	used   [][2]string // who used what, each with what that is
	isPart bool        // a time was asked about: of the recordings it is a part
	known  time.Time   // from when on what is wrong now is known, where that is before Begin
}

// Host is a computer of the recordings.
type Host struct {
	Name        string
	Facts       string // what the recording says of it
	Roles       []Role // what it is
	Counters    []*Counter
	Values      int64
	Samples     int64 // that hold anything of it
	Expected    int64
	Interval    time.Duration // the usual one, or the shortest where it was changed
	Longest     time.Duration // of those that there were
	First, Last time.Time
}

// Counter is the summary of one counter of one instance. Numbers are those of the
// recording; Scale writes them.
type Counter struct {
	Named

	Scale                  Scale
	Count, Missing         int64
	Min, Average, P95, Max float64
	Weighted               string // as cooker.Accumulator says of the average
	MaxAt                  time.Time
	Course                 []float64 // the average of each part, NaN where there is none
	Hours                  []float64
	Word                   string // in place of numbers, where there is no value at all
	IsLow                  bool   // samples are missing
	Verdicts               []int  // that are about it
}

// Verdict is one thing that was wrong.
type Verdict struct {
	Number     int // from 1
	Severity   alert.Severity
	Host       string
	Short      string
	Sentence   string
	Begin, End time.Time
	IsOpen     bool          // it was so at the end of the recording
	Lasted     time.Duration // of all spells, without times that have no value
	Spells     int
	Worst      string // as the summary shows it
	WorstWord  string
	Facts      []Fact
	Why        string
	Chart      *Chart    // nil: there is nothing to be drawn
	Culprits   []Culprit // who had the largest share first
	Instances  *Table    // nil: none
	Along      []Along   // what the host wrote down, what matters first
	Moved      Moved
	Next       []Text
	Fold       Fold
	Rules      []string // names, the first that it is about
	Path       string   // of the counter; empty: the host
	Paths      []string // of all alerts in it
	Limit      *float64
	Peak       *float64 // the worst value
	PeakAt     time.Time
	Median     *float64
	Before     *float64 // the median before
	Over, Of   int

	index      int               // of the host, in Hosts
	columnPath string            // that it is about; empty: none
	event      session.HostEvent // that it is, with no counter
}

// Fact is a line of a verdict.
type Fact struct {
	Name string `json:"name"`
	Text Text   `json:"text"`
}

// Table has a head and rows; the first cell of a row is its name.
type Table struct {
	Title string     `json:"title"`
	Head  []string   `json:"head"`
	Rows  [][]string `json:"rows"`
	Note  string     `json:"note,omitempty"`
}

// Chart is a counter over the time of a verdict.
type Chart struct {
	Title, Story string
	Path         string
	From, To     time.Time
	Points       []Point // NaN begins a gap
	Point        string  // what a point is
	Scale        Scale
	Top          float64
	IsBelow      bool // it is bad below the limit
	LimitText    string
	PeakText     string
	GapFrom      time.Time // a time without data; zero: none
	GapTo        time.Time
	Notes        []note.Note
}

// Point is a value at a time.
type Point struct {
	At    time.Time
	Value float64
}

// Moved is what else moved in the time of a verdict.
type Moved struct {
	Rows         []*MovedRow
	Still, Of    int // counters that stayed as before, of so many
	More         int // that moved besides the rows
	Why          string
	From, To     time.Time // of the courses
	ShadeA       across    // the verdict in them, 0 to 1
	ShadeB       across
	IsOtherHosts bool
}

// MovedRow is a counter that moved, or changed.
type MovedRow struct {
	Named // its host where it is another one

	IsNew        bool   // there was none before
	Words        string // what changed
	Before, Then float64
	Times        float64 // spreads
	Scale        Scale
	Course       []float64
}

// went is what the number was before, and where it went.
func (r *MovedRow) went() (before, arrow string) {
	switch {
	case r.IsNew:
		return "not there", "new"
	case r.Then < r.Before:
		return r.Scale.Number(r.Before), "↓"
	}
	return r.Scale.Number(r.Before), "↑"
}

// Fold is how a number was made.
type Fold struct {
	Text   []Text
	Raw    *Table
	Worked []string // lines of arithmetic; the last one ends in the number as it is shown
	Shown  string   // that
	Notes  []string
	Judged *Table // what the rule saw when it fired
}

// Rules is what rules there were.
type Rules struct {
	Judged, Fired, Folded int
	Quiet                 []string // of those that were judged
	Unjudged              []Unjudged
	Blind                 []string // processors, memory, disks, network that nothing judged
	Fits                  []string // packs that would have something to judge
	Nearest               Text     // to its limit, of those that did not fire
	Stopped               string   // why they were not judged to the end; empty: they were
}

// Unjudged is a rule that had no data.
type Unjudged struct{ Rule, Why string }

// Measure is one row of hosts side by side.
type Measure struct {
	Title, Note string
	Scale       Scale
	Top         float64
	Limit       *float64
	Hosts       []MeasureOf // by host; without values where it has none
}

// MeasureOf is a measure of a host.
type MeasureOf struct {
	Has             bool
	Low, High, Mean []float64 // of each part; NaN: none
	Average, Max    float64
}

// Strip is a measure on the one axis: cells of all hosts.
type Strip struct {
	Title string
	Top   float64
	Word  string      // what the top is
	Cells [][]float64 // by host, the highest of each part; NaN: too little
}

// Changes is what is different at the end.
type Changes struct {
	From        time.Time // of the end
	Before      time.Time // the end of what it is compared with
	Rows        []*MovedRow
	More        int
	New, Gone   []string // instances
	Judged, Few int
	Why         string // nothing could be compared; empty: it was
}

// Named is a counter of an instance by its names.
type Named struct {
	Host                   string
	Object, Instance, Name string // no instance where the counterset has none
	Path                   string

	english language.Names
}

// named are the names of a column.
func named(c *replay.Column) Named {
	n := Named{Host: c.Host.Name(), Object: c.Set.Name, Name: counterOf(c).Name, Path: c.Path, english: englishOf(c)}
	if c.Set.Instances.Multiple() {
		n.Instance = instanceName(c.Instance)
	}
	return n
}

// englishOf are the names of a column in English.
func englishOf(c *replay.Column) language.Names {
	return language.Names{Object: c.Set.InEnglish(), Counter: counterOf(c).InEnglish()}
}

// object is the counterset with the instance.
func (n *Named) object() string {
	if n.Instance != "" {
		return n.Object + "(" + n.Instance + ")"
	}
	return n.Object
}

// String is the path without the computer.
func (n *Named) String() string { return n.object() + `\` + n.Name }

func counterOf(c *replay.Column) *session.Counter { return &c.Set.Counters[c.Counter] }

// isOf tells whether a column is of a counter.
func isOf(c *replay.Column, object, counter string) bool {
	return paths.EqualFold(c.Set.InEnglish(), object) && paths.EqualFold(counterOf(c).InEnglish(), counter)
}

// Gap is a time without samples.
type Gap struct {
	Host     string // empty: all
	From, To time.Time
	IsOpen   bool // to the end of the recording
	Cause    string
	Known    string
	hosts    []int
}

// where is the host that it is of.
func (g *Gap) where() string { return cmp.Or(g.Host, "all") }

// length is how long it is, in words.
func (g *Gap) length() string { return english.Span(g.To.Sub(g.From)) }

func (g *Gap) when(c clock) string {
	if g.IsOpen {
		return c.second(g.From) + " to the end"
	}
	return c.second(g.From) + " to " + c.second(g.To)
}

// words are what a gap is, and what is known of it.
func (g *Gap) words() string { return strings.TrimSuffix(g.Cause+". "+g.Known, ". ") }

func (r *Report) total() (n int) {
	for _, h := range r.Hosts {
		n += len(h.Counters)
	}
	return n
}

// isFew tells recordings so short that percentiles say nothing.
func (c *Counter) isFew() bool { return c.Count < fewSamples }

// changedPace tells that the interval of its samples was changed.
func (h *Host) changedPace() bool { return 2*h.Longest > 3*h.Interval }

func (h *Host) every() string {
	if h.Interval <= 0 {
		return "not known"
	}
	if h.changedPace() {
		return english.Span(h.Interval) + " to " + english.Span(h.Longest)
	}
	return english.Span(h.Interval)
}

func (h *Host) complete() string {
	if h.Expected <= 0 {
		return ""
	}
	f := 100 * float64(h.Samples) / float64(h.Expected)
	if h.Samples < h.Expected {
		f = math.Min(f, 99.9)
	}
	return percentScale.With(math.Min(f, 100))
}
