package diagnosis

import (
	"context"
	"errors"
	"fmt"
	"time"

	"perfdeck/session"
	"perfdeck/session/text/english"
)

// beside tries what a host has besides its counters: it is told, and decides nothing.
func (e *examination) beside(ctx context.Context, source session.Source) {
	if cat, err := source.Catalogue(ctx); err == nil && cat.Set("Service") != nil {
		_ = e.step("list services", func() (string, error) { return listServices(ctx, source, cat.Set("Service")) })
	}
	if of, ok := source.(session.EventSource); ok {
		_ = e.step("read events", func() (string, error) { return unlessNone(readEvents(ctx, of)) })
	}
}

// unlessNone makes what there is nothing of no failure.
func unlessNone(detail string, err error) (string, error) {
	if errors.Is(err, errors.ErrUnsupported) {
		return "none: " + err.Error(), nil
	}
	return detail, err
}

func listServices(ctx context.Context, source session.Source, set *session.Counterset) (string, error) {
	if why := set.Counters[0].Absent; why != "" {
		return "none: " + why, nil
	}
	q, err := source.Open(ctx)
	if err != nil {
		return "", err
	}
	defer q.Close()
	if err := q.Select(ctx, []session.Want{{Set: set, Counters: []int{0}}}); err != nil {
		return "", err
	}
	var b session.Batch
	if err := q.Collect(ctx, &b); err != nil {
		return "", err
	}
	return english.Count(len(b.Sets[0].Instances), "service", "services"), b.Sets[0].Err
}

func readEvents(ctx context.Context, of session.EventSource) (string, error) {
	const back = 10 * time.Minute
	r, err := of.Events(ctx, session.EventsFrom{Time: time.Now().Add(-back)})
	if err != nil {
		return "", err
	}
	defer r.Close() //nolint:errcheck // of reading only
	events, _, err := r.Read(ctx)
	if err != nil {
		return "", err
	}
	n := 0
	for i := range events {
		n += events[i].Count
	}
	detail := english.Count(n, "event", "events") + " in the last " + english.Span(back)
	if s, ok := r.(fmt.Stringer); ok {
		detail = s.String() + ": " + detail
	}
	return detail, nil
}
