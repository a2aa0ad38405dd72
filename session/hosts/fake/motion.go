package fake

import (
	"math"
	"time"
)

// Motion is how a value moves: its value at a script's time. seed differs from
// instance to instance, so that rows of one counter do not move alike.
type Motion func(at time.Duration, seed uint64) float64

// Const stays.
func Const(v float64) Motion {
	return func(time.Duration, uint64) float64 { return v }
}

// Walk wanders between lo and hi; pace is how long one way takes.
func Walk(lo, hi float64, pace time.Duration) Motion {
	return func(at time.Duration, seed uint64) float64 {
		x := float64(at) / float64(pace)
		seed ^= uint64(pace)
		return lo + (hi-lo)*(0.7*noise(x, seed)+0.3*noise(3.7*x, seed+1))
	}
}

// Sine swings around mean. Rows begin at different phases.
func Sine(mean, swing float64, period time.Duration) Motion {
	return func(at time.Duration, seed uint64) float64 {
		turn := float64(at)/float64(period) + fraction(mix(seed))
		return mean + swing*math.Sin(2*math.Pi*turn)
	}
}

// Ramp begins at from and grows (or falls) evenly.
func Ramp(from, perSecond float64) Motion {
	return func(at time.Duration, _ uint64) float64 { return from + perSecond*at.Seconds() }
}

// Saw rises from its first to its second value in each period, and starts again.
func Saw(from, to float64, period time.Duration) Motion {
	return func(at time.Duration, _ uint64) float64 {
		return from + (to-from)*float64(at%period)/float64(period)
	}
}

// Burst is calm outside the window and busy inside.
func Burst(calm, busy Motion, w Window) Motion {
	return func(at time.Duration, seed uint64) float64 {
		if open, _ := w.at(at); open {
			return busy(at, seed)
		}
		return calm(at, seed)
	}
}

// Plus adds motions up.
func Plus(motions ...Motion) Motion {
	return func(at time.Duration, seed uint64) float64 {
		sum := 0.0
		for _, m := range motions {
			sum += m(at, seed)
		}
		return sum
	}
}

// Times multiplies a motion.
func Times(factor float64, m Motion) Motion {
	return func(at time.Duration, seed uint64) float64 { return factor * m(at, seed) }
}

// Rest is what m leaves of whole, and never below 0.
func Rest(whole float64, m Motion) Motion {
	return func(at time.Duration, seed uint64) float64 { return max(0, whole-m(at, seed)) }
}

// Within keeps a motion between lo and hi.
func Within(lo, hi float64, m Motion) Motion {
	return func(at time.Duration, seed uint64) float64 { return min(max(m(at, seed), lo), hi) }
}

// Alike moves the same way in every row and counter that uses it.
func Alike(seed uint64, m Motion) Motion {
	return func(at time.Duration, _ uint64) float64 { return m(at, seed) }
}

// noise is a smooth line through one random number, 0 to 1, for each whole x.
func noise(x float64, seed uint64) float64 {
	whole, part := math.Modf(x)
	n := uint64(int64(whole))
	a, b := fraction(mix(seed+n)), fraction(mix(seed+n+1))
	return a + (b-a)*part*part*(3-2*part)
}

// mix is the finishing step of splitmix64: near seeds give unlike numbers.
func mix(n uint64) uint64 {
	n += 0x9E3779B97F4A7C15
	n = (n ^ n>>30) * 0xBF58476D1CE4E5B9
	n = (n ^ n>>27) * 0x94D049BB133111EB
	return n ^ n>>31
}

// fraction is a number from 0 up to 1.
func fraction(n uint64) float64 { return float64(n>>11) / (1 << 53) }

// seedOf mixes names into a seed (FNV-1a).
func seedOf(seed uint64, names ...string) uint64 {
	for _, name := range names {
		for i := range len(name) {
			seed = (seed ^ uint64(name[i])) * 0x100000001B3
		}
		seed = mix(seed)
	}
	return seed
}
