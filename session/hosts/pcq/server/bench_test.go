package server

import (
	"fmt"
	"testing"

	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// blocks makes identifiers that cost so many values: exact names, or one
// wildcard.
func blocks(source *table, n int) []perflib.Identifier {
	const most = 1000
	source.rows["Disk"] = nil
	for i := range uint64(n) {
		source.rows["Disk"] = append(source.rows["Disk"], session.Instance{Key: session.InstanceKey{Name: fmt.Sprint("disk ", i), ID: i}})
	}
	if n > most {
		return []perflib.Identifier{ident(diskGUID, 6, "*")}
	}
	var ids []perflib.Identifier
	for i := range n {
		ids = append(ids, ident(diskGUID, 6, fmt.Sprint("disk ", i)))
	}
	return ids
}

var sizes = []int{10, 1000, 20_000}

func BenchmarkCollect(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			source := newTable()
			ids := blocks(source, n)
			_, c := newSession(b, source)
			benchmarkCollect(b, c, ids)
		})
	}
}

func BenchmarkCollectOverTheWire(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			source := newTable()
			ids := blocks(source, n)
			port, _ := serve(b, source, nil)
			benchmarkCollect(b, dial(b, port), ids)
		})
	}
}

func benchmarkCollect(b *testing.B, p rpc.PerflibV2, ids []perflib.Identifier) {
	h := openHandle(b, p)
	for _, s := range add(b, p, h, true, ids...) {
		if s != rpc.CodeOK {
			b.Fatal(s)
		}
	}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		a, err := p.QueryCounterData(b.Context(), h, enough, buf)
		if err != nil || a.Code != rpc.CodeOK {
			b.Fatal(a.Code, err)
		}
		buf = a.Data
	}
}
