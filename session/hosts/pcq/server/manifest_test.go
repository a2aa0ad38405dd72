package server

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/manifest"
	"perfdeck/session/system/sharedtest"
	"perfdeck/session/wire/perflib"
)

// sample is what a client has of one counter of one instance, by its identity.
type sample map[[2]any]uint64

// Every counter of a manifest, cooked by a client from the bytes of two replies
// alone, moves as was meant.
func TestEveryTypeCooks(t *testing.T) {
	clock := clocktest.New(time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC), func() {})
	source := NewManifestSource("every", clock, everyType(t))
	h, c := newSession(t, source)
	if len(h.sets) != 3 {
		t.Fatalf("%d sets", len(h.sets))
	}
	for _, set := range h.sets {
		q := openHandle(t, c)
		add(t, c, q, true, wholeSet(set))
		old, oldClocks := samples(t, collect(t, c, q))
		moved := 0
		for range 20 {
			clock.Advance(time.Second)
			now, clocks := samples(t, collect(t, c, q))
			moved += checkCooked(t, set, old, now, oldClocks, clocks)
			old, oldClocks = now, clocks
		}
		if moved < 20*len(set.counters)/3 {
			t.Errorf("%s: %d values moved", set.set.Name, moved)
		}
	}
}

func wholeSet(set *counterset) perflib.Identifier {
	if set.info.Instances == session.SingleInstance {
		return ident(set.info.GUID, perflib.AllCounters, "")
	}
	return ident(set.info.GUID, perflib.AllCounters, "*")
}

func samples(t *testing.T, r perflib.DataReader) (sample, cooker.Clocks) {
	t.Helper()
	s := sample{}
	for r.Next() {
		b := r.Block()
		put := func(name string, v *perflib.Values) {
			for i := 0; v.Next(); i++ {
				n, _ := v.Value.Uint64()
				s[[2]any{name, b.IDs.At(i)}] = n
			}
		}
		switch b.Kind {
		case perflib.KindCounters:
			put("", b.Values())
		case perflib.KindCounterset:
			for in := b.Instances(); in.Next(); {
				put(in.Name.String(), &in.Values)
			}
		default:
			t.Fatalf("kind %d, status %d", b.Kind, b.Status)
		}
	}
	if r.Err() != nil || len(s) == 0 {
		t.Fatalf("%d values, %v", len(s), r.Err())
	}
	return s, r.Header().Clocks()
}

// checkCooked cooks all counters and counts those that differ from the last.
func checkCooked(t *testing.T, set *counterset, old, now sample, oldClocks, clocks cooker.Clocks) (moved int) {
	t.Helper()
	instances := map[any]bool{}
	for key := range now {
		instances[key[0]] = true
	}
	for name := range instances {
		for i := range set.info.Counters {
			c := &set.info.Counters[i]
			info, _ := c.Type.Info()
			if !c.Type.Displayable() || c.Type == cooker.CounterText {
				continue
			}
			reading := func(s sample, clocks cooker.Clocks) (*cooker.Reading, *cooker.Clocks) {
				r := &cooker.Reading{Raw: s[[2]any{name, c.ID}], Size: 8, BaseSize: 8}
				if formOf(c.Type) == formDword {
					r.Size = 4
				}
				r.Base = s[[2]any{name, c.BaseID}]
				if info.Base == cooker.BaseMulti {
					r.Base = s[[2]any{name, c.MultiID}]
				}
				clocks.ObjTime, clocks.ObjFreqHz = s[[2]any{name, c.PerfTimeID}], s[[2]any{name, c.PerfFreqID}]
				return r, &clocks
			}
			r0, c0 := reading(old, oldClocks)
			r1, c1 := reading(now, clocks)
			v := cooker.Cook(c.Type, r0, r1, c0, c1, nil)
			if got, ok := v.Float(); !ok || !plausible(c.Type, got) {
				t.Errorf("%s %v, counter %d, %v: %v from %+v %+v", set.set.Name, name, c.ID, c.Type, v, r0, r1)
			}
			if r0.Raw != r1.Raw {
				moved++
			}
		}
	}
	return moved
}

// plausible is the range that each type of counter moves in.
func plausible(t cooker.CounterType, v float64) bool {
	info, _ := t.Info()
	switch t.Kind() {
	case cooker.KindRatio, cooker.KindPrecision, cooker.KindAverage, cooker.KindFraction:
		switch {
		case info.Suffix == "%":
			return v > 1 && v < 99
		case t == cooker.AverageBulk:
			return v > 10 && v < 500
		}
		return v > 0.1 && v < 5
	case cooker.KindMulti:
		return v >= 0 && v <= 100*numberOfParts
	case cooker.KindSeconds:
		return v > 0.0001 && v < 0.1
	case cooker.KindElapsed:
		return v >= 60 && v < 2*3600
	}
	return v > 3 && v < 1e18 // the number of parts is the least
}

// What real manifests declare is served, companions included.
func TestRealManifests(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sharedtest.Path(t, "data/manifests"), "*.man"))
	if err != nil || len(files) == 0 {
		t.Fatal("no manifests: ", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parsed, _ := manifest.Parse(file, data)
		h, c := newSession(t, NewManifestSource("m", session.NewSystemClock(), parsed))
		if len(h.sets) == 0 {
			t.Errorf("%s: nothing is published", file)
		}
		q := openHandle(t, c)
		for _, set := range h.sets {
			add(t, c, q, true, wholeSet(set))
		}
		samples(t, collect(t, c, q))
	}
}

func TestProviderOfManifest(t *testing.T) {
	h, _ := newSession(t, NewManifestSource("m", session.NewSystemClock(), everyType(t)))
	if got, want := h.sets[0].provider, mustGUID("{aaaaaaaa-0000-4000-8000-000000000001}"); got != want {
		t.Errorf("provider %v, want %v", got, want)
	}
}

// The GUIDs given here follow RFC 9562, and do not change between versions.
func TestNameGUIDs(t *testing.T) {
	if CountersetGUID("Memory") != CountersetGUID("MEMORY") || CountersetGUID("Memory") == ProviderGUID("Memory") {
		t.Error("names are not told apart, or by case")
	}
	if got, want := CountersetGUID("Memory").String(), "{c4fb4549-73f0-5b45-afd0-7c99e598adec}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
