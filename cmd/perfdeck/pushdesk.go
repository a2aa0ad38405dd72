package main

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/engine/push"
)

// pushDesk runs the pushes of the config beside something else that samples hosts: watch,
// a recording.
type pushDesk struct {
	*program

	every  time.Duration // of pushes that have no interval
	report func(error)

	mu    sync.Mutex
	hosts map[string]host
	going map[string]*goingPush // by name
}

// goingPush is a push that goes on.
type goingPush struct {
	*push.Pusher

	named config.Push
	what  pushed
	queue string
}

func (p *program) newPushDesk(every time.Duration, report func(error)) *pushDesk {
	return &pushDesk{program: p, every: every, report: report, hosts: map[string]host{}, going: map[string]*goingPush{}}
}

// isPushedAt tells whether a push of the config is to have a host.
func isPushedAt(named *config.Push, name string) bool {
	return len(named.Hosts) == 0 || slices.ContainsFunc(named.Hosts, func(h string) bool { return isHost(h, name) || isHost(displayName(h), name) })
}

// pushedAt are the hosts that pushes of a config name. anywhere tells that one names none:
// those that are watched are meant.
func pushedAt(file *config.Config) (names []string, anywhere bool) {
	for _, one := range file.Pushes {
		names = append(names, one.Hosts...)
		anywhere = anywhere || len(one.Hosts) == 0
	}
	return names, anywhere
}

// set takes the pushes of a config: those that changed begin anew. What is wrong with one
// is reported, and the others go on.
func (d *pushDesk) set(pushes []config.Push) {
	d.mu.Lock()
	var over []*goingPush
	for name, g := range d.going {
		if !slices.ContainsFunc(pushes, func(p config.Push) bool { return reflect.DeepEqual(p, g.named) }) {
			over = append(over, g)
			delete(d.going, name)
		}
	}
	d.mu.Unlock()
	d.end(over)
	for _, named := range pushes {
		if err := d.begin(named, d.queriesOf); err != nil {
			d.report(fmt.Errorf("push %s: %w", named.Name, err))
		}
	}
}

func (d *pushDesk) queriesOf(named config.Push) ([]query, error) { return d.pushedQueries(named, nil) }

// begin begins a push, unless it goes on, with the hosts that are there.
func (d *pushDesk) begin(named config.Push, queries func(config.Push) ([]query, error)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := named.Name + "\x00" + named.URL
	if d.going[key] != nil {
		return nil
	}
	asked, err := queries(named)
	if err != nil {
		return err
	}
	settled := named
	settled.QueueSize, settled.QueueAge = queueOr(named)
	o, err := d.pushOptions(settled, "", push.Shard{})
	if err != nil {
		return err
	}
	if o.Every = named.Interval; o.Every == 0 {
		o.Every = d.every
	}
	o.Report = d.report
	pusher, err := push.Start(o)
	if err != nil {
		return err
	}
	g := &goingPush{pusher, named, pushed{queries: asked}, o.Queue}
	d.going[key] = g
	for _, h := range d.hosts {
		g.join(h)
	}
	return nil
}

// usualQueueSize and usualQueueAge bound what waits where nothing is said.
const (
	usualQueueSize = 1 << 30
	usualQueueAge  = 24 * time.Hour
)

func queueOr(named config.Push) (size int64, age time.Duration) {
	size, age = named.QueueSize, named.QueueAge
	if size == 0 {
		size = usualQueueSize
	}
	if age == 0 {
		age = usualQueueAge
	}
	return size, age
}

// join lets a push have a host, if it is to.
func (g *goingPush) join(h host) {
	if isPushedAt(&g.named, h.name) {
		g.Add(push.Host{Name: h.name, Sampler: h.sampler, Questions: g.what.questionsFor(h.name)})
	}
}

// add makes a host known. It joins the pushes that are to have it.
func (d *pushDesk) add(h host) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hosts[h.name] = h
	for _, g := range d.going {
		g.join(h)
	}
}

// drop lets a host go.
func (d *pushDesk) drop(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.hosts, name)
	for _, g := range d.going {
		g.Drop(name)
	}
}

// close ends all pushes.
func (d *pushDesk) close() {
	d.mu.Lock()
	all := slices.Collect(maps.Values(d.going))
	clear(d.going)
	d.mu.Unlock()
	d.end(all)
}

// end sends what can be sent of pushes that are over, all at once.
func (d *pushDesk) end(pushes []*goingPush) {
	if len(pushes) == 0 {
		return
	}
	defer d.keep()()
	ctx, cancel := context.WithTimeout(context.Background(), pushClosing)
	defer cancel()
	waits := make([]func(), len(pushes))
	for i, g := range pushes {
		waits[i] = session.Beside(func() {
			if err := g.Close(ctx); err != nil {
				d.report(fmt.Errorf("end the push %s: %w", g.named.Name, err))
			}
		})
	}
	for i, wait := range waits {
		wait()
		if s := pushes[i].Status(); s.Queue.Samples > 0 {
			fmt.Fprintf(d.err, "perfdeck: push %s: %s wait in %s: the next push sends them\n", session.Printable(pushes[i].named.Name), count(s.Queue.Samples, "sample", "samples"), session.Printable(pushes[i].queue))
		}
	}
}

// pushBeside pushes what is recorded of hosts too: to the pushes or addresses of --push.
// end ends it.
func (p *program) pushBeside(to []string, hosts []host, queries []query, every time.Duration, report func(error)) (end func(), err error) {
	d := p.newPushDesk(every, report)
	for _, h := range hosts {
		d.add(h)
	}
	for _, name := range to {
		named, err := p.pushNamed(name)
		if err != nil {
			d.close()
			return nil, err
		}
		if named.Name == "" {
			named.Name = session.ShownAddress(name)
		}
		named.Hosts, named.Interval = nil, every // what is recorded, as it is recorded
		if err := d.begin(named, func(config.Push) ([]query, error) { return queries, nil }); err != nil {
			d.close()
			return nil, fmt.Errorf("push %s: %w", session.Printable(named.Name), err)
		}
	}
	return d.close, nil
}
