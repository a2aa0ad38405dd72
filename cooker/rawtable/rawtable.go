// Package rawtable reads tables of raw samples: tab separated, their columns named by the first
// line, a pair of samples of one counter a row.
package rawtable

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"perfdeck/cooker"
)

// maxLineBytes bounds a line.
const maxLineBytes = 1 << 20

// Table is a table of raw samples that is read row by row. One goroutine uses it.
type Table struct {
	lines   *bufio.Scanner
	line    int
	columns map[string]int
	fields  []string
}

var (
	errEmptyTable = errors.New("there is no header line")
	errNoType     = errors.New("the header line names no column type_name or type_hex")
	errNoValue    = errors.New("the header line names no column c1")
)

// New reads the header: lines may be a mebibyte long. A table without one, or without the columns
// that it needs, is an error.
func New(in io.Reader) (*Table, error) {
	t := &Table{lines: bufio.NewScanner(in), columns: map[string]int{}}
	t.lines.Buffer(nil, maxLineBytes)
	if !t.Next() {
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

// Next goes to the next line that is not blank; false: there is none, or Err tells why.
func (t *Table) Next() bool {
	for t.lines.Scan() {
		t.line++
		if text := t.lines.Text(); strings.TrimSpace(text) != "" {
			t.fields = strings.Split(text, "\t")
			return true
		}
	}
	return false
}

// Line is the number of the row's line, from 1.
func (t *Table) Line() int { return t.line }

// Err is why reading ended before the end.
func (t *Table) Err() error { return t.lines.Err() }

// field is a cell of the row, empty when the column or the cell is absent.
func (t *Table) field(column string) string {
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

// TypeName is the type as the row names it; empty: it does not.
func (t *Table) TypeName(code cooker.CounterType) string {
	if name := t.field("type_name"); name != "" {
		return name
	}
	if t.field("type_hex") == "" {
		return ""
	}
	return code.String()
}

// Row reads the type and the numbers of the row.
func (t *Table) Row() (cooker.Row, error) {
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
func (t *Table) counterType() (cooker.CounterType, error) {
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
