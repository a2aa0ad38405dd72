package windowscli

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"perfdeck/session/app/remotesets"
	"perfdeck/session/files/logs"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/recording/collectorset/sets"
	"perfdeck/session/recording/relog"
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

// query are the sets of a host, or the user's own: those of names, or all, with those that cannot
// be read.
func (d Stores) query(ctx context.Context, host string, names []string) (list []listedSet, err error) {
	if host != "" {
		sets, err := d.Hosts.Query(ctx, host, names)
		for _, s := range sets {
			list = append(list, listedSet{s.Name, s.Set, s.Status == pla.Running, s.Root, cmp.Or(s.Account, "SYSTEM")})
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
		one := listedSet{Name: name, Running: d.Own.IsRunning(name), User: d.User}
		set, err := d.Own.Read(name)
		if err != nil && len(names) > 0 {
			return nil, err
		}
		if err == nil {
			one.Set, one.Root, one.Running = set.Set, set.Root, d.Own.IsRunning(set.Set.Name)
		}
		list = append(list, one)
	}
	return list, nil
}
