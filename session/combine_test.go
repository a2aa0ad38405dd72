package session_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// listSource serves one counterset whose instances and values a test sets.
type listSource struct {
	set    *session.Counterset
	values map[string]uint64
	order  []string
	flags  session.InstanceFlags // of all
}

func (s *listSource) Catalogue(context.Context) (*session.Catalogue, error) {
	return &session.Catalogue{Host: "h", Sets: []*session.Counterset{s.set}}, nil
}
func (s *listSource) Open(context.Context) (session.Query, error) {
	return &listQuery{listSource: s}, nil
}
func (s *listSource) Close() error { return nil }

type listQuery struct {
	*listSource
	wants []session.Want
}

func (q *listQuery) Select(_ context.Context, wants []session.Want) error {
	q.wants = wants
	return nil
}

func (q *listQuery) Collect(_ context.Context, b *session.Batch) error {
	b.Time = time.Unix(1, 0)
	b.Fit(q.wants)
	for i := range q.wants {
		set := &b.Sets[i]
		for _, name := range q.order {
			v, ok := q.values[name]
			if !ok {
				continue
			}
			set.Instances = append(set.Instances, session.Instance{Key: session.InstanceKey{Name: name}, Flags: q.flags})
			if name == "lo" || name == "bridge" || name == "kernel" {
				last := &set.Instances[len(set.Instances)-1]
				last.Flags |= session.FlagBackground
				if name == "kernel" {
					last.Number = 7 // a process
				}
			}
			for range set.Counters {
				set.Readings = append(set.Readings, cooker.Reading{Raw: v})
			}
		}
	}
	return nil
}

// combined samples once after each change and returns the value of the row
// named name.
func combined(t *testing.T, kind session.InstanceType, f cooker.AggregateFunc, ask session.Ask, name string, steps ...map[string]uint64) (out []cooker.Value, vanished []int) {
	t.Helper()
	set := &session.Counterset{Name: "S", Instances: kind, Counters: []session.Counter{
		{ID: 1, Name: "C", Type: cooker.CounterRawCount, Aggregate: f},
	}}
	src := &listSource{set: set, order: []string{"a", "b", "c", "_Total", "lo", "bridge", "kernel", "total of a|b"}}
	ask.Set, ask.Counters = set, []int{0}
	clock := &stepClock{}
	sampler := session.NewSampler("h", src, clock)
	step := 0
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	feed := sampler.Feed(session.FeedOptions{Every: time.Second, History: time.Minute, Each: func(s *session.Snapshot) {
		v := s.Set(set)
		value, gone := cooker.Absent(cooker.Gone), -1
		if row := v.Find(session.InstanceKey{Name: name}, -1); row >= 0 {
			value, gone = v.Value(row, 0), v.Rows[row].Vanished
		}
		out, vanished = append(out, value), append(vanished, gone)
		if step++; step == len(steps) {
			cancel()
			return
		}
		src.values = steps[step]
	}})
	src.values = steps[0]
	feed.Ask([]session.Ask{ask})
	sampler.Run(ctx)
	return out, vanished
}

// stepClock jumps to the end of every wait.
type stepClock struct{ now time.Duration }

func (c *stepClock) Now() session.Instant {
	return session.Instant{Wall: time.Unix(1000, 0).Add(c.now), Mono: c.now}
}

func (c *stepClock) Timer(d time.Duration) (<-chan time.Time, func()) {
	c.now += d
	ch := make(chan time.Time, 1)
	ch <- time.Time{}
	return ch, func() {}
}

func TestGlobalAggregate(t *testing.T) {
	for f, want := range map[cooker.AggregateFunc]cooker.Value{
		cooker.AggregateTotal:   cooker.WholeValue(9),
		cooker.AggregateAverage: cooker.FloatValue(3),
		cooker.AggregateMin:     cooker.WholeValue(1),
		cooker.AggregateMax:     cooker.WholeValue(5),
		cooker.AggregateNone:    cooker.Absent(cooker.Unavailable),
	} {
		got, _ := combined(t, session.GlobalAggregate, f, session.Ask{}, "_Aggregate",
			map[string]uint64{"a": 1, "b": 3, "c": 5, "_Total": 100})
		if got[0] != want {
			t.Errorf("%v: %v, want %v", f, got[0], want)
		}
	}
}

func TestMultipleAggregateTakesWhatIsNamed(t *testing.T) {
	maximum := cooker.AggregateMax
	ask := session.Ask{Combine: []session.Combine{{
		Name: "pair", Func: &maximum,
		Match: func(in *session.Instance) bool { return in.Key.Name != "c" },
	}}}
	got, _ := combined(t, session.MultipleAggregate, cooker.AggregateTotal, ask, "pair",
		map[string]uint64{"a": 1, "b": 3, "c": 5})
	if got[0] != cooker.WholeValue(3) {
		t.Errorf("got %v", got[0])
	}
	got, _ = combined(t, session.MultipleAggregate, cooker.AggregateTotal, session.Ask{}, "_Aggregate",
		map[string]uint64{"a": 1})
	if got[0].Status() != cooker.Gone {
		t.Errorf("an aggregate that nobody named: %v", got[0])
	}
}

func TestHistoryKeepsVanished(t *testing.T) {
	got, vanished := combined(t, session.GlobalAggregateHistory, cooker.AggregateTotal, session.Ask{}, "_Aggregate",
		map[string]uint64{"a": 1, "b": 3},
		map[string]uint64{"a": 2},
		map[string]uint64{"a": 2, "b": 10},
	)
	want := []uint64{4, 5, 12}
	for i, w := range want {
		if got[i] != cooker.WholeValue(w) {
			t.Errorf("sample %d: %v, want %d", i, got[i], w)
		}
	}
	if vanished[0] != 0 || vanished[1] != 1 || vanished[2] != 0 {
		t.Errorf("vanished %v", vanished)
	}
}

// What ended goes on with the count that it had: a rate made of it is none. It is kept
// when other counters are asked for.
func TestHistoryOfRates(t *testing.T) {
	for kind, want := range map[cooker.CounterType][]float64{
		cooker.CounterRawCount: {30, 60, 90, 150},
		cooker.CounterDelta:    {0, 30, 30, 60},
	} {
		set := &session.Counterset{Name: "S", Instances: session.GlobalAggregateHistory, Counters: []session.Counter{
			{ID: 1, Name: "C", Type: kind, Aggregate: cooker.AggregateTotal}, {ID: 2, Name: "D", Type: kind, Aggregate: cooker.AggregateTotal},
		}}
		steps := []map[string]uint64{{"a": 10, "b": 20}, {"a": 20, "b": 40}, {"b": 70}, {"b": 130}}
		src := &listSource{set: set, order: []string{"a", "b"}, values: steps[0]}
		sampler := session.NewSampler("h", src, &stepClock{})
		ctx, cancel := context.WithCancel(t.Context())
		var got []float64
		var feed *session.Feed
		feed = sampler.Feed(session.FeedOptions{Every: time.Second, Each: func(s *session.Snapshot) {
			v := s.Set(set)
			row := v.Find(session.InstanceKey{Name: "_Aggregate"}, -1)
			f, _ := v.Value(row, v.Column(0)).Float()
			if got = append(got, f); len(got) == len(steps) {
				cancel()
				return
			}
			if len(got) == 2 { // other columns: what ended is kept
				feed.Ask([]session.Ask{{Set: set, Counters: []int{0}}})
			}
			src.values = steps[len(got)]
		}})
		feed.Ask([]session.Ask{{Set: set, Counters: []int{0, 1}}})
		sampler.Run(ctx)
		if !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", kind, got, want)
		}
	}
}

// A path without an instance means the aggregate where all instances are one; where
// they are not, there is none.
func TestPathWithoutInstance(t *testing.T) {
	for kind, whole := range map[session.InstanceType]bool{
		session.GlobalAggregate: true, session.GlobalAggregateHistory: true, session.MultipleAggregate: false, session.MultipleInstances: false,
	} {
		set := &session.Counterset{Name: "S", Instances: kind, Counters: []session.Counter{{ID: 1, Name: "C", Type: cooker.CounterRawCount}}}
		cat := &session.Catalogue{Sets: []*session.Counterset{set}}
		found, err := cat.Resolve(`\S\C`, paths.Options{})
		if whole != (err == nil) || whole && (len(found) != 1 || found[0].Combine == nil || found[0].Combine.Name != "_Aggregate" || found[0].IsWild()) {
			t.Errorf("%#x: %+v, %v", uint32(kind), found, err)
		}
		if !whole {
			continue
		}
		for flags, want := range map[session.InstanceFlags]bool{session.FlagTotal | session.FlagCombined: true, session.FlagTotal | session.FlagTogether: true} {
			if got := found[0].Matches(&session.Instance{Key: session.InstanceKey{Name: "_Aggregate"}, Flags: flags}); got != want {
				t.Errorf("%#x, flags %v: %v", uint32(kind), flags, got)
			}
		}
		if found[0].Matches(&session.Instance{Key: session.InstanceKey{Name: "a"}}) {
			t.Error("it means an instance")
		}
	}
}

// What a host gives of all instances without naming them stays what it is.
func TestInstancesTogether(t *testing.T) {
	set := &session.Counterset{Name: "S", Instances: session.GlobalAggregate, Counters: []session.Counter{{ID: 1, Name: "C", Type: cooker.CounterRawCount}}}
	src := &listSource{set: set, order: []string{"_Aggregate"}, values: map[string]uint64{"_Aggregate": 7}, flags: session.FlagTotal | session.FlagTogether}
	sampler := session.NewSampler("h", src, &stepClock{})
	ctx, cancel := context.WithCancel(t.Context())
	feed := sampler.Feed(session.FeedOptions{Every: time.Second, Each: func(s *session.Snapshot) {
		defer cancel()
		v := s.Set(set)
		if len(v.Rows) != 1 || v.Rows[0].Flags&session.FlagTogether == 0 || v.Value(0, 0) != cooker.WholeValue(7) {
			t.Errorf("%+v %v", v.Rows, v.Values)
		}
	}})
	feed.Ask([]session.Ask{{Set: set, Counters: []int{0}}})
	sampler.Run(ctx)
}

func TestAggregateIsFoundByNameOnly(t *testing.T) {
	set := &session.Counterset{Name: "S", Instances: session.GlobalAggregate, Counters: []session.Counter{
		{ID: 1, Name: "C", Type: cooker.CounterRawCount},
	}}
	cat := &session.Catalogue{Sets: []*session.Counterset{set}}
	in := &session.Instance{Key: session.InstanceKey{Name: "_Aggregate"}, Flags: session.FlagTotal | session.FlagCombined}
	for path, want := range map[string]bool{`\S(*)\C`: false, `\S(_*)\C`: false, `\S(_Aggregate)\C`: true} {
		sel, err := cat.Resolve(path, paths.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := sel[0].Matches(in); got != want {
			t.Errorf("%s matches the aggregate: %v", path, got)
		}
	}
}

// TestWrapOrRestart tells a wrap at 2^32 from a restart by what the window knew.
func TestWrapOrRestart(t *testing.T) {
	set := &session.Counterset{Name: "S", Instances: session.MultipleInstances, Counters: []session.Counter{
		{ID: 1, Name: "C", Type: cooker.CounterCounter},
	}}
	const top = 1 << 32
	for name, c := range map[string]struct {
		raws []uint64
		want cooker.Status
	}{
		"wrap":    {[]uint64{top - 3000, top - 2000, top - 1000, 500}, cooker.OKWrap},
		"restart": {[]uint64{top - 3000000000, top - 2999999999, top - 2999999998, 500}, cooker.NegativeValue},
	} {
		src := &wrapSource{listSource: listSource{set: set}, raws: c.raws}
		var last cooker.Value
		ctx, cancel := context.WithCancel(context.Background())
		sampler := session.NewSampler("h", src, &stepClock{})
		feed := sampler.Feed(session.FeedOptions{Every: time.Second, History: time.Minute, Each: func(s *session.Snapshot) {
			if last = s.Set(set).Value(0, 0); len(src.raws) == 0 {
				cancel()
			}
		}})
		feed.Ask([]session.Ask{{Set: set, Counters: []int{0}, Keep: []session.Keep{{
			Counters: []int{0}, Match: func(*session.Instance) bool { return true },
		}}}})
		sampler.Run(ctx)
		cancel()
		if last.Status() != c.want {
			t.Errorf("%s: %v, want %v", name, last.Status(), c.want)
		}
	}
}

// wrapSource gives one 32-bit raw value after the other, a second apart.
type wrapSource struct {
	listSource
	raws []uint64
	time uint64
}

func (s *wrapSource) Open(context.Context) (session.Query, error) { return &wrapQuery{s, nil}, nil }

type wrapQuery struct {
	*wrapSource
	wants []session.Want
}

func (q *wrapQuery) Select(_ context.Context, wants []session.Want) error {
	q.wants = wants
	return nil
}

func (q *wrapQuery) Collect(_ context.Context, b *session.Batch) error {
	b.Time = time.Unix(1, 0)
	b.Fit(q.wants)
	q.time += 1e9
	b.Sets[0].Clocks = cooker.Clocks{PerfTime: q.time, PerfFreqHz: 1e9}
	b.Sets[0].Instances = []session.Instance{{Key: session.InstanceKey{Name: "a"}}}
	b.Sets[0].Readings = []cooker.Reading{{Raw: q.raws[0], Size: 4}}
	q.raws = q.raws[1:]
	return nil
}

// TestTotalOfAll holds that the total of all leaves out what counts again what others
// count, unless there is nothing else or a name asks for it.
func TestTotalOfAll(t *testing.T) {
	for name, c := range map[string]struct {
		of     string
		values map[string]uint64
		want   uint64
	}{
		"bridges":        {"total of *", map[string]uint64{"a": 1, "b": 3, "lo": 100, "bridge": 4, "_Total": 100}, 4},
		"in a container": {"total of *", map[string]uint64{"lo": 100, "bridge": 4}, 104},
		"kernel threads": {"total of *", map[string]uint64{"a": 1, "kernel": 3}, 4},
		"recorded":       {"total of *", map[string]uint64{"a": 1, "total of a|b": 50}, 1},
		"asked for":      {"total of a|lo", map[string]uint64{"a": 1, "lo": 100}, 101},
	} {
		all, ok := session.CombineNamed(c.of)
		if !ok {
			t.Fatal(c.of)
		}
		got, _ := combined(t, session.MultipleInstances, cooker.AggregateNone, session.Ask{Combine: []session.Combine{all}}, c.of, c.values)
		if got[0] != cooker.WholeValue(c.want) {
			t.Errorf("%s: %v, want %d", name, got[0], c.want)
		}
	}
}

// A combination goes through the text of a path, whatever its instances are called.
func TestCombinationInPaths(t *testing.T) {
	set := &session.Counterset{Name: "Process", Instances: session.MultipleInstances, Counters: []session.Counter{
		{ID: 1, Name: "Threads", Type: cooker.CounterRawCount}, {ID: 2, Name: "Handles", Type: cooker.CounterRawCount, Aggregate: cooker.AggregateMax},
	}}
	cat := &session.Catalogue{Sets: []*session.Counterset{set}}
	in := func(parent, name string, index uint32) session.Instance {
		return session.Instance{Key: session.InstanceKey{Parent: parent, Name: name}, Index: index}
	}
	all := []session.Instance{
		in("", "w3wp", 0), in("", "w3wp", 1), in("sqlservr", "0", 0), in("", "a|b", 0), in("", "x (1)", 0), in("", "C:\\pagefile.sys", 0), in("", "0,1", 0),
		in("", "idle of all", 0), in("", "total of", 0), in("", "*", 0),
	}
	other := []session.Instance{in("", "W3WP", 2), in("", "0", 0), in("", "c", 0), in("sqlservr", "1", 0)}
	members := all[:len(all)-1] // a star means anything
	for _, f := range []cooker.AggregateFunc{cooker.AggregateNone, cooker.AggregateTotal, cooker.AggregateAverage, cooker.AggregateMin, cooker.AggregateMax} {
		name := session.CombinationName(f, members)
		made := session.Instance{Key: session.InstanceKey{Name: name}, Flags: session.FlagTotal | session.FlagCombined}
		text := session.PathOf("", set, 0, &made).String()
		found, err := cat.Resolve(text, paths.Options{})
		if err != nil || len(found) != 1 || found[0].Combine == nil || found[0].Combine.Name != name || found[0].IsWild() || !found[0].Matches(&made) {
			t.Fatalf("%s: %+v, %v", text, found, err)
		}
		c := found[0].Combine
		if got := c.Aggregator(&set.Counters[1]).Func; f == cooker.AggregateNone && got != cooker.AggregateMax || f != cooker.AggregateNone && got != f {
			t.Errorf("%s: made by %v", text, got)
		}
		for i := range members {
			if !c.Includes(&members[i]) || found[0].Matches(&members[i]) {
				t.Errorf("%s: %+v is no part of it", text, members[i])
			}
		}
		for i := range other {
			if c.Includes(&other[i]) {
				t.Errorf("%s: %+v is part of it", text, other[i])
			}
		}
		if c.Includes(&made) || len(session.MembersOf(name)) != len(members) {
			t.Errorf("%s: %q", text, session.MembersOf(name))
		}
	}
	for _, name := range []string{"", "w3wp", "total of ", "total", "totalof a", "sum of a", "idle of all", "undefined of a", " of a"} {
		if c, ok := session.CombineNamed(name); ok {
			t.Errorf("%q is %+v", name, c)
		}
	}
	if c, ok := session.CombineNamed("TOTAL of a|b"); !ok || *c.Func != cooker.AggregateTotal || !slices.Equal(session.MembersOf("TOTAL of a|b"), []string{"a", "b"}) {
		t.Error("the case of the function tells")
	}
}

// What has no function of its own needs one that is named, but where the host may
// combine.
func TestCombinationWithoutFunction(t *testing.T) {
	for kind, want := range map[session.InstanceType]bool{session.MultipleInstances: true, session.GlobalAggregate: false} {
		set := &session.Counterset{Name: "S", Instances: kind, Counters: []session.Counter{{ID: 1, Name: "C", Type: cooker.CounterRawCount}}}
		cat := &session.Catalogue{Sets: []*session.Counterset{set}}
		for path, lacks := range map[string]bool{`\S(_Aggregate)\C`: want, `\S(aggregate of a|b)\C`: want, `\S(total of a|b)\C`: false, `\S(a)\C`: false} {
			found, err := session.Question{Text: path}.Resolve(cat, paths.Options{})
			if _, got := errors.AsType[*session.NoFunctionError](err); got != lacks || got != (len(found) == 0) {
				t.Errorf("%#x, %s: %+v, %v", uint32(kind), path, found, err)
			}
		}
	}
}

// A control group counts what those below it do: a sum takes the outermost that have a value.
func TestSumOfNestedInstances(t *testing.T) {
	at := func(values map[string]uint64) func(row int) (*session.Instance, cooker.Value) {
		names := []string{"/", "system.slice", "system.slice_ssh.service", "user.slice_user-0_a", "user.slice", "users"}
		return func(row int) (*session.Instance, cooker.Value) {
			v := cooker.Absent(cooker.Unavailable)
			if n, ok := values[names[row]]; ok {
				v = cooker.WholeValue(n)
			}
			return &session.Instance{Key: session.InstanceKey{Name: names[row]}}, v
		}
	}
	all := map[string]uint64{"/": 10, "system.slice": 4, "system.slice_ssh.service": 3, "user.slice_user-0_a": 1, "user.slice": 2, "users": 1}
	noRoot := maps.Clone(all)
	delete(noRoot, "/") // as version 2 has it of memory
	noUser := maps.Clone(noRoot)
	delete(noUser, "user.slice")
	rows := []int{0, 1, 2, 3, 4, 5}
	for _, c := range []struct {
		set    string
		values map[string]uint64
		rows   []int
		want   uint64
	}{
		{"Control Group", all, rows, 10},
		{"control group", noRoot, rows, 4 + 2 + 1},
		{"Control Group", noUser, rows, 4 + 1 + 1},
		{"Control Group", all, []int{2, 3, 5}, 3 + 1 + 1}, // as a filter leaves them
		{"Control Group", all, []int{1, 2}, 4},
		{"LogicalDisk", all, rows, 21},
	} {
		set := &session.Counterset{Name: c.set}
		var sum uint64
		for _, row := range set.Outermost(c.rows, at(c.values)) {
			if _, v := at(c.values)(row); v.Valid() {
				f, _ := v.Float()
				sum += uint64(f)
			}
		}
		if sum != c.want {
			t.Errorf("%s of rows %v: %d, want %d", c.set, c.rows, sum, c.want)
		}
	}
}

// A disk of Linux counts what its partitions and what is mapped onto it do.
func TestSumOfNestedDisks(t *testing.T) {
	for names, want := range map[string]string{
		"sda sda1 sda15 sdb sdaa1":                   "sda sdb sdaa1",
		"nvme0n1 nvme0n1p1 nvme1n1 dm-0 md127 loop3": "nvme0n1 nvme1n1",
		"dm-0 dm-1": "dm-0 dm-1",
		"vda1 vda2": "vda1 vda2",
		"0 C: 1 D:": "0 C: 1 D:",
		"mmcblk0 mmcblk0p1 mmcblk0boot0 MMCBLK0P2 sr0": "mmcblk0 mmcblk0boot0 sr0",
	} {
		list := strings.Fields(names)
		rows := make([]int, len(list))
		for i := range rows {
			rows[i] = i
		}
		var got []string
		for _, i := range (&session.Counterset{Name: "PhysicalDisk"}).Outermost(rows, func(i int) (*session.Instance, cooker.Value) {
			return &session.Instance{Key: session.InstanceKey{Name: list[i]}}, cooker.WholeValue(1)
		}) {
			got = append(got, list[i])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("of %s are added %v", names, got)
		}
	}
}

// So does the sampler's own sum of all, and not its greatest.
func TestCombinedNestedInstances(t *testing.T) {
	set := &session.Counterset{Name: "Control Group", Instances: session.MultipleInstances, Counters: []session.Counter{{ID: 1, Name: "Memory Bytes", Type: cooker.CounterLargeRawCount}}}
	src := &listSource{set: set, order: []string{"/", "a", "a_b"}, values: map[string]uint64{"/": 10, "a": 7, "a_b": 20}}
	for name, want := range map[string]uint64{"total of *": 10, "total of a*": 7, "maximum of *": 20} {
		made, _ := session.CombineNamed(name)
		sampler := session.NewSampler("h", src, &stepClock{})
		ctx, cancel := context.WithCancel(t.Context())
		feed := sampler.Feed(session.FeedOptions{Every: time.Second, Each: func(s *session.Snapshot) {
			v := s.Set(set)
			if got := v.Value(v.Find(session.InstanceKey{Name: name}, -1), 0); got != cooker.WholeValue(want) {
				t.Errorf("%s is %v, want %d", name, got, want)
			}
			cancel()
		}})
		feed.Ask([]session.Ask{{Set: set, Counters: []int{0}, Combine: []session.Combine{made}}})
		sampler.Run(ctx)
	}
}
