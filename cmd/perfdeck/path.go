package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/text/printable"
)

func (p *program) pathCommand() *cobra.Command {
	alert := false
	c := &cobra.Command{
		Use:   "path [PATH...]",
		Short: "Take counter paths apart",
		Long: `path takes counter paths apart and prints one JSON object for each: "input",
"valid", "computer", "object", "parent", "instance", "index", "counter",
"wildcard" (the wild parts, joined by +), "canonical" and "error". Without
arguments it reads paths from standard input, one a line.

With --alert it reads alert expressions such as '\Memory\Available MBytes<200';
"op" and "value" follow, and "canonical" is the path alone.

The exit code is 1 when any of them is invalid.`,
		Example: `  perfdeck path '\\SRV\Process(explorer#1)\ID Process'
  perfdeck path --alert '\Processor(_Total)\% Processor Time>50'`,
		RunE: func(_ *cobra.Command, args []string) error { return p.path(args, alert) },
	}
	c.Flags().BoolVar(&alert, "alert", false, "read alert expressions")
	return c
}

var errInvalidPaths = errors.New("not all of them are valid")

// path prints what each input means.
func (p *program) path(args []string, alert bool) error {
	out := bufio.NewWriter(p.out)
	valid := true
	err := eachInput(args, p.standardInput(), func(input string) error {
		d := dissect(input, alert)
		valid = valid && d.Valid
		return printable.WriteJSON(out, d)
	})
	if err := errors.Join(out.Flush(), err); err != nil {
		return fmt.Errorf("take paths apart: %w", err)
	}
	if !valid {
		return fmt.Errorf("take paths apart: %w", errInvalidPaths)
	}
	return nil
}

// maxLineBytes bounds a line of standard input.
const maxLineBytes = 1 << 20

// eachInput hands out the arguments, or the lines of in when there are none.
func eachInput(args []string, in io.Reader, do func(string) error) error {
	for _, input := range args {
		if err := do(input); err != nil {
			return err
		}
	}
	if len(args) > 0 {
		return nil
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLineBytes)
	for lines.Scan() {
		if err := do(lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// dissection is a path taken apart.
type dissection struct {
	Input     string        `json:"input"`
	Valid     bool          `json:"valid"`
	Computer  string        `json:"computer"`
	Object    string        `json:"object"`
	Parent    string        `json:"parent"`
	Instance  string        `json:"instance"`
	Index     string        `json:"index"`
	Counter   string        `json:"counter"`
	Wildcard  string        `json:"wildcard"`
	Canonical string        `json:"canonical"`
	Error     string        `json:"error"`
	Op        *string       `json:"op,omitempty"`
	Value     *cooker.Value `json:"value,omitempty"` // a number; null when invalid
}

func dissect(input string, alert bool) dissection {
	d := dissection{Input: input}
	var path paths.Path
	var err error
	if alert {
		var a paths.Alert
		a, err = paths.ParseAlert(input)
		op := ""
		d.Op, d.Value, path = &op, new(cooker.Value), a.Path
		if err == nil {
			op, *d.Value = a.Op.String(), cooker.FloatValue(a.Limit)
		}
	} else {
		path, err = paths.Parse(input)
	}
	if err != nil {
		d.Error = reasonOf(err)
		return d
	}
	d.Valid = true
	d.Computer, d.Object, d.Parent = path.Computer, path.Object, path.Parent
	d.Instance, d.Index, d.Counter = path.Instance, string(path.Index), path.Counter
	d.Wildcard, d.Canonical = path.Wildcard().String(), path.String()
	return d
}

// reasonOf is an error of the parser without the input, which stands beside it.
func reasonOf(err error) string {
	syntax, ok := errors.AsType[*paths.ParseError](err)
	if !ok {
		return err.Error()
	}
	return strings.TrimSpace(fmt.Sprintf("%s (at byte %d, %s)", syntax.Reason, syntax.Offset, syntax.Code))
}
