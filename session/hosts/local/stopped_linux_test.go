package local

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perfdeck/cooker"
	"perfdeck/session"
)

// stoppedReader is the variable that makes this test program the one that is
// stopped: its value is the process that never rests.
const stoppedReader = "PERFDECK_TEST_STOPPED_READER"

// A program that is stopped between any two of its reads, and goes on later,
// shows no share of time above the whole.
func TestStoppedProcess(t *testing.T) {
	if busy := os.Getenv(stoppedReader); busy != "" {
		readAndStop(t, busy)
		return
	}
	burner := exec.Command("sh", "-c", "while :; do :; done")
	if err := burner.Start(); err != nil {
		t.Skip(err)
	}
	defer func() { _ = burner.Process.Kill(); _ = burner.Wait() }()
	c := exec.Command(os.Args[0], "-test.run", "^TestStoppedProcess$", "-test.v")
	c.Env = append(os.Environ(), stoppedReader+"="+strconv.Itoa(burner.Process.Pid))
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill() }()
	go goOn(c.Process.Pid)
	values := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		path, text, ok := strings.Cut(lines.Text(), "\t")
		v, err := strconv.ParseFloat(text, 64)
		if !ok || err != nil {
			continue
		}
		values++
		// The kernel counts the time of a process in ticks of up to 10 ms, which is
		// that many percent of the 100 ms between two reads.
		if v > 100+1e-9 && !strings.HasPrefix(path, "Process(") || v > 111 {
			t.Errorf(`\%s is %v`, path, v)
		}
	}
	if values < 50 {
		t.Errorf("%d values", values)
	}
}

// goOn lets a process go on some time after each time it stopped, until it ends.
func goOn(pid int) {
	for {
		var status unix.WaitStatus
		if _, err := unix.Wait4(pid, &status, unix.WUNTRACED, nil); err != nil && err != unix.EINTR {
			return
		}
		if status.Stopped() {
			time.Sleep(300 * time.Millisecond)
			_ = unix.Kill(pid, unix.SIGCONT)
		}
		if status.Exited() || status.Signaled() {
			return
		}
	}
}

// readAndStop reads ten times a second, stops at another read each time, and
// prints shares of time.
func readAndStop(t *testing.T, busy string) {
	t.Helper()
	reads, stopAt := 0, 0
	s, err := Open(Options{beforeRead: func() {
		if reads++; reads == stopAt {
			_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	cat, err := s.Catalogue(ctx)
	if err != nil {
		t.Fatal(err)
	}
	q, err := s.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	var wants []session.Want
	for _, name := range []string{"Processor Information", "Pressure Stall Information", "Process"} {
		w := allOf(cat.Set(name))
		w.Counters = slices.DeleteFunc(w.Counters, func(i int) bool {
			kind := w.Set.Counters[i].Type
			return kind != cooker.Timer100ns && kind != cooker.Timer100nsInv
		})
		wants = append(wants, w)
	}
	if err := q.Select(ctx, wants); err != nil {
		t.Fatal(err)
	}
	last := make(map[string]sampled)
	all := 0
	for beat := range 16 {
		time.Sleep(100 * time.Millisecond)
		reads, stopAt = 0, 0
		if beat%2 == 1 { // so that an interval with a stop is followed by one without
			stopAt = 1 + beat*max(all, 1)/16
		}
		var b session.Batch
		if err := q.Collect(ctx, &b); err != nil {
			t.Fatal(err)
		}
		all = max(all, reads)
		for i := range b.Sets {
			printShares(&b.Sets[i], busy, last)
		}
	}
}

// printShares prints the percentages of a set; of Process those of one alone.
func printShares(b *session.SetBatch, busy string, last map[string]sampled) {
	for row, in := range b.Instances {
		if b.Set.Name == "Process" && strconv.FormatUint(in.Number, 10) != busy {
			continue
		}
		for col, index := range b.Counters {
			kind := b.Set.Counters[index].Type
			path := b.Set.Name + "(" + in.Key.Name + `)\` + b.Set.Counters[index].Name
			now := sampled{b.Row(row)[col], b.Clocks}
			if from, ok := last[path]; ok {
				if v, ok := cooker.Cook(kind, &from.reading, &now.reading, &from.clocks, &now.clocks, nil).Float(); ok && !math.IsNaN(v) {
					fmt.Printf("%s\t%v\n", path, v)
				}
			}
			last[path] = now
		}
	}
}
