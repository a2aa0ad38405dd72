package tui

import (
	"io"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/tui/canvas"
)

// quiet lets the sampler's goroutines come to rest outside a bubble.
func quiet() { time.Sleep(3 * time.Millisecond) }

// benchRig is a rig outside a bubble with n samples.
func benchRig(b *testing.B, o rigOptions, n int) *rig {
	r, end := newRig(b, o, quiet)
	b.Cleanup(end)
	r.begin(n)
	return r
}

// The default deck of 200x60: when all of it is new, when
// nothing is, and when the selection moves from one pane to the next.
func BenchmarkDrawDeck(b *testing.B) {
	r := benchRig(b, rigOptions{w: 200, h: 60}, 4)
	host := r.root.desk.Hosts[0]
	r.root.book.Own(host).Load(session.DefaultDeck(host.Name, host.Sampler.Catalogue()).Panes)
	r.root.ask(host)
	for range 30 {
		r.pass(time.Second)
	}
	older := host.Snap
	host.Snap = nil // else it would be released
	r.pass(time.Second)
	snaps := [2]*session.Snapshot{older, host.Snap}
	b.Run("all", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			host.Snap = snaps[i%2]
			r.root.draw()
		}
	})
	b.Run("same", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.root.draw()
		}
	})
	b.Run("key", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			r.root.handle(keyPress([]string{"tab", "shift+tab"}[i%2]))
			r.root.draw()
		}
	})
}

// A snapshot, from its arrival to the bytes for the terminal.
func BenchmarkTick(b *testing.B) {
	r := benchRig(b, rigOptions{w: 160, h: 48}, 20)
	p := canvas.NewPainter(io.Discard, r.root.sheet(), canvas.CapsOf("xterm-256color"))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		r.clock.Advance(time.Second)
		select {
		case <-r.root.desk.Hosts[0].Feed.Ready():
		default:
		}
		b.StartTimer()
		r.root.Update(snapshotReady{r.root.watched[0]})
		if err := p.Paint(r.root.canvas); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(p.Stats().Bytes)/float64(b.N), "wire-B/op")
}

// The table of 2,000 instances: drawn, and arranged anew with a snapshot.
func BenchmarkTop(b *testing.B) {
	r := benchRig(b, rigOptions{w: 160, h: 48, hosts: script(hugeScript(2000))}, 3)
	r.press("3")
	for range 4 {
		r.pass(time.Second)
	}
	b.Run("draw", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.root.draw()
		}
	})
	b.Run("snapshot", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.root.top.Snapshot(r.root.desk.Hosts[0])
		}
	})
	r.press("v")
	b.Run("tree", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.root.top.Snapshot(r.root.desk.Hosts[0])
		}
	})
}
