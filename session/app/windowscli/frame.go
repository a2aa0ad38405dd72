package windowscli

import (
	"context"
	"fmt"
	"io"

	"perfdeck/session/files/logs"
	"perfdeck/session/recording/collectorset/sets"
	"perfdeck/session/recording/relog"
)

// Print prints what stands around a tool's output. Desk has the sets, and user is whose
// they are.
func (f Frame) Print(ctx context.Context, w io.Writer, desk *sets.Sets, user string) error {
	switch f.Shows {
	case BlankLine:
		fmt.Fprintln(w)
	case Sets:
		if len(f.Names) == 0 {
			return printAllSets(w, desk)
		}
		return printNamedSets(w, desk, f.Names, user)
	case Inputs:
		files := make([]inputFile, len(f.Names))
		for i, name := range f.Names {
			format, err := relog.FormatOf(name)
			if err != nil {
				return err
			}
			files[i] = inputFile{name, format}
		}
		printInputs(w, files)
		return printSpans(ctx, w, f.Names)
	case Output:
		printOutput(w, f.Names[0])
		return printSpans(ctx, w, f.Names)
	case Nothing:
	}
	return nil
}

// printSpans tells from when to when files have samples.
func printSpans(ctx context.Context, w io.Writer, names []string) error {
	spans := make([]logs.Span, len(names))
	for i, name := range names {
		r, err := relog.Open(ctx, name, logs.OpenOptions{})
		if err != nil {
			return err
		}
		spans[i], err = relog.CountedSpan(ctx, r)
		_ = r.Close()
		if err != nil {
			return err
		}
	}
	return printSpan(w, spans)
}

func printNamedSets(w io.Writer, desk *sets.Sets, names []string, user string) error {
	for _, name := range names {
		set, err := desk.Read(name)
		if err != nil {
			return err
		}
		printSet(w, listedSet{Name: name, Set: set.Set, Running: desk.IsRunning(set.Set.Name)}, set.Root, user)
	}
	return nil
}

// printAllSets tells of those that cannot be read, too.
func printAllSets(w io.Writer, desk *sets.Sets) error {
	names, err := desk.Names()
	if err != nil {
		return err
	}
	list := make([]listedSet, len(names))
	for i, name := range names {
		list[i] = listedSet{Name: name, Running: desk.IsRunning(name)}
		if set, err := desk.Read(name); err == nil {
			list[i].Set = set.Set
		}
	}
	printSets(w, list)
	return nil
}
