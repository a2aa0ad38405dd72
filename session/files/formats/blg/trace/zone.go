package trace

import (
	"strconv"
	"strings"
	"time"
)

// Zone is the time zone of a log (TIME_ZONE_INFORMATION). Biases are UTC minus local
// time, in minutes.
type Zone struct {
	Bias               int
	Standard, Daylight Season
}

// Season is one half of a zone.
type Season struct {
	Name  string // foreign text, or "@tzres.dll,-212"
	Bias  int    // added to that of the zone
	Start [8]uint16
}

func readZone(b []byte) Zone {
	season := func(b []byte) (s Season) {
		s.Name = textAt(b[:64], 0).String()
		for i := range s.Start {
			s.Start[i] = order.Uint16(b[64+2*i:])
		}
		s.Bias = biasOf(b[80:])
		return s
	}
	return Zone{biasOf(b), season(b[4:]), season(b[88:])}
}

// biasOf reads a bias. What is more than two days is none.
func biasOf(b []byte) int {
	const most = 2 * 24 * 60
	if n := int(int32(order.Uint32(b))); n >= -most && n <= most {
		return n
	}
	return 0
}

// At is the name and the bias in force at a local time.
func (z *Zone) At(local time.Time) (name string, bias int) {
	s := &z.Standard
	if z.isDaylight(local) {
		s = &z.Daylight
	}
	bias = z.Bias + s.Bias
	return s.name(bias), bias
}

// isDaylight tells by the rule in force.
func (z *Zone) isDaylight(local time.Time) bool {
	begin, ok := z.Daylight.startIn(local.Year())
	end, okEnd := z.Standard.startIn(local.Year())
	if !ok || !okEnd {
		return false
	}
	if begin.Before(end) {
		return !local.Before(begin) && local.Before(end)
	}
	return local.Before(end) || !local.Before(begin)
}

// startIn is when the season starts in a year. SYSTEMTIME: year, month, weekday, day,
// hour, minute, second, millisecond; without a year the day is which weekday of the
// month, 5 the last.
func (s *Season) startIn(year int) (t time.Time, ok bool) {
	month, weekday, day := time.Month(s.Start[1]), int(s.Start[2]), int(s.Start[3])
	if month < 1 || month > 12 || weekday > 6 || day < 1 || day > 31 || s.Start[4] > 23 || s.Start[5] > 59 {
		return t, false
	}
	clock := time.Duration(s.Start[4])*time.Hour + time.Duration(s.Start[5])*time.Minute
	if s.Start[0] != 0 {
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Add(clock), true
	}
	t = time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	t = t.AddDate(0, 0, (weekday-int(t.Weekday())+7)%7+7*(min(day, 5)-1))
	if t.Month() != month {
		t = t.AddDate(0, 0, -7)
	}
	return t.Add(clock), true
}

// resources are the names behind numbers of tzres.dll, as far as a log with a twin in
// text shows them.
var resources = map[string]string{"@tzres.dll,-212": "Pacific Standard Time"}

// name is a name to show: where the log has none but a number of Windows', the bias.
func (s *Season) name(bias int) string {
	if !strings.HasPrefix(s.Name, "@") {
		return s.Name
	}
	if name, ok := resources[s.Name]; ok {
		return name
	}
	sign := "-"
	if bias < 0 {
		sign, bias = "+", -bias
	}
	name := "UTC" + sign + strconv.Itoa(bias/60)
	if bias%60 != 0 {
		name += ":" + strconv.Itoa(100 + bias%60)[1:]
	}
	return name
}
