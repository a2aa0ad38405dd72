package pcq

import (
	"context"
	"errors"
	"slices"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// FuzzData collects hostile bytes twice, after a sound reply and with others
// after them.
func FuzzData(f *testing.F) {
	s := diskSet()
	texts := hostOf(5, "Texts", session.MultipleInstances, hostCounter(1, cooker.CounterText), hostCounter(2, cooker.CounterRawCount), hostCounter(3, cooker.CounterText|0x10000))
	h := &host{sets: []*hostSet{s, memorySet(), texts}}
	texts.instances = instances("a")
	texts.value = func(c uint32, _ int) any { return map[uint32]any{1: "t", 2: 3, 3: []byte("a")}[c] }
	src := New(Options{Reach: Reach{Host: "h", Dial: h.dial}})
	cat, err := src.Catalogue(context.Background())
	if err != nil {
		f.Fatal(err)
	}
	wants := []session.Want{
		{Set: cat.Set("Disk"), Counters: []int{0, 1, 3}}, {Set: cat.Set("Memory"), Counters: []int{0, 1, 2}},
		{Set: cat.Set("Texts"), Counters: []int{0, 1, 2}},
	}
	var sound []byte
	h.data = func(b []byte) rpc.Array { sound = slices.Clone(b); return rpc.Array{Data: b} }
	collect := func(t testing.TB, replies ...[]byte) {
		q, err := src.Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer q.Close()
		if err := q.Select(context.Background(), wants); err != nil {
			t.Fatal(err)
		}
		var b session.Batch
		for _, reply := range replies {
			if reply != nil {
				h.data = func([]byte) rpc.Array { return rpc.Array{Data: reply} }
			}
			if q.Collect(context.Background(), &b) != nil {
				return
			}
			for i := range b.Sets {
				set := &b.Sets[i]
				if len(set.Readings) != len(set.Instances)*len(set.Counters) {
					t.Fatalf("%d rows, %d readings", len(set.Instances), len(set.Readings))
				}
				for k, r := range set.Readings {
					isText := set.Set.Counters[set.Counters[k%len(set.Counters)]].Type.IsText()
					if r.State.Good() && isText != (r.Size == cooker.SizeText) || r.Size == cooker.SizeText && r.Raw >= uint64(len(set.Texts)) {
						t.Fatalf("reading %+v, %d texts", r, len(set.Texts))
					}
				}
			}
		}
	}
	collect(f, nil)
	f.Add(sound)
	f.Add(sound[:100])
	f.Fuzz(func(t *testing.T, data []byte) {
		collect(t, data, sound, data, sound)
	})
}

// FuzzOrder answers QueryCounterInfo and the statuses of ValidateCounters with
// hostile bytes.
func FuzzOrder(f *testing.F) {
	id := perflib.Identifier{Counterset: guidOf(2), CounterID: 10, InstanceID: perflib.AnyInstance, Name: perflib.EncodeText("*")}
	f.Add(perflib.AppendIdentifier(nil, &id), uint32(0))
	f.Add([]byte{1, 2, 3}, uint32(rpc.CodeInvalidParameter))
	f.Fuzz(func(t *testing.T, info []byte, status uint32) {
		h := &host{sets: []*hostSet{diskSet()}, infoData: info}
		h.status = func(id *perflib.Identifier) uint32 {
			if id.CounterID%2 == 1 {
				return status
			}
			return 0
		}
		src := New(Options{Reach: Reach{Host: "h", Dial: h.dial}})
		cat, err := src.Catalogue(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		q, err := src.Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var b session.Batch
		w := session.Want{Set: cat.Sets[0], Counters: []int{0, 1, 3}}
		if q.Select(context.Background(), []session.Want{w}) == nil && q.Collect(context.Background(), &b) == nil {
			if set := &b.Sets[0]; len(set.Readings) != 3*len(set.Instances) {
				t.Fatalf("%d rows, %d readings", len(set.Instances), len(set.Readings))
			}
		}
		_ = q.Close()
	})
}

// FuzzCatalogue answers every item with the same bytes.
func FuzzCatalogue(f *testing.F) {
	s := diskSet()
	for code := perflib.CountersetStruct; code <= perflib.EnglishCounterNames; code++ {
		data, _ := s.registration(code, 10, false)
		f.Add(uint8(code), data)
	}
	f.Fuzz(func(t *testing.T, code uint8, data []byte) {
		h := &host{sets: []*hostSet{s}}
		h.reg = func(_ perflib.GUID, c perflib.RequestCode, _ uint32) (rpc.Array, bool) {
			return rpc.Array{Data: data}, uint8(c) == code || code == 0
		}
		src := New(Options{Reach: Reach{Host: "h", Dial: h.dial}})
		cat, err := src.Catalogue(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range cat.Sets {
			if set.Name == "" || set.GUID == "" {
				t.Fatalf("nameless: %+v", set)
			}
			for i := range set.Counters {
				companionsOf(set, &set.Counters[i])
			}
			q := selectAll(t, src, set)
			_ = q.Close()
		}
	})
}

func selectAll(t *testing.T, src *Source, set *session.Counterset) session.Query {
	q, err := src.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	w := session.Want{Set: set}
	for i := range min(len(set.Counters), 100) {
		w.Counters = append(w.Counters, i)
	}
	var b session.Batch
	if err := errors.Join(q.Select(context.Background(), []session.Want{w}), q.Collect(context.Background(), &b)); err != nil {
		t.Fatal(err)
	}
	return q
}
