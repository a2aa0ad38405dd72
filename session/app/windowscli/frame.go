package windowscli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"perfdeck/session"
	"perfdeck/session/app/remotesets"
	"perfdeck/session/files/logs"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/recording/collectorset/sets"
	"perfdeck/session/recording/relog"
	"perfdeck/session/text/printable"
)

// Stores have the sets that there are.
type Stores struct {
	Own   *sets.Sets
	User  string // whose they are
	Hosts *remotesets.Client
}

// Print prints what stands around a tool's output.
func (f Frame) Print(ctx context.Context, w io.Writer, stores Stores) error {
	switch f.Shows {
	case BlankLine:
		fmt.Fprintln(w)
	case Sets:
		list, err := stores.query(ctx, f.Host, f.Names)
		if err != nil {
			return err
		}
		if len(f.Names) == 0 {
			printSets(w, list)
		}
		for _, s := range list[:min(len(list), len(f.Names))] {
			printSet(w, s)
		}
	case Inputs:
		var files strings.Builder
		for _, name := range f.Names {
			format, err := relog.FormatOf(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&files, "     %s (%s)\n", printable.Text(name), format.Windows.Told)
		}
		fmt.Fprintf(w, "\nInput\n----------------\nFile(s):\n%s", files.String())
		return printSpans(ctx, w, f.Names)
	case Output:
		fmt.Fprintf(w, "\nOutput\n----------------\nFile:     %s\n", printable.Text(f.Names[0]))
		return printSpans(ctx, w, f.Names)
	case Nothing:
	}
	return nil
}

const timeOfRelog = "1/2/2006 15:04:05"

// printSpans tells from when to when files have samples, as relog does.
func printSpans(ctx context.Context, w io.Writer, names []string) error {
	var all logs.Span
	for _, name := range names {
		r, err := relog.Open(ctx, name, logs.OpenOptions{})
		if err != nil {
			return err
		}
		span, err := relog.CountedSpan(ctx, r)
		_ = r.Close()
		if err != nil {
			return err
		}
		if all.Rows == 0 || span.Rows > 0 && span.First.Before(all.First) {
			all.First = span.First
		}
		all.Last = session.Later(span.Last, all.Last)
		all.Rows += span.Rows
	}
	if all.Rows > 0 {
		fmt.Fprintf(w, "\nBegin:    %s\nEnd:      %s\n", all.First.Format(timeOfRelog), all.Last.Format(timeOfRelog))
	}
	_, err := fmt.Fprintf(w, "Samples:  %d\n", all.Rows)
	return err
}

// query are the sets of a host, or the user's own: those of names, or all, with those that cannot
// be read.
func (d Stores) query(ctx context.Context, host string, names []string) (list []remotesets.Queried, err error) {
	if host != "" {
		list, err = d.Hosts.Query(ctx, host, names)
		for i := range list {
			list[i].Account = cmp.Or(list[i].Account, "SYSTEM")
		}
		return list, err
	}
	all := names
	if len(names) == 0 {
		if all, err = d.Own.Names(); err != nil {
			return nil, err
		}
	}
	for _, name := range all {
		one, called := remotesets.Queried{Name: name, Account: d.User}, name
		set, err := d.Own.Read(name)
		if err != nil && len(names) > 0 {
			return nil, err
		}
		if err == nil {
			one.Set, one.Root, called = set.Set, set.Root, set.Set.Name
		}
		if d.Own.IsRunning(called) {
			one.Status = pla.Running
		}
		list = append(list, one)
	}
	return list, nil
}
