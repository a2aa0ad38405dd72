// Package diagnosis tries every step of reaching a host and of reading its counters, and tells of
// each how it went.
package diagnosis

import (
	"cmp"
	"context"
	"slices"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/hosts/feed"
	"perfdeck/session/hosts/service"
	"perfdeck/session/text/english"
	"perfdeck/session/wire/rpc"
)

// Step is one that was tried.
type Step struct {
	Name   string
	Detail string // what came of it
	Took   time.Duration
	Err    error // why it failed

	IsBeside bool // the host is read without what this tries
}

// Options say how a host is examined. Steps and notes are told one at a time.
type Options struct {
	Known *inventory.Inventory
	Tell  func(Step)
	Note  func(error) // what a host warns of, once it was read
	// Wrap stands around every connection by DCE/RPC; nil: nothing does.
	Wrap func(inventory.Conn) inventory.Conn
	// Sets has the steps of collector sets tried, too, of a Windows host: who only wants counters
	// needs none of them.
	Sets bool
	// Heard hears the answers of these; nil: nobody does.
	Heard *rpc.Heard
}

// Examine tries the steps of a host: of one that has none of its own, that it is opened and
// read. The error is that of the step at which it ended, which was told.
func Examine(ctx context.Context, t inventory.Target, o Options) error {
	e := &examination{Options: o}
	switch {
	case t.IsRPC():
		err := e.overRPC(ctx, t)
		if o.Sets { // which are reached in another way
			err = cmp.Or(err, e.sets(ctx, t))
		}
		return err
	case t.IsSSH():
		return e.overSSH(ctx, t)
	case t.IsEngine():
		return e.overEngine(ctx, t)
	}
	source, err := e.Known.Source(t, inventory.Mode{Quiet: true})
	if err != nil {
		e.tell(0, "open", "", err)
		return err
	}
	defer source.Close()
	if err = e.read(ctx, source); err == nil {
		e.beside(ctx, source)
	}
	if f, ok := source.(interface {
		Try(ctx context.Context) []feed.Trial
	}); ok && err == nil {
		for _, t := range f.Try(ctx) {
			e.tell(t.Took, "feed "+t.Feed, t.Detail, t.Err)
			err = cmp.Or(err, t.Err)
		}
	}
	if w, ok := source.(session.Warner); ok {
		e.notes(w)
	}
	return err
}

// examination is that of one host.
type examination struct {
	Options

	failures []string // of steps, which are no notes, too
}

// tell tells how a step went.
func (e *examination) tell(took time.Duration, name, detail string, err error) {
	if err != nil {
		e.failures = append(e.failures, err.Error())
	}
	e.Tell(Step{Name: name, Detail: detail, Took: took, Err: err})
}

// step tries a step.
func (e *examination) step(name string, do func() (detail string, err error)) error {
	began := time.Now()
	detail, err := do()
	e.tell(time.Since(began), name, detail, err)
	return err
}

// stopwatch tells at each call how much time passed since the one before.
func stopwatch() func() time.Duration {
	began := time.Now()
	return func() time.Duration {
		took := time.Since(began)
		began = time.Now()
		return took
	}
}

// notes tells what a source warns of.
func (e *examination) notes(of session.Warner) {
	for _, w := range of.Warnings() {
		if !slices.Contains(e.failures, w.Error()) {
			e.Note(w)
		}
	}
}

// read tries the steps that every source has.
func (e *examination) read(ctx context.Context, source session.Source) error {
	var cat *session.Catalogue
	err := e.step("read the catalogue", func() (detail string, err error) {
		if cat, err = source.Catalogue(ctx); err != nil {
			return "", err
		}
		n := 0
		for _, s := range cat.Sets {
			n += len(s.Counters)
		}
		return countersets(len(cat.Sets)) + ", " + english.Count(n, "counter", "counters"), nil
	})
	if err != nil {
		return err
	}
	var q session.Query
	err = e.step("open a query", func() (detail string, err error) {
		q, err = source.Open(ctx)
		return "", err
	})
	if err != nil {
		return err
	}
	defer q.Close()
	return e.collect(ctx, q, cat)
}

func countersets(n int) string { return english.Count(n, "counterset", "countersets") }

// collect reads the counters of the default deck twice.
func (e *examination) collect(ctx context.Context, q session.Query, cat *session.Catalogue) error {
	wants := wantsOf(cat)
	if err := e.step("add counters", func() (string, error) {
		return "of " + countersets(len(wants)), q.Select(ctx, wants)
	}); err != nil {
		return err
	}
	var b session.Batch
	for range 2 {
		if err := e.step("collect", func() (string, error) {
			if err := q.Collect(ctx, &b); err != nil {
				return "", err
			}
			values, instances := 0, 0
			for i := range b.Sets {
				if b.Sets[i].Err != nil {
					return "", b.Sets[i].Err
				}
				values += len(b.Sets[i].Readings)
				instances += len(b.Sets[i].Instances)
			}
			return english.Count(values, "value", "values") + ", " + english.Count(instances, "instance", "instances"), nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// wantsOf are the counters of the default deck, or of the first counterset.
func wantsOf(cat *session.Catalogue) []session.Want {
	var wants []session.Want
	for _, pane := range session.DefaultDeck(cat.Host, cat).Panes {
		var w session.Want
		for _, text := range pane.Paths {
			if s, err := cat.Resolve(text, paths.Options{}); err == nil {
				w.Set = s[0].Set
				w.Counters = append(w.Counters, s[0].Counters...)
			}
		}
		wants = append(wants, w)
	}
	for _, set := range cat.Sets {
		if len(wants) == 0 && len(set.Counters) > 0 && set.Name != service.Name { // services are a step of their own
			wants = append(wants, session.Want{Set: set, Counters: []int{0}})
		}
	}
	return wants
}
