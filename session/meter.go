package session

import "time"

// meterSpan is how long bytes are counted before they make a rate.
const meterSpan = 5 * time.Second

// meter makes bytes per second of the count of a Meter.
type meter struct {
	bytes   uint64 // at the last mark
	at      time.Duration
	started bool
	last    float64
}

// rate is that of the last whole span; before there is one, what was counted so
// far.
func (m *meter) rate(bytes uint64, now time.Duration) float64 {
	if !m.started || bytes < m.bytes {
		m.bytes, m.at, m.started = bytes, now, true
		return m.last
	}
	span := now - m.at
	if span <= 0 {
		return m.last
	}
	rate := float64(bytes-m.bytes) / span.Seconds()
	switch {
	case span >= meterSpan:
		m.bytes, m.at, m.last = bytes, now, rate
	case m.last == 0:
		return rate
	}
	return m.last
}
