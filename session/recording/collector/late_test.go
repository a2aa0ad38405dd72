package collector

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/hosts/fake"
)

// late is a host that answers when samples are printed already.
func late(name string) fake.Script {
	s := plain(name)
	s.Faults = []fake.Fault{{Window: fake.Window{To: 8 * time.Second}, Err: errors.New("no route")}}
	s.Sets = append(s.Sets, fake.Set{Name: "Words", Counters: []fake.Counter{
		{Name: "Word", Type: cooker.CounterText, Text: func(*session.Instance, time.Duration) string { return "a text that is longer than others" }},
		{Name: "Flags", Type: cooker.CounterRawCountHex, Is: fake.Const(0x1F)},
	}})
	return s
}

// What a host is printed as is what it says it is, in each format, though it answers when
// printing has begun.
func TestLateHostIsPrintedAsItIs(t *testing.T) {
	for _, paths := range [][]string{
		{`\Memory\Seconds`, `\memory\pages/sec`, `\Words\Word`, `\Words\Flags`},
		{`\Memory\Seconds`, `\Memory\Pages/sec`, `\Words\*`, `\Disk(*)\Free`},
	} {
		for _, format := range formats.PrintFormats() {
			inBubble(t, start0, func(r *rig) {
				kind, _ := formats.PrintFormat(format, "")
				var text bytes.Buffer
				out := kind.Print(&text, logs.WriteOptions{Beats: 24})
				o := r.options("", r.host(plain("early"), `\Memory\Seconds`), r.host(late("late"), paths...))
				o.File, o.Stream, o.Until = "", &Stream{Fixed: !kind.Grows, Write: func(b *logs.Beat) error { return out.Write(b) }}, Until{Count: 24}
				rec := r.start(o)
				r.clock.Advance(40 * time.Second)
				r.stop(rec)
				if err := out.Close(); err != nil {
					t.Error(err)
				}
				got := text.String()
				rate := map[string]string{"prom": "_pages_per_second{host=\"late\"} 7", "lines": ": 7", "json": `"text":"7.000"`, "table": "7.000000", "csv": "7", "tsv": "7"}[format]
				if strings.Contains(got, "0x000000") && strings.Count(got, "0x") != strings.Count(got, "0x0000001F") || !strings.Contains(got, rate) {
					t.Errorf("%s of %q:\n%s", format, paths, got)
				}
				if kind.Grows && !strings.Contains(got, "a text that is longer") {
					t.Errorf("%s of %q: no text:\n%s", format, paths, got)
				}
			})
		}
	}
}

// A host that comes back with another type of a counter is recorded as what it is now: in a
// file that keeps types that is another one, since raw values are cooked by them.
func TestTypeChanges(t *testing.T) {
	for file, files := range map[string]int{"n.db": 2, "n.csv": 1} {
		inBubble(t, start0, func(r *rig) {
			script := plain("a") // the first of a name counts
			script.Sets = append(script.Sets, fake.Set{Name: "Memory", Counters: []fake.Counter{{Name: "Seconds", Type: cooker.CounterLargeDelta, Is: fake.Const(3)}}})
			h := r.host(script, `\Memory\Seconds`)
			rec := r.start(r.options(file, h))
			r.clock.Advance(5 * time.Second)
			sampler := h.Sampler
			other := *sampler.Catalogue()
			other.Sets = other.Sets[1:]
			sampler.Renew(&other)
			r.clock.Advance(5 * time.Second)
			r.stop(rec)
			if got := r.files(); len(got) != files {
				t.Fatalf("%s: %q", file, got)
			}
			if files == 1 {
				return
			}
			in, err := formats.Open(context.Background(), rec.Status().File, logs.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			if c := in.Header().Columns; len(c) != 1 || c[0].Type != cooker.CounterLargeDelta {
				t.Errorf("%+v", c)
			}
		})
	}
}
