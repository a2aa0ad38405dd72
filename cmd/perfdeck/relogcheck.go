package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/record/logs"
)

// mostToldFaults bounds how many faults of a recording are told one by one.
const mostToldFaults = 10_000

// checkedRecording is what --check --json prints of a file.
type checkedRecording struct {
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
}

// checkRecording reads a recording to its end and prints what is wrong with it. odd
// tells that something is; that a counter has no value is none of it.
func (p *program) checkRecording(ctx context.Context, out *bufio.Writer, name string, format *logs.Format, r logs.Reader, asJSON bool) (odd bool, err error) {
	c := checkedRecording{File: p.shown(name), Format: format.Name, Twice: []string{}, Silent: []string{}, Faults: []string{}}
	if err := c.read(ctx, p.readProgress(r), r); err != nil {
		return false, err
	}
	c.columns(r.Header())
	span, err := r.Span()
	if err != nil {
		return false, err
	}
	c.Inferred = span.Inferred.Words()
	faults := r.Faults()
	c.Rows, c.Cells, c.Torn = faults.Rows, faults.Cells, faults.Torn
	for _, e := range faults.First {
		c.Faults = append(c.Faults, p.shown(e.Error()))
	}
	c.OK = !faults.Any() && !c.Torn && c.Back == 0 && len(c.Twice) == 0
	if asJSON {
		return !c.OK, writeJSON(out, c)
	}
	c.print(out)
	return !c.OK, nil
}

// read reads all rows. The counters that never have a value are numbered in silent.
func (c *checkedRecording) read(ctx context.Context, bar *progressBar, r logs.Reader) error {
	defer bar.clear()
	var row logs.Row
	had := make([]bool, len(r.Header().Columns))
	for {
		if c.Samples%256 == 0 {
			bar.show()
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		err := r.Next(&row)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		at := row.Time
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
		for i := range row.Values {
			if i < len(had) && row.Values[i].Valid() {
				had[i] = true
			}
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
func (c *checkedRecording) columns(h *logs.Header) {
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

func (c *checkedRecording) print(out *bufio.Writer) {
	state := "all right"
	if !c.OK {
		state = "something is wrong"
	}
	line := fmt.Sprintf("%s: %s; %s, %s", c.File, state, count(c.Counters, "counter", "counters"), count(c.Samples, "sample", "samples"))
	if c.First != nil {
		line += fmt.Sprintf(", %s to %s", c.First.Format(time.DateTime), c.Last.Format(time.DateTime))
	}
	fmt.Fprintln(out, session.Printable(line))
	tell := func(n int64, one, many string) {
		if n > 0 {
			fmt.Fprintln(out, "  "+count(n, one, many))
		}
	}
	tell(c.Rows, "row could not be read", "rows could not be read")
	tell(c.Cells, "cell could not be read", "cells could not be read")
	tell(c.Back, "row goes back in time", "rows go back in time")
	tell(int64(len(c.Twice)), "counter stands twice", "counters stand twice")
	tell(int64(len(c.Silent)), "counter never has a value", "counters never have a value")
	if c.Torn {
		fmt.Fprintln(out, "  the last row was not written to its end")
	}
	for _, text := range c.Inferred {
		fmt.Fprintln(out, "  "+text)
	}
	for _, text := range c.Faults {
		fmt.Fprintln(out, "    "+session.Printable(text))
	}
	for _, path := range c.Twice {
		fmt.Fprintln(out, "    twice: "+session.Printable(path))
	}
	for _, path := range c.Silent {
		fmt.Fprintln(out, "    no value: "+session.Printable(path))
	}
	if told := int64(len(c.Faults)); c.Rows+c.Cells > told {
		fmt.Fprintf(out, "    and %d more\n", c.Rows+c.Cells-told)
	}
}
