package collecting

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session/alert"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/pipeline"
	"perfdeck/session/config"
	"perfdeck/session/deliver/action"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/runner"
	"perfdeck/session/recording/collectorset/sets"
	"perfdeck/session/text/printable"
)

// alerts are those of a set at work.
type alerts struct {
	*pipeline.Pipeline

	patience func() time.Duration
	stop     context.CancelFunc
	stopped  chan struct{}
	over     context.Context //nolint:containedctx // ends when all rules had their only sample
}

func (a *alerts) Done() <-chan struct{} { return a.over.Done() }

func (a *alerts) Stop() {
	a.stop()
	<-a.stopped
	a.Close(a.patience())
}

// judge begins the alerts of the set. One that fires is a line, is kept if its collector
// says so, and starts the set that it names.
func (r *run) judge(rules []alert.Rule) (runner.Alerts, error) {
	ctx, stop := context.WithCancel(context.Background())
	over, isOver := context.WithCancel(context.Background())
	a := &alerts{patience: r.Patience, stop: stop, stopped: make(chan struct{}), over: over}
	a.Pipeline = r.Alerts(pipeline.Options{
		Rules: rules, Looks: r.Looks, Leads: true, Report: r.Report, Log: r.fired,
		Changed: func() {
			if a.Pipeline != nil && !slices.ContainsFunc(a.Watch().Board().Rules, func(r alert.RuleStatus) bool { return !r.Over }) {
				isOver()
			}
		},
	}, !r.keepsEvents())
	a.Watch().SetAside(inventory.Aside(r.hosts))
	for _, h := range r.hosts {
		a.Watch().Add(h.Name, h.Sampler)
	}
	r.Go(func() {
		defer close(a.stopped)
		a.Run(ctx)
	})
	return a, nil
}

// keepsEvents tells whether events of the set are kept in the log of alerts: EventLog.
func (r *run) keepsEvents() bool {
	return slices.ContainsFunc(r.set.Collectors, func(c collectorset.Collector) bool { return c.Kind == collectorset.Alerts && c.EventLog })
}

// fired prints what alerts tell, and starts what they start.
func (r *run) fired(n alert.Notice) {
	r.Print(n.Time.In(time.Local).Format(time.RFC3339) + " " + printable.Text(n.Line()))
	for _, ev := range append([]alert.Event{n.Event}, n.More...) {
		c := runner.CollectorOf(r.set, ev.ID.Rule)
		if c == nil || ev.Kind != alert.Fired {
			continue
		}
		if c.Trigger != "" {
			r.trigger(c.Trigger)
		}
		one := n
		one.Event, one.More, one.ID.Rule, one.UserText = ev, nil, c.Name, c.TaskUserTextArguments
		r.tasks.Run(r.program, c.Task, func(ctx context.Context, t config.Task) error { return action.For(ctx, t, &one, r.Environ) })
	}
}

// trigger starts the set that an alert names. A set that led here is not started again.
func (r *run) trigger(name string) {
	by := append(slices.Clone(r.Started.By), r.set.Name)
	if paths.ContainsFold(by, name) {
		r.Report(fmt.Errorf("the set %s is not started: its own alert led here (%s)", name, strings.Join(by, ", then ")))
		return
	}
	r.Go(func() {
		if err := r.StartSet(r.program, name, sets.Started{BLG: r.Started.BLG, By: by}); err != nil {
			r.Report(err)
		}
	})
}
