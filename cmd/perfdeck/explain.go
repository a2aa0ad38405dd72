package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/engine/prom"
	"perfdeck/session/inventory"
	"perfdeck/session/record/collector"
	"perfdeck/session/record/logs"
)

func (p *program) explainCommand() *cobra.Command {
	asJSON, promQL := false, false
	c := &cobra.Command{
		Use:   "explain PATH...",
		Short: "Tell where a value comes from",
		Long: `explain reads a counter twice, one interval apart, and shows how its value comes
about: the counter type with its code and bit fields, the formula with symbols
and with numbers, the raw samples with their base and clocks, the attributes and
the result. A path with wildcards is explained for each of its instances. Of a host that is
read out of an engine the series there are named, with their own samples, and what the
engine makes of them stands beside what is made here.

With --promql it says how an engine of Prometheus' kind makes the value of the raw
series that perfdeck exporter gives with raw=1: exactly as here, of the newest two
samples, by the host's clock; and over a window of 5 minutes, by the engine's.

The exit code is 3 when some paths had no value.`,
		Example:           `  perfdeck explain '\Processor Information(_Total)\% Processor Time'`,
		Args:              atLeast(1, "counter path"),
		ValidArgsFunction: p.completePaths,
		RunE: func(c *cobra.Command, args []string) error {
			return p.explain(c, args, asJSON, promQL)
		},
	}
	c.Flags().BoolVar(&promQL, "promql", false, "say how Prometheus makes the value of raw series")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, one value a line")
	return c
}

// explain reads the counters twice and explains their values.
func (p *program) explain(c *cobra.Command, args []string, asJSON, promQL bool) error {
	settings, err := p.settings(c)
	if err != nil {
		return err
	}
	queries, err := p.queries(args, nil)
	if err != nil {
		return err
	}
	hosts, err := p.hostsOf(queries)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	inventory.Start(ctx, hosts...)
	out := bufio.NewWriter(p.out)
	looks := looksOf(settings, p.config.Counters)
	writer := writeExplained
	if asJSON {
		writer = writeExplainedJSON
	}
	witnesses := newWitnesses(ctx, hosts)
	write := func(r *logs.Beat) error {
		for _, s := range r.Samples {
			for i, c := range s.Cells {
				if i > 0 && !asJSON {
					fmt.Fprintln(out)
				}
				if err := writer(out, looks, s, c, promQL, witnesses.of(c)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	report := p.reportOnce()
	r, partly, err := p.pour(ctx, hosts, queries, collector.Options{
		Listeners: collector.Listeners{Report: report},
		Subject:   collector.Subject{Every: settings.Interval},
		Until:     collector.Until{Count: 1},
		Stream:    &collector.Stream{Evidence: true, Write: write},
	}, nil)
	if r == nil {
		return unlessEnded(ctx, err)
	}
	if err := cmp.Or(err, out.Flush()); err != nil {
		return unlessPipe(fmt.Errorf("explain: %w", err))
	}
	noteFailed(r.Status(), report)
	return p.noteSilent("explain", silent(r, hosts), partly)
}

// writeExplained writes an explanation for reading.
func writeExplained(w io.Writer, looks session.Looks, s logs.Sample, c logs.Cell, promQL bool, told *testified) error {
	fmt.Fprintf(w, "%s\n", session.Printable(c.Full()))
	if d := c.Counter.Description; d != "" {
		fmt.Fprintf(w, "  %s\n", session.Printable(d))
	}
	if made, ok := session.CombineNamed(c.Key.Name); ok && c.From == nil && c.Value.Valid() {
		return writeCombined(w, &made, c)
	}
	if c.From == nil {
		_, err := fmt.Fprintf(w, "  no sample: %s\n", logs.StatusWord(c.Value.Status()))
		return err
	}
	lines := cooker.Explain(c.From.Evidence).Lines()
	if _, ok := c.Value.Float(); ok {
		text := cooker.AppendValue(nil, c.Value, looks.Of(c.Set, c.Counter).Format)
		lines = append(lines, cooker.Line{Label: "shown", Text: string(text)})
	}
	if by := c.Set.ReadBy(); by != "" {
		lines = append(lines, cooker.Line{Label: "read by", Text: by})
	}
	lines = append(lines, cooker.Line{Label: "sampled", Text: sampledText(s.Time, c.From.Interval)})
	if promQL {
		lines = append(lines, recipeLines(c)...)
	}
	lines = append(lines, told.lines(c.Value)...)
	width := 0
	for _, l := range lines {
		width = max(width, len(l.Label))
	}
	for _, l := range lines {
		text := strings.TrimRight(fmt.Sprintf("  %-*s  %s", width, l.Label, session.Printable(l.Text)), " ")
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	return nil
}

// recipeWindow is the window of recipes.
const recipeWindow = "5m"

// recipeOf is how an engine makes the value of a cell of raw series.
func recipeOf(c logs.Cell) (exact, over string, ok bool) {
	if c.Set == nil || c.From == nil {
		return "", "", false
	}
	i, found := c.Set.Counter(c.Counter.Name)
	if !found {
		return "", "", false
	}
	in := &session.Instance{Key: c.Key, Index: c.Index, Number: c.Number}
	return prom.NamesOf(c.Set)[i].Recipe(c.Host, c.Set, i, in, c.From.Cur, c.From.CurClocks, recipeWindow)
}

// recipeLines are the recipe for reading.
func recipeLines(c logs.Cell) []cooker.Line {
	exact, over, ok := recipeOf(c)
	if !ok {
		return []cooker.Line{{Label: "promql", Text: "a type without a number, or without a formula that is known"}}
	}
	lines := []cooker.Line{{Label: "promql", Text: exact}}
	if over != exact {
		lines = append(lines, cooker.Line{Label: "over " + recipeWindow, Text: over})
	}
	return lines
}

// writeCombined writes what a value of several instances is made of.
func writeCombined(w io.Writer, made *session.Combine, c logs.Cell) error {
	of := "all instances"
	if members := session.MembersOf(made.Name); members != nil {
		of = strings.Join(members, ", ")
	}
	_, err := fmt.Fprintf(w, "  made of  the cooked values of %s\n  by       %s (MS-PCQ 2.2.4.2, AggregateFunc)\n  result   %s\n",
		session.Printable(of), made.Aggregator(c.Counter).Func, cooker.AppendMachine(nil, c.Value))
	return err
}

func sampledText(at time.Time, interval time.Duration) string {
	text := at.Format("2006-01-02 15:04:05.000")
	if interval > 0 {
		text += ", " + interval.Round(time.Microsecond).String() + " after the sample before"
	}
	return text
}

type jsonExplanation struct {
	Path        string          `json:"path"`
	Host        string          `json:"host"`
	Time        string          `json:"time"`
	Type        string          `json:"type"`
	Code        string          `json:"code"`
	Known       bool            `json:"known"`
	Bits        []string        `json:"bits"`
	Meaning     string          `json:"meaning"`
	Formula     string          `json:"formula"`
	Numbers     string          `json:"numbers"`
	Differences string          `json:"differences"`
	Operands    []jsonOperand   `json:"operands"`
	Base        string          `json:"base"` // type of the companion, empty if none
	Attributes  []string        `json:"attributes"`
	Conflicts   []string        `json:"conflicts"`
	Unknown     string          `json:"unknownAttributes"` // bits in hexadecimal, empty if none
	Scale       int             `json:"defaultScale"`
	Source      string          `json:"source"`
	Dispute     string          `json:"dispute,omitempty"`  // how sources of the formula differ
	Protocol    string          `json:"protocol,omitempty"` // that the host is read by, where there are several
	Value       json.RawMessage `json:"value"`
	Text        string          `json:"text"`
	Status      string          `json:"status"`
	PromQL      string          `json:"promql,omitempty"`     // exactly, of raw series
	PromQLOver  string          `json:"promqlOver,omitempty"` // over a window
	MadeOf      *jsonTestimony  `json:"madeOf,omitempty"`     // in the engine that the host is read out of
}

type jsonOperand struct {
	Symbol     string  `json:"symbol"`
	Meaning    string  `json:"meaning"`
	Older      *uint64 `json:"older"`
	Newer      *uint64 `json:"newer"`
	Difference *int64  `json:"difference"`
}

// writeExplainedJSON writes an explanation as one line of JSON.
func writeExplainedJSON(w io.Writer, looks session.Looks, s logs.Sample, c logs.Cell, promQL bool, told *testified) error {
	e := cooker.Evidence{Type: c.Counter.Type, Attributes: c.Counter.Attributes, Scale: c.Counter.DefaultScale}
	if c.From != nil {
		e = c.From.Evidence
	}
	x := cooker.Explain(e)
	out := jsonExplanation{
		Path: c.Text, Host: c.Host, Time: s.Time.Format(nanoTime),
		Type: c.Counter.Type.String(), Code: x.Code, Known: x.Known, Bits: append([]string{}, x.Bits...),
		Meaning: x.Info.Meaning, Formula: x.Info.Formula, Numbers: x.Substituted, Differences: x.Differences,
		Operands: []jsonOperand{}, Attributes: append([]string{}, x.Attributes...), Conflicts: append([]string{}, x.Conflicts...), Scale: x.Scale, Source: x.Info.Source, Dispute: x.Info.Type.Dispute(),
		MadeOf: told.json(), Value: jsonNumber(c.Value), Text: logs.WriteOptions{Looks: looks}.Text(c, cooker.DefaultDigits), Status: logs.StatusWord(c.Value.Status()),
	}
	if c.Set != nil {
		out.Protocol = c.Set.Protocol
	}
	if promQL {
		out.PromQL, out.PromQLOver, _ = recipeOf(c)
	}
	if x.Info.Base != cooker.BaseNone {
		out.Base = x.Info.BaseType.String()
	}
	if x.Unknown != 0 {
		out.Unknown = fmt.Sprintf("0x%X", uint64(x.Unknown))
	}
	for _, o := range x.Operands {
		operand := jsonOperand{Symbol: o.Symbol, Meaning: o.Meaning, Older: number(o.Older), Newer: number(o.Newer)}
		if o.Changes {
			operand.Difference = &o.Difference
		}
		out.Operands = append(out.Operands, operand)
	}
	return writeJSON(w, out)
}

func number(c cooker.Cell) *uint64 {
	if !c.Set {
		return nil
	}
	return &c.N
}
