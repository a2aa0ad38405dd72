package rows

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// answerOf is an answer of a host on a beat.
func answerOf(host int, name string) answer {
	return answer{host: host, sample: Sample{Host: name, Time: time.Now(), Cells: []Cell{}}, began: time.Now()}
}

// rowsOf runs a watcher of hosts whose answers a script gives, and lists which
// hosts each row has.
func rowsOf(t *testing.T, o Options, hosts, count int, script func(chan<- answer)) (got []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		w := &Watcher{Options: o, answers: make(chan answer)}
		for i := range hosts {
			w.add(newPicker(string(rune('a'+i)), nil), nil)
		}
		done := make(chan struct{})
		go func() { defer close(done); script(w.answers) }()
		err := w.Rows(ctx, count, func(r Row) error {
			var names []string
			for _, s := range r.Samples {
				names = append(names, s.Host)
			}
			got = append(got, strings.Join(names, "+"))
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		for ended := false; !ended; {
			select {
			case <-w.answers:
			case <-done:
				ended = true
			}
		}
	})
	return got
}

func TestRows(t *testing.T) {
	failed := func(host int, name string) answer {
		a := answerOf(host, name)
		a.failed = true
		return a
	}
	late := func(host int, name string, by time.Duration) answer {
		time.Sleep(by)
		a := answerOf(host, name)
		a.began = a.began.Add(-by)
		return a
	}
	for _, c := range []struct {
		what   string
		count  int
		script func(chan<- answer)
		want   string
	}{
		{"both answer", 2, func(out chan<- answer) {
			for range 2 {
				out <- answerOf(0, "a")
				out <- answerOf(1, "b")
				time.Sleep(time.Second)
			}
		}, "a+b a+b"},
		{"one is a little late", 2, func(out chan<- answer) {
			for range 2 {
				out <- answerOf(0, "a")
				out <- late(1, "b", 400*time.Millisecond)
				time.Sleep(600 * time.Millisecond)
			}
		}, "a+b a+b"},
		{"one is late: its value is in no other row", 3, func(out chan<- answer) {
			out <- answerOf(0, "a")
			out <- late(1, "b", 700*time.Millisecond)
			time.Sleep(300 * time.Millisecond)
			out <- answerOf(0, "a")
			time.Sleep(time.Second)
			out <- answerOf(0, "a")
			out <- answerOf(1, "b")
		}, "a a a+b"},
		{"one hangs for some beats", 4, func(out chan<- answer) {
			began := answerOf(1, "b")
			for range 3 {
				out <- answerOf(0, "a")
				time.Sleep(time.Second)
			}
			out <- began
			out <- answerOf(0, "a")
			out <- answerOf(1, "b")
		}, "a a a a+b"},
		{"one was asked beside the beat", 2, func(out chan<- answer) {
			out <- answerOf(0, "a")
			time.Sleep(700 * time.Millisecond)
			out <- answerOf(1, "b")
			time.Sleep(300 * time.Millisecond)
			out <- answerOf(0, "a")
		}, "a a+b"},
		{"one comes twice before the other", 2, func(out chan<- answer) {
			out <- answerOf(0, "a")
			time.Sleep(time.Second)
			out <- answerOf(0, "a")
			out <- answerOf(1, "b")
		}, "a a+b"},
		{"one failed: nobody waits for it", 2, func(out chan<- answer) {
			out <- failed(1, "b")
			out <- answerOf(0, "a")
			time.Sleep(time.Second)
			out <- answerOf(0, "a")
		}, "a+b a+b"},
		{"all failed: rows go on", 2, func(out chan<- answer) {
			out <- failed(0, "a")
			out <- failed(1, "b")
		}, "a+b a+b"},
	} {
		if got := strings.Join(rowsOf(t, Options{Every: time.Second}, 2, c.count, c.script), " "); got != c.want {
			t.Errorf("%s: rows %q, want %q", c.what, got, c.want)
		}
	}
}

// TestFixedRowsWait: rows whose columns are fixed begin when every host has
// answered or failed, or its time is up.
func TestFixedRowsWait(t *testing.T) {
	beats := func(out chan<- answer, n int, slowFrom int, first time.Duration) {
		for i := range n {
			at := time.Now()
			out <- answerOf(0, "a")
			if i == 0 {
				time.Sleep(first)
			}
			if i >= slowFrom {
				slow := answerOf(1, "b")
				slow.began = at
				out <- slow
			}
			time.Sleep(time.Until(at.Add(time.Second)))
		}
	}
	for _, c := range []struct {
		what   string
		script func(chan<- answer)
		want   string
	}{
		{"both answer", func(out chan<- answer) { beats(out, 2, 0, 0) }, "a+b a+b"},
		{"one is slow at first", func(out chan<- answer) { beats(out, 3, 0, 800*time.Millisecond) }, "a+b a+b"},
		{"one comes after some beats", func(out chan<- answer) { beats(out, 5, 3, 0) }, "a+b a+b"},
		{"one hangs", func(out chan<- answer) { beats(out, 8, 8, 0) }, "a a"},
		{"one failed", func(out chan<- answer) {
			a := answerOf(1, "b")
			a.failed = true
			out <- a
			beats(out, 2, 2, 0)
		}, "a+b a+b"},
	} {
		if got := strings.Join(rowsOf(t, Options{Every: time.Second, Fixed: true}, 2, 2, c.script), " "); got != c.want {
			t.Errorf("%s: rows %q, want %q", c.what, got, c.want)
		}
	}
}
