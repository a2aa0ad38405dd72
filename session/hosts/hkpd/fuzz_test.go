package hkpd

import (
	"context"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/rpc"
)

// FuzzAnswers: whatever a host answers, names and objects alike, nothing panics
// or goes on without end, and a batch is one.
func FuzzAnswers(f *testing.F) {
	h := windows()
	disk := h.object(234)
	disk.counters = append(disk.counters, counterOf(4, cooker.CounterText|0x10000, 8), counterOf(6, cooker.CounterText, 8))
	disk.texts = map[cooker.CounterType]string{cooker.CounterText: "u\x00p\x00\x00\x00xx", cooker.CounterText | 0x10000: "running\x00"}
	names, global := h.answer(dataKey, "Counter 009"), h.answer(dataKey, "Global")
	f.Add(names, global, h.answer(dataKey, "230 232 "))
	f.Add(names[:100], global[:500], h.answer(dataKey, "234 "))
	f.Add([]byte{}, []byte{}, []byte{})
	for at := 0; at+4 < len(global); at += 36 {
		changed := append([]byte{}, global...)
		changed[at] ^= 0x81
		f.Add(names, changed, changed)
	}
	f.Fuzz(func(t *testing.T, names, global, later []byte) {
		calls := 0
		h := windows()
		h.value = func(name string, size uint32) *rpc.Value {
			if calls++; calls > 60 {
				t.Fatalf("%d calls", calls)
			}
			v := &rpc.Value{Data: later}
			switch name {
			case "Counter 009", "Explain 009":
				v.Data = names
			case "Global":
				v.Data = global
			}
			if len(v.Data) > int(size) {
				v = &rpc.Value{Code: rpc.CodeMoreData}
			}
			return v
		}
		s := New(Options{Reach: Reach{Host: "h", LCID: 0x409, Dial: h.dial}})
		cat, err := s.Catalogue(context.Background())
		if err != nil {
			return
		}
		q, err := s.Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var wants []session.Want
		for _, set := range append(cat.Sets, &session.Counterset{Name: "Process", V1Index: 230}) {
			w := session.Want{Set: set}
			for i := range set.Counters {
				w.Counters = append(w.Counters, i)
			}
			wants = append(wants, w)
		}
		if err := q.Select(context.Background(), wants); err != nil {
			t.Fatal(err)
		}
		var b session.Batch
		for range 2 {
			if err := q.Collect(context.Background(), &b); err != nil {
				return
			}
			for i := range b.Sets {
				set := &b.Sets[i]
				if set.Err == nil && len(set.Readings) != len(set.Instances)*len(set.Counters) {
					t.Fatalf("%d readings of %d instances", len(set.Readings), len(set.Instances))
				}
				for k, r := range set.Readings {
					isText := set.Set.Counters[set.Counters[k%len(set.Counters)]].Type.IsText()
					if set.Err == nil && r.State.Good() && isText != (r.Size == cooker.SizeText) || r.Size == cooker.SizeText && r.Raw >= uint64(len(set.Texts)) {
						t.Fatalf("reading %+v, %d texts", r, len(set.Texts))
					}
				}
				seen := map[session.InstanceKey]bool{}
				for _, in := range set.Instances {
					if seen[in.Key] {
						t.Fatalf("%v twice", in.Key)
					}
					seen[in.Key] = true
				}
			}
		}
	})
}
