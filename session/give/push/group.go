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
func (g *Group) Set(entries []Entry) {
	g.mu.Lock()
	var over []*going
	g.going = slices.DeleteFunc(g.going, func(p *going) bool {
		stays := slices.ContainsFunc(entries, func(e Entry) bool { return reflect.DeepEqual(e.Of, p.Of) })
		if !stays {
			over = append(over, p)
		}
		return !stays
	})
	g.mu.Unlock()
	g.end(over)
	for _, e := range entries {
		if err := g.Begin(e); err != nil {
			g.o.Report(err)
		}
	}
}

// Begin begins a push with the hosts that are there, unless it goes on.
func (g *Group) Begin(e Entry) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if slices.ContainsFunc(g.going, func(p *going) bool { return reflect.DeepEqual(e.Of, p.Of) }) {
		return nil
	}
	o, asks, err := e.Open()
	if err != nil {
		return e.fail(err)
	}
	o.Report, o.Tell = g.o.Report, g.o.Tell
	pusher, err := Start(o)
	if err != nil {
		return e.fail(err)
	}
	p := &going{pusher, e, asks}
	g.going = append(g.going, p)
	for _, h := range g.hosts {
		p.join(h)
	}
	return nil
}

func (e *Entry) fail(err error) error {
	return fmt.Errorf("push %s: %w", e.Name, err)
}

// join lets a push have a host, if it is to.
func (p *going) join(h Host) {
	var meant bool
	if h.Questions, meant = p.asks(h); meant {
		p.Add(h)
	}
}

// Add makes a host known, whatever its questions: it joins the pushes that are to have it.
func (g *Group) Add(h Host) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hosts = slices.DeleteFunc(g.hosts, func(o Host) bool { return o.Name == h.Name })
	g.hosts = append(g.hosts, h)
	for _, p := range g.going {
		p.join(h)
	}
}

// Drop lets a host go.
func (g *Group) Drop(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hosts = slices.DeleteFunc(g.hosts, func(o Host) bool { return o.Name == name })
	for _, p := range g.going {
		p.Drop(name)
	}
}

// Status is how the pushes go.
func (g *Group) Status() (out []Status) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range g.going {
		out = append(out, p.Status())
	}
	return out
}

// Close ends all pushes.
func (g *Group) Close() {
	g.mu.Lock()
	all := g.going
	g.going = nil
	g.mu.Unlock()
	g.end(all)
}

// end sends what can be sent of pushes that are over, all at once.
func (g *Group) end(pushes []*going) {
	if len(pushes) == 0 {
		return
	}
	if g.o.Hold != nil {
		defer g.o.Hold()()
	}
	ctx, cancel := context.WithTimeout(context.Background(), g.o.Patience)
	defer cancel()
	waits, failed := make([]func(), len(pushes)), make([]error, len(pushes))
	for i, p := range pushes {
		waits[i] = guard.Beside(func() {
			if err := p.Close(ctx); err != nil {
				failed[i] = fmt.Errorf("end the push %s: %w", p.Name, err)
			}
		})
	}
	for i, wait := range waits {
		wait()
		p := pushes[i]
		if g.o.Ended != nil {
			g.o.Ended(p.Status(), failed[i])
		} else if failed[i] != nil {
			g.o.Report(failed[i])
		}
		if n := p.Status().Queue.Samples; n > 0 {
			g.o.Tell(fmt.Sprintf("push %s: %s wait in %s: the next push sends them", p.Name, english.Count(n, "sample", "samples"), p.o.Queue))
		}
	}
}
