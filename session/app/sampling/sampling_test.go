package sampling

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/recording/collector"
)

// Of many hosts that lack samples the worst are named.
func TestMisses(t *testing.T) {
	for _, c := range []struct {
		misses []collector.Miss
		want   string
	}{
		{nil, ""},
		{[]collector.Miss{{Host: "sql04", Samples: 50}}, ": sql04"},
		{[]collector.Miss{{Host: "a", Samples: 1}, {Host: "b\x1b", Samples: 9}}, ": b? (9), a (1)"},
		{[]collector.Miss{{Host: "a", Samples: 1}, {Host: "b", Samples: 1}, {Host: "c", Samples: 1}, {Host: "d", Samples: 1}, {Host: "e", Samples: 1}, {Host: "f", Samples: 1}, {Host: "g", Samples: 1}},
			": a (1), b (1), c (1), d (1), e (1), 2 more"},
	} {
		if got := Misses(collector.Status{Misses: c.misses}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// known opens hosts but those of some names, and remembers as whom.
type known struct {
	not []string
	as  map[string]*logon.Account
}

var errClosed = errors.New("it cannot be opened")

func (k *known) OpenAs(name string, as *logon.Account, _ inventory.Mode) (inventory.Host, error) {
	if slices.Contains(k.not, name) {
		return inventory.Host{}, errClosed
	}
	k.as[name] = as
	demo := fake.Demo(session.NewSystemClock())
	return inventory.Host{Name: name, Open: name, Source: demo[0].Source}, nil
}

type typed struct{ account *logon.Account }

func (t typed) Named(_ context.Context, name string) (*logon.Account, error) {
	if name != "ana" {
		return nil, errClosed
	}
	return t.account, nil
}

// Hosts of a recording are opened as they were named and as whom the user typed, without those that
// cannot be, where that is allowed.
func TestReopen(t *testing.T) {
	nobody, ana := func() string { return "" }, func() string { return "ana" }
	hosts := []collector.Host{{Name: "a", Open: "ssh://a", Account: ana}, {Name: "b", Account: nobody}, {Name: "c", Account: func() string { return "bob" }}}
	as := new(logon.Account)
	for _, c := range []struct {
		not    []string
		hosts  []collector.Host
		leaves bool
		want   []string // nil: an error
		left   int
	}{
		{nil, hosts[:2], false, []string{"ssh://a", "b"}, 0},
		{[]string{"b"}, hosts, true, []string{"ssh://a"}, 2},
		{[]string{"b"}, hosts[:2], false, nil, 0},
		{nil, hosts, false, nil, 0},
		{[]string{"ssh://a", "b"}, hosts[:2], true, nil, 2},
	} {
		k, told := &known{c.not, map[string]*logon.Account{}}, 0
		var left func(error)
		if c.leaves {
			left = func(error) { told++ }
		}
		opened, found, err := Reopen(t.Context(), k, typed{as}, c.hosts, left)
		var names []string
		for _, h := range opened {
			names = append(names, h.Name)
		}
		if (err == nil) != (c.want != nil) || !slices.Equal(names, c.want) || told != c.left || err == nil && len(found) != len(opened) {
			t.Errorf("%+v: %q, %d told, %v", c, names, told, err)
		}
		if err == nil && (k.as["ssh://a"] != as || k.as["b"] != nil) {
			t.Errorf("opened as %+v", k.as)
		}
	}
}

// The first sample comes at a time of day, today or tomorrow.
// The next time that clocks show: the second of the night as well, and when they pass over it.
func TestUntilFirstWhereClocksChange(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		t.Skip(err)
	}
	for now, want := range map[string]time.Duration{
		"2026-10-25T01:10:00Z": 20 * time.Minute, // 01:30 is over once, and comes again
		"2026-10-25T00:10:00Z": 20 * time.Minute,
		"2026-03-28T12:00:00Z": 13 * time.Hour, // at 02:00, which follows 01:00
		"2026-10-24T12:00:00Z": 12*time.Hour + 30*time.Minute,
	} {
		at, _ := time.Parse(time.RFC3339, now)
		if got, err := UntilFirst("01:30", at.In(zone), 0); err != nil || got != want {
			t.Errorf("01:30 is in %v from %s, want %v (%v)", got, now, want, err)
		}
	}
}

func TestUntilFirst(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for clock, want := range map[string]time.Duration{
		"":         0,
		"12:00":    0,
		"12:01":    time.Minute - time.Second,
		"12:00:30": 29 * time.Second,
		"11:59":    24*time.Hour - time.Minute - time.Second,
	} {
		if got, err := UntilFirst(clock, now, time.Second); err != nil || got != want {
			t.Errorf("%q: %v (%v), want %v", clock, got, err, want)
		}
	}
	for _, clock := range []string{"24:00", "7", "noon", "12:60", "12:00:00:00"} {
		if _, err := UntilFirst(clock, now, time.Second); err == nil {
			t.Errorf("%q is taken for a time", clock)
		}
	}
}
