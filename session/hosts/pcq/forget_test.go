package pcq

import "testing"

// A forgotten catalogue is read from the host again.
func TestForget(t *testing.T) {
	dir := t.TempDir()
	h := &host{sets: []*hostSet{memorySet()}}
	rigWith(t, h, Options{Reach: Reach{CacheDir: dir}})
	h.sets = append(h.sets, diskSet())
	r, _ := again(t, h, dir)
	if r.cat.Set("Disk") != nil {
		t.Fatal("not the kept catalogue")
	}
	r.source.Forget()
	cat, err := r.source.Catalogue(t.Context())
	if err != nil || cat.Set("Disk") == nil {
		t.Errorf("%+v, %v", cat, err)
	}
}
