package session

import (
	"errors"
	"sync"
	"testing"
)

// What several goroutines use is made once, when it can be.
func TestSharedByGoroutines(t *testing.T) {
	var late Late[int]
	if _, err := late.Get(func() (int, error) { return 1, errors.New("not yet") }); err == nil {
		t.Error("an error of making it is lost")
	}
	if _, made := late.Made(); made {
		t.Error("it is made")
	}
	var latest Latest[int]
	var serial Serial
	var all sync.WaitGroup
	made, turns := 0, 0
	for i := range 20 {
		all.Add(1)
		go func() {
			defer all.Done()
			n, err := late.Get(func() (int, error) { made++; return 7, nil })
			if n != 7 || err != nil {
				t.Errorf("%d, %v", n, err)
			}
			latest.Set(i)
			serial.Do(func() { turns++ })
		}()
	}
	all.Wait()
	if made != 1 || turns != 20 {
		t.Errorf("made %d times, %d turns", made, turns)
	}
	if _, is := latest.Take(); !is {
		t.Error("nothing was set")
	}
	if it, is := latest.Get(); is || it != 0 {
		t.Errorf("%d is there though it was taken", it)
	}
}
