package local

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"perfdeck/cooker"
)

// numbersIn are the processes that readdir finds.
func numbersIn(t *testing.T, proc string) (pids []uint32) {
	t.Helper()
	entries, err := os.ReadDir(proc)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if n, err := strconv.ParseUint(e.Name(), 10, 32); err == nil {
			pids = append(pids, uint32(n))
		}
	}
	slices.Sort(pids)
	return pids
}

// The list of processes is what readdir says, whatever is born and ends, though the
// directory is seldom read.
func TestListOfProcessesWhileSomeAreBornAndEnd(t *testing.T) {
	const rounds = 300
	o := Options{}.withDefaults()
	o.open = newOpenFiles(&o)
	c := newClock(&o)
	tick := newTick(&o, &c)
	defer tick.close()
	random := rand.New(rand.NewPCG(1, 2))
	var alive []*exec.Cmd
	var ended []uint32
	defer func() {
		for _, c := range alive {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	}()
	walks, listed := 0, time.Duration(0)
	for round := range rounds {
		for range random.IntN(3) {
			c := exec.Command("sleep", "600")
			if err := c.Start(); err != nil {
				t.Skip(err)
			}
			alive = append(alive, c)
		}
		if n := len(alive); n > 20 || n > 0 && random.IntN(4) == 0 {
			_ = alive[0].Process.Kill()
			_ = alive[0].Wait()
			alive = alive[1:]
		}
		if random.IntN(3) == 0 {
			_ = exec.Command("true").Run()
		}
		before := numbersIn(t, o.Proc)
		tick.begin(cooker.Clocks{PerfTime: uint64(round) * 1000}) // no time for a listing of all
		pids, err := tick.listPids()
		if err != nil {
			t.Fatal(err)
		}
		after := numbersIn(t, o.Proc)
		if tick.pids.listed != listed {
			walks, listed = walks+1, tick.pids.listed
		}
		for _, pid := range before {
			_, found := slices.BinarySearch(pids, pid)
			if _, still := slices.BinarySearch(after, pid); still && !found {
				t.Errorf("round %d: process %d is missing", round, pid)
			}
		}
		gone := slices.DeleteFunc(slices.Clone(pids), func(pid uint32) bool {
			_, was := slices.BinarySearch(before, pid)
			_, is := slices.BinarySearch(after, pid)
			return was || is
		})
		for _, pid := range gone { // in one round it may have lived between the looks
			if slices.Contains(ended, pid) {
				t.Errorf("round %d: process %d is not there", round, pid)
			}
		}
		ended = gone
		if !slices.IsSorted(pids) {
			t.Fatalf("round %d: not in order", round)
		}
	}
	if t.Logf("%d of %d times all were listed", walks, rounds); walks > rounds/4 {
		t.Errorf("the directory was read %d times of %d", walks, rounds)
	}
}
