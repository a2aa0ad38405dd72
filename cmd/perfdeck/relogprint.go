package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/recording/relog"
	"perfdeck/session/system/output"
	"perfdeck/session/text"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// relogEach prints what is in each file, or what is wrong with it. One that cannot be
// read is told, and the others are read all the same.
func (p *program) relogEach(ctx context.Context, files []string, f relogFlags) error {
	out := bufio.NewWriter(p.out)
	var failed []error
	partly := false
	for _, name := range files {
		odd, err := p.relogOne(ctx, out, name, f)
		partly = partly || odd
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			failed = append(failed, err)
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	missing, err := relog.PassOver(failed, len(failed) == len(files), p.tellError)
	if err != nil {
		return err
	}
	return partlyIf(partly || missing)
}

// relogOne prints one file. It reports whether something in it could not be read.
func (p *program) relogOne(ctx context.Context, out *bufio.Writer, name string, f relogFlags) (odd bool, err error) {
	o := p.naming(f.read)
	if f.Check {
		o.Faults = relog.MostFaults
	}
	r, err := relog.Open(ctx, name, o)
	if err != nil {
		return false, err
	}
	defer r.Close()
	if err := p.complete(ctx, r, name); err != nil {
		return false, err
	}
	format, err := relog.FormatOf(name)
	if err != nil {
		return false, err
	}
	if f.Check {
		return p.checkRecording(ctx, out, name, format, r, f.JSON)
	}
	span, err := relog.CountedSpan(ctx, r)
	if err == nil {
		err = p.printRecording(out, name, []*formats.Format{format}, r, r.Header(), span, f.JSON)
	}
	if err := cmp.Or(err, out.Flush()); err != nil {
		return false, err
	}
	return p.tellFaults(r.Faults()), nil
}

// complete finds all counters of recordings. That a large one has to be read to its end for
// them is said.
func (p *program) complete(ctx context.Context, r logs.Reader, name string) error {
	is, err := r.IsComplete()
	if err != nil || is {
		return err
	}
	if span, err := r.Span(); err == nil && span.Bytes > relog.Large {
		p.aside("%s", "perfdeck: relog: "+p.shown(name)+": it has no index of its counters: it is read to its end for them")
	}
	return r.Complete(ctx)
}

// list prints what is left of the recordings, as one, between the limits.
func (j *relogJob) list(ctx context.Context, files []string) error {
	formats, err := relog.FormatsOf(files)
	if err != nil {
		return err
	}
	h := j.Header()
	bar := j.readProgress(j.reader)
	span, err := j.Span(ctx, bar.Show)
	bar.Clear()
	if err != nil {
		return fmt.Errorf("relog: %w", err)
	}
	out := bufio.NewWriter(j.out)
	if err := j.printRecording(out, strings.Join(files, ", "), formats, j.reader, h, span, j.flags.JSON); err != nil {
		return err
	}
	return out.Flush()
}

// printRecording prints what is in recordings, as a reader has them. Windows' relog tells of files beside the list.
func (p *program) printRecording(out *bufio.Writer, names string, of []*formats.Format, r logs.Reader, h *logs.Header, span logs.Span, asJSON bool) error {
	line := logs.LineOf(r)
	line.Tell(&span.First, &span.Last)
	l := relog.List(p.shown(names), of, h, logs.SetBack(r, line), span)
	if asJSON {
		return printable.WriteJSON(out, l)
	}
	if !p.isTool {
		fmt.Fprintf(out, "; %s\n", printable.Text(l.Title()))
	}
	for _, path := range l.Counters {
		fmt.Fprintln(out, printable.Text(path))
	}
	return nil
}

// checkRecording prints what is wrong with a recording. odd tells that something is.
func (p *program) checkRecording(ctx context.Context, out *bufio.Writer, name string, format *formats.Format, r logs.Reader, asJSON bool) (odd bool, err error) {
	bar := p.readProgress(r)
	c, err := relog.CheckRecording(ctx, name, format, r, p.shown, bar.Show)
	bar.Clear()
	if err != nil {
		return false, err
	}
	if asJSON {
		return !c.OK, printable.WriteJSON(out, c)
	}
	printCheck(out, c)
	return !c.OK, nil
}

func printCheck(out *bufio.Writer, c *relog.Check) {
	state := "all right"
	if !c.OK {
		state = "something is wrong"
	}
	line := fmt.Sprintf("%s: %s; %s, %s", c.File, state, english.Count(c.Counters, "counter", "counters"), english.Count(c.Samples, "sample", "samples"))
	if c.First != nil {
		line += fmt.Sprintf(", %s to %s", c.First.Format(time.DateTime), c.Last.Format(time.DateTime))
	}
	fmt.Fprintln(out, printable.Text(line))
	tell := func(n int64, one, many string) {
		if n > 0 {
			fmt.Fprintln(out, "  "+english.Count(n, one, many))
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
	for _, text := range append(c.Inferred, c.Taken...) {
		fmt.Fprintln(out, "  "+text)
	}
	for _, text := range c.Faults {
		fmt.Fprintln(out, "    "+printable.Text(text))
	}
	for _, path := range c.Twice {
		fmt.Fprintln(out, "    twice: "+printable.Text(path))
	}
	for _, path := range c.Silent {
		fmt.Fprintln(out, "    no value: "+printable.Text(path))
	}
	if told := int64(len(c.Faults)); c.Rows+c.Cells > told {
		fmt.Fprintf(out, "    and %d more\n", c.Rows+c.Cells-told)
	}
}

// summarize prints the summary of each counter.
func (j *relogJob) summarize(ctx context.Context) error {
	percentiles, err := relog.ParsePercentiles(j.flags.percentiles)
	if err != nil {
		return err
	}
	columns := j.Header().Columns
	bar := j.readProgress(j.reader)
	all, err := j.Summarize(ctx, bar.Show)
	bar.Clear()
	if err != nil {
		return fmt.Errorf("relog: %w", err)
	}
	out := bufio.NewWriter(j.out)
	if j.flags.JSON {
		for i := range all {
			logs.LineOf(j.reader).Tell(&all[i].First, &all[i].Last)
			if err := printable.WriteJSON(out, relog.SummaryOf(columns[i].Path, &all[i], percentiles)); err != nil {
				return err
			}
		}
		return out.Flush()
	}
	return summaryTable(columns, all, percentiles).Print(j.people(j.out))
}

// summaryTable is a table of summaries, the paths at the end of its rows.
func summaryTable(columns []logs.Column, all []logs.Summary, percentiles []relog.Percentile) *text.Table {
	head := []string{"min", cooker.AverageHead("average", all, (*logs.Summary).Weighted)}
	for _, p := range percentiles {
		head = append(head, p.Word+" %")
	}
	t := &text.Table{Columns: text.Heads(append(head, "max", "samples", "counter")...)}
	for i := range t.Columns[:len(head)+2] {
		t.Columns[i].IsRight = true
	}
	for i := range all {
		s := &all[i]
		numbers := []cooker.Value{s.Min, s.Average()}
		for _, p := range percentiles {
			numbers = append(numbers, s.Quantile(p.Rank))
		}
		format := columns[i].Format()
		if most, _ := s.Max.Float(); most > 0 && most < 1 && format.Digits == cooker.DefaultDigits {
			format.Digits = logs.ScreenDecimals // of the seconds of a transfer three would be none
		}
		var cells []string
		for _, v := range append(numbers, s.Max) {
			const exact = 1 << 53 // larger ones have digits that a float64 has not
			if f, ok := v.Float(); ok && math.Abs(f) < exact {
				v = cooker.FloatValue(f)
			}
			cell := ""
			if s.Count > 0 {
				cell = string(cooker.AppendValue(nil, v, format))
			}
			cells = append(cells, cell)
		}
		t.Row(append(cells, strconv.FormatInt(s.Count+s.Texts, 10), columns[i].Path)...)
	}
	return t
}

// readProgress is how far a reader came in its file.
func (p *program) readProgress(r logs.Reader) *output.Bar {
	return output.NewBar(p.err, func() (share float64, note string, ok bool) {
		span, err := r.Span()
		if err != nil || span.Bytes == 0 {
			return 0, "", false
		}
		return float64(span.At) / float64(span.Bytes), "", true
	})
}
