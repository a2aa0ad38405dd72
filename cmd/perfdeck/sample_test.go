package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"perfdeck/cooker"
)

func TestUntilFirst(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for clock, want := range map[string]time.Duration{
		"":         0,
		"12:00":    0,
		"12:01":    time.Minute - time.Second,
		"12:00:30": 29 * time.Second,
		"11:59":    24*time.Hour - time.Minute - time.Second,
	} {
		if got, err := untilFirst(clock, now, time.Second); err != nil || got != want {
			t.Errorf("%q: %v (%v), want %v", clock, got, err, want)
		}
	}
	for _, clock := range []string{"24:00", "7", "noon", "12:60", "12:00:00:00"} {
		if _, err := untilFirst(clock, now, time.Second); err == nil {
			t.Errorf("%q is taken for a time", clock)
		}
	}
}

// TestReadCounters reads the same file in every encoding.
func TestReadCounters(t *testing.T) {
	const text = "; comment\r\n\\Memory\\Available MBytes\r\n\r\n  \"\\Büro(*)\\Größe\"\r\n# end"
	units := func(high int) (out []byte) {
		for _, u := range utf16.Encode([]rune("\uFEFF" + text)) {
			pair := []byte{byte(u), byte(u >> 8)}
			out = append(out, pair[high], pair[1-high])
		}
		return out
	}
	for encoding, data := range map[string][]byte{
		"UTF-8": []byte(text), "UTF-8 with mark": []byte("\uFEFF" + text), "UTF-16LE": units(0), "UTF-16BE": units(1),
	} {
		name := filepath.Join(t.TempDir(), "counters.txt")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := (&program{}).readCounters(name)
		if err != nil || len(got) != 2 || got[0].text != `\Memory\Available MBytes` || got[1].text != `\Büro(*)\Größe` {
			t.Errorf("%s: %v (%v)", encoding, got, err)
		}
	}
}

func FuzzDecodeText(f *testing.F) {
	f.Add([]byte("\xFF\xFE\x5C\x00"))
	f.Add([]byte("\xFE\xFF\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := decodeText(data); len(got) > 3*len(data)+3 {
			t.Errorf("%d bytes became %d", len(data), len(got))
		}
	})
}

func FuzzRawTable(f *testing.F) {
	f.Add("type_name\tc0\tc1\nPERF_COUNTER_DELTA\t1\t2\n")
	f.Add("\uFEFFtype_hex\tc1\r\n0x10410400\t-1\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := newRawTable(strings.NewReader(text))
		if err != nil {
			return
		}
		for table.next() {
			row, err := table.row()
			if err != nil {
				continue
			}
			v := row.Cook(nil)
			if v.Valid() && v.HasNumber() && len(cooker.AppendMachine(nil, v)) == 0 {
				t.Errorf("%q has no value", table.fields)
			}
		}
	})
}

// answerOf is an answer of a host on a beat.
func answerOf(host int, name string) answer {
	return answer{host: host, sample: sampled{host: name, time: time.Now(), cells: []cell{}}, began: time.Now()}
}

// rowsOf runs a watcher of hosts whose answers a script gives, and lists which
// hosts each row has.
func rowsOf(t *testing.T, hosts, count int, script func(chan<- answer)) (got []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		w := &watcher{watching: watching{every: time.Second}, pickers: make([]*picker, hosts), late: make([]int, hosts), answers: make(chan answer)}
		done := make(chan struct{})
		go func() { defer close(done); script(w.answers) }()
		err := w.rows(ctx, count, func(r row) error {
			var names []string
			for _, s := range r.samples {
				names = append(names, s.host)
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
		if got := strings.Join(rowsOf(t, 2, c.count, c.script), " "); got != c.want {
			t.Errorf("%s: rows %q, want %q", c.what, got, c.want)
		}
	}
}
