// Package difference tells what changed between two recordings, two hosts, or two times of a
// recording: it finds what both have, the times that are compared, what changed in them, and
// what alert rules say of one alone.
package difference

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/cooker/compare"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/files/logs"
	"perfdeck/session/recording/relog"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/guard"
	"perfdeck/session/system/output"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// What a time is compared with, besides a moment.
const (
	Before = "before"
	Hour   = "hour"
	Day    = "day"
)

// Options say what is compared. Functions are called by the goroutine that compares.
type Options struct {
	Hosts      []string      // that are meant, by the names that are shown: two are the sides; none: all
	At         string        `flag:"at" help:"where the time begins that is compared: 03:12, 2026-03-02 03:12, or +1h after the beginning"` // empty: whole sides are compared
	Window     time.Duration // how long it is
	Against    string        // what it is compared with
	Begin, End string        // limits of whole sides
	Counters   []string      `flag:"counter" help:"counter path to compare; wildcards are allowed (repeatable)"` // none: all
	Averages   bool          // are told too: Series.Sums

	// Open opens recordings that are named. Done releases what it holds.
	Open func(name string) (Opened, error)
	// Rules are those that both times are judged by, once the recordings are open.
	Rules func() ([]alert.Rule, error)
	Every time.Duration // of rules without an interval
	Looks session.Looks
	Guard *guard.Guard
	// IsOf tells whether a computer of a path is a host.
	IsOf func(computer, host string) bool
	// How values are written.
	Style    cooker.UnitStyle
	Grouping string
	// Progress begins to show how far something came, as came tells.
	Progress func(came func() (share float64, note string, ok bool)) (show, end func())
}

// Opened is a recording that was opened, perhaps of several files.
type Opened struct {
	Name    string // as it is told
	Reader  logs.Reader
	Files   []string
	Reopen  func(name string) (logs.Reader, error) // opens one of them once more
	Missing bool                                   // some file could not be opened, as was told
	Done    func()
}

// Difference is what changed.
type Difference struct {
	Was, Now       *Side // the same, where two times of one are compared
	Before, During *compare.Span
	Days           int // other days at the same time that were looked at
	Series         []Series
	Notes          []string
	Ranking        compare.Ranking
	Verdicts       []Verdict
	Missing        bool // some file could not be opened, as was told
	Faults         []logs.Faults
}

// Find compares a recording with itself, or the first of two with the second.
func Find(ctx context.Context, names []string, o Options) (*Difference, error) {
	a := &comparison{o: o}
	defer a.close()
	if err := a.open(ctx, names); err != nil {
		return nil, err
	}
	if err := a.match(); err != nil {
		return nil, err
	}
	plan := a.planSides
	if o.At != "" {
		plan = a.planTime
	}
	if err := plan(); err != nil {
		return nil, err
	}
	if a.o.Averages {
		a.sides[0].sumUp(a.before, a.series, 0)
		a.sides[len(a.sides)-1].sumUp(a.during, a.series, 1)
	}
	if err := a.read(ctx); err != nil {
		return nil, err
	}
	if err := a.judge(ctx); err != nil {
		return nil, err
	}
	d := &Difference{
		Was: a.sides[0], Now: a.sides[len(a.sides)-1], Before: a.before, During: a.during, Days: len(a.usual), Series: a.series, Notes: a.notes,
		Ranking: a.rank(), Verdicts: a.verdicts, Missing: a.missing,
	}
	for _, s := range a.sides {
		d.Faults = append(d.Faults, s.reader.Faults())
	}
	return d, nil
}

// comparison is one run.
type comparison struct {
	o        Options
	sides    []*Side // what is compared with, and what is looked at; one of both
	series   []Series
	missing  bool
	bare     bool // each side is one host, and another one
	verdicts []Verdict

	before, during *compare.Span
	usual          []*compare.Span
	notes          []string
}

// Side is a recording, or a host of it.
type Side struct {
	Name string // as it is told
	Host string // that is meant; empty: all
	Line *logs.Line

	files   []string
	reopen  func(name string) (logs.Reader, error)
	done    func()
	reader  logs.Reader
	columns []int // ascending
	keys    []key
	places  []int // of the columns, among the series
	hosts   []string
	first   time.Time
	last    time.Time
	spans   []*compare.Span
	sums    map[*compare.Span][]*cooker.Accumulator // by column, of the spans whose averages are told
	came    output.Progress
}

// again opens one of the files once more. Their times were read: they are not read again.
func (s *Side) again(name string) (logs.Reader, error) {
	r, err := s.reopen(name)
	if err != nil {
		return nil, err
	}
	if known, lines := s.reader.Lines(), r.Lines(); len(known) == len(s.files) && len(lines) == 1 {
		lines[0].Take(known[slices.Index(s.files, name)])
	}
	return r, nil
}

// key is what a column is known by on both sides.
type key struct{ host, rest string }

// Series is one counter of one instance, on both sides.
type Series struct {
	Path   string // as the side has it that is looked at
	Format cooker.Format
	name   paths.Path
	named  bool    // the path follows the grammar
	host   string  // folded
	on     [2]bool // the sides that have a column of it

	// Sums sum it up in Before and in During; nil where a side has no column of it, or nobody asked.
	Sums [2]*cooker.Accumulator
}

func (a *comparison) close() {
	for _, s := range a.sides {
		_ = s.reader.Close()
		s.done()
	}
}

// open opens the sides.
func (a *comparison) open(ctx context.Context, names []string) error {
	if len(names) == 1 && a.o.At == "" {
		names = append(names, names[0])
	}
	for i, name := range names {
		opened, err := a.o.Open(name)
		if err != nil {
			return err
		}
		s := &Side{Name: opened.Name, files: opened.Files, reopen: opened.Reopen, reader: opened.Reader, done: opened.Done}
		a.sides, a.missing = append(a.sides, s), a.missing || opened.Missing
		switch hosts := a.o.Hosts; {
		case len(hosts) == 2 && len(names) == 2:
			s.Host = hosts[i]
		case len(hosts) == 1:
			s.Host = hosts[0]
		}
		if err := s.look(ctx, &a.o); err != nil {
			return err
		}
	}
	return nil
}

// ErrNoHost is that a recording has nothing of a host.
var ErrNoHost = errors.New("it has no counters of the host")

// look finds out what a side has.
func (s *Side) look(ctx context.Context, o *Options) error {
	if err := s.reader.Complete(ctx); err != nil {
		return err
	}
	if err := logs.Know(ctx, s.reader); err != nil {
		return err
	}
	span, err := s.reader.Span()
	if err != nil {
		return err
	}
	if span.First.IsZero() {
		return fmt.Errorf("compare %s: %w", s.Name, errNoRows)
	}
	s.Line = logs.LineOf(s.reader)
	zone := s.Line.Location()
	s.first, s.last = span.First.In(zone), span.Last.In(zone)
	var filters []relog.Filter
	for _, text := range o.Counters {
		one := relog.NewFilter(text)
		if one.Err != nil {
			return failure.Usage(one.Err)
		}
		filters = append(filters, one)
	}
	others := map[string]bool{}
	asked, _ := relog.Matching(s.reader.Header(), filters)
	for _, i := range asked {
		column := relog.NewFilter(s.reader.Header().Columns[i].Path)
		if computer := column.Path.Computer; s.Host != "" && !o.IsOf(computer, s.Host) {
			others[computer] = true
			continue
		}
		s.addColumn(i, relog.NewFilter(s.reader.Header().Columns[i].InEnglish()))
	}
	switch {
	case len(s.columns) > 0:
		return nil
	case len(others) > 0:
		return failure.Usage(failure.WithHint(fmt.Errorf("compare %s: %s: %w", s.Name, s.Host, ErrNoHost), "it has "+HostWords(others)))
	case len(filters) > 0:
		return failure.WithHint(fmt.Errorf("compare %s: no counter of it is one of those that were asked for", s.Name), "perfdeck relog -q FILE lists them")
	}
	return fmt.Errorf("compare %s: it has no counters", s.Name)
}

// addColumn adds a column.
func (s *Side) addColumn(i int, column relog.Filter) {
	known := key{rest: paths.Fold(column.Text)}
	if column.Err == nil {
		rest := column.Path
		rest.Computer = ""
		known = key{paths.Fold(column.Path.Computer), paths.Fold(rest.String())}
	}
	if !slices.Contains(s.hosts, known.host) {
		s.hosts = append(s.hosts, known.host)
	}
	s.columns, s.keys = append(s.columns, i), append(s.keys, known)
}

// mostHinted bounds what is listed in a hint.
const mostHinted = 5

// HostWords are names in words.
func HostWords(names map[string]bool) string {
	var all []string
	for name := range names {
		all = append(all, cmp.Or(name, "counters without a computer"))
	}
	slices.Sort(all)
	return english.Some(all, mostHinted)
}

var (
	errNoRows          = errors.New("it has no samples")
	errNothingInCommon = errors.New("they have no counter in common")
)

// match finds the columns of both sides that are the same counter. Where each side is one
// host, and another one, its name does not count.
func (a *comparison) match() error {
	now := a.sides[len(a.sides)-1]
	was := a.sides[0]
	a.bare = len(was.hosts) == 1 && len(now.hosts) == 1 && was.hosts[0] != now.hosts[0]
	places := map[key]int{}
	common := 0
	for n := len(a.sides) - 1; n >= 0; n-- { // names are those of what is looked at
		s := a.sides[n]
		seen := map[int]bool{}
		for i, key := range s.keys {
			if a.bare {
				key.host = ""
			}
			place, known := places[key]
			if !known {
				place = len(a.series)
				places[key] = place
				a.add(s, i, key.host)
			}
			if known && n == 0 && !seen[place] {
				common++
			}
			seen[place] = true
			a.series[place].on[n] = true
			s.places = append(s.places, place)
		}
	}
	if len(a.sides) == 1 {
		return nil
	}
	if common > 0 {
		a.leaveAlone()
		return nil
	}
	example := func(s *Side) string { return s.reader.Header().Columns[s.columns[0]].Path }
	hint := fmt.Sprintf("%s has %s, %s has %s", was.Name, example(was), now.Name, example(now))
	if !slices.Equal(was.hosts, now.hosts) {
		hint += "; where they are of other hosts, --host A --host B names one of each"
	}
	return failure.WithHint(fmt.Errorf("compare %s %s: %w", was.Name, now.Name, errNothingInCommon), hint)
}

// add makes a series of a column.
func (a *comparison) add(s *Side, i int, host string) {
	column := &s.reader.Header().Columns[s.columns[i]]
	one := Series{Path: column.Path, host: host, Format: column.Format()}
	if path, err := paths.Parse(column.InEnglish()); err == nil {
		one.name, one.named = path, true
		one.Format.Quantity = cooker.QuantityIn(column.Type, path.Object, path.Counter)
	}
	one.Format.Style, one.Format.Grouping = a.o.Style, a.o.Grouping
	a.series = append(a.series, one)
}

// rank compares what was read.
func (a *comparison) rank() compare.Ranking {
	return compare.Rank(a.before, a.during, compare.Options{
		Least: func(i int) float64 { return compare.Least(a.series[i].Format.Quantity) },
		Host:  func(i int) any { return a.series[i].host },
		Skip:  func(i int) bool { return session.IsIdentity(a.series[i].name.Counter) },
		Usual: a.usual,
	})
}

// leaveAlone leaves out what only one side records: it did not come or go. Instances do, of
// counters that both record.
func (a *comparison) leaveAlone() {
	recorded := map[string]bool{}
	for _, s := range a.series {
		if s.on[0] && s.on[1] {
			recorded[s.counter()] = true
		}
	}
	var kept []Series
	place := make([]int, len(a.series)) // -1: left out
	for i, s := range a.series {
		if place[i] = -1; recorded[s.counter()] {
			place[i] = len(kept)
			kept = append(kept, s)
		}
	}
	if alone := len(a.series) - len(kept); alone > 0 {
		a.notes = append(a.notes, "left out, as only one of them records it: "+english.Count(alone, "counter", "counters"))
	}
	a.series = kept
	for _, s := range a.sides {
		var columns, places []int
		for i, c := range s.columns {
			if to := place[s.places[i]]; to >= 0 {
				columns, places = append(columns, c), append(places, to)
			}
		}
		s.columns, s.places = columns, places
	}
}

// counter is the counterset and the counter of a series, folded.
func (s *Series) counter() string {
	return paths.Fold(s.name.Object) + `\` + paths.Fold(s.name.Counter)
}

// Instance is what the path of a series says of its instance, with the computer.
func (s *Series) Instance() string {
	if !s.named || !s.name.HasInstance {
		return printable.Text(s.Path)
	}
	name := s.name.String()
	return printable.Text(strings.TrimSuffix(name, `\`+s.name.Counter))
}
