package perflib

import (
	"strconv"
	"testing"
)

const benchBlocks = 20_000

// readAll touches every value of a reply, as a client does.
func readAll(buf []byte) (sum uint64, values int, err error) {
	r := ReadData(buf)
	for r.Next() {
		b := r.Block()
		for v := b.Values(); v.Next(); values++ {
			n, _ := v.Value.Uint64()
			sum += n
		}
		for it := b.Instances(); it.Next(); {
			for ; it.Values.Next(); values++ {
				n, _ := it.Values.Value.Uint64()
				sum += n
			}
		}
	}
	return sum, values, r.Err()
}

func benchRead(b *testing.B, want int, blocks ...func(w *DataWriter)) {
	buf, _ := blocksOf(b, blocks...)
	b.ReportAllocs()
	b.SetBytes(int64(len(buf)))
	for b.Loop() {
		if _, n, err := readAll(buf); n != want || err != nil {
			b.Fatal(n, err)
		}
	}
}

func counterBlocks() []func(w *DataWriter) {
	blocks := make([]func(w *DataWriter), benchBlocks)
	for i := range blocks {
		blocks[i] = counter(uint64(i))
	}
	return blocks
}

func instanceNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "instance " + strconv.Itoa(i)
	}
	return names
}

func BenchmarkReadCounters20000(b *testing.B) { benchRead(b, benchBlocks, counterBlocks()...) }

func BenchmarkReadWildcardBlocks20000(b *testing.B) {
	blocks := make([]func(w *DataWriter), benchBlocks)
	for i := range blocks {
		blocks[i] = func(w *DataWriter) {
			w.Instances()
			w.Instance(0, EncodeText("_Total"))
			w.Uint64(uint64(i))
		}
	}
	benchRead(b, benchBlocks, blocks...)
}

func BenchmarkReadCounterset5000x3(b *testing.B) {
	benchRead(b, 15_000, counterset(instanceNames(5_000)...))
}

func BenchmarkReadInstances20000(b *testing.B) {
	names := instanceNames(benchBlocks)
	benchRead(b, benchBlocks, func(w *DataWriter) {
		w.Instances()
		for i, name := range names {
			w.Instance(uint32(i), EncodeText(name))
			w.Uint64(uint64(i))
		}
	})
}

func BenchmarkWriteCounters20000(b *testing.B) {
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		w := NewDataWriter(buf[:0], &testHeader)
		for i := range uint64(benchBlocks) {
			w.Counter()
			w.Uint64(i)
		}
		var err error
		if buf, err = w.Finish(); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(buf)))
}

func BenchmarkDecodeStrings200(b *testing.B) {
	list := make([]CounterString, 200)
	for i, name := range instanceNames(len(list)) {
		list[i] = CounterString{uint32(i), EncodeText(name)}
	}
	table := AppendStrings(nil, list)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeStrings(table); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTextString(b *testing.B) {
	text := EncodeText("\\Device\\HarddiskVolume3 Größe")
	b.ReportAllocs()
	for b.Loop() {
		_ = text.String()
	}
}
