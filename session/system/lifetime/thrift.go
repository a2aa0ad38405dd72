package lifetime

import (
	"os"
	"runtime"
	"runtime/debug"
	"time"
)

// A process that shows a few hosts is kept to little; the environment decides where it says something.

// Processors keeps a process of one host on one processor: handing its goroutines
// from thread to thread costs a fifth of a refresh. It is called again when hosts are added.
func Processors(hosts int) {
	switch {
	case os.Getenv("GOMAXPROCS") != "":
	case hosts == 1:
		runtime.GOMAXPROCS(1)
	default:
		runtime.SetDefaultGOMAXPROCS()
	}
}

// Garbage has garbage collected early once all has started: a beat makes little, so that
// this saves a megabyte for a hundredth of a refresh. The start makes much, and to
// collect that early keeps the first picture waiting. Of many hosts there is much to go over
// each time, and a megabyte is little.
func Garbage(hosts int) {
	const started, early, few = 3 * time.Second, 50, 100
	if os.Getenv("GOGC") == "" && hosts <= few {
		time.AfterFunc(started, func() { debug.SetGCPercent(early) })
	}
}
