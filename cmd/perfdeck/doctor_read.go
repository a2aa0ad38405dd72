package main

import (
	"context"

	"perfdeck/paths"
	"perfdeck/session"
)

// read tries the steps that every source has.
func (d *doctor) read(ctx context.Context, source session.Source) error {
	var cat *session.Catalogue
	err := d.step("read the catalogue", func() (detail string, err error) {
		if cat, err = source.Catalogue(ctx); err != nil {
			return "", err
		}
		n := 0
		for _, s := range cat.Sets {
			n += len(s.Counters)
		}
		return countersets(len(cat.Sets)) + ", " + count(n, "counter", "counters"), nil
	})
	if err != nil {
		return err
	}
	var q session.Query
	err = d.step("open a query", func() (detail string, err error) {
		q, err = source.Open(ctx)
		return "", err
	})
	if err != nil {
		return err
	}
	defer q.Close()
	return d.collect(ctx, q, cat)
}

func countersets(n int) string { return count(n, "counterset", "countersets") }

// collect reads the counters of the default deck twice.
func (d *doctor) collect(ctx context.Context, q session.Query, cat *session.Catalogue) error {
	wants := wantsOf(cat)
	if err := d.step("add counters", func() (string, error) {
		return "of " + countersets(len(wants)), q.Select(ctx, wants)
	}); err != nil {
		return err
	}
	var b session.Batch
	for range 2 {
		if err := d.step("collect", func() (string, error) {
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
			return count(values, "value", "values") + ", " + count(instances, "instance", "instances"), nil
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
	if len(wants) == 0 && len(cat.Sets) > 0 && len(cat.Sets[0].Counters) > 0 {
		wants = append(wants, session.Want{Set: cat.Sets[0], Counters: []int{0}})
	}
	return wants
}
