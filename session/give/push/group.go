package push

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/guard"
	"perfdeck/session/text/english"
)

// Group keeps several pushes going beside something else that samples hosts. Its methods may
// be called by many goroutines.
type Group struct {
	o GroupOptions

	mu    sync.Mutex
	hosts []Host // without questions
	going []*going
}

// GroupOptions say who hears of the pushes. Functions may be called by any goroutine.
type GroupOptions struct {
	Report func(error)
	Tell   func(string)
	// Hold is called before what is gathered is sent at the end of a push, and what it
	// returns afterwards: the program is not to be ended meanwhile. nil: nobody minds.
	Hold     func() (release func())
	Patience time.Duration // for that
	// Ended hears how a push stood at its end, and what went wrong with that; nil: it is told.
	Ended func(Status, error)
}

// Entry is a push that a group keeps going.
type Entry struct {
	Name string // as it is told of
	// Of is what the entry is made of. A push of the same goes on; that of another begins
	// anew.
	Of any
	// Open is called when the push begins.
	Open func() (Options, Asks, error)
}

// Asks says what a push asks of a host; it is not meant for some hosts at all.
type Asks func(h Host) (questions []session.Question, meant bool)

// going is a push that goes on.
type going struct {
	*Pusher
	Entry

	asks Asks
}

// NewGroup makes a group without pushes.
func NewGroup(o GroupOptions) *Group { return &Group{o: o} }

// Set keeps these pushes going, and ends others. What is wrong with one is reported.
func (d *Group) Set(entries []Entry) {
	d.mu.Lock()
	var over []*going
	d.going = slices.DeleteFunc(d.going, func(g *going) bool {
		stays := slices.ContainsFunc(entries, func(e Entry) bool { return reflect.DeepEqual(e.Of, g.Of) })
		if !stays {
			over = append(over, g)
		}
		return !stays
	})
	d.mu.Unlock()
	d.end(over)
	for _, e := range entries {
		if err := d.Begin(e); err != nil {
			d.o.Report(err)
		}
	}
}

// Begin begins a push with the hosts that are there, unless it goes on.
func (d *Group) Begin(e Entry) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if slices.ContainsFunc(d.going, func(g *going) bool { return reflect.DeepEqual(e.Of, g.Of) }) {
		return nil
	}
	o, asks, err := e.Open()
	if err != nil {
		return e.fail(err)
	}
	o.Report, o.Tell = d.o.Report, d.o.Tell
	p, err := Start(o)
	if err != nil {
		return e.fail(err)
	}
	g := &going{p, e, asks}
	d.going = append(d.going, g)
	for _, h := range d.hosts {
		g.join(h)
	}
	return nil
}

func (e *Entry) fail(err error) error {
	return fmt.Errorf("push %s: %w", e.Name, err)
}

// join lets a push have a host, if it is to.
func (g *going) join(h Host) {
	var meant bool
	if h.Questions, meant = g.asks(h); meant {
		g.Add(h)
	}
}

// Add makes a host known, whatever its questions: it joins the pushes that are to have it.
func (d *Group) Add(h Host) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hosts = slices.DeleteFunc(d.hosts, func(o Host) bool { return o.Name == h.Name })
	d.hosts = append(d.hosts, h)
	for _, g := range d.going {
		g.join(h)
	}
}

// Drop lets a host go.
func (d *Group) Drop(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hosts = slices.DeleteFunc(d.hosts, func(o Host) bool { return o.Name == name })
	for _, g := range d.going {
		g.Drop(name)
	}
}

// Status is how the pushes go.
func (d *Group) Status() (out []Status) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, g := range d.going {
		out = append(out, g.Status())
	}
	return out
}

// Close ends all pushes.
func (d *Group) Close() {
	d.mu.Lock()
	all := d.going
	d.going = nil
	d.mu.Unlock()
	d.end(all)
}

// end sends what can be sent of pushes that are over, all at once.
func (d *Group) end(pushes []*going) {
	if len(pushes) == 0 {
		return
	}
	if d.o.Hold != nil {
		defer d.o.Hold()()
	}
	ctx, cancel := context.WithTimeout(context.Background(), d.o.Patience)
	defer cancel()
	waits, failed := make([]func(), len(pushes)), make([]error, len(pushes))
	for i, g := range pushes {
		waits[i] = guard.Beside(func() {
			if err := g.Close(ctx); err != nil {
				failed[i] = fmt.Errorf("end the push %s: %w", g.Name, err)
			}
		})
	}
	for i, wait := range waits {
		wait()
		g := pushes[i]
		if d.o.Ended != nil {
			d.o.Ended(g.Status(), failed[i])
		} else if failed[i] != nil {
			d.o.Report(failed[i])
		}
		if n := g.Status().Queue.Samples; n > 0 {
			d.o.Tell(fmt.Sprintf("push %s: %s wait in %s: the next push sends them", g.Name, english.Count(n, "sample", "samples"), g.o.Queue))
		}
	}
}
