package alert

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// QuietHours is a part of the week, by the clock on the wall. A part that passes
// midnight belongs to the day on which it begins. What the clock skips in spring
// is not there; what it shows twice in autumn is meant twice.
type QuietHours struct {
	Days     uint8 // bit 1<<time.Weekday; 0: every day
	From, To int   // minutes since midnight, To up to 24*60
}

var dayWords = [7]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

const dayMinutes = 24 * 60

// ParseQuiet reads "22:00-06:00", "sat,sun 00:00-24:00" or "mon-fri 18:00-08:00".
func ParseQuiet(text string) (q QuietHours, ok bool) {
	fields, okDays := strings.Fields(text), true
	if len(fields) == 2 {
		q.Days, okDays = parseDays(fields[0])
		fields = fields[1:]
	}
	if len(fields) != 1 {
		return q, false
	}
	from, to, _ := strings.Cut(fields[0], "-")
	var okFrom, okTo bool
	q.From, okFrom = parseMinute(from)
	q.To, okTo = parseMinute(to)
	return q, okDays && okFrom && okTo && q.From != q.To && q.From != dayMinutes
}

// parseMinute reads HH:MM up to 24:00.
func parseMinute(text string) (minute int, ok bool) {
	if text == "24:00" {
		return dayMinutes, true
	}
	t, err := time.Parse("15:04", text)
	return t.Hour()*60 + t.Minute(), err == nil
}

// parseDays reads "sat,sun" or "mon-fri", which may pass the end of the week.
func parseDays(text string) (days uint8, ok bool) {
	for part := range strings.SplitSeq(strings.ToLower(text), ",") {
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		a, b := slices.Index(dayWords[:], first), slices.Index(dayWords[:], last)
		if a < 0 || b < 0 {
			return 0, false
		}
		for d := a; ; d = (d + 1) % 7 {
			days |= 1 << d
			if d == b {
				break
			}
		}
	}
	return days, true
}

// String is the hours as ParseQuiet reads them.
func (q QuietHours) String() string {
	hours := fmt.Sprintf("%02d:%02d-%02d:%02d", q.From/60, q.From%60, q.To/60, q.To%60)
	var words []string
	for d, w := range dayWords {
		if q.Days&(1<<d) != 0 {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return hours
	}
	return strings.Join(words, ",") + " " + hours
}

// Holds tells whether a moment, in the zone whose clock counts, is among them.
func (q QuietHours) Holds(local time.Time) bool {
	minute, day := local.Hour()*60+local.Minute(), local.Weekday()
	if q.From < q.To {
		return q.on(day) && q.From <= minute && minute < q.To
	}
	return q.on(day) && minute >= q.From || q.on((day+6)%7) && minute < q.To
}

func (q QuietHours) on(day time.Weekday) bool { return q.Days == 0 || q.Days&(1<<day) != 0 }

// quietAt tells whether nobody is to be told at a moment.
func (r *Rule) quietAt(t time.Time, zone *time.Location) bool {
	local := t.In(zone)
	return slices.ContainsFunc(r.Quiet, func(q QuietHours) bool { return q.Holds(local) })
}
