package relog

import (
	"context"
	"fmt"
	"time"

	"perfdeck/paths"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
)

// MostFaults bounds how many faults of a recording a check tells one by one.
const MostFaults = 10_000

// Check is what a recording is, read to its end, and what is wrong with it. That a counter
// has no value is nothing wrong.
type Check struct {
	File     string     `json:"file"`
	Format   string     `json:"format"`
	OK       bool       `json:"ok"`
	Samples  int64      `json:"samples"`
	Counters int        `json:"counters"`
	First    *time.Time `json:"first"`
	Last     *time.Time `json:"last"`
	Rows     int64      `json:"unreadable_rows"`
	Cells    int64      `json:"unreadable_cells"`
	Torn     bool       `json:"torn"`
	Back     int64      `json:"back_in_time"`
	Twice    []string   `json:"counters_twice"`
	Silent   []string   `json:"counters_without_values"`
	Faults   []string   `json:"faults"`
	Inferred []string   `json:"inferred,omitempty"`
	Taken    []string   `json:"taken,omitempty"` // what names in other languages are taken for
}

// CheckRecording reads a recording to its end. Names of files are shown as shown says; it
// calls tick now and then.
func CheckRecording(ctx context.Context, name string, format *formats.Format, r logs.Reader, shown func(string) string, tick func()) (*Check, error) {
	c := &Check{File: shown(name), Format: format.Name, Twice: []string{}, Silent: []string{}, Faults: []string{}}
	if err := c.read(ctx, tick, r); err != nil {
		return nil, err
	}
	c.columns(r.Header())
	span, err := r.Span()
	if err != nil {
		return nil, err
	}
	c.Inferred, c.Taken = span.Inferred.Words(), r.Header().TakenWords()
	faults := r.Faults()
	c.Rows, c.Cells, c.Torn = faults.Rows, faults.Cells, faults.Torn
	for _, e := range faults.First {
		c.Faults = append(c.Faults, shown(e.Error()))
	}
	c.OK = !faults.Any() && !c.Torn && c.Back == 0 && len(c.Twice) == 0 && span.Inferred&logs.InferredDates == 0
	return c, nil
}

// read reads all rows. The counters that never have a value are numbered in silent.
func (c *Check) read(ctx context.Context, tick func(), r logs.Reader) error {
	had := make([]bool, len(r.Header().Columns))
	for row, err := range (logs.Scan{Tick: tick}).Rows(ctx, r) {
		if err != nil {
			return err
		}
		at := row.Recorded().In(r.Header().Zone.Location())
		switch {
		case c.Last == nil:
			c.First = &at
		case at.Before(*c.Last):
			if c.Back++; c.Back == 1 {
				c.Faults = append(c.Faults, fmt.Sprintf("sample %d, %s, comes after %s", c.Samples+1, at.Format(time.DateTime), c.Last.Format(time.DateTime)))
			}
		}
		c.Last = &at
		c.Samples++
		note := func(i int) {
			if i < len(had) && row.Values[i].Valid() {
				had[i] = true
			}
		}
		if row.Given != nil {
			for _, i := range row.Given {
				note(i)
			}
			continue
		}
		for i := range row.Values {
			note(i)
		}
	}
	for i, column := range r.Header().Columns {
		if i < len(had) && !had[i] {
			c.Silent = append(c.Silent, column.Path)
		}
	}
	return nil
}

// columns looks for counters that stand twice.
func (c *Check) columns(h *logs.Header) {
	c.Counters = len(h.Columns)
	known := make(map[string]bool, len(h.Columns))
	for i := range h.Columns {
		key := paths.Fold(h.Columns[i].Path)
		if known[key] {
			c.Twice = append(c.Twice, h.Columns[i].Path)
		}
		known[key] = true
	}
}
