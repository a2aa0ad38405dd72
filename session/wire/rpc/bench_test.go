package rpc

import (
	"fmt"
	"testing"
)

// BenchmarkQueryCounterData collects sealed over loopback.
func BenchmarkQueryCounterData(b *testing.B) {
	for _, blocks := range []int{10, 1000, 20000} {
		b.Run(fmt.Sprintf("blocks=%d", blocks), func(b *testing.B) {
			ts := startServer(b, nil)
			ts.blocks.Store(int64(blocks))
			c := ts.dial(b, nil)
			h := openHandle(b, c)
			var buf []byte
			b.SetBytes(int64(32 * blocks))
			b.ReportAllocs()
			for b.Loop() {
				a, err := c.QueryCounterData(b.Context(), h, 1<<20, buf)
				if err != nil || len(a.Data) != 32*blocks {
					b.Fatal(len(a.Data), err)
				}
				buf = a.Data
			}
		})
	}
}
