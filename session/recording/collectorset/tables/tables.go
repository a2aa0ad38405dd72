// Package tables prints the tables of counters that the report of a data collector set
// describes (MS-PLA 2.2.3.3), over what the set recorded.
package tables

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/files/logs"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/sets"
	"perfdeck/session/recording/relog"
	"perfdeck/session/system/failure"
	"perfdeck/session/text"
	"perfdeck/session/text/printable"
)

// MostLevel is the highest level of a table.
const MostLevel = 5

// Tables are those of a set, with what its recordings sum up to.
type Tables struct {
	report *collectorset.Report
	stats  []collectorset.Stat
}

// Of reads files, or where none is named those of the newest run of the set.
func Of(ctx context.Context, set *sets.Set, files []string) (*Tables, error) {
	report, err := reportOf(set)
	if err == nil && len(files) == 0 {
		if files = set.NewestOutputs(); len(files) == 0 {
			err = failure.WithHint(errNoRun, "perfdeck collect start, or name files")
		}
	}
	var stats []collectorset.Stat
	if err == nil {
		stats, err = statsOf(ctx, files)
	}
	if err != nil {
		return nil, fmt.Errorf("report of the set %s: %w", set.Set.Name, err)
	}
	return &Tables{report, stats}, nil
}

var (
	errNoTables = errors.New("its data manager describes no tables of counters")
	errNoRun    = errors.New("it has no files yet")
)

// reportOf is the report that a set describes.
func reportOf(e *sets.Set) (*collectorset.Report, error) {
	schema := ""
	if e.Set.Manager != nil {
		schema = string(e.Set.Manager.ReportSchema)
	}
	r, err := collectorset.ParseReport(schema)
	if err != nil {
		return nil, failure.WithHint(err, "the ReportSchema of the set has to be mended: collect export, collect import --replace")
	}
	if !slices.ContainsFunc(r.Sections, func(s collectorset.Section) bool { return len(s.Tables) > 0 }) {
		return nil, failure.WithHint(errNoTables, "perfdeck relog --summary FILE sums all counters up")
	}
	return r, nil
}

// statsOf sums recordings up. Counters of the same path stand by each file.
func statsOf(ctx context.Context, names []string) (stats []collectorset.Stat, err error) {
	for _, name := range names {
		r, err := relog.Open(ctx, name, logs.OpenOptions{})
		if err != nil {
			return nil, err
		}
		all, err := sumUp(ctx, r)
		columns := r.Header().Columns
		_ = r.Close()
		if err != nil {
			return nil, err
		}
		for i := range all {
			path, err := paths.Parse(columns[i].Path)
			if err == nil && all[i].Count > 0 {
				stat := collectorset.Stat{Path: path, Weighted: all[i].Weighted()}
				stat.Mean, _ = all[i].Average().Float()
				stat.Min, _ = all[i].Min.Float()
				stat.Max, _ = all[i].Max.Float()
				stats = append(stats, stat)
			}
		}
	}
	return stats, nil
}

// sumUp reads a recording to its end.
func sumUp(ctx context.Context, r logs.Reader) ([]logs.Summary, error) {
	if err := r.Complete(ctx); err != nil {
		return nil, err
	}
	all := logs.Summarize(r.Header())
	for row, err := range (logs.Scan{}).Rows(ctx, r) {
		if err != nil {
			return nil, err
		}
		for i := range min(len(all), len(row.Values)) {
			all[i].Add(row, i)
		}
	}
	return all, nil
}

// jsonRow is a row of a table as JSON.
type jsonRow struct {
	Section  string   `json:"section"`
	Table    string   `json:"table"`
	Counter  string   `json:"counter"`
	Machine  string   `json:"machine"`
	Instance string   `json:"instance,omitempty"`
	Mean     *float64 `json:"mean"`
	Weighted string   `json:"weighted,omitempty"` // "by time", for want of raw samples
	Min      *float64 `json:"min"`
	Max      *float64 `json:"max"`
}

// Write writes the tables up to a level: as text, or as JSON, a row a line, all rows.
func (t *Tables) Write(w *text.Printer, level int, asJSON bool) error {
	buffer := bufio.NewWriter(w)
	out := w.To(buffer)
	for _, s := range t.report.Sections {
		for i := range s.Tables {
			table := &s.Tables[i]
			if table.Level > level {
				continue
			}
			of := table.Of(t.stats)
			if !asJSON {
				printTable(out, s.Name, table, of)
				continue
			}
			for _, one := range of {
				row := jsonRow{s.Name, table.Name, one.Path.Counter, one.Path.Computer, one.Path.InstanceText(), &one.Mean, one.Weighted, &one.Min, &one.Max}
				if err := printable.WriteJSON(out, row); err != nil {
					return err
				}
			}
		}
	}
	return buffer.Flush()
}

// printTable prints a table of a report: its numbers at the right.
func printTable(out *text.Printer, section string, t *collectorset.CounterTable, of []collectorset.Stat) {
	title := strings.Trim(section+": "+t.Name, ": ")
	fmt.Fprintln(out, printable.Text(title))
	if t.Note != "" {
		fmt.Fprintln(out, printable.Text(t.Note))
	}
	if len(of) == 0 {
		fmt.Fprintf(out, "  no counters of %s\n\n", printable.Text(t.Object))
		return
	}
	columns := t.Columns(of)
	shown := of[:min(len(of), t.Rows)]
	aligned := text.Table{Indent: 2, Gap: 1, Trim: true}
	for _, c := range columns {
		head := text.Column{Head: c, IsRight: slices.Contains([]string{"mean", "min", "max"}, c)}
		if c == "mean" {
			head.Head = cooker.AverageHead(c, of, func(s *collectorset.Stat) string { return s.Weighted })
		}
		aligned.Columns = append(aligned.Columns, head)
	}
	for _, s := range shown {
		number := func(f float64) string {
			return cooker.Field(cooker.FloatValue(f), cooker.Unit{Factor: 1})
		}
		cells := map[string]string{
			"counter": s.Path.Counter, "machine": s.Path.Computer, "instance": s.Path.InstanceText(),
			"mean": number(s.Mean), "min": number(s.Min), "max": number(s.Max),
		}
		var row []string
		for _, c := range columns {
			row = append(row, cells[c])
		}
		aligned.Row(row...)
	}
	_ = aligned.Print(out)
	if more := len(of) - len(shown); more > 0 {
		fmt.Fprintf(out, "  and %d more\n", more)
	}
	fmt.Fprintln(out)
}
