package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/system/osfile"
)

func (p *program) cookCommand() *cobra.Command {
	var o cooker.Options
	c := &cobra.Command{
		Use:   "cook [FILE]",
		Short: "Cook raw samples from a table",
		Long: `cook reads pairs of raw samples from a tab separated file, or from standard
input, and prints for each row its type, value and status, separated by tabs. The
value is given in full double precision and is empty where there is none.

The first line names the columns: type_name or type_hex (a name or a code), c0
and c1 (older and newer raw value), b0 and b1 (base or multi count), t0, t1 and
freq (clock and its frequency), perf100ns0 and perf100ns1 (clock of 100 ns
types). Others are left alone; a column that is absent is empty.

A row that cannot be read is reported with its line, its status is UNAVAILABLE,
and the exit code is 1.`,
		Args: atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := "-"
			if len(args) > 0 {
				name = args[0]
			}
			return p.cook(name, &o)
		},
	}
	c.Flags().BoolVar(&o.Cap100, "cap100", false, "cap percentages at 100")
	c.Flags().BoolVar(&o.StrictWrap, "strict", false, "take every fall of a counter for a restart, never for a wrap")
	return c
}

// cook cooks the rows of a table.
func (p *program) cook(name string, o *cooker.Options) error {
	in := p.standardInput()
	shown := "standard input"
	if name != stdinName {
		file, err := osfile.Open(p.context(), name)
		if err != nil {
			return fmt.Errorf("cook: %w", err)
		}
		defer file.Close() //nolint:errcheck // it was only read
		in, shown = file, name
	}
	t, err := newRawTable(in)
	if err != nil {
		return fmt.Errorf("cook %s: %w", shown, err)
	}
	out := bufio.NewWriter(p.out)
	bad := 0
	for t.next() {
		row, err := t.row()
		value := cooker.Absent(cooker.Unavailable)
		if err == nil {
			value = row.Cook(o)
		} else {
			bad++
			fmt.Fprintf(p.err, "perfdeck: cook %s:%d: %s\n", session.Printable(shown), t.line, session.Printable(err.Error()))
		}
		fmt.Fprintf(out, "%s\t%s\t%s\n", session.Printable(t.typeName(row.Type)), session.Printable(string(cooker.AppendMachine(nil, value))), value.Status())
	}
	if err := errors.Join(out.Flush(), t.lines.Err()); err != nil {
		return unlessPipe(fmt.Errorf("cook %s: %w", shown, err))
	}
	if bad > 0 {
		return fmt.Errorf("cook %s: %s could not be read", shown, count(bad, "row", "rows"))
	}
	return nil
}

// rawTable is a table of raw samples, read row by row.
type rawTable struct {
	lines   *bufio.Scanner
	line    int // number of the row's line, from 1
	columns map[string]int
	fields  []string
}

var (
	errEmptyTable = errors.New("there is no header line")
	errNoType     = errors.New("the header line names no column type_name or type_hex")
	errNoValue    = errors.New("the header line names no column c1")
)

// newRawTable reads the header.
func newRawTable(in io.Reader) (*rawTable, error) {
	t := &rawTable{lines: bufio.NewScanner(in), columns: map[string]int{}}
	t.lines.Buffer(nil, maxLineBytes)
	if !t.next() {
		return nil, cmp.Or(t.lines.Err(), errEmptyTable)
	}
	for i, name := range t.fields {
		t.columns[strings.TrimSpace(strings.TrimPrefix(name, "\uFEFF"))] = i
	}
	_, named := t.columns["type_name"]
	_, coded := t.columns["type_hex"]
	if !named && !coded {
		return nil, errNoType
	}
	if _, ok := t.columns["c1"]; !ok {
		return nil, errNoValue
	}
	return t, nil
}

// next goes to the next line that is not blank.
func (t *rawTable) next() bool {
	for t.lines.Scan() {
		t.line++
		if text := t.lines.Text(); strings.TrimSpace(text) != "" {
			t.fields = strings.Split(text, "\t")
			return true
		}
	}
	return false
}

// field is a cell of the row, empty when the column or the cell is absent.
func (t *rawTable) field(column string) string {
	i, ok := t.columns[column]
	if !ok || i >= len(t.fields) {
		return ""
	}
	field := strings.TrimSpace(t.fields[i])
	if len(field) > 1 && field[0] == '"' && field[len(field)-1] == '"' {
		field = strings.ReplaceAll(field[1:len(field)-1], `""`, `"`)
	}
	return field
}

// typeName is the type as the row names it.
func (t *rawTable) typeName(code cooker.CounterType) string {
	if name := t.field("type_name"); name != "" {
		return name
	}
	if t.field("type_hex") == "" {
		return ""
	}
	return code.String()
}

// row reads the row's type and numbers.
func (t *rawTable) row() (cooker.Row, error) {
	var r cooker.Row
	var err error
	if r.Type, err = t.counterType(); err != nil {
		return r, err
	}
	switch {
	case r.Type.IsText():
		r.Text = t.field("c1")
		return r, nil
	case !r.Type.Known():
		return r, nil // nobody knows how its cells are written
	}
	for _, c := range []struct {
		column string
		cell   *cooker.Cell
	}{
		{"c0", &r.C0}, {"c1", &r.C1}, {"b0", &r.B0}, {"b1", &r.B1}, {"t0", &r.T0}, {"t1", &r.T1},
		{"freq", &r.Freq}, {"perf100ns0", &r.Perf100ns0}, {"perf100ns1", &r.Perf100ns1},
	} {
		if *c.cell, err = cooker.ParseCell(t.field(c.column)); err != nil {
			return r, fmt.Errorf("column %d (%s): %w", t.columns[c.column]+1, c.column, err)
		}
	}
	return r, nil
}

// unknownType is a code without a rule, for names that nobody knows.
const unknownType cooker.CounterType = 0x0F0F0F0F

// counterType finds the type by its code and its name. A name that is not known
// leaves the code; without either the type is an unknown one. Sources give some
// names several codes, and PERF_COUNTER_COMPOSITE none that is public.
func (t *rawTable) counterType() (cooker.CounterType, error) {
	name, hex := t.field("type_name"), t.field("type_hex")
	byName, named := cooker.LookupType(name)
	byCode, coded := cooker.LookupType(hex)
	switch {
	case name == "" && hex == "":
		return 0, errors.New("the row has no type")
	case named && byName == cooker.CounterComposite:
		return byName, nil
	case hex != "" && !coded:
		return 0, fmt.Errorf("column %d (type_hex): read %.40q as a type code", t.columns["type_hex"]+1, hex)
	case named && coded && byName.String() != byCode.String():
		return 0, fmt.Errorf("type %s is not %s", name, hex)
	case coded:
		return byCode, nil
	case named:
		return byName, nil
	}
	return unknownType, nil
}
