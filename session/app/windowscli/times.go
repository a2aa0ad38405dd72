package windowscli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/system/failure"
)

// isDatePart tells what may follow the first part of a date: a time, AM, PM.
func isDatePart(arg string) bool {
	_, err := collectorset.ParseClock(spacedClock(arg))
	return err == nil && arg != "" || strings.EqualFold(arg, "AM") || strings.EqualFold(arg, "PM")
}

// seconds reads [[hh:]mm:]ss.
func seconds(option, text string) (int, error) {
	parts := strings.Split(text, ":")
	sum := 0
	for _, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || n > 1<<24 || len(parts) > 3 {
			return 0, failure.WithHint(fmt.Errorf("-%s %s is no time", option, text), "write [[hh:]mm:]ss, as 15 or 1:30")
		}
		sum = 60*sum + n
	}
	return sum, nil
}

// moment is a date and a time as options of Windows have them. Without a date it is
// a time of any day.
type moment struct {
	day   collectorset.Date
	clock collectorset.Clock
}

// readMoment reads M/D/YYYY h:mm:ss AM.
func readMoment(option string, values []string) (m moment, err error) {
	text := strings.Join(values, " ")
	fields := strings.Fields(text)
	if len(fields) > 0 && strings.ContainsAny(fields[0], "/-") {
		if m.day, err = collectorset.ParseDay(fields[0]); err == nil {
			fields = fields[1:]
		}
	}
	if err == nil {
		m.clock, err = collectorset.ParseClock(spacedClock(strings.Join(fields, " ")))
	}
	if err != nil || text == "" {
		return m, failure.WithHint(fmt.Errorf("-%s %s is no time", option, text), "write M/D/YYYY h:mm:ss AM")
	}
	return m, nil
}

// spacedClock puts the blank before AM or PM that may be missing.
func spacedClock(text string) string {
	upper := strings.ToUpper(text)
	for _, half := range []string{"AM", "PM"} {
		if before, ok := strings.CutSuffix(upper, half); ok {
			return strings.TrimSpace(before) + " " + half
		}
	}
	return text
}

// String is the moment as our flags read it.
func (m moment) String() string {
	if m.day.IsZero() {
		return m.clock.String()
	}
	return fmt.Sprintf("%04d-%02d-%02d %v", m.day.Year, m.day.Month, m.day.Day, m.clock)
}

// until is how long it is from one moment to another; of times alone, to the next such
// time.
func (m moment) until(end moment) time.Duration {
	at := func(m moment) time.Time {
		return session.FirstShown(time.Date(m.day.Year, m.day.Month, m.day.Day, 0, 0, int(m.clock), 0, time.UTC), time.Local)
	}
	if !m.day.IsZero() && !end.day.IsZero() {
		return at(end).Sub(at(m))
	}
	const day = 24 * 60 * 60
	return time.Duration((int(end.clock-m.clock)+day-1)%day+1) * time.Second
}
