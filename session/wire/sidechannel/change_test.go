package sidechannel

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// table is a reply of rows as MS-PCQ has them: a name, and the values of some counters.
func table(rows []uint64, value func(row uint64, counter int) uint64) (b []byte) {
	b = binary.LittleEndian.AppendUint64(b, uint64(len(rows)))
	for counter := range 4 {
		for _, row := range rows {
			b = binary.LittleEndian.AppendUint64(b, 32<<32|row)
			b = append(b, "p\x00r\x00o\x00c\x00"...)
			b = binary.LittleEndian.AppendUint64(b, 8<<32|16)
			b = binary.LittleEndian.AppendUint64(b, value(row, counter))
		}
	}
	return b
}

func numbers(n int) (out []uint64) {
	for i := range n {
		out = append(out, uint64(100+7*i))
	}
	return out
}

// A reply like the one before takes little more than what has changed, also where rows
// have come and gone.
func TestChangeIsSmall(t *testing.T) {
	t.Parallel()
	rows := numbers(70)
	before := table(rows, func(row uint64, counter int) uint64 { return row * uint64(counter) })
	busy := func(row uint64, counter int) uint64 {
		if row%10 == 0 {
			return row*uint64(counter) + 1
		}
		return row * uint64(counter)
	}
	for name, c := range map[string]struct {
		text []byte
		most int
	}{
		"the same":   {before, 8},
		"some busy":  {table(rows, busy), 350},
		"one gone":   {table(append(numbers(30), rows[31:]...), busy), 400},
		"one more":   {table(append(numbers(30), append([]uint64{5}, rows[30:]...)...), busy), 600},
		"all others": {bytes.Repeat([]byte{7}, len(before)), len(before) + MaxGrowth},
		"none":       {nil, 1},
		"odd":        {append(bytes.Clone(before), 1, 2, 3), 700},
	} {
		change := AppendChange([]byte("x"), before, c.text)[1:]
		if len(change) > c.most {
			t.Errorf("%s: %d bytes for %d", name, len(change), len(c.text))
		}
		if got, err := Changed([]byte("y"), before, change, len(c.text)); err != nil || string(got) != "y"+string(c.text) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}

// What does not fit the reply before, or would be longer than was asked for, is refused.
func TestChangeThatDoesNotFit(t *testing.T) {
	t.Parallel()
	old := bytes.Repeat([]byte("01234567"), 4)
	for name, change := range map[string][]byte{
		"empty":          {},
		"too long":       {200, 1},
		"no steps":       {16},
		"no words":       {16, 0<<2 | stepSame},
		"too many words": {16, 3<<2 | stepSame},
		"beyond old":     {40, 5<<2 | stepSame},
		"before old":     {16, 2<<2 | stepMoved, 1},
		"far beyond old": {16, 2<<2 | stepMoved, 200, 1},
		"cut":            {16, 2<<2 | stepNew, 1, 2, 3},
		"unknown":        {16, 2<<2 | 3},
		"tail":           {17, 2<<2 | stepSame},
		"more":           {16, 2<<2 | stepSame, 9},
	} {
		if got, err := Changed(nil, old, change, 100); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// FuzzChange applies any bytes as a change, and finds any two texts again.
func FuzzChange(f *testing.F) {
	rows := numbers(3)
	a := table(rows, func(row uint64, counter int) uint64 { return row })
	b := table(rows[1:], func(row uint64, counter int) uint64 { return row + 1 })
	f.Add(a, b)
	f.Add(a, AppendChange(nil, a, b))
	f.Add(a, a[:len(a)-3])
	f.Fuzz(func(t *testing.T, old, text []byte) {
		const most = 1 << 16
		if got, err := Changed(nil, old, text, most); err == nil && len(got) > most {
			t.Fatalf("%d bytes", len(got))
		}
		change := AppendChange(nil, old, text)
		if len(change) > len(text)+MaxGrowth {
			t.Fatalf("%d bytes for %d", len(change), len(text))
		}
		if got, err := Changed(nil, old, change, len(text)); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%q of %q, %v", got, old, err)
		}
	})
}

func BenchmarkChange(b *testing.B) {
	rows := numbers(150)
	var n uint64
	value := func(row uint64, counter int) uint64 { return row * uint64(counter) * (1 + n*(row%5/4)) }
	old := table(rows, value)
	r := rand.New(rand.NewPCG(1, 2))
	var change []byte
	for b.Loop() {
		n = r.Uint64N(100)
		text := table(rows, value)
		change = AppendChange(change[:0], old, text)
		old = text
	}
	b.ReportMetric(float64(len(change)), "B/change")
}
