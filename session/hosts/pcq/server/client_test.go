package server

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/pcq"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/smbtest"
)

// Our client sees a manifest's countersets as they were meant: names, types,
// companions and cooked values.
func TestOwnClient(t *testing.T) {
	clock := clocktest.New(time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC), func() {})
	played := NewManifestSource("every", clock, everyType(t))
	port, _ := serve(t, played, nil)
	client := clientOf(port)
	defer client.Close()
	cat, err := client.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q, err := client.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	var wants []session.Want
	for _, meant := range played.catalogue.Sets {
		set := cat.Set(meant.Name)
		if set == nil || set.GUID != meant.GUID || len(set.Counters) != len(meant.Counters) {
			t.Fatalf("%s is not as it was meant: %+v", meant.Name, set)
		}
		w := session.Want{Set: set}
		for c := range set.Counters {
			w.Counters = append(w.Counters, c)
		}
		wants = append(wants, w)
	}
	if err := q.Select(t.Context(), wants); err != nil {
		t.Fatal(err)
	}
	var old, now session.Batch
	for _, b := range []*session.Batch{&old, &now} {
		if err := q.Collect(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		clock.Advance(time.Second)
	}
	if len(now.Sets) != 3 {
		t.Errorf("%d sets", len(now.Sets))
	}
	for i := range now.Sets {
		checkCookedByClient(t, &old.Sets[i], &now.Sets[i])
	}
}

func clientOf(port int) *pcq.Source {
	return pcq.New(pcq.Options{
		Reach: pcq.Reach{
			Host: "127.0.0.1",
			Dial: func(ctx context.Context) (pcq.Conn, error) {
				return rpc.Dial(ctx, rpc.Options{Address: rpc.Address{Host: "127.0.0.1", Port: port}, Account: rpc.Account{User: testUser, Password: smbtest.FixedPassword(testPassword)}, Calls: rpc.Calls{CallTimeout: 10 * time.Second}})
			},
		},
	})
}

// Texts in both forms go over the wire as the source has them, beside numbers, and
// those that a row has not are absent.
func TestTextsOverTheWire(t *testing.T) {
	says := func(in *session.Instance, _ time.Duration) string {
		return map[string]string{"a": "läuft \U0001F600", "b": "", "c": strings.Repeat("long ", 1000)}[in.Key.Name]
	}
	set := fake.Set{Name: "State", GUID: "{5a1c3f02-52a4-4d0e-9a61-0e2f7c3b9a11}", Instances: session.MultipleInstances,
		Counters: []fake.Counter{
			{Name: "Unicode", Type: cooker.CounterText, Text: says}, {Name: "Number", Type: cooker.CounterRawCount, Is: fake.Const(7)},
			{Name: "ASCII", Type: cooker.CounterText | 0x10000, Text: says}, {Name: "Not there", Type: cooker.CounterText},
		}, Rows: []fake.Row{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	faults := []fake.Fault{{Set: "State", Counter: "Not there", State: cooker.Unavailable}}
	port, _ := serve(t, fake.New(fake.Script{Name: "h", Sets: []fake.Set{set}, Faults: faults}, clocktest.New(time.Now(), func() {})), nil)
	client := clientOf(port)
	defer client.Close()
	cat, err := client.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q, err := client.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	long := strings.Repeat("long ", 1000)[:cooker.MaxText-1] + "…"
	ascii := strings.ReplaceAll(long, "…", "?")
	want := []string{"läuft \U0001F600 OK", "7 OK", "l?uft ? OK", "UNAVAILABLE", "OK", "7 OK", "OK", "UNAVAILABLE", long + " OK", "7 OK", ascii + " OK", "UNAVAILABLE"}
	for _, counters := range [][]int{{0, 1, 2, 3}, {3}} { // all by one identifier, and one by its own
		if err := q.Select(t.Context(), []session.Want{{Set: cat.Set("State"), Counters: counters}}); err != nil {
			t.Fatal(err)
		}
		var batch session.Batch
		for range 2 {
			if err := q.Collect(t.Context(), &batch); err != nil {
				t.Fatal(err)
			}
		}
		b := &batch.Sets[0]
		if b.Err != nil || len(b.Instances) != 3 {
			t.Fatalf("%d instances, %v", len(b.Instances), b.Err)
		}
		for i := range b.Readings {
			c := counters[i%len(counters)]
			got := cooker.Cook(b.Set.Counters[c].Type, nil, &b.Readings[i], nil, &b.Clocks, &cooker.Options{Texts: b.Texts}).String()
			if row := i / len(counters); got != want[4*row+c] {
				t.Errorf("row %d, counter %d: %q, want %q", row, c, got, want[4*row+c])
			}
		}
	}
}

// checkText holds a text to those that manifests play.
func checkText(t *testing.T, b *session.SetBatch, row, col int) {
	t.Helper()
	c := &b.Set.Counters[b.Counters[col]]
	v := cooker.Cook(c.Type, nil, &b.Row(row)[col], nil, &b.Clocks, &cooker.Options{Texts: b.Texts})
	text, ok := v.Text()
	if !ok || !slices.Contains(states, cooker.MakeText(text)) {
		t.Errorf("%s, counter %d: %v", b.Set.Name, c.ID, v)
	}
}

func checkCookedByClient(t *testing.T, old, now *session.SetBatch) {
	t.Helper()
	if now.Err != nil || len(now.Instances) != len(old.Instances) || len(now.Instances) == 0 {
		t.Fatalf("%s: %d instances, then %d, %v", now.Set.Name, len(old.Instances), len(now.Instances), now.Err)
	}
	for row := range now.Instances {
		for col, index := range now.Counters {
			c := &now.Set.Counters[index]
			if !c.Type.Displayable() {
				continue
			}
			if c.Type.IsText() {
				checkText(t, now, row, col)
				continue
			}
			v := cooker.Cook(c.Type, &old.Row(row)[col], &now.Row(row)[col], &old.Clocks, &now.Clocks, nil)
			if got, ok := v.Float(); !ok || !plausible(c.Type, got) {
				t.Errorf("%s %v, counter %d, %v: %v from %+v", now.Set.Name, now.Instances[row].Key, c.ID, c.Type, v, now.Row(row)[col])
			}
		}
	}
}

// Our client asks for all instances of an aggregate set and makes one of them, over
// the wire as beside it.
func TestOwnClientAggregates(t *testing.T) {
	source := newCrowd(true)
	source.byItself = turns
	port, _ := serve(t, source, nil)
	client := pcq.New(pcq.Options{
		Reach: pcq.Reach{
			Host: "127.0.0.1",
			Dial: func(ctx context.Context) (pcq.Conn, error) {
				return rpc.Dial(ctx, rpc.Options{Address: rpc.Address{Host: "127.0.0.1", Port: port}, Account: rpc.Account{User: testUser, Password: smbtest.FixedPassword(testPassword)}, Calls: rpc.Calls{CallTimeout: 10 * time.Second}})
			},
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sampler := session.NewSampler("crowd", client, new(stepClock))
	done := make(chan struct{})
	go func() { defer close(done); sampler.Run(ctx) }()
	<-sampler.Known()
	var asks []session.Ask
	for _, set := range sampler.Catalogue().Sets {
		found, err := sampler.Catalogue().Resolve(`\`+set.Name+`\*`, paths.Options{})
		if err != nil || len(found) != 1 || !set.Instances.IsWhole() {
			t.Fatalf("%s: %v, %v", set.Name, found, err)
		}
		asks = append(asks, found[0].Ask())
	}
	n, compared := 0, 0
	ended := map[[3]any]cooker.Value{}
	feed := sampler.Feed(session.FeedOptions{Every: time.Second, Each: func(s *session.Snapshot) {
		if n++; n == len(turns)+1 {
			cancel()
		}
		for _, v := range s.Sets {
			if v.Err != nil {
				t.Error(v.Err)
			}
			compared += checkAggregate(t, v, ended)
		}
	}})
	feed.Ask(asks)
	<-done
	if compared < len(turns)*len(asks)*10 {
		t.Errorf("%d values in %d samples", compared, n)
	}
}

// checkAggregate compares the row that is made with the others, and counts.
func checkAggregate(t *testing.T, v *session.SetView, ended map[[3]any]cooker.Value) (compared int) {
	made := v.Find(session.InstanceKey{Name: cooker.AggregateInstance}, -1)
	if made < 0 || v.Rows[made].Flags&session.FlagCombined == 0 {
		t.Errorf("%s: no aggregate in %+v", v.Set.Name, v.Rows)
		return 0
	}
	history := v.Set.Instances == session.GlobalAggregateHistory
	for col, c := range v.Counters {
		a := cooker.Aggregator{Func: v.Set.Counters[c].Aggregate}
		here := map[string]bool{}
		for row := range v.Rows {
			if in := &v.Rows[row]; !in.Gone && cooker.InAggregate(in.Key.Name) {
				a.Add(v.Value(row, col))
				here[in.Key.Name] = true
			}
		}
		for key, last := range ended {
			if key[0] == v.Set && key[1] == c && !here[key[2].(string)] && history {
				a.Add(v.Set.Counters[c].Type.Ended(last))
			}
		}
		for row := range v.Rows {
			if in := &v.Rows[row]; here[in.Key.Name] {
				if last := v.Value(row, col); last.Valid() {
					ended[[3]any{v.Set, c, in.Key.Name}] = last
				} else {
					delete(ended, [3]any{v.Set, c, in.Key.Name})
				}
			}
		}
		want, ok := a.Value().Float()
		got, valid := v.Value(made, col).Float()
		if ok != valid || math.Abs(got-want) > math.Abs(want)/1e9 {
			t.Errorf("%s, %v: %v, want %v", v.Set.Name, v.Set.Counters[c].Type, v.Value(made, col), a.Value())
		}
		if ok {
			compared++
		}
	}
	return compared
}

// stepClock jumps to the end of every wait.
type stepClock struct {
	mu    sync.Mutex
	since time.Duration
}

func (c *stepClock) Now() session.Instant {
	c.mu.Lock()
	defer c.mu.Unlock()
	return session.Instant{Wall: time.Unix(1_700_000_000, 0).Add(c.since), Mono: c.since}
}

func (c *stepClock) Timer(d time.Duration) (<-chan time.Time, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since += d
	over := make(chan time.Time, 1)
	over <- time.Time{}
	return over, func() {}
}
