package output_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"perfdeck/session/system/output"
)

// Errors are told once each, and one at a time, whoever tells them.
func TestOnce(t *testing.T) {
	var inside, told atomic.Int32
	report := output.Once(func(error) {
		if inside.Add(1) > 1 {
			t.Error("two are told at once")
		}
		told.Add(1)
		inside.Add(-1)
	})
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() { report(fmt.Errorf("host %d: %w", i/2, errors.ErrUnsupported)) })
	}
	wg.Wait()
	if told.Load() != 100 {
		t.Errorf("%d are told, want 100", told.Load())
	}
}
