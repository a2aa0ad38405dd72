package windowscli

import (
	"bufio"
	"fmt"
	"io"

	"perfdeck/session"
	"perfdeck/session/record/logs"
)

// File is a recording that relog tells of.
type File struct {
	Name   string
	Format *logs.Format
}

// PrintInputs tells which files are read, as relog does.
func PrintInputs(w io.Writer, files []File) {
	fmt.Fprint(w, "\nInput\n----------------\nFile(s):\n")
	for _, f := range files {
		format := map[string]string{"csv": "CSV", "tsv": "TSV", "blg": "Binary", "sqlite": "SQL"}[f.Format.Name]
		fmt.Fprintf(w, "     %s (%s)\n", session.Printable(f.Name), format)
	}
}

// PrintOutput tells what was written.
func PrintOutput(w io.Writer, name string) {
	fmt.Fprintf(w, "\nOutput\n----------------\nFile:     %s\n", session.Printable(name))
}

const timeOfRelog = "1/2/2006 15:04:05"

// PrintSpan tells from when to when files have samples.
func PrintSpan(w io.Writer, spans []logs.Span) error {
	var all logs.Span
	for i := range spans {
		span := &spans[i]
		if all.Rows == 0 || span.Rows > 0 && span.First.Before(all.First) {
			all.First = span.First
		}
		if span.Last.After(all.Last) {
			all.Last = span.Last
		}
		all.Rows += span.Rows
	}
	out := bufio.NewWriter(w)
	if all.Rows > 0 {
		fmt.Fprintf(out, "\nBegin:    %s\nEnd:      %s\n", all.First.Format(timeOfRelog), all.Last.Format(timeOfRelog))
	}
	fmt.Fprintf(out, "Samples:  %d\n", all.Rows)
	return out.Flush()
}
