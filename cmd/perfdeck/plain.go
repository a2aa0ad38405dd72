package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/recording/collector"
)

// plainEvery is the interval of --plain when nobody says another: who listens
// needs time. The first sample does not wait for it.
const (
	plainEvery = "10s"
	plainFirst = time.Second
)

// mostSpoken is how many instances are told of a table of the deck.
const mostSpoken = 3

// plain prints lines instead of showing the screens. Without paths they are those
// of the first deck, of its tables the busiest.
func (p *program) plain(c *cobra.Command, args []string) error {
	s, err := p.settings(c)
	if err != nil {
		return err
	}
	if !c.Flags().Changed("interval") && s.Interval == config.DefaultInterval() {
		if err := c.Flags().Set("interval", plainEvery); err != nil {
			return err
		}
		if s, err = p.settings(c); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	var queries []inventory.Query
	pick := func(*logs.Beat) {}
	if len(args) == 0 {
		queries, err = p.deckQueries(ctx)
		pick = func(r *logs.Beat) { r.KeepBusiest(mostSpoken) }
	} else {
		queries, err = p.queries(args, nil)
	}
	if err != nil {
		return unlessEnded(ctx, err)
	}
	hosts, err := p.hostsOf(queries)
	if err != nil {
		return unlessEnded(ctx, err)
	}
	inventory.Start(ctx, hosts...)
	return p.speak(ctx, hosts, queries, s, pick)
}

// speak prints a sample as soon as there are rates, and then one each interval.
func (p *program) speak(ctx context.Context, hosts []inventory.Host, queries []inventory.Query, s config.Settings, pick func(*logs.Beat)) error {
	out := formats.Usual(formats.ToHear).Print(p.out, logs.WriteOptions{Looks: p.config.Counters.Looks(s)})
	say := func(r *logs.Beat) error {
		pick(r)
		return out.Write(r)
	}
	o := collector.Options{Subject: collector.Subject{Every: s.Interval}, Listeners: collector.Listeners{Report: p.reportOnce()}, Stream: &collector.Stream{Write: say}}
	if s.Interval > plainFirst {
		o := o
		o.Every, o.Count = plainFirst, 1
		if _, _, err := p.pour(ctx, hosts, queries, o, nil); err != nil {
			return unlessEnded(ctx, err)
		}
	}
	r, partly, err := p.pour(ctx, hosts, queries, o, nil)
	if r == nil {
		return unlessEnded(ctx, err)
	}
	if err := cmp.Or(err, out.Close()); err != nil {
		return fmt.Errorf("write samples: %w", err)
	}
	p.noteMissed(r.Status(), o.Report)
	return partlyIf(partly)
}

// deckQueries are the counters that are shown first of several hosts, which are those
// that tell most of one too.
func (p *program) deckQueries(ctx context.Context) ([]inventory.Query, error) {
	hosts, err := p.hosts(inventory.Mode{Deck: true})
	if err != nil {
		return nil, err
	}
	defer inventory.CloseAll(hosts)
	var cat *session.Catalogue
	if len(hosts) == 1 {
		if cat, err = hosts[0].Source.Catalogue(ctx); err != nil {
			return nil, fmt.Errorf("read the counters of %s: %w", hosts[0].Name, err)
		}
	}
	var list []string
	for _, pane := range session.DefaultAbreast(cat) {
		for _, text := range slices.Concat(pane.Paths, pane.Also) {
			if !slices.Contains(list, text) && (cat == nil || cat.Offers(text)) {
				list = append(list, text)
			}
		}
	}
	out := make([]inventory.Query, len(list))
	for i, text := range list {
		out[i] = inventory.NewQuery(text, "")
		out[i].Optional = true // nobody asked for it
	}
	return out, nil
}
