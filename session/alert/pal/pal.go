// Package pal reads the threshold files of PAL (Performance Analysis of Logs,
// github.com/clinthuffman/PAL) as alert rules. Of a file it takes what is said
// there once and for all: a counter, a comparison, a number; and values that its
// scripts work out of several counters, where a script is of a known form. What PAL
// works out otherwise, or from answers about the computer, is listed with the reason
// why it was left out. No script is run.
package pal

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"perfdeck/paths"
	"perfdeck/session/alert"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// maxBytes bounds a threshold file; the largest of PAL's own has 2 MB.
const maxBytes = 16 << 20

// File is what was taken from a threshold file, and what was not.
type File struct {
	Name, Version string
	Rules         []alert.Rule
	Skipped       []Skipped
	// Inherits are the threshold files that this one builds on; they were not
	// read.
	Inherits []string
	// Charts is how many analyses only draw a chart.
	Charts int
}

// Skipped is a threshold that was left out.
type Skipped struct {
	Analysis, Threshold string
	Reason              string
}

// The elements and attributes of PAL's XML that matter here.
type document struct {
	XMLName  xml.Name      `xml:"PAL"`
	Name     string        `xml:"NAME,attr"`
	Version  string        `xml:"VERSION,attr"`
	Question []question    `xml:"QUESTION"`
	Inherits []inheritance `xml:"INHERITANCE"`
	Analyses []analysis    `xml:"ANALYSIS"`
}

type question struct {
	Variable string `xml:"QUESTIONVARNAME,attr"`
}

type inheritance struct {
	File string `xml:"FILEPATH,attr"`
}

type analysis struct {
	Name       string       `xml:"NAME,attr"`
	Enabled    string       `xml:"ENABLED,attr"`
	Sources    []dataSource `xml:"DATASOURCE"`
	Thresholds []threshold  `xml:"THRESHOLD"`
}

type dataSource struct {
	Type       string    `xml:"TYPE,attr"`
	Name       string    `xml:"NAME,attr"`
	Expression string    `xml:"EXPRESSIONPATH,attr"`
	Variable   string    `xml:"COLLECTIONVARNAME,attr"`
	IsPattern  string    `xml:"ISCOUNTEROBJECTREGULAREXPRESSION,attr"`
	Excludes   []exclude `xml:"EXCLUDE"`
	Code       string    `xml:"CODE"`
}

// counterLog is the type of data sources that are counters.
const counterLog = "CounterLog"

// path is the path of the counter.
func (s *dataSource) path() string { return cmp.Or(s.Expression, s.Name) }

type exclude struct {
	Instance string `xml:"INSTANCE,attr"`
}

type threshold struct {
	Name      string `xml:"NAME,attr"`
	Condition string `xml:"CONDITION,attr"`
	Code      string `xml:"CODE"`
}

// unread says why a file is no threshold file.
func unread(err error) error {
	return failure.WithHint(fmt.Errorf("read PAL thresholds: %w", err), "give a threshold file of PAL 2, as SystemOverview.xml of its folder")
}

// Read reads a threshold file.
func Read(r io.Reader) (*File, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read PAL thresholds: %w", err)
	}
	if len(data) > maxBytes {
		return nil, unread(errors.New("the file is larger than " + english.Size(maxBytes)))
	}
	d := xml.NewDecoder(strings.NewReader(osfile.Text(data)))
	// The bytes are UTF-8 by now, whatever the declaration says.
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	d.Strict = false
	var doc document
	if err := d.Decode(&doc); err != nil {
		line, _ := d.InputPos()
		return nil, unread(fmt.Errorf("line %d: %w", line, failure.Worded(printable.Text(err.Error()), err)))
	}
	f := &File{Name: printable.Text(doc.Name), Version: printable.Text(doc.Version)}
	for _, i := range doc.Inherits {
		if i.File != "" {
			f.Inherits = append(f.Inherits, printable.Text(i.File))
		}
	}
	converter := converter{File: f, questions: doc.Question, names: map[string]bool{}}
	for i := range doc.Analyses {
		converter.convert(&doc.Analyses[i])
	}
	return f, nil
}

// converter makes rules of analyses.
type converter struct {
	*File
	questions []question
	names     map[string]bool
}

func (t *converter) convert(a *analysis) {
	if len(a.Thresholds) == 0 {
		t.Charts++
	}
	for i := range a.Thresholds {
		r, reason := t.rule(a, &a.Thresholds[i])
		if reason != "" {
			t.Skipped = append(t.Skipped, Skipped{printable.Text(a.Name), printable.Text(a.Thresholds[i].Name), printable.Text(reason)})
			continue
		}
		t.Rules = append(t.Rules, r)
	}
}

// rule makes a rule of a threshold, or says why there is none.
func (t *converter) rule(a *analysis, h *threshold) (r alert.Rule, reason string) {
	call, reason := t.call(h.Code)
	if reason != "" {
		return r, reason
	}
	i := slices.IndexFunc(a.Sources, func(s dataSource) bool {
		return strings.EqualFold(strings.TrimPrefix(s.Variable, "$"), call.collection)
	})
	if i < 0 {
		return r, "$" + call.collection + " is no counter of the analysis"
	}
	s := &a.Sources[i]
	whole, excludes := "", s.Excludes
	var formula *alert.Formula
	if !strings.EqualFold(s.Type, counterLog) {
		whole = s.Name
		if s, formula, reason = a.generated(s); reason != "" {
			return r, reason
		}
		excludes = append(slices.Clip(excludes), s.Excludes...)
	}
	if strings.EqualFold(s.IsPattern, "true") && strings.ContainsAny(s.Expression, `[]{}+^$|?`) {
		return r, "its counter is a regular expression"
	}
	path, err := paths.Parse(s.path())
	if err != nil {
		return r, err.Error()
	}
	if call.orEqual {
		call.limit = orEqual(call.op, call.limit, !call.trend && isWhole(cmp.Or(whole, path.Counter)))
	}
	r = alert.Rule{
		When: paths.Alert{Path: path, Op: call.op, Limit: call.limit}, Value: formula, Severity: severityOf(h.Condition),
		Why: clip(h.Name, maxWhy), Disabled: strings.EqualFold(a.Enabled, "false"), Origin: "PAL " + t.Name,
	}
	if call.trend {
		r.Trend = trendTime
	}
	r.Totals = true
	for _, e := range excludes {
		if paths.IsTotal(e.Instance) {
			r.Totals = false
		} else if e.Instance != "" {
			r.Except = append(r.Except, printable.Text(e.Instance))
		}
	}
	if path.Wildcard() == 0 {
		r.Totals, r.Except = false, nil // they are about wildcards
	}
	r.Name = t.unique(clip(a.Name, maxName) + " " + r.Severity.String())
	if err := r.Check(); err != nil {
		return r, err.Error()
	}
	return r, ""
}

// trendTime is over how long trends are judged: PAL's are per hour, over its whole log.
const trendTime = time.Hour

// The lengths of what is taken over, in characters.
const (
	maxName = 100
	maxWhy  = 250
)

// clip makes a text of a file fit for a line.
func clip(s string, most int) string {
	s = strings.Join(strings.Fields(printable.Text(s)), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:most]))
}

// unique gives a rule a name that no other has.
func (t *converter) unique(name string) string {
	out := name
	for n := 2; t.names[out]; n++ {
		out = name + " " + strconv.Itoa(n)
	}
	t.names[out] = true
	return out
}

// severityOf is that of a condition, the least where it names none.
func severityOf(condition string) alert.Severity {
	s, _ := alert.ParseSeverity(strings.ToLower(condition))
	return s
}

// orEqual gives the limit that says with > or < what PAL says with >= or <=. At
// least one of what is counted is more than none; other limits become the float64
// beside them, which is exact.
func orEqual(op paths.Op, limit float64, whole bool) float64 {
	switch whole = whole && limit == math.Trunc(limit) && math.Abs(limit) < 1<<53; {
	case whole && op == paths.Above:
		return limit - 1
	case whole:
		return limit + 1
	case op == paths.Above:
		return math.Nextafter(limit, math.Inf(-1))
	}
	return math.Nextafter(limit, math.Inf(1))
}

// fractions are parts of the names of counters whose values are no whole numbers.
var fractions = []string{"%", "/", "avg", "average", "ratio", "percent", "per ", "rate", "time", "latency", "seconds"}

// isWhole tells by its name, as PAL knows no more of it, whether a counter counts.
func isWhole(counter string) bool {
	counter = strings.ToLower(counter)
	return !slices.ContainsFunc(fractions, func(part string) bool { return strings.Contains(counter, part) })
}
