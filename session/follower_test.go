package session_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// followed is what a Follower said, as text: a word for each answer.
type followed struct {
	*rig
	*session.Follower

	items []*session.Item

	mu      sync.Mutex
	answers []string
	lacking []string
	refuses bool // answers are not taken
}

func (r *rig) follow(texts ...string) *followed {
	f := &followed{rig: r}
	f.Follower = session.Follow("host", r.sampler, questions(texts...), session.FollowOptions{
		Every: time.Second, Clock: r.clock, Go: func(do func()) { go do() }, Each: f.note,
		Report: func(err error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.lacking = append(f.lacking, err.Error())
		},
	})
	r.Cleanup(f.Close)
	return f
}

func questions(texts ...string) (out []session.Question) {
	for _, text := range texts {
		out = append(out, session.Question{Text: text})
	}
	return out
}

func (f *followed) note(a *session.Answer) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refuses {
		return false
	}
	var b strings.Builder
	switch {
	case a.Idle:
		b.WriteString("idle")
	case a.Err != nil:
		b.WriteString("failed")
	}
	if a.Fresh {
		f.items = nil
	}
	f.items = append(f.items, a.News...)
	for _, c := range a.Cells {
		it := f.items[c.Number]
		fmt.Fprintf(&b, "%s.%s=", it.Owner.Key.Name, it.Path.Counter)
		if v, ok := c.Value.Float(); ok {
			fmt.Fprintf(&b, "%.0f ", v)
		} else {
			b.WriteString(c.Value.Status().Word() + " ")
		}
	}
	f.answers = append(f.answers, strings.TrimSpace(b.String()))
	return true
}

// said are the answers since the last call.
func (f *followed) said(d time.Duration) string {
	f.clock.Advance(d)
	f.mu.Lock()
	defer f.mu.Unlock()
	all := strings.Join(f.answers, "; ")
	f.answers = nil
	return all
}

func (f *followed) want(what string, d time.Duration, want string) {
	f.Helper()
	if got := f.said(d); got != want {
		f.Errorf("%s: %q, want %q", what, got, want)
	}
}

// The first reading serves the rates of the second. Every item has a cell once, also
// where questions overlap, in the order of the questions.
func TestFollow(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		f := r.follow(`\Set(b)\rate`, `\Set(*)\*`)
		f.want("at first", 0, "")
		f.want("a beat", time.Second, "b.rate=300 a.rate=100 a.gauge=7 b.gauge=21")
		f.want("two beats", 2*time.Second, "b.rate=300 a.rate=100 a.gauge=7 b.gauge=21; b.rate=300 a.rate=100 a.gauge=7 b.gauge=21")
		if s := f.Silent(); s != nil {
			t.Errorf("never had a value: %v", s)
		}
	})
}

// More questions go on behind those that are there, and no interval is cut short.
func TestFollowMore(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		f := r.follow(`\Set(a)\gauge`)
		f.want("one", time.Second, "a.gauge=7")
		f.clock.Advance(300 * time.Millisecond)
		f.Extend(questions(`\Set(a)\gauge`, `\Set(*)\rate`, `\None\x`))
		f.want("before the beat", 0, "")
		f.want("more", time.Second, "a.gauge=7 a.rate=… b.rate=…")
		f.want("all", time.Second, "a.gauge=7 a.rate=100 b.rate=300")
		if len(f.lacking) != 1 || !strings.Contains(f.lacking[0], "None") {
			t.Errorf("told %q", f.lacking)
		}
	})
}

// What a host lacks is told, and nothing is asked; with another catalogue it is
// looked up anew, and what lacked before is not told again.
func TestFollowRenewed(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		cat := r.cat
		f := r.follow(`\Later\x`, `\Never\x`)
		f.want("nothing is there", time.Second, "idle")
		if len(f.lacking) != 2 || f.Silent() != nil {
			t.Errorf("told %q, silent %v", f.lacking, f.Silent())
		}
		r.sampler.Renew(&session.Catalogue{Host: "host", Sets: cat.Sets})
		f.want("nothing new", time.Second, "idle")
		if len(f.lacking) != 2 {
			t.Errorf("told again: %q", f.lacking)
		}
		f.Extend(questions(`\Later\x`, `\Never\x`, `\Set(a)\gauge`))
		f.want("something", 1500*time.Millisecond, "a.gauge=7")
		r.sampler.Renew(&session.Catalogue{Host: "host", Sets: cat.Sets})
		f.want("and again", time.Second, "a.gauge=7")
	})
}

// A host that fails says so each time, and goes on; why a question never had a value
// is the newest reason.
func TestFollowFails(t *testing.T) {
	down := fake.Fault{Window: during(0, 10*time.Second), Err: errors.New("no route")}
	onHost(t, plain(down), func(r *rig) {
		f := r.follow(`\Set(a)\gauge`, `\Set(z)\gauge`)
		if got := f.said(9 * time.Second); !strings.HasPrefix(got, "failed") {
			t.Errorf("%q", got)
		}
		if s := f.Silent(); len(s) != 2 || s[0].Status != cooker.Unavailable {
			t.Errorf("silent: %v", s)
		}
		f.said(30 * time.Second)
		f.want("it answers", time.Second, "a.gauge=7")
		if s := f.Silent(); len(s) != 1 || s[0].Path != `\Set(z)\gauge` || s[0].Status != cooker.Pending {
			t.Errorf("silent: %v", s)
		}
	})
	denied := fake.Fault{Window: during(0, time.Hour), Set: "Set", Err: session.ErrDenied}
	onHost(t, plain(denied), func(r *rig) {
		f := r.follow(`\Set(a)\gauge`)
		f.said(3 * time.Second)
		if s := f.Silent(); len(s) != 1 || s[0].Status != cooker.Denied {
			t.Errorf("silent: %v", s)
		}
	})
}

// What was new in an answer that nobody took is new again.
func TestFollowLost(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		f := r.follow(`\Set(a)\gauge`)
		f.refuses = true
		f.clock.Advance(2 * time.Second)
		f.refuses = false
		f.want("taken", time.Second, "a.gauge=7")
	})
}

// An instance that returns is another item; its number is not that of the one that
// went. Items of what is gone for good are forgotten.
func TestFollowInstances(t *testing.T) {
	script := plain()
	script.Sets[0].Rows = nil
	for i := range 9000 { // each there for a moment
		from := time.Duration(i/3) * time.Second
		script.Sets[0].Rows = append(script.Sets[0].Rows, fake.Row{Name: "p", Alive: during(from, from+1500*time.Millisecond)})
	}
	onHost(t, script, func(r *rig) {
		f := r.follow(`\Set(*)\gauge`)
		most := 0
		for range 2900 {
			f.said(time.Second)
			most = max(most, len(f.items))
		}
		if most < 4096 || most > 6000 {
			t.Errorf("%d items are known at most", most)
		}
	})
}

// A combined instance is meant by its name, and never mixed up with one of the host.
func TestFollowCombined(t *testing.T) {
	onHost(t, plain(), func(r *rig) {
		total := cooker.AggregateTotal
		f := r.follow(`\Set(a)\gauge`)
		f.Extend([]session.Question{{Text: `\Set(a)\gauge`}, {Text: `\Set(*)\gauge`, Combine: &session.Combine{Name: "a", Func: &total}}})
		f.want("both", 2*time.Second, "a.gauge=7 a.gauge=28; a.gauge=7 a.gauge=28")
	})
}

// A counterset that answers and has no instances, as that of thermal zones on most virtual
// machines, does not wait for anything.
func TestSilentForLackOfInstances(t *testing.T) {
	script := plain()
	none := fake.Set{Name: "None", Instances: session.MultipleInstances, Counters: []fake.Counter{{Name: "gauge", Type: cooker.CounterRawCount}}}
	script.Sets = append(script.Sets, none)
	onHost(t, script, func(r *rig) {
		f := r.follow(`\None(*)\gauge`, `\Set(nobody)\gauge`)
		f.want("two beats", 2*time.Second, "; ")
		s := f.Silent()
		if len(s) != 2 || s[0].Empty == "" || s[1].Empty != "" {
			t.Errorf("%+v", s)
		}
	})
}
