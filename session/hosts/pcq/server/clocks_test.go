package server

import (
	"testing"
	"time"

	"perfdeck/session/wire/perflib"
)

// A reply has one clock: sets that were read seconds apart are read again.
func TestOneClockForAllSets(t *testing.T) {
	for name, row := range map[string]struct {
		late  func(call, want int) time.Duration
		calls int32
	}{
		"together":    {nil, 1},
		"once apart":  {func(call, want int) time.Duration { return time.Duration(min(want, max(0, 2-call))) * 3 * time.Second }, 2},
		"always":      {func(_, want int) time.Duration { return time.Duration(want) * 3 * time.Second }, 3},
		"a bit apart": {func(_, want int) time.Duration { return time.Duration(want) * time.Millisecond }, 1},
	} {
		source := newTable()
		source.late = row.late
		_, c := newSession(t, source)
		h := openHandle(t, c)
		add(t, c, h, true, ident(diskGUID, perflib.AllCounters, "*"), ident(memoryGUID, perflib.AllCounters, ""))
		r := collect(t, c, h)
		for r.Next() {
		}
		if err := r.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := source.calls.Load(); got != row.calls {
			t.Errorf("%s: read %d times, want %d", name, got, row.calls)
		}
	}
}
