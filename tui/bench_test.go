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

// The deck of 200x60 with 60 sparklines and more.
func BenchmarkDrawDeck(b *testing.B) {
	r := benchRig(b, rigOptions{w: 200, h: 60}, 4)
	r.root.book.Own(r.root.desk.Hosts[0]).Load(append([]session.DeckPane{
		{Paths: []string{`\Processor Information(*)\% Processor Time`, `\Processor Information(*)\% Privileged Time`}},
		{Paths: []string{`\PhysicalDisk(*)\Avg. Disk sec/Transfer`, `\PhysicalDisk(*)\Disk Bytes/sec`}},
	}, testDeck[1:]...))
	r.root.ask(r.root.desk.Hosts[0])
	for range 30 {
		r.pass(time.Second)
	}
	b.ReportAllocs()
	for b.Loop() {
		r.root.draw()
	}
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
