package sharedtest

import (
	"fmt"
	"testing"
	"time"
)

// Patience is how long tests wait for what only a defect keeps from coming: they do not go
// by the pace of the machine.
const Patience = 5 * time.Minute

// Until waits for what other goroutines or processes bring about. What says, if it is in
// vain, what that is; it may be a fmt.Stringer of what there is then.
func Until(t testing.TB, what any, done func() bool) {
	t.Helper()
	end, pause := time.Now().Add(Patience), time.Millisecond
	for ; !done(); pause = min(2*pause, 50*time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain: ", fmt.Sprint(what))
		}
		time.Sleep(pause)
	}
}
