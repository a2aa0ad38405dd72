package hkpd

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// slowLine lets an answer take its time: so many bytes pass in a second.
func (r *rig) slowLine(bytesPerSecond int) {
	r.host.takes = func(name string) {
		n := len(r.host.answer(dataKey, name))
		r.now = r.now.Add(time.Duration(n) * time.Second / time.Duration(bytesPerSecond))
	}
}

// run lets beats pass and counts how often each set is read.
func (r *rig) run(beats int) (read []int) {
	r.Helper()
	read = make([]int, len(r.query.(*query).wants))
	for range beats {
		b := r.beat()
		for i := range b.Sets {
			if b.Due[i] {
				read[i]++
				if b.Sets[i].Err != nil {
					r.Fatal(b.Sets[i].Err)
				}
			}
		}
	}
	return read
}

// Over a slow line the object that costs the most is read less often, which is
// said; the others keep their interval. When the line is fast again, so does it.
func TestCostlyObjectIsReadLessOften(t *testing.T) {
	h := windows()
	h.crowd(1000) // 150 KB
	r := newRig(t, h, Options{})
	r.selects(r.want("Memory"), r.want("PhysicalDisk"), r.want("System"))
	if read := r.run(10); !slices.Equal(read, []int{10, 10, 10}) || len(r.source.Warnings()) != 0 {
		t.Fatalf("on a fast line: %v, %v", read, r.source.Warnings())
	}
	r.slowLine(75_000) // 2 s
	r.run(10)
	read := r.run(60)
	if read[0] != 60 || read[2] != 60 || read[1] < 8 || read[1] > 20 {
		t.Errorf("on a slow line: %v", read)
	}
	w := r.source.Warnings()
	if len(w) != 1 || !strings.Contains(w[0].Error(), "PhysicalDisk") {
		t.Fatalf("%v", w)
	}
	t.Log(w[0])
	r.host.takes = nil
	r.run(60)
	if read := r.run(10); !slices.Equal(read, []int{10, 10, 10}) || len(r.source.Warnings()) != 0 {
		t.Errorf("on a fast line again: %v, %v", read, r.source.Warnings())
	}
	h.asked = nil
	r.beat()
	if !slices.Equal(h.asked, []string{"2 4 234 "}) {
		t.Errorf("asked %q: a call of its own is not needed any more", h.asked)
	}
}

// What takes the host long is found too, however few bytes it has.
func TestObjectThatTakesTheHostLong(t *testing.T) {
	h := windows()
	r := newRig(t, h, Options{})
	r.selects(r.want("Memory"), r.want("PhysicalDisk"), r.want("System"), r.want("Process"))
	r.host.takes = func(name string) {
		if slices.Contains(strings.Fields(name), "2") {
			r.now = r.now.Add(1500 * time.Millisecond)
		}
	}
	r.run(40)
	read := r.run(60)
	if read[0] != 60 || read[1] != 60 || read[3] != 60 || read[2] > 25 || read[2] < 10 {
		t.Errorf("%v", read)
	}
}

// The first call for an object says nothing of the next: the host loads its
// provider.
func TestFirstCallIsNotJudged(t *testing.T) {
	r := newRig(t, windows(), Options{})
	r.selects(r.want("Memory"))
	first := true
	r.host.takes = func(string) {
		if first {
			r.now = r.now.Add(20 * time.Second)
		}
		first = false
	}
	if read := r.run(10); read[0] != 10 {
		t.Errorf("%v", read)
	}
}

// Readings that nobody waits for are never put off, nor are those of unknown
// interval.
func TestPaceNeedsAnInterval(t *testing.T) {
	r := newRig(t, windows(), Options{})
	w := r.want("Memory")
	w.Every = 0
	r.selects(w)
	r.slowLine(100)
	if read := r.run(10); read[0] != 10 {
		t.Errorf("%v", read)
	}
	r.selects(r.want("Memory"))
	r.run(10)
	for range 3 {
		if b := r.collect(); len(b.Sets[0].Instances) != 1 {
			t.Error("a reading of everything was put off")
		}
	}
}

func TestPaceIsBounded(t *testing.T) {
	var p pace
	p.adapt(time.Hour, time.Second)
	if p.factor != maxFactor {
		t.Errorf("factor %d", p.factor)
	}
	for range patience {
		p.adapt(time.Millisecond, time.Second)
	}
	if p.factor != 1 || !p.due() {
		t.Errorf("factor %d", p.factor)
	}
}
