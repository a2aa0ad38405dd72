// Package remotesets is what is done with the data collector sets of Windows hosts, whichever
// command does it: they are listed, told of, made, changed within their own text, started and
// ended. What is about sets of the user's own is in recording/collectorset/sets.
package remotesets

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"perfdeck/session/hosts/pla"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/sets"
	"perfdeck/session/recording/collectorset/store"
	"perfdeck/session/system/failure"
)

// Client lists, runs and changes the sets of hosts. Any goroutine may use it.
type Client struct {
	Open func(host string) (pla.Sets, error)
	// State is the folder that what is replaced is kept in; it is made.
	State func() (string, error)
	Now   func() time.Time
	Go    func(func()) // starts a goroutine
	// Confirm asks the user.
	Confirm func(question string) (bool, error)
}

// Result is what came of a host.
type Result[T any] struct {
	Host string
	Is   T
	Err  error // which says of which host it is
}

// mostAtOnce bounds the hosts that are asked side by side.
const mostAtOnce = 16

// each does something with the sets of hosts, side by side. Results are in the order of hosts,
// in which they are opened too, one after the other: passwords may be asked for.
func each[T any](d *Client, hosts []string, do func(host string, s pla.Sets) (T, error)) []Result[T] {
	out := make([]Result[T], len(hosts))
	opened := make([]pla.Sets, len(hosts))
	for i, host := range hosts {
		out[i].Host = host
		opened[i], out[i].Err = d.Open(host)
	}
	var all sync.WaitGroup
	room := make(chan struct{}, mostAtOnce)
	for i := range out {
		r := &out[i]
		all.Add(1)
		room <- struct{}{}
		d.Go(func() {
			defer func() { <-room; all.Done() }()
			if r.Err == nil {
				r.Is, r.Err = do(r.Host, opened[i])
				_ = opened[i].Close() // what was asked for is done, or failed
			}
			if r.Err != nil {
				r.Err = fmt.Errorf("%s: %w", r.Host, r.Err)
			}
		})
	}
	all.Wait()
	return out
}

// one does something with the sets of a host.
func one[T any](d *Client, host string, do func(s pla.Sets) (T, error)) (T, error) {
	r := each(d, []string{host}, func(_ string, s pla.Sets) (T, error) { return do(s) })[0]
	return r.Is, r.Err
}

// nameOf reads the name of a set.
func nameOf(text string) (pla.Name, error) {
	n, err := pla.ParseName(text)
	if err != nil {
		return n, failure.Usage(err)
	}
	return n, nil
}

// named is the name of a set of which something is tried.
func named(text, op string) (pla.Name, error) {
	n, err := nameOf(text)
	if err != nil {
		return n, err
	}
	return n, n.May(op)
}

// List lists the sets of hosts, of categories, or of all where none is named.
func (d *Client) List(ctx context.Context, hosts []string, categories ...pla.Category) []Result[*pla.Listing] {
	return each(d, hosts, func(_ string, s pla.Sets) (*pla.Listing, error) { return s.List(ctx, categories...) })
}

// Shown is what is said of a set.
type Shown struct {
	Lines []string
	Found []collectorset.Finding
}

// Show says in words what a set of hosts does.
func (d *Client) Show(ctx context.Context, hosts []string, text string) ([]Result[Shown], error) {
	name, err := nameOf(text)
	if err != nil {
		return nil, err
	}
	return each(d, hosts, func(host string, s pla.Sets) (Shown, error) {
		set, err := s.Read(ctx, name)
		if err != nil {
			return Shown{}, err
		}
		read, err := decoded(set)
		if err != nil {
			return Shown{}, err
		}
		notes := found(read.Entry)
		return Shown{describe(host, set, read), notes}, nil
	}), nil
}

// describe says what a set of a host does, a line each, the first of which is its name.
func describe(host string, set *pla.Set, read *sets.Set) []string {
	read.Set.Name, read.Set.RootPath = set.Name.String(), cmp.Or(set.Root, read.Set.RootPath)
	lines := read.Describe(time.Time{})
	head := []string{fmt.Sprintf("  %s on %s", set.Status, host)}
	if set.Output != "" {
		head = append(head, "  its newest output there is in "+set.Output)
	}
	account := "  it runs as the system"
	if set.Account != "" {
		account = "  it runs as " + set.Account
	}
	lines = slices.Concat(lines[:1], head, lines[1:], []string{account})
	if set.Security != "" {
		for _, text := range Security(set.Security) {
			lines = append(lines, "  "+text)
		}
	}
	return lines
}

func untold(name pla.Name) error {
	return fmt.Errorf("%s: the host says nothing of what is in it", name)
}

// decoded is a set as the host writes it.
func decoded(set *pla.Set) (*sets.Set, error) {
	if set.XML == "" {
		return nil, untold(set.Name)
	}
	read, told, err := collectorset.Decode([]byte(set.XML))
	if err != nil {
		return nil, failure.WithHint(fmt.Errorf("read %s as the host has it: %w", set.Name, err), "perfdeck collect export -H HOST writes it as it is")
	}
	return &sets.Set{Entry: &store.Entry{Set: read, Findings: told, OfHost: true}}, nil
}

// found is what is found in a set that is as much so where Windows runs it.
func found(s *store.Entry) []collectorset.Finding {
	return slices.DeleteFunc(append(slices.Clone(s.Findings), s.Set.Check(collectorset.Place{})...), func(f collectorset.Finding) bool {
		return f.Code.IsOfHere()
	})
}

// Start has a set run on hosts; it runs when Start returns.
func (d *Client) Start(ctx context.Context, hosts []string, text string) ([]Result[pla.Name], error) {
	return d.run(hosts, text, pla.OpStart, func(s pla.Sets, name pla.Name) error { return s.Start(ctx, name) })
}

// Stop ends the run of a set on hosts. Its output is complete when Stop returns without an error.
func (d *Client) Stop(ctx context.Context, hosts []string, text string) ([]Result[pla.Name], error) {
	return d.run(hosts, text, pla.OpStop, func(s pla.Sets, name pla.Name) error {
		err := s.Stop(ctx, name)
		if err != nil && ctx.Err() != nil {
			return failure.WithHint(fmt.Errorf("%s goes on stopping there: %w", name, context.Cause(ctx)), "perfdeck collect list -H HOST shows when it stands")
		}
		return err
	})
}

func (d *Client) run(hosts []string, text, op string, do func(s pla.Sets, name pla.Name) error) ([]Result[pla.Name], error) {
	name, err := named(text, op)
	if err != nil {
		return nil, err
	}
	return each(d, hosts, func(_ string, s pla.Sets) (pla.Name, error) { return name, do(s, name) }), nil
}

// Delete forgets a set of a host. What it collected stays there.
func (d *Client) Delete(ctx context.Context, host, text string) error {
	name, err := named(text, pla.OpDelete)
	if err != nil {
		return err
	}
	_, err = one(d, host, func(s pla.Sets) (struct{}, error) { return struct{}{}, s.Delete(ctx, name) })
	return err
}

// Read is a set of a host.
func (d *Client) Read(ctx context.Context, host, text string) (*pla.Set, error) {
	name, err := nameOf(text)
	if err != nil {
		return nil, err
	}
	return one(d, host, func(s pla.Sets) (*pla.Set, error) { return s.Read(ctx, name) })
}

// Export is a set of a host as a template, as the host writes it.
func (d *Client) Export(ctx context.Context, host, text string, e collectorset.Encoding) ([]byte, error) {
	set, err := d.Read(ctx, host, text)
	if err == nil && set.XML == "" {
		err = fmt.Errorf("%s: %w", host, untold(set.Name))
	}
	if err != nil {
		return nil, err
	}
	return file(set.XML, e), nil
}

// file is the text of a set as the bytes of a file, which says how it is written.
func file(text string, e collectorset.Encoding) []byte {
	if declared, rest, is := strings.Cut(text, "?>"); is && strings.HasPrefix(declared, "<?xml ") {
		text = strings.TrimLeft(rest, "\r\n")
	}
	declared := map[collectorset.Encoding]string{collectorset.UTF16: "UTF-16", collectorset.UTF8: "UTF-8"}[e]
	return e.Bytes(`<?xml version="1.0" encoding="` + declared + `"?>` + "\r\n" + text)
}

// Short is a name as people write it: no category means that of the user's sets.
func Short(n pla.Name) string { return strings.TrimPrefix(n.String(), pla.Service.String()+`\`) }

// Queried is a set as logman query tells of it.
type Queried struct {
	Name    string
	Status  pla.Status
	Set     *collectorset.Set // nil: it cannot be read
	Root    string
	Account string // empty: the system
}

// Query are the sets of names of a host, or all of the user's there.
func (d *Client) Query(ctx context.Context, host string, names []string) ([]Queried, error) {
	return one(d, host, func(s pla.Sets) (out []Queried, err error) {
		var all []pla.Name
		if len(names) == 0 {
			l, err := s.List(ctx, pla.Service)
			if err != nil {
				return nil, err
			}
			for _, listed := range l.Sets {
				all = append(all, listed.Name)
			}
		}
		for _, text := range names {
			name, err := nameOf(text)
			if err != nil {
				return nil, err
			}
			all = append(all, name)
		}
		for _, name := range all {
			q := Queried{Name: Short(name)}
			set, err := s.Read(ctx, name)
			switch {
			case err != nil && len(names) > 0, ctx.Err() != nil:
				return nil, err
			case err == nil:
				q.Status, q.Root, q.Account = set.Status, set.Root, set.Account
				if read, err := decoded(set); err == nil {
					q.Set = read.Set
					q.Set.Name = q.Name
				}
			}
			out = append(out, q)
		}
		return out, nil
	})
}

// entryOf is a set that is changed.
func entryOf(s *collectorset.Set) *store.Entry { return &store.Entry{Set: s, OfHost: true} }

// defaultRoot is where Windows lets the folders of sets be.
const defaultRoot = `%systemdrive%\PerfLogs\Admin\`
