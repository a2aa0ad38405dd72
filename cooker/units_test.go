package cooker

import "testing"

func TestUnitNamed(t *testing.T) {
	for _, c := range []struct {
		q    Quantity
		name string
		want float64 // 0: there is none
	}{
		{Quantity{Kind: Bytes}, "KB", 1024},
		{Quantity{Kind: Bytes}, "m", 1 << 20},
		{Quantity{Kind: Bytes}, "GiB", 1 << 30},
		{Quantity{Kind: Bytes}, "b", 1},
		{Quantity{Kind: Bytes, Exponent: 2}, "GB", 1024},
		{Quantity{Kind: BytesPerSecond}, "MB/s", 1 << 20},
		{Quantity{Kind: BytesPerSecond}, "mb", 1 << 20},
		{Quantity{Kind: BytesPerSecond}, "k", 1024},
		{Quantity{Kind: BitsPerSecond}, "Gb/s", 1e9},
		{Quantity{Kind: Count}, "k", 1000},
		{Quantity{Kind: Count}, "Ki", 1024},
		{Quantity{Kind: PerSecond}, "k/s", 1000},
		{Quantity{Kind: PerSecond}, "m", 1e6},
		{Quantity{Kind: Percent}, "%", 1},
		{Quantity{Kind: Seconds}, "ms", 1e-3},
		{Quantity{Kind: Seconds}, "us", 1e-6},
		{Quantity{Kind: Seconds}, "min", 60},
		{Quantity{Kind: Seconds, Exponent: -1}, "s", 1000},
		{Quantity{Kind: Seconds}, "m", 0},
		{Quantity{Kind: Percent}, "k", 0},
		{Quantity{Kind: Count}, "ms", 0},
		{Quantity{Kind: Bytes}, "", 0},
		{Quantity{Kind: quantityKinds}, "k", 0},
	} {
		u, ok := UnitNamed(c.q, c.name)
		if ok != (c.want != 0) || ok && u.Factor != c.want {
			t.Errorf("%+v %q: %+v %v, want %v", c.q, c.name, u, ok, c.want)
		}
	}
}
