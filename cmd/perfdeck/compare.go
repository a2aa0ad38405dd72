package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/analysis/compare"
	"perfdeck/session/config"
	"perfdeck/session/inventory"
	"perfdeck/session/record/logs"
	"perfdeck/session/record/relog"
	"perfdeck/session/system/output"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	at, window, against string
	begin, end          string
	counters            []string
	encoding            string
	packs, rules        []string
	most                int
	json                bool
}

func (p *program) compareCommand() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare FILE [FILE]",
		Short: "Tell what changed between two recordings, hosts, or times",
		Long: `compare tells which counters of recordings changed, the strongest first: from the
first recording to the second; with --at from the time before to so long after a moment
(--window), in one recording; with --host twice from the first host of it to the second.
It reads what relog reads.

A counter changed when the median of its values went several times as far as it moves by
itself, slow swings included, which is known from 48 parts of the time before. What rises
or falls steadily is compared with where it would have come by then, what is mostly zero
by how often it is not. The more counters there are, the farther one has to go, so that
none is called changed by chance: nothing changed is an answer. They are ordered by
STRENGTH: the share by which the median changed, times the binary logarithm of 1 + SPREADS,
so that neither a small step of what stood still nor large noise comes first. Instances that came and
went stand at the end. It never says why.

Alert rules are judged over both times: what they say of the later one and did not say
before stands behind the counters, and what they said before alone. Rules are those of the
config and of the screens, of a bundle, of --alert, and all starter packs, or those of --pack.

--against tells what the time is compared with: before (the twelve times as long before
it, at least half an hour), hour or day (as long an hour or a day before), or the moment
where that time begins. Where the recording has the same time of other days, what is so
then too is no change. Two recordings of different days are compared at the same times of
day, as far as they have them in common. Times are those of the recording's zone.

The exit code is 3 when something could not be read: what could is compared.`,
		Example: `  perfdeck compare lastweek.db today.db
  perfdeck compare night.csv --at 03:12 --window 10m
  perfdeck compare week.db --at '2026-03-02 03:12' --against day
  perfdeck compare night.db --host web01 --host web02
  perfdeck compare night.db --at 03:12 --counter '\PhysicalDisk(*)\*' --json`,
		Args: cobra.MatchAll(atLeast(1, "recording"), atMost(2)),
		RunE: func(c *cobra.Command, args []string) error { return p.compare(c, args, f) },
	}
	l := c.Flags()
	l.StringVar(&f.at, "at", "", "where the time begins that is looked at: 03:12, 2026-03-02 03:12, or +1h after the beginning")
	l.StringVar(&f.window, "window", "10m", "how long it is: seconds, or a time as 10m or 00:10:00")
	l.StringVar(&f.against, "against", againstBefore, "what it is compared with: before, hour, day, or a moment as --at takes it")
	l.StringVar(&f.begin, "begin", "", "of two recordings or hosts: leave out what is earlier")
	l.StringVar(&f.end, "end", "", "of two recordings or hosts: leave out what is later")
	l.StringArrayVar(&f.counters, "counter", nil, "counter path to compare; wildcards are allowed (repeatable)")
	l.StringVar(&f.encoding, "encoding", "", "encoding of text files, as 1252, 932, utf-16le (default: guessed)")
	l.StringArrayVar(&f.packs, "pack", nil, "starter pack of rules, instead of all; none: no pack (repeatable)")
	p.addAlertFlag(c, &f.rules)
	_ = c.RegisterFlagCompletionFunc("pack", completePack)
	l.IntVar(&f.most, "most", 20, "list at most so many counters; 0: all")
	l.BoolVar(&f.json, "json", false, "print a JSON object a line")
	_ = c.RegisterFlagCompletionFunc("against", cobra.FixedCompletions([]string{againstBefore, againstHour, againstDay}, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("encoding", cobra.FixedCompletions(logs.Encodings(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

// What a time is compared with.
const (
	againstBefore = "before"
	againstHour   = "hour"
	againstDay    = "day"
)

// check refuses flags that do not fit together.
func (f *compareFlags) check(c *cobra.Command, files, hosts []string) error {
	switch two := len(files) == 2 || len(hosts) == 2; {
	case f.most < 0:
		return usage(fmt.Errorf("--most %d: not a number of counters", f.most))
	case f.at == "" && (c.Flags().Changed("window") || c.Flags().Changed("against")):
		return usage(session.WithHint(errors.New("compare: --window and --against are about a time"), "--at tells where it begins"))
	case f.at != "" && (f.begin != "" || f.end != ""):
		return usage(session.WithHint(errors.New("compare: --at excludes --begin and --end"), "--window tells how long the time is"))
	case f.at != "" && len(files) == 2:
		return usage(session.WithHint(errors.New("compare: --at is a time of one recording"), "two files that are one: perfdeck relog FILE FILE -o BOTH"))
	case f.at == "" && !two:
		return usage(session.WithHint(errors.New("compare: there is nothing to compare it with"), "name a second recording, a time (--at 03:12 --window 10m), or two hosts of it (--host A --host B)"))
	case len(files) == 2 && len(hosts) > 2 || len(files) == 1 && f.at == "" && len(hosts) > 2:
		return usage(errors.New("compare: two hosts can be compared, not more"))
	}
	return nil
}

// compare does what the flags ask for.
func (p *program) compare(c *cobra.Command, files []string, f compareFlags) error {
	if err := f.check(c, files, p.flags.hosts); err != nil {
		return err
	}
	settings, err := p.settings(c)
	if err != nil {
		return err
	}
	all := &comparison{program: p, flags: f, settings: settings}
	defer all.close()
	if err := all.open(c.Context(), files); err != nil {
		return err
	}
	if err := all.match(); err != nil {
		return err
	}
	if f.at != "" {
		err = all.planTime()
	} else {
		err = all.planSides()
	}
	if err != nil {
		return err
	}
	if err := all.read(c.Context()); err != nil {
		return err
	}
	if err := all.judge(c); err != nil {
		return err
	}
	if err := all.print(all.rank()); err != nil {
		return unlessPipe(err)
	}
	return all.report()
}

// comparison is one run.
type comparison struct {
	*program

	flags    compareFlags
	settings config.Settings
	sides    []*compareSide // what is compared with, and what is looked at; one of both
	series   []comparedSeries
	done     []func()
	partly   bool // a file could not be opened
	bare     bool // each side is one host, and another one
	verdicts []verdict

	before, during *compare.Span
	usual          []*compare.Span
	notes          []string
}

// compareSide is a recording, or a host of it.
type compareSide struct {
	name    string
	host    string // that is meant; empty: all
	files   []string
	reader  logs.Reader
	columns []int // ascending
	keys    []comparedKey
	places  []int // of the columns, among the series
	hosts   []string
	first   time.Time
	last    time.Time
	spans   []*compare.Span
	came    output.Progress
}

// comparedKey is what a column is known by on both sides.
type comparedKey struct{ host, rest string }

// comparedSeries is one counter of one instance, on both sides.
type comparedSeries struct {
	path   string // as the side has it that is looked at
	name   paths.Path
	named  bool // the path follows the grammar
	host   int
	format cooker.Format
	on     [2]bool // the sides that have a column of it
}

func (a *comparison) close() {
	for _, s := range a.sides {
		_ = s.reader.Close()
	}
	for _, done := range a.done {
		done()
	}
}

// open opens the sides.
func (a *comparison) open(ctx context.Context, names []string) error {
	hosts := a.program.flags.hosts
	sides := []*compareSide{{name: names[0]}}
	switch {
	case len(names) == 2:
		sides = append(sides, &compareSide{name: names[1]})
	case a.flags.at == "":
		sides = append(sides, &compareSide{name: names[0]})
	}
	if len(sides) == 2 && len(hosts) == 2 {
		sides[0].host, sides[1].host = inventory.DisplayName(hosts[0]), inventory.DisplayName(hosts[1])
	} else if len(hosts) == 1 {
		for _, s := range sides {
			s.host = inventory.DisplayName(hosts[0])
		}
	}
	for _, s := range sides {
		files, done, err := a.spooled().Files([]string{s.name})
		if err != nil {
			return err
		}
		a.done = append(a.done, done)
		r, missing, err := a.openAll(ctx, files, a.flags.encoding, 0)
		if err != nil {
			return err
		}
		s.name, s.files = a.shown(s.name), files
		s.reader, a.partly = r, a.partly || missing
		a.sides = append(a.sides, s)
		if err := s.look(ctx, a.flags.counters); err != nil {
			return err
		}
	}
	return nil
}

var errNoComparedHost = errors.New("it has no counters of the host")

// look finds out what a side has.
func (s *compareSide) look(ctx context.Context, counters []string) error {
	if err := logs.Complete(ctx, s.reader); err != nil {
		return err
	}
	span, err := s.reader.Span()
	if err != nil {
		return err
	}
	if span.First.IsZero() {
		return fmt.Errorf("compare %s: %w", s.name, errNoComparedRows)
	}
	zone := s.reader.Header().Zone.Location()
	s.first, s.last = span.First.In(zone), span.Last.In(zone)
	var filters []relog.Filter
	for _, text := range counters {
		one := relog.NewFilter(text)
		if one.Err != nil {
			return usage(one.Err)
		}
		filters = append(filters, one)
	}
	others := map[string]bool{}
	for i := range s.reader.Header().Columns {
		column := relog.NewFilter(s.reader.Header().Columns[i].Path)
		if len(filters) > 0 && !slices.ContainsFunc(filters, func(f relog.Filter) bool { return f.Matches(&column) }) {
			continue
		}
		if computer := column.Path.Computer; s.host != "" && !inventory.Is(s.host, computer) {
			others[computer] = true
			continue
		}
		s.addColumn(i, &column)
	}
	switch {
	case len(s.columns) > 0:
		return nil
	case len(others) > 0:
		return usage(session.WithHint(fmt.Errorf("compare %s: %s: %w", s.name, s.host, errNoComparedHost), "it has "+hostWords(others)))
	case len(filters) > 0:
		return session.WithHint(fmt.Errorf("compare %s: no counter of it is one of those that were asked for", s.name), "perfdeck relog -q FILE lists them")
	}
	return fmt.Errorf("compare %s: it has no counters", s.name)
}

// addColumn adds a column.
func (s *compareSide) addColumn(i int, column *relog.Filter) {
	key := comparedKey{rest: paths.Fold(column.Text)}
	if column.Err == nil {
		rest := column.Path
		rest.Computer = ""
		key = comparedKey{paths.Fold(column.Path.Computer), paths.Fold(rest.String())}
	}
	if !slices.Contains(s.hosts, key.host) {
		s.hosts = append(s.hosts, key.host)
	}
	s.columns, s.keys = append(s.columns, i), append(s.keys, key)
}

// mostHinted bounds what is listed in a hint.
const mostHinted = 5

// hostWords are names in words.
func hostWords(names map[string]bool) string {
	var all []string
	for name := range names {
		all = append(all, cmp.Or(name, "counters without a computer"))
	}
	slices.Sort(all)
	if n := len(all); n > mostHinted {
		return strings.Join(all[:mostHinted], ", ") + fmt.Sprintf(" and %d more", n-mostHinted)
	}
	return strings.Join(all, ", ")
}

var (
	errNoComparedRows  = errors.New("it has no samples")
	errNothingInCommon = errors.New("they have no counter in common")
)

// match finds the columns of both sides that are the same counter. Where each side is one
// host, and another one, its name does not count.
func (a *comparison) match() error {
	now := a.sides[len(a.sides)-1]
	was := a.sides[0]
	a.bare = len(was.hosts) == 1 && len(now.hosts) == 1 && was.hosts[0] != now.hosts[0]
	places, hosts := map[comparedKey]int{}, map[string]int{}
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
				a.add(s, i, key.host, hosts)
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
	example := func(s *compareSide) string { return s.reader.Header().Columns[s.columns[0]].Path }
	hint := fmt.Sprintf("%s has %s, %s has %s", was.name, example(was), now.name, example(now))
	if !slices.Equal(was.hosts, now.hosts) {
		hint += "; where they are of other hosts, --host A --host B names one of each"
	}
	return session.WithHint(fmt.Errorf("compare %s %s: %w", was.name, now.name, errNothingInCommon), hint)
}

// add makes a series of a column.
func (a *comparison) add(s *compareSide, i int, host string, hosts map[string]int) {
	column := &s.reader.Header().Columns[s.columns[i]]
	number, known := hosts[host]
	if !known {
		number = len(hosts)
		hosts[host] = number
	}
	one := comparedSeries{path: column.Path, host: number, format: column.Format()}
	if path, err := paths.Parse(column.Path); err == nil {
		one.name, one.named = path, true
		one.format.Quantity = cooker.QuantityOf(column.Type, path.Counter)
	}
	one.format.Style, one.format.Grouping = a.settings.Units, a.settings.Grouping
	a.series = append(a.series, one)
}

// rank compares what was read.
func (a *comparison) rank() compare.Ranking {
	return compare.Rank(a.before, a.during, compare.Options{
		Least: func(i int) float64 { return compare.Least(a.series[i].format.Quantity) },
		Host:  func(i int) int { return a.series[i].host },
		Usual: a.usual,
	})
}

// leaveAlone leaves out what only one side records: it did not come or go. Instances do, of
// counters that both record.
func (a *comparison) leaveAlone() {
	recorded := map[string]bool{}
	for i := range a.series {
		if s := &a.series[i]; s.on[0] && s.on[1] {
			recorded[s.counter()] = true
		}
	}
	var kept []comparedSeries
	place := make([]int, len(a.series)) // -1: left out
	for i := range a.series {
		if place[i] = -1; recorded[a.series[i].counter()] {
			place[i] = len(kept)
			kept = append(kept, a.series[i])
		}
	}
	if alone := len(a.series) - len(kept); alone > 0 {
		a.notes = append(a.notes, "left out, as only one of them records it: "+count(alone, "counter", "counters"))
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
func (s *comparedSeries) counter() string {
	return paths.Fold(s.name.Object) + `\` + paths.Fold(s.name.Counter)
}

// report tells what could not be read.
func (a *comparison) report() error {
	for _, s := range a.sides {
		a.partly = a.tellFaults(s.reader.Faults()) || a.partly
	}
	if a.partly {
		return &exitError{code: exitPartly}
	}
	return nil
}

// instance is what the path of a series says of its instance, with the computer.
func (s *comparedSeries) instance() string {
	if !s.named || !s.name.HasInstance {
		return session.Printable(s.path)
	}
	name := s.name.String()
	return session.Printable(strings.TrimSuffix(name, `\`+s.name.Counter))
}
