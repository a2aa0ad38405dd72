package collectorset

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"perfdeck/paths"
	"perfdeck/session/text/printable"
)

// Report is what a ReportSchema says of counters: MS-PLA 2.2.3.3. Tables of events,
// joins, imports and string tables are left out.
type Report struct {
	Name     string
	Sections []Section // in the order in which they are shown
}

// Section is a part of a report.
type Section struct {
	Name   string
	Tables []CounterTable // in the order in which they are shown
}

// CounterTable is a table of the counters of an object, and what of them it leaves out.
type CounterTable struct {
	Name, Object, Note string
	Level              int // 1 to 5; shown where so much is asked for
	Rows               int // that are shown

	include, exclude []namePattern // of instances, of counters
	without          []string      // columns
}

// The columns of a table, in their order.
var reportColumns = []string{"counter", "machine", "instance", "mean", "min", "max"}

// usualRows is how many rows are shown where nothing says so.
const usualRows = 25

// The elements of a ReportSchema, as they are written.
type (
	schemaXML struct {
		Reports []reportXML `xml:"Report"`
	}
	reportXML struct {
		Name      string       `xml:"name,attr"`
		Threshold string       `xml:"threshold,attr"`
		Within    []sectionXML `xml:"Sections>Section"`
		Direct    []sectionXML `xml:"Section"`
	}
	sectionXML struct {
		Name   string     `xml:"name,attr"`
		Key    string     `xml:"key,attr"`
		Tables []tableXML `xml:"CounterTable"`
	}
	tableXML struct {
		Name      string `xml:"name,attr"`
		Object    string `xml:"object,attr"`
		Level     string `xml:"level,attr"`
		Key       string `xml:"key,attr"`
		Note      string `xml:"note,attr"`
		Threshold string `xml:"threshold,attr"`
		Exclude   []struct {
			Counter string `xml:"counter,attr"`
			Column  string `xml:"column,attr"`
		} `xml:"Exclude"`
		Include []struct {
			Instance string `xml:"instance,attr"`
		} `xml:"Include"`
	}
)

// ParseReport reads the inside of a ReportSchema. What cannot be is an error that names
// the table.
func ParseReport(schema string) (*Report, error) {
	var x schemaXML
	if err := xml.Unmarshal([]byte("<ReportSchema>"+schema+"</ReportSchema>"), &x); err != nil {
		return nil, fmt.Errorf("read ReportSchema: %s", err.Error())
	}
	r := &Report{}
	for _, report := range x.Reports {
		r.Name = cmp.Or(r.Name, report.Name)
		rows, err := attribute(report.Threshold, usualRows, 0, math.MaxInt32)
		if err != nil {
			return nil, fmt.Errorf("report %s: threshold %w", report.Name, err)
		}
		sections := slices.Concat(report.Within, report.Direct)
		if err := byKey(sections, func(s *sectionXML) string { return s.Key }); err != nil {
			return nil, err
		}
		for i := range sections {
			s := &sections[i]
			if err := byKey(s.Tables, func(t *tableXML) string { return t.Key }); err != nil {
				return nil, err
			}
			section := Section{Name: s.Name}
			for n := range s.Tables {
				t, err := s.Tables[n].table(rows)
				if err != nil {
					return nil, fmt.Errorf("table %s: %w", s.Tables[n].Name, err)
				}
				section.Tables = append(section.Tables, t)
			}
			r.Sections = append(r.Sections, section)
		}
	}
	return r, nil
}

var errNoWhole = errors.New("is no whole number within its limits")

// attribute is a number; without a text the usual one.
func attribute(text string, usual, least, most int) (int, error) {
	if text == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%q %w", printable.Text(text), errNoWhole)
	}
	return n, nil
}

// byKey sorts by keys in ascending order; what has none comes last.
func byKey[T any](list []T, key func(*T) string) error {
	var bad error
	number := func(v *T) int {
		n, err := attribute(key(v), math.MaxInt, 0, math.MaxInt32)
		if err != nil {
			bad = fmt.Errorf("key %w", err)
		}
		return n
	}
	for i := range list {
		number(&list[i])
	}
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(number(&a), number(&b)) })
	return bad
}

var errNoObject = errors.New("it names no object")

func (x *tableXML) table(rows int) (t CounterTable, err error) {
	t = CounterTable{Name: x.Name, Object: x.Object, Note: x.Note}
	if t.Object == "" {
		return t, errNoObject
	}
	const mostLevel = 5
	if t.Level, err = attribute(x.Level, 1, 1, mostLevel); err != nil {
		return t, fmt.Errorf("level %w", err)
	}
	if t.Rows, err = attribute(x.Threshold, rows, 0, math.MaxInt32); err != nil {
		return t, fmt.Errorf("threshold %w", err)
	}
	for _, e := range x.Exclude {
		if e.Column != "" && !slices.Contains(reportColumns, e.Column) {
			return t, fmt.Errorf("there is no column %q", printable.Text(e.Column))
		}
		if e.Column != "" {
			t.without = append(t.without, e.Column)
		}
		if e.Counter == "" {
			continue
		}
		p, err := parsePattern(e.Counter)
		if err != nil {
			return t, err
		}
		t.exclude = append(t.exclude, p)
	}
	for _, i := range x.Include {
		p, err := parsePattern(i.Instance)
		if err != nil {
			return t, err
		}
		t.include = append(t.include, p)
	}
	return t, nil
}

// Stat is what is known of a counter over a recording.
type Stat struct {
	Path           paths.Path
	Mean, Min, Max float64
	Weighted       string // as cooker.Accumulator says of the mean
}

// Columns are those of a table, in their order; that of instances only where there are
// several.
func (t *CounterTable) Columns(stats []Stat) (out []string) {
	multiple := slices.ContainsFunc(stats, func(s Stat) bool { return s.Path.HasInstance })
	for _, c := range reportColumns {
		if !slices.Contains(t.without, c) && (c != "instance" || multiple) {
			out = append(out, c)
		}
	}
	return out
}

// Of are those that a table has rows for, in their order.
func (t *CounterTable) Of(stats []Stat) (out []Stat) {
	for _, s := range stats {
		instance := s.Path.InstanceText()
		switch {
		case !paths.EqualFold(s.Path.Object, t.Object):
		case s.Path.HasInstance && len(t.include) > 0 && !slices.ContainsFunc(t.include, func(p namePattern) bool { return p.fits(instance) }):
		case slices.ContainsFunc(t.exclude, func(p namePattern) bool { return p.fits(s.Path.Counter) }):
		default:
			out = append(out, s)
		}
	}
	return out
}

// namePattern is a pattern of names: * stands for any characters, ? for one, a backslash
// before a sign for itself.
type namePattern struct {
	glob []rune // with star and any for the wild ones
	fold bool
}

// Wild runes, which are no characters.
const (
	wildStar rune = -1
	wildAny  rune = -2
)

var errPattern = errors.New("is no pattern as /glob/ or i/glob/")

// parsePattern reads /glob/ or i/glob/; without slashes the whole text is a glob.
func parsePattern(text string) (p namePattern, err error) {
	body, slashed := strings.CutPrefix(text, "/")
	if after, is := strings.CutPrefix(text, "i/"); is {
		body, slashed, p.fold = after, true, true
	}
	closed := !slashed
	runes := []rune(body)
	for i := 0; i < len(runes); i++ {
		switch c := runes[i]; {
		case c == '\\' && i+1 < len(runes):
			i++
			p.glob = append(p.glob, runes[i])
		case c == '\\':
			return p, fmt.Errorf("%q %w", printable.Text(text), errPattern)
		case slashed && c == '/' && i == len(runes)-1:
			closed = true
		case c == '*':
			p.glob = append(p.glob, wildStar)
		case c == '?':
			p.glob = append(p.glob, wildAny)
		default:
			p.glob = append(p.glob, c)
		}
	}
	if !closed {
		return p, fmt.Errorf("%q %w", printable.Text(text), errPattern)
	}
	return p, nil
}

// fits tells whether a whole name is of the pattern.
func (p *namePattern) fits(name string) bool {
	text := []rune(name)
	star, from := -1, 0 // the last star, and where what it stands for began
	g, n := 0, 0
	for n < len(text) {
		switch {
		case g < len(p.glob) && p.glob[g] == wildStar:
			star, from = g, n
			g++
		case g < len(p.glob) && (p.glob[g] == wildAny || p.same(p.glob[g], text[n])):
			g++
			n++
		case star >= 0:
			from++
			g, n = star+1, from
		default:
			return false
		}
	}
	for g < len(p.glob) && p.glob[g] == wildStar {
		g++
	}
	return g == len(p.glob)
}

func (p *namePattern) same(a, b rune) bool {
	return a == b || p.fold && a >= 0 && paths.EqualFold(string(a), string(b))
}
