package relog

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
)

// Listing is what is in a recording.
type Listing struct {
	File     string     `json:"file"`
	Format   string     `json:"format"`
	First    *time.Time `json:"first"`
	Last     *time.Time `json:"last"`
	Rows     int64      `json:"rows"`
	Exact    bool       `json:"exact"` // Rows is counted, not guessed
	Zone     string     `json:"zone"`
	Bias     int        `json:"bias"` // minutes, UTC minus local time
	Caption  string     `json:"caption"`
	Inferred []string   `json:"inferred,omitempty"`
	SetBack  []string   `json:"set_back,omitempty"` // where its clock was
	Taken    []string   `json:"taken,omitempty"`    // what names in other languages are taken for
	Counters []string   `json:"counters"`

	titles []string // of the formats
	span   logs.Span
}

// List lists what is in a recording of these formats. name is how it is shown.
func List(name string, of []*formats.Format, h *logs.Header, setBack []string, span logs.Span) *Listing {
	var names []string
	l := &Listing{
		File: name, Rows: span.Rows, Exact: span.Exact, Zone: h.Zone.Name, Bias: h.Zone.Bias, Caption: h.Caption,
		Inferred: span.Inferred.Words(), SetBack: setBack, Taken: h.TakenWords(), Counters: make([]string, len(h.Columns)), span: span,
	}
	for _, f := range of {
		names, l.titles = append(names, f.Name), append(l.titles, f.Title)
	}
	l.Format = strings.Join(names, ",")
	if !span.First.IsZero() {
		l.First, l.Last = &span.First, &span.Last
	}
	for i := range h.Columns {
		l.Counters[i] = h.Columns[i].Path
	}
	return l
}

// Title says in one line what a recording is.
func (l *Listing) Title() string {
	rows := english.Count(l.Rows, "sample", "samples")
	if !l.Exact {
		rows = "about " + rows
	}
	words := []string{l.File + ": " + strings.Join(l.titles, ", "), english.Count(len(l.Counters), "counter", "counters"), rows}
	if l.First != nil {
		words = append(words, fmt.Sprintf("%s to %s", l.span.First.Format(time.DateTime), l.span.Last.Format(time.DateTime)))
	}
	words = append(words, fmt.Sprintf("%s, UTC%s", l.Zone, l.span.First.In(logs.Zone{Bias: l.Bias}.Location()).Format("-07:00")))
	if l.Caption != "" {
		words = append(words, l.Caption)
	}
	return strings.Join(slices.Concat(words, l.Inferred, l.SetBack, l.Taken), "; ")
}

// Percentile is a rank from 0 to 1, and how the user wrote it.
type Percentile struct {
	Word string
	Rank float64
}

var errNoPercentile = errors.New("not from 0 to 100")

// ParsePercentiles reads percentiles.
func ParsePercentiles(words []string) ([]Percentile, error) {
	all := make([]Percentile, len(words))
	for i, w := range words {
		f, err := strconv.ParseFloat(w, 64)
		if err != nil || !(f >= 0 && f <= 100) {
			return nil, failure.Usage(fmt.Errorf("--percentiles %q: %w", w, errNoPercentile))
		}
		all[i] = Percentile{w, f / 100}
	}
	return all, nil
}

// CounterSummary is the summary of a counter.
type CounterSummary struct {
	Path        string                  `json:"path"`
	Count       int64                   `json:"count"`
	Missing     int64                   `json:"missing"`
	Texts       int64                   `json:"texts,omitempty"`
	First       *time.Time              `json:"first"`
	Last        *time.Time              `json:"last"`
	Min         cooker.Value            `json:"min"`
	Average     cooker.Value            `json:"average"`
	Weighted    string                  `json:"weighted,omitempty"` // "by time", for want of raw samples
	Max         cooker.Value            `json:"max"`
	Percentiles map[string]cooker.Value `json:"percentiles"`
}

// SummaryOf is the summary of a counter with some percentiles.
func SummaryOf(path string, s *logs.Summary, percentiles []Percentile) CounterSummary {
	d := CounterSummary{
		Path: path, Count: s.Count, Missing: s.Missing, Texts: s.Texts, Min: s.Min, Average: s.Average(), Weighted: s.Weighted(), Max: s.Max,
		Percentiles: map[string]cooker.Value{},
	}
	if s.Count > 0 {
		d.First, d.Last = &s.First, &s.Last
	}
	for _, p := range percentiles {
		d.Percentiles[p.Word] = s.Quantile(p.Rank)
	}
	return d
}

// FormatsOf are the formats of recordings, each once.
func FormatsOf(names []string) (all []*formats.Format, err error) {
	for _, name := range names {
		format, err := FormatOf(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(all, format) {
			all = append(all, format)
		}
	}
	return all, nil
}
