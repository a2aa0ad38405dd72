package pcq

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/rpc"
)

// again starts a second run against the host of a first.
func again(t *testing.T, h *host, dir string) (r *rig, refreshed chan *session.Catalogue) {
	refreshed = make(chan *session.Catalogue, 1)
	h.calls = nil
	return rigWith(t, h, Options{Reach: Reach{CacheDir: dir, Refreshed: func(c *session.Catalogue) { refreshed <- c }}}), refreshed
}

func TestCatalogueIsKeptBetweenRuns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	h := &host{sets: []*hostSet{memorySet(), diskSet()}}
	first := rigWith(t, h, Options{Reach: Reach{CacheDir: dir}})
	r, refreshed := again(t, h, dir)
	if h.calls["enumerate"] != 0 {
		t.Error("read from the host")
	}
	a, err1 := first.source.copy.File().Text(first.cat)
	b, err2 := r.source.copy.File().Text(r.cat)
	if err1 != nil || err2 != nil || string(a) != string(b) {
		t.Errorf("%s\n%s\n%v %v", a, b, err1, err2)
	}
	r.selects(r.want("Disk", 0, 1))
	r.source.copy.Wait()
	if len(refreshed) != 0 || h.calls["enumerate"] != 1 || h.closed != 1 {
		t.Errorf("%d calls, %d closed", h.calls["enumerate"], h.closed)
	}
	if b := r.collect().Sets[0]; b.Err != nil || len(b.Instances) != 3 {
		t.Errorf("%+v", b)
	}
}

func TestSetThatChangedSinceItWasKeptIsNotCookedWrongly(t *testing.T) {
	dir := t.TempDir()
	h := &host{sets: []*hostSet{memorySet(), diskSet()}}
	rigWith(t, h, Options{Reach: Reach{CacheDir: dir}})
	h.sets[0].info.Counters[0].Type = cooker.CounterBulkCount
	r, refreshed := again(t, h, dir)
	r.selects()
	fresh := <-refreshed
	r.source.copy.Wait()
	r.selects(r.want("Memory", 0), r.want("Disk", 0))
	b := r.collect()
	if !errors.Is(b.Sets[0].Err, errStale) || b.Sets[1].Err != nil {
		t.Errorf("%v %v", b.Sets[0].Err, b.Sets[1].Err)
	}
	r.cat = fresh
	r.selects(r.want("Memory", 0))
	if b := r.collect().Sets[0]; b.Err != nil || b.Set.Counters[0].Type != cooker.CounterBulkCount {
		t.Errorf("%+v", b)
	}
	if third, _ := again(t, h, dir); third.cat.Set("Memory").Counters[0].Type != cooker.CounterBulkCount {
		t.Error("the new catalogue was not kept")
	}
}

func TestFailedRefreshIsTriedWithTheNextQuery(t *testing.T) {
	dir := t.TempDir()
	h := &host{sets: []*hostSet{memorySet()}}
	rigWith(t, h, Options{Reach: Reach{CacheDir: dir}})
	r, _ := again(t, h, dir)
	h.fail = func(op string) error {
		if op == "enumerate" {
			return errCut
		}
		return nil
	}
	for i := range 3 {
		if i == 1 {
			h.fail = nil
		}
		r.query = nil
		r.selects()
		r.source.copy.Wait()
	}
	if h.calls["enumerate"] != 2 {
		t.Errorf("%d attempts", h.calls["enumerate"])
	}
}

func TestEarlierCatalogueHelpsBeyond256(t *testing.T) {
	dir := t.TempDir()
	h := &host{sets: []*hostSet{memorySet(), diskSet()}}
	rigWith(t, h, Options{Reach: Reach{CacheDir: dir}})
	h.list = &rpc.Array{Code: rpc.CodeNotEnoughMemory, Needed: 300}
	h.sets[1].info.Counters[0].Type = cooker.CounterDelta
	r, refreshed := again(t, h, dir)
	r.selects()
	if fresh := <-refreshed; len(fresh.Sets) != 2 {
		t.Errorf("%d sets", len(fresh.Sets))
	}
	r.source.copy.Wait()
	if w := r.source.Warnings(); len(w) != 1 || !errors.Is(w[0], errTooMany) {
		t.Error(w)
	}
}

func TestUselessCacheFiles(t *testing.T) {
	s := New(Options{Reach: Reach{Host: "web01"}})
	sound := `{"host":"WEB01","lcid":0,"sets":[{"GUID":"{00000000-0000-0000-0000-000000000001}","Name":"A"}]}`
	parse := func(text string) *session.Catalogue { return s.copy.Parse([]byte(text)) }
	if parse(sound) == nil {
		t.Fatal("a sound file is refused")
	}
	for _, change := range [][2]string{
		{"WEB01", "web02"}, {`"lcid":0`, `"lcid":9`}, {`"sets":[{`, `"sets":[null,{`},
		{`"Name":"A"`, `"Name":""`}, {"{0000", "{x000"}, {"}]}", "}"}, {`"sets"`, `"Other"`},
	} {
		text := strings.Replace(sound, change[0], change[1], 1)
		if text == sound || parse(text) != nil {
			t.Errorf("taken: %s", text)
		}
	}
}

func TestCacheFileIsPrivateAndReplacedWhole(t *testing.T) {
	dir := t.TempDir()
	h := &host{sets: []*hostSet{memorySet()}}
	r := rigWith(t, h, Options{Reach: Reach{CacheDir: dir}})
	r.source.copy.File().Save(r.cat)
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v %v", files, err)
	}
	info, err := os.Stat(files[0])
	if err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := os.WriteFile(r.source.copy.File().Path(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, _ := again(t, h, dir); len(r.cat.Sets) != 1 {
		t.Error("a damaged file stands in the way")
	}
}

func FuzzKeptCatalogue(f *testing.F) {
	s := New(Options{Reach: Reach{Host: "web01"}})
	f.Add([]byte(`{"host":"web01","sets":[{"GUID":"{00000000-0000-0000-0000-000000000001}","Name":"A","Counters":[{"ID":1}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		cat := s.copy.Parse(text)
		if cat == nil {
			return
		}
		for _, set := range cat.Sets {
			set.Counter("x")
			for i := range set.Counters {
				companionsOf(set, &set.Counters[i])
			}
		}
	})
}
