package platest

import (
	"os"
	"runtime"
	"testing"

	"perfdeck/session/hosts/pla"
	"perfdeck/session/system/sharedtest"
)

// held are goroutines and descriptors of this process.
func held() int {
	files, _ := os.ReadDir("/proc/self/fd")
	return runtime.NumGoroutine() + len(files)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Listings over and over leave nothing behind: no goroutine, no descriptor, no memory, and no
// reference on the host. They are the only test that may run then.
func TestListingsLeakNothing(t *testing.T) {
	kept, anew := 1000, 100
	if !testing.Short() {
		kept, anew = 10*kept, 10*anew
	}
	h := filled(t, Options{}, 20)
	list := func(c *pla.Client) {
		l, err := c.List(t.Context(), pla.Service)
		if err != nil || len(l.Sets) != 20 {
			t.Fatalf("%+v, %v", l, err)
		}
	}
	check := func(what string, times int, once func()) {
		t.Helper()
		for range 10 {
			once()
		}
		things, bytes := held(), heap()
		for range times {
			once()
		}
		settled(t, h)
		sharedtest.Until(t, "as few goroutines and descriptors as before", func() bool { return held() <= things+2 })
		if now := heap(); now > bytes+bytes/4+1<<20 {
			t.Errorf("%s: %d bytes of the heap are held, %d before", what, now, bytes)
		}
	}
	c := pla.New(h.Dial, h.Port())
	check("connections that are kept", kept, func() { list(c) })
	_ = c.Close()
	check("new connections", anew, func() {
		c := pla.New(h.Dial, h.Port())
		list(c)
		_ = c.Close()
	})
}
