package csv

import (
	"bytes"
	"time"

	"perfdeck/session/files/logs"
)

// wallClock reads and writes the times of PDH text, MM/dd/yyyy HH:mm:ss.fff, in
// a zone of fixed bias. It remembers the day, which seldom changes.
type wallClock struct {
	location *time.Location
	bias     int64     // seconds to add for UTC
	order    fileOrder // of what is read

	day      [10]byte // MM/dd/yyyy that midnight is of
	midnight int64    // Unix seconds, UTC, of 0:00 of the day
}

const wallClockLayout = "01/02/2006 15:04:05.000"

func newWallClock(z logs.Zone) wallClock {
	return wallClock{location: z.Location(), bias: int64(z.Bias) * 60}
}

// isWindows tells whether a time is written as Windows does it.
func isWindows(b []byte) bool {
	return len(b) == len(wallClockLayout) && b[10] == ' ' && b[13] == ':' && b[16] == ':' && b[19] == '.'
}

// parse reads a time.
func (w *wallClock) parse(b []byte) (t time.Time, ok bool) {
	if !isWindows(b) || w.order.windows.dayFirst {
		return w.parseOther(b)
	}
	if !bytes.Equal(w.day[:], b[:10]) && !w.setDay(b[:10]) {
		return w.parseOther(b)
	}
	hour, minute, second := twoDigits(b[11:]), twoDigits(b[14:]), twoDigits(b[17:])
	millis := twoDigits(b[20:])*10 + int64(b[22]-'0')
	if hour|minute|second|millis < 0 || hour > 23 || minute > 59 || second > 60 || b[22]-'0' > 9 {
		return t, false
	}
	return time.Unix(w.midnight+hour*3600+minute*60+second+w.bias, millis*1e6).In(w.location), true
}

// twoDigits is the number that b begins with, negative if it is none.
func twoDigits(b []byte) int64 {
	high, low := b[0]-'0', b[1]-'0'
	if high > 9 || low > 9 {
		return -1 << 20
	}
	return int64(high)*10 + int64(low)
}

func (w *wallClock) setDay(b []byte) bool {
	month, day, century, year := twoDigits(b), twoDigits(b[3:]), twoDigits(b[6:]), twoDigits(b[8:])
	if month < 1 || month > 12 || day < 1 || day > 31 || century < 0 || year < 0 || b[2] != '/' || b[5] != '/' {
		return false
	}
	date := time.Date(int(century*100+year), time.Month(month), int(day), 0, 0, 0, 0, time.UTC)
	if date.Day() != int(day) { // the 31st of a month of 30 days
		return false
	}
	copy(w.day[:], b)
	w.midnight = date.Unix()
	return true
}

// parseOther reads times as other programs write them.
func (w *wallClock) parseOther(b []byte) (t time.Time, ok bool) {
	m, ok := scanMoment(b)
	order := w.order.of(b)
	if !ok || order.halfLost && m.half == 0 || !order.seen && m.isOpen() {
		return t, false
	}
	t, ok = m.in(order.dayFirst)
	if !m.offset {
		t = t.Add(time.Duration(w.bias) * time.Second)
	}
	return t.In(w.location), ok
}

// appendTo writes a time in the zone, cut to milliseconds.
func (w *wallClock) appendTo(b []byte, t time.Time) []byte {
	nanos := t.Nanosecond()
	seconds := t.Unix() - w.bias
	if since := seconds - w.midnight; since < 0 || since >= 24*3600 || w.day[0] == 0 {
		day := time.Unix(seconds, 0).UTC()
		if year := day.Year(); year < 0 || year > 9999 {
			return t.In(w.location).AppendFormat(b, wallClockLayout)
		}
		day.AppendFormat(w.day[:0], "01/02/2006")
		w.midnight = seconds - int64(day.Hour()*3600+day.Minute()*60+day.Second())
	}
	since := int(seconds - w.midnight)
	b = append(b, w.day[:]...)
	b = append(b, ' ')
	b = appendTwo(b, since/3600)
	b = append(b, ':')
	b = appendTwo(b, since/60%60)
	b = append(b, ':')
	b = appendTwo(b, since%60)
	b = append(b, '.', byte('0'+nanos/100_000_000))
	return appendTwo(b, nanos/1_000_000%100)
}

func appendTwo(b []byte, n int) []byte { return append(b, byte('0'+n/10), byte('0'+n%10)) }
