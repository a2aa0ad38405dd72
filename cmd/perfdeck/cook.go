package main

import (
	"bufio"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"perfdeck/cooker"
	"perfdeck/cooker/rawtable"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
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
	t, err := rawtable.New(in)
	if err != nil {
		return fmt.Errorf("cook %s: %w", shown, err)
	}
	out := bufio.NewWriter(p.out)
	bad := 0
	for t.Next() {
		row, err := t.Row()
		value := cooker.Absent(cooker.Unavailable)
		if err == nil {
			value = row.Cook(o)
		} else {
			bad++
			p.aside("perfdeck: cook %s:%d: %s", shown, t.Line(), err)
		}
		fmt.Fprintf(out, "%s\t%s\t%s\n", printable.Text(t.TypeName(row.Type)), printable.Text(string(cooker.AppendMachine(nil, value))), value.Status())
	}
	if err := errors.Join(out.Flush(), t.Err()); err != nil {
		return fmt.Errorf("cook %s: %w", shown, err)
	}
	if bad > 0 {
		return fmt.Errorf("cook %s: %s could not be read", shown, english.Count(bad, "row", "rows"))
	}
	return nil
}
