// Package sampling records what queries ask of hosts, onto streams and into files, and says what came
// of it; and makes recordings of what a [[record]] of the config or a command line says: which files, by
// which names, and until when.
package sampling

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/recording/collector"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
)

// Host is a host as recordings have it.
func Host(h inventory.Host) collector.Host {
	return collector.Host{Name: h.Name, Sampler: h.Sampler, Open: h.Open, Account: h.Account(), Identity: h.Identity, Aside: h.Aside}
}

// Hosts are the hosts with the paths that are meant for them.
func Hosts(hosts []inventory.Host, queries []inventory.Query) (out []collector.Host) {
	for _, h := range hosts {
		one := Host(h)
		for _, q := range queries {
			if q.IsFor(&h) {
				one.Paths, one.Questions = append(one.Paths, q.Text), append(one.Questions, q.Question)
			}
		}
		out = append(out, one)
	}
	return out
}

// Opener opens hosts by their names, as somebody; nil: as the usual one.
type Opener interface {
	OpenAs(name string, as *logon.Account, m inventory.Mode) (inventory.Host, error)
}

// Accounts are those that the user typed.
type Accounts interface {
	Named(ctx context.Context, name string) (*logon.Account, error)
}

// Reopen opens the hosts of a recording as its command line named them, and as whom the user typed.
// Those that cannot be opened are left out, as left is told; nil: none may be. found are those of
// hosts that were opened.
func Reopen(ctx context.Context, known Opener, accounts Accounts, hosts []collector.Host, left func(error)) (opened []inventory.Host, found []collector.Host, err error) {
	var failed error
	for _, one := range hosts {
		h, err := reopen(ctx, known, accounts, one)
		if err != nil {
			failed = fmt.Errorf("resume a recording: %w", err)
			if left == nil {
				inventory.CloseAll(opened)
				return nil, hosts, failed
			}
			left(failed)
			continue
		}
		one.Sampler, one.Account, one.Identity = h.Sampler, h.Account(), h.Identity
		opened, found = append(opened, h), append(found, one)
	}
	if len(opened) == 0 {
		return nil, hosts, failed
	}
	return opened, found, nil
}

func reopen(ctx context.Context, known Opener, accounts Accounts, one collector.Host) (inventory.Host, error) {
	var as *logon.Account
	if name := one.Account(); name != "" {
		var err error
		if as, err = accounts.Named(ctx, name); err != nil {
			return inventory.Host{}, err
		}
	}
	return known.OpenAs(cmp.Or(one.Open, one.Name), as, inventory.Mode{Kept: true})
}

// UntilFirst is how long to wait until the first of two collections, so that
// the first sample is printed at the time of day that was asked for.
func UntilFirst(clock string, now time.Time, every time.Duration) (time.Duration, error) {
	if clock == "" {
		return 0, nil
	}
	at, err := time.Parse("15:04:05", clock)
	if err != nil {
		at, err = time.Parse("15:04", clock)
	}
	if err != nil {
		return 0, failure.Usage(fmt.Errorf("--begin-at %q: not a time of day", clock), "write HH:MM or HH:MM:SS, as 07:30")
	}
	for d := 0; ; d++ {
		all, behind := session.Shown(time.Date(now.Year(), now.Month(), now.Day()+d, at.Hour(), at.Minute(), at.Second(), 0, time.UTC), now.Location())
		for _, begin := range append(all, behind) {
			if !begin.Before(now) {
				return max(0, begin.Sub(now)-every), nil
			}
		}
	}
}

// Pour records hosts whose samplers run onto a stream, until count rows are there or
// the context ends. begin is called when it is known that there is something; it may
// be nil. partly tells that not all that was asked for is there; r is nil where
// nothing was begun.
func Pour(ctx context.Context, hosts []inventory.Host, queries []inventory.Query, o collector.Options, begin func() error) (r *collector.Recording, partly bool, err error) {
	if partly, err = inventory.LookUp(ctx, hosts, queries, paths.Options{ShowHidden: o.ShowHidden}, false, o.Report); err != nil {
		return nil, false, err
	}
	if begin != nil {
		if err := begin(); err != nil {
			return nil, false, err
		}
	}
	o.Hosts = Hosts(hosts, queries)
	if r, err = collector.Start(o); err != nil {
		return nil, false, err
	}
	select {
	case <-r.Done():
	case <-ctx.Done():
		_ = r.Stop(context.WithoutCancel(ctx), "")
	}
	return r, partly || r.LeftOut(), r.Status().Err
}

// Silent are the queries that never had a value on their hosts. Of an only host they
// are told without it.
func Silent(r *collector.Recording, hosts []inventory.Host) []session.Silence {
	out := r.Silent()
	for i := range out {
		if len(hosts) == 1 {
			out[i].Host = ""
		}
	}
	return out
}

// Worst are the hosts that lack samples, those that lack most first.
func Worst(s collector.Status) []collector.Miss {
	misses := slices.Clone(s.Misses)
	slices.SortStableFunc(misses, func(a, b collector.Miss) int { return cmp.Compare(b.Samples, a.Samples) })
	return misses
}

// MostNamed is how many hosts are named at most.
const MostNamed = 5

// Misses are the hosts that lack samples, in words behind how many lack; empty: none.
func Misses(s collector.Status) string {
	misses := slices.DeleteFunc(Worst(s), func(m collector.Miss) bool { return m.Samples == 0 })
	var names []string
	for i, m := range misses {
		if i == MostNamed {
			names = append(names, fmt.Sprintf("%d more", len(misses)-i))
			break
		}
		name := printable.Text(m.Host)
		if len(misses) > 1 {
			name += fmt.Sprintf(" (%d)", m.Samples)
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	return ": " + strings.Join(names, ", ")
}
