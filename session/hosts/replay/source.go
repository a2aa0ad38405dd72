package replay

import (
	"cmp"
	"context"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/logs"
)

// source is the files of a tape, which can be opened as often as somebody reads
// them on his own, and what is known of them.
type source struct {
	files   []string
	unnamed string // the host of columns that name none
	open    func(name string) (logs.Reader, error)
	within  time.Duration // rows of different files this near are one
	shift   time.Duration // added to all times: an overlay

	columns     []logs.Column
	zone        logs.Zone
	lines       []*logs.Line // of the files, as far as they are known
	first, last time.Time    // shifted
	rated       time.Time    // the first row with rates: in those that were cooked from raw values the second
	interval    time.Duration
	rowBytes    int64
	inferred    logs.Inferred
	taken       []string                         // what names in other languages are taken for
	samples     func(interval time.Duration) int // that are to be kept

	mu    sync.Mutex
	asked time.Time     // the moment that was asked of last
	pace  time.Duration // at that; 0: it is not known
}

// reader opens the files as one recording.
func (s *source) reader() (logs.Reader, error) {
	var readers []logs.Reader
	for _, name := range s.files {
		r, err := s.open(name)
		if err != nil {
			for _, r := range readers {
				_ = r.Close()
			}
			return nil, err
		}
		readers = append(readers, r)
	}
	r := logs.Join(readers, s.within)
	if err := r.Complete(context.Background()); err != nil {
		_ = r.Close()
		return nil, err
	}
	for i, l := range r.Lines() {
		if i < len(s.lines) {
			l.Take(s.lines[i])
		}
	}
	if s.shift != 0 {
		r = &shifted{r, s.shift}
	}
	return r, nil
}

// learn takes over what a reader of the files knows of their times. It reports whether there are
// parts that were not known.
func (s *source) learn(r logs.Reader) (more bool) {
	for i, l := range r.Lines() {
		more = s.lines[i].Take(l) || more
	}
	return more
}

// extend takes the extent of the files as it is known by now.
func (s *source) extend(r logs.Reader) error {
	span, err := r.Span()
	if err == nil {
		s.first, s.last = span.First, span.Last
	}
	return err
}

// look finds out what can be told of the files without reading them.
func (s *source) look(r logs.Reader) error {
	s.columns, s.zone, s.lines, s.taken = r.Header().Columns, r.Header().Zone, r.Lines(), r.Header().TakenWords()
	span, err := r.Span()
	if err != nil {
		return err
	}
	s.first, s.last = span.First, span.Last
	s.inferred = span.Inferred
	s.rowBytes = span.Bytes / max(span.Rows, 1)
	return s.probe(r)
}

// hosts sorts the columns by host.
func (s *source) hosts() []*hostColumns {
	return hostsOf(s.columns, s.unnamed, "recording "+filepath.Base(s.files[0]))
}

// probeRows is how many rows tell the usual interval, and which columns are texts.
const probeRows = 20

// probe finds the usual interval, the median of the first ones, 0 if there is none;
// and texts among the columns of which the recording has no types. The reader is
// where it begins.
func (s *source) probe(r logs.Reader) error {
	untyped := []int{}
	for i := range s.columns {
		if !s.columns[i].TypeKnown {
			untyped = append(untyped, i)
		}
	}
	defer r.Only(nil)
	var lacked lacking
	var intervals []time.Duration
	var before time.Time
	texts, numbers := make([]bool, len(s.columns)), make([]bool, len(s.columns))
	n := 0
	for row, err := range (logs.Scan{}).Rows(context.Background(), r) {
		if err != nil {
			return err
		}
		if d := row.Time.Sub(before); !before.IsZero() && d > 0 {
			intervals = append(intervals, d)
		}
		before = row.Time
		switch n {
		case 0:
			s.rated = row.Time
			lacked = lackingIn(row.Values)
		case 1:
			if lacked.areIn(row.Values) {
				s.rated = row.Time
			}
		}
		for _, i := range untyped {
			_, isText := row.Values[i].Text()
			texts[i] = texts[i] || isText
			numbers[i] = numbers[i] || row.Values[i].HasNumber()
		}
		if n++; n == 2 { // the first two are looked at whole
			r.Only(untyped)
		}
		if n == probeRows {
			break
		}
	}
	s.columns = slices.Clone(s.columns)
	for _, i := range untyped {
		if texts[i] && !numbers[i] {
			s.columns[i].TypeKnown, s.columns[i].Type = true, cooker.CounterText
		}
	}
	if len(intervals) > 0 {
		slices.Sort(intervals)
		s.interval = intervals[len(intervals)/2]
	}
	return nil
}

// lacking are the columns of which the first row has no value.
type lacking []bool

func lackingIn(values []cooker.Value) lacking {
	l := make(lacking, len(values))
	for i := range values {
		l[i] = !values[i].Valid()
	}
	return l
}

// areIn tells whether the next row has a good part of them, as it has where the first one
// was cooked without one before it; not those of a few instances that came.
func (l lacking) areIn(values []cooker.Value) bool {
	const part = 10
	came, gone := 0, 0
	for i := range min(len(l), len(values)) {
		switch has := values[i].Valid(); {
		case has && l[i]:
			came++
		case !has && !l[i]:
			gone++
		}
	}
	return came > gone && came*part >= len(values)
}

// numberOf is the absolute number of the sample of a moment, about. A text file does not tell how
// many rows there are.
func (s *source) numberOf(at time.Time) uint64 {
	n := logs.RowsBetween(s.lines, s.first.Add(-s.shift), at.Add(-s.shift), s.interval)
	return uint64(math.Round(n))
}

const (
	leastSamples = 300
	mostSamples  = 100_000
	// mostKept bounds the values of a window: four bytes each.
	mostKept = 16 << 20
)

// size is how many samples a window keeps that has the history of so many columns.
func (s *source) size(kept int) int {
	shortest, _ := s.paces()
	size := min(max(s.samples(shortest), leastSamples), mostSamples)
	return max(min(size, mostKept/max(kept, 1)), 2)
}

// every is how far apart rows are that follow on a moment. Many hosts ask of one row, of which
// there may be many files.
func (s *source) every(at time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pace == 0 || !at.Equal(s.asked) {
		s.pace, s.asked = logs.Every(s.lines, at.Add(-s.shift)), at
	}
	return cmp.Or(s.pace, s.interval)
}

// paces are how far apart rows are at least, and at most, where none lack.
func (s *source) paces() (shortest, longest time.Duration) {
	shortest, longest = logs.Paces(s.lines)
	return cmp.Or(shortest, s.interval), cmp.Or(longest, s.interval)
}

// isGap tells whether the time since a sample is longer than it takes until the next one is missed.
func (s *source) isGap(from, to time.Time) bool {
	every := s.every(from)
	return every > 0 && to.Sub(from) > session.GapAfter(every)
}

// shifted is a recording at another time.
type shifted struct {
	logs.Reader

	by time.Duration
}

func (s *shifted) Next(row *logs.Row) error {
	err := s.Reader.Next(row)
	if err == nil {
		row.Time = row.Time.Add(s.by)
	}
	return err
}

func (s *shifted) SeekTime(t time.Time) error { return s.Reader.SeekTime(t.Add(-s.by)) }

func (s *shifted) Span() (logs.Span, error) {
	span, err := s.Reader.Span()
	if !span.First.IsZero() {
		span.First, span.Last = span.First.Add(s.by), span.Last.Add(s.by)
	}
	return span, err
}
