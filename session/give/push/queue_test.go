package push

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/store"
)

// hands is a clock that is set by hand.
type hands struct{ now session.Instant }

func (h *hands) Now() session.Instant { return h.now }
func (h *hands) Timer(time.Duration) (<-chan time.Time, func()) {
	return make(chan time.Time), func() {}
}
func (h *hands) pass(d time.Duration) { h.now.Mono += d; h.now.Wall = h.now.Wall.Add(d) }

func newHands() *hands {
	return &hands{session.Instant{Wall: time.UnixMilli(1_700_000_000_000), Mono: time.Hour}}
}

func openQueue(t *testing.T, dir string, o QueueOptions) *Queue {
	t.Helper()
	q, err := OpenQueue(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	return q
}

// numbered is a block of a number.
func numbered(n, size int, newest int64) Block {
	body := bytes.Repeat([]byte{byte(n)}, size)
	copy(body, fmt.Sprintf("%08d", n))
	return Block{Samples: 10, Newest: newest, Body: body}
}

// drain takes all that waits, or so many, and returns their numbers.
func drain(t *testing.T, q *Queue, most int) (numbers []int) {
	t.Helper()
	for len(numbers) < most {
		b, ticket, ok := q.Next()
		if !ok {
			break
		}
		n := 0
		if _, err := fmt.Sscanf(string(b.Body[:8]), "%d", &n); err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, n)
		q.Done(ticket)
	}
	return numbers
}

// wantRun wants numbers one after the other.
func wantRun(t *testing.T, numbers []int, from, to int) {
	t.Helper()
	if len(numbers) != to-from+1 {
		t.Fatalf("%d blocks, want %d to %d: %v", len(numbers), from, to, numbers)
	}
	for i, n := range numbers {
		if n != from+i {
			t.Fatalf("block %d is %d, want %d", i, n, from+i)
		}
	}
}

// What waits comes back in order, through several processes, each once.
func TestQueueKeepsOrder(t *testing.T) {
	dir, clock := t.TempDir(), newHands()
	o := QueueOptions{Bytes: 16 << 20, Clock: clock}
	next := 1
	for life := range 5 {
		q := openQueue(t, dir, o)
		for range 200 {
			if err := q.Append(numbered(next, 20_000, clock.now.Wall.UnixMilli())); err != nil {
				t.Fatal(err)
			}
			next++
		}
		wantRun(t, drain(t, q, 150), life*150+1, (life+1)*150)
		s := q.Status()
		left := next - 1 - (life+1)*150
		if s.Blocks != int64(left) || s.Samples != int64(left*10) || s.Full+s.Old+s.Damaged != 0 {
			t.Errorf("life %d: %+v, %d blocks are left", life, s, left)
		}
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
	}
	q := openQueue(t, dir, o)
	wantRun(t, drain(t, q, 1e6), 751, next-1)
	if s := q.Status(); s.Blocks != 0 || s.Bytes != 0 {
		t.Errorf("empty: %+v", s)
	}
	_ = q.Close()
	if list, _ := filepath.Glob(filepath.Join(dir, "*"+segmentSuffix)); len(list) > 1 {
		t.Errorf("an empty queue has %d segments", len(list))
	}
}

// When it is full the oldest go, and are counted.
func TestQueueFull(t *testing.T) {
	clock := newHands()
	q := openQueue(t, t.TempDir(), QueueOptions{Bytes: 1 << 20, Clock: clock})
	for n := 1; n <= 500; n++ {
		_ = q.Append(numbered(n, 10_000, clock.now.Wall.UnixMilli()))
		if s := q.Status(); s.Bytes > 1<<20 {
			t.Fatalf("%d bytes wait", s.Bytes)
		}
	}
	s := q.Status()
	got := drain(t, q, 1000)
	wantRun(t, got, 501-len(got), 500)
	if s.Full != int64(500-len(got))*10 || len(got) < 60 {
		t.Errorf("%d blocks wait, %d samples went", len(got), s.Full)
	}
}

// What waits too long goes. A clock that steps makes nothing old that this process wrote.
func TestQueueAge(t *testing.T) {
	dir, clock := t.TempDir(), newHands()
	o := QueueOptions{Bytes: 8 << 20, Age: time.Hour, Clock: clock}
	q := openQueue(t, dir, o)
	for n := 1; n <= 90; n++ { // a minute each
		_ = q.Append(numbered(n, 100, clock.now.Wall.UnixMilli()))
		clock.pass(time.Minute)
	}
	clock.now.Wall = clock.now.Wall.Add(1000 * time.Hour) // it steps
	got := drain(t, q, 1000)
	if len(got) < 60 || len(got) > 70 || got[len(got)-1] != 90 {
		t.Fatalf("of 90 minutes %d wait: %v", len(got), got)
	}
	if s := q.Status(); s.Old != int64(90-len(got))*10 {
		t.Errorf("%d blocks wait, %d samples were too old", len(got), s.Old)
	}
	_ = q.Append(numbered(91, 100, clock.now.Wall.UnixMilli()))
	_ = q.Close()
	clock.pass(2 * time.Hour)
	q = openQueue(t, dir, o)
	if got := drain(t, q, 10); len(got) != 0 || q.Status().Old != 10 {
		t.Errorf("%v waited for 2 h: %+v", got, q.Status())
	}
}

// A torn end, damage in the midst and a lost position lose no more than they must.
func TestQueueDamage(t *testing.T) {
	fill := func(t *testing.T) (dir string, clock *hands) {
		dir, clock = t.TempDir(), newHands()
		q := openQueue(t, dir, QueueOptions{Bytes: 8 << 20, Clock: clock})
		for n := 1; n <= 50; n++ {
			_ = q.Append(numbered(n, 60_000, 1))
		}
		drain(t, q, 5)
		_ = q.Close()
		return dir, clock
	}
	segments := func(dir string) []string {
		list, _ := filepath.Glob(filepath.Join(dir, "*"+segmentSuffix))
		return list
	}
	for name, c := range map[string]struct {
		spoil    func(t *testing.T, dir string)
		from, to int
	}{
		"torn end": {func(t *testing.T, dir string) {
			list := segments(dir)
			last := list[len(list)-1]
			info, _ := os.Stat(last)
			if err := os.Truncate(last, info.Size()-1000); err != nil {
				t.Fatal(err)
			}
		}, 6, 49},
		"no position": {func(t *testing.T, dir string) { _ = os.Remove(filepath.Join(dir, positionName)) }, 1, 50},
		"wild position": {func(t *testing.T, dir string) {
			_ = os.WriteFile(filepath.Join(dir, positionName), bytes.Repeat([]byte{0xFF}, positionSize), 0o600)
		}, 1, 50},
		"strange files": {func(t *testing.T, dir string) {
			_ = os.WriteFile(filepath.Join(dir, "0000000000000000.queue"), []byte("hello"), 0o600)
			_ = os.Mkdir(filepath.Join(dir, "7fffffffffffffff.queue"), 0o700)
			_ = os.WriteFile(filepath.Join(dir, "zz.queue"), nil, 0o600)
		}, 6, 50},
	} {
		t.Run(name, func(t *testing.T) {
			dir, clock := fill(t)
			c.spoil(t, dir)
			q := openQueue(t, dir, QueueOptions{Bytes: 8 << 20, Clock: clock})
			wantRun(t, drain(t, q, 1000), c.from, c.to)
			_ = q.Append(numbered(99, 100, 1))
			wantRun(t, drain(t, q, 1000), 99, 99)
		})
	}
	t.Run("a flipped bit", func(t *testing.T) {
		dir, clock := fill(t)
		list := segments(dir)
		f, err := os.OpenFile(list[0], os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.WriteAt([]byte{0x55}, 60_000*7)
		_ = f.Close()
		q := openQueue(t, dir, QueueOptions{Bytes: 8 << 20, Clock: clock})
		got := drain(t, q, 1000)
		if got[0] != 6 || got[len(got)-1] != 50 || q.Status().Damaged == 0 || q.Status().Blocks != 0 || q.Status().Samples != 0 {
			t.Errorf("%v, %+v", got, q.Status())
		}
	})
}

// A queue of another version is refused, and stays as it is.
func TestQueueOfAnotherVersion(t *testing.T) {
	dir := t.TempDir()
	name, text := filepath.Join(dir, "0000000000000001.queue"), strings.Replace(segmentMagic, "1", "2", 1)+"more"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := OpenQueue(dir, QueueOptions{Bytes: LeastQueue, Clock: newHands()})
	if left, _ := os.ReadFile(name); !errors.Is(err, store.ErrForm) || string(left) != text {
		t.Errorf("%v, left %q", err, left)
	}
}

// Two processes do not share a queue, and one that was closed may be opened.
func TestQueueIsLocked(t *testing.T) {
	dir, clock := t.TempDir(), newHands()
	q := openQueue(t, dir, QueueOptions{Bytes: 8 << 20, Clock: clock})
	_, err := OpenQueue(dir, QueueOptions{Bytes: 8 << 20, Clock: clock})
	if !errors.Is(err, errBusy) {
		t.Errorf("a second one: %v", err)
	}
	_ = q.Close()
	q2 := openQueue(t, dir, QueueOptions{Bytes: 8 << 20, Clock: clock})
	_ = q2.Close()
	if _, err := OpenQueue(dir, QueueOptions{Bytes: 1000, Clock: clock}); !errors.Is(err, errSmall) {
		t.Errorf("a small one: %v", err)
	}
}

// When the disk takes nothing blocks wait in memory, bounded, and in order with those that
// are written when it does again.
func TestQueueWithoutDisk(t *testing.T) {
	dir, clock := t.TempDir(), newHands()
	q := openQueue(t, dir, QueueOptions{Bytes: 64 << 20, Clock: clock})
	for n := 1; n <= 3; n++ {
		_ = q.Append(numbered(n, 1000, int64(n)))
	}
	_ = q.tail.Close() // every write fails
	var err error
	for n := 4; n <= 90; n++ {
		err = q.Append(numbered(n, 1_000_000, int64(n)))
	}
	s := q.Status()
	if err == nil || s.Err == nil || s.Held > mostHeld || s.Full == 0 {
		t.Fatalf("%v, %+v", err, s)
	}
	if first := drain(t, q, 5); len(first) != 5 || first[2] != 3 || first[3] <= 4 || first[4] != first[3]+1 {
		t.Fatalf("first are %v", first)
	}
	q.tail = nil // the disk is back
	if err := q.Append(numbered(91, 1000, 91)); err != nil {
		t.Fatal(err)
	}
	got := drain(t, q, 1000)
	wantRun(t, got, 92-len(got), 91)
	if s := q.Status(); s.Held != 0 || s.Samples != 0 || s.Bytes != 0 {
		t.Errorf("empty: %+v", s)
	}
}

// What the disk did not take to the end is counted.
func TestQueueEndsWithoutDisk(t *testing.T) {
	q := openQueue(t, t.TempDir(), QueueOptions{Bytes: 64 << 20, Clock: newHands()})
	_ = q.Append(numbered(1, 1000, 1))
	_ = q.tail.Close()
	_ = q.Append(numbered(2, 1000, 2))
	err := q.Close()
	if s := q.Status(); err == nil || s.Unwritten != 10 || s.Samples != 10 || s.Held != 0 {
		t.Errorf("%v, %+v", err, s)
	}
}

// FuzzQueue reads segments and positions that anybody may have written: it ends, in bounded
// memory, and goes on to work.
func FuzzQueue(f *testing.F) {
	good := []byte(segmentMagic)
	b := numbered(1, 50, 5)
	good = appendBlock(appendBlock(good, &b), &b)
	f.Add(good, appendPosition(nil, 1, int64(len(segmentMagic))))
	f.Add(good[:len(good)-3], appendPosition(nil, 1, 9))
	f.Add([]byte(segmentMagic+"\xff\xff\xff\xff"), []byte{})
	f.Fuzz(func(t *testing.T, segment, position []byte) {
		dir := t.TempDir()
		_ = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%016x%s", 1, segmentSuffix)), segment, 0o600)
		_ = os.WriteFile(filepath.Join(dir, positionName), position, 0o600)
		q, err := OpenQueue(dir, QueueOptions{Bytes: LeastQueue, Clock: newHands()})
		if err != nil {
			t.Fatal(err)
		}
		defer q.Close()
		for range len(segment) {
			b, ticket, ok := q.Next()
			if !ok {
				break
			}
			if len(b.Body) > len(segment) {
				t.Fatalf("a body of %d bytes out of %d", len(b.Body), len(segment))
			}
			q.Done(ticket)
		}
		if err := q.Append(numbered(7, 100, 1)); err != nil {
			t.Fatal(err)
		}
		if got := drain(t, q, 10); len(got) != 1 || got[0] != 7 {
			t.Fatalf("%v", got)
		}
		if s := q.Status(); s.Blocks != 0 || s.Bytes != 0 || s.Samples != 0 {
			t.Fatalf("%+v", s)
		}
	})
}
