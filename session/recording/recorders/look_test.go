package recorders

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// What is slow is looked at beside those who ask, no more often than every so often, and
// at once when it is known to be another one.
func TestLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks, changes atomic.Int32
		l := &Look[int32]{
			Every: 2 * time.Second, Go: func(f func()) { go f() }, Changed: func() { changes.Add(1) },
			Do: func() int32 { time.Sleep(time.Second); return looks.Add(1) },
		}
		if _, known := l.Get(); known {
			t.Error("it waited")
		}
		l.Get()
		time.Sleep(1500 * time.Millisecond)
		if it, known := l.Get(); !known || it != 1 || changes.Load() != 1 {
			t.Errorf("%d %v, %d changes", it, known, changes.Load())
		}
		l.Expire()
		l.Get()
		time.Sleep(1500 * time.Millisecond)
		if it, _ := l.Get(); it != 2 || looks.Load() != 2 {
			t.Errorf("%d of %d looks", it, looks.Load())
		}
		l.Now()
		if it, _ := l.Get(); it != 3 || changes.Load() != 2 {
			t.Errorf("%d, %d changes", it, changes.Load())
		}
		time.Sleep(time.Minute)
		if looks.Load() != 3 {
			t.Errorf("%d looks though nobody asked", looks.Load())
		}
	})
}
