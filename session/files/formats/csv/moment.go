package csv

import (
	"bytes"
	"errors"
	"strings"
	"time"
	"unicode"

	"perfdeck/session/files/formats/textfile"
)

// moment is a time as a spreadsheet or another program wrote it. Which of its first two
// numbers is the month only the file can tell: see dateOrder.
type moment struct {
	date      [3]int // in the order in which they stand
	sep       byte   // between them
	yearFirst bool
	clock     time.Duration // since midnight
	half      byte          // 'a', 'p' of a clock of 12 hours; 0: none
	offset    bool          // the clock tells its zone: it is UTC
}

// scanMoment reads a time: three numbers, a blank or a T, the clock, and what says which half
// of the day, or which zone, it is of.
func scanMoment(b []byte) (m moment, ok bool) {
	const longest = 48
	b = bytes.TrimSpace(b)
	if len(b) > longest {
		return m, false
	}
	var digits [3]int
	for i := range m.date {
		if m.date[i], digits[i], b = leadingNumber(b); digits[i] == 0 || i < 2 && len(b) == 0 {
			return m, false
		}
		if i == 2 {
			break
		}
		if i == 0 {
			m.sep = b[0]
		}
		if b[0] != m.sep || m.sep != '/' && m.sep != '-' && m.sep != '.' {
			return m, false
		}
		b = b[1:]
	}
	m.yearFirst = digits[0] == 4
	short := digits[2]
	if m.yearFirst {
		short = digits[1]
	}
	if digits[1] > 2 || !m.yearFirst && (digits[0] > 2 || short != 2 && short != 4) || m.yearFirst && digits[2] > 2 {
		return m, false
	}
	if !m.yearFirst && short == 2 { // as POSIX has it
		if m.date[2] += 1900; m.date[2] < 1969 {
			m.date[2] += 100
		}
	}
	if len(b) < 2 || b[0] != ' ' && b[0] != 'T' && b[0] != ',' {
		return m, false
	}
	return m, m.scanClock(bytes.TrimLeft(b[1:], " "))
}

// leadingNumber is the number of at most 9 digits that a text begins with.
func leadingNumber(b []byte) (n, digits int, rest []byte) {
	for digits < len(b) && digits < 9 && b[digits]-'0' <= 9 {
		n = n*10 + int(b[digits]-'0')
		digits++
	}
	return n, digits, b[digits:]
}

// scanClock reads hours and minutes, seconds and fractions, and what stands behind them.
func (m *moment) scanClock(b []byte) bool {
	units, most := [3]time.Duration{time.Hour, time.Minute, time.Second}, [3]int{23, 59, 60}
	for i := range units {
		n, digits, rest := leadingNumber(b)
		if digits == 0 || digits > 2 || n > most[i] {
			return false
		}
		m.clock += time.Duration(n) * units[i]
		if b = rest; len(b) == 0 || b[0] != ':' || i == 2 {
			if i == 0 {
				return false
			}
			break
		}
		b = b[1:]
	}
	if len(b) > 1 && (b[0] == '.' || b[0] == ',') {
		n, digits, rest := leadingNumber(b[1:])
		nanos := time.Duration(n)
		for range 9 - digits {
			nanos *= 10
		}
		m.clock, b = m.clock+nanos, bytes.TrimLeft(rest, "0123456789")
	}
	return m.scanEnd(strings.ToLower(strings.TrimFunc(string(b), unicode.IsSpace)))
}

// halfOfDay takes out what stands within "a. m.".
var halfOfDay = strings.NewReplacer(".", "", " ", "", "\u00A0", "", "\u202F", "")

// scanEnd reads AM and PM, or the offset of a zone.
func (m *moment) scanEnd(end string) bool {
	switch half := halfOfDay.Replace(end); half {
	case "":
		return end == ""
	case "am", "pm":
		hour := m.clock / time.Hour
		if m.half = half[0]; hour < 1 || hour > 12 {
			return false
		}
		if hour == 12 {
			m.clock -= 12 * time.Hour
		}
		if m.half == 'p' {
			m.clock += 12 * time.Hour
		}
		return true
	}
	m.offset = true
	if end == "z" || end == "utc" {
		return true
	}
	for _, layout := range []string{"-07:00", "-0700", "-07"} {
		if t, err := time.Parse(layout, end); err == nil {
			_, seconds := t.Zone()
			m.clock -= time.Duration(seconds) * time.Second
			return true
		}
	}
	return false
}

// isClock tells whether a text is the time of a day alone, or minutes and seconds.
func isClock(text []byte) bool {
	m, text := moment{}, bytes.TrimSpace(text)
	return m.scanClock(text) || m.scanClock(append([]byte("0:"), text...))
}

// isDate tells whether a text is a date alone.
func isDate(text []byte) bool {
	_, ok := scanMoment(append(bytes.Clone(bytes.TrimSpace(text)), " 0:00"...))
	return ok
}

// in is the moment, as UTC, with the day or the month first. With points between the numbers
// the day is, wherever that is written.
func (m *moment) in(dayFirst bool) (time.Time, bool) {
	year, month, day := m.date[2], m.date[0], m.date[1]
	switch {
	case m.yearFirst:
		year, month, day = m.date[0], m.date[1], m.date[2]
	case dayFirst || m.sep == '.':
		month, day = day, month
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return t.Add(m.clock), year > 0 && t.Day() == day && int(t.Month()) == month
}

// isOpen tells whether its date can be read in two ways.
func (m *moment) isOpen() bool {
	return !m.yearFirst && m.sep != '.' && m.date[0] != m.date[1] && m.date[0] <= 12 && m.date[1] <= 12
}

// dateOrder is how times of a file are written, as its rows tell.
type dateOrder struct {
	dayFirst bool
	// isOpen: nothing tells, and they can be read with the other order too.
	isOpen bool
	// halfLost: the clock has 12 hours, and nothing says which half of the day it is.
	halfLost bool
	seen     bool // there are such rows
}

// fileOrder tells rows that are written as Windows does it from others: they may stand in one
// file, when something was appended to what a spreadsheet saved.
type fileOrder struct{ windows, others dateOrder }

// of is the order of rows that are written as a text is.
func (o *fileOrder) of(text []byte) *dateOrder {
	if isWindows(text) {
		return &o.windows
	}
	return &o.others
}

// orderFinder finds it out. A row that can be read in one order only decides; else the steps
// between rows do: of a minute in one order, of a month in the other.
type orderFinder struct {
	decided          bool
	dayFirst         bool
	seen             bool
	days, months     int // steps that speak for the day, the month first
	open             bool
	early, late      int // rows of clocks of 12 hours at most, and of others
	halves           int // steps from 12 to 1
	before           moment
	hasBefore, exact bool // exact: of rows that are as Windows writes them, which has the month first
}

// add takes in the time of a row.
func (f *orderFinder) add(m moment) {
	f.seen = true
	hour := m.clock / time.Hour
	switch {
	case m.half != 0:
	case hour == 0 || hour > 12:
		f.late++
	default:
		f.early++
	}
	if !m.yearFirst && m.sep != '.' && !f.decided {
		_, day := m.in(true)
		_, month := m.in(false)
		f.decided, f.dayFirst = day != month, day && !month
		f.open = f.open || m.isOpen()
	}
	if f.hasBefore && m.half == 0 && !m.offset {
		if m.date == f.before.date && f.before.clock/time.Hour == 12 && hour == 1 {
			f.halves++
		}
		f.step(m)
	}
	f.before, f.hasBefore = m, true
}

// step judges the step from the row before.
func (f *orderFinder) step(m moment) {
	if f.before.date == m.date || f.before.sep != m.sep {
		return
	}
	near := 26 * time.Hour
	if f.exact { // nothing but the change of a day is as good as the word of Windows
		near = time.Hour
	}
	const month = 27 * 24 * time.Hour
	a, okA := f.before.in(true)
	b, okB := m.in(true)
	c, okC := f.before.in(false)
	d, okD := m.in(false)
	if !okA || !okB || !okC || !okD {
		return
	}
	day, months := b.Sub(a), d.Sub(c)
	switch {
	case day >= 0 && day <= near && months.Abs() >= month, !f.exact && day >= 0 && months < 0:
		f.days++
	case months >= 0 && months <= near && day.Abs() >= month, !f.exact && months >= 0 && day < 0:
		f.months++
	}
}

// order is what was found out. dayUsual: files of its kind have the day first.
func (f *orderFinder) order(dayUsual bool) dateOrder {
	o := dateOrder{halfLost: f.halves > 0 && f.late == 0 && !f.exact, seen: f.seen}
	switch {
	case f.decided:
		o.dayFirst = f.dayFirst
	case f.days != f.months:
		o.dayFirst = f.days > f.months
	case !f.exact:
		o.dayFirst, o.isOpen = dayUsual, f.open
	}
	return o
}

// findOrder looks through the rows that stand behind the first header. Those that are written as
// Windows does it are looked at here and there: all have the month first, unless somebody
// saved them again.
func (r *reader) findOrder(part *textPart, body int64) (fileOrder, error) {
	size, err := r.Window.Source.Size()
	if err != nil {
		return fileOrder{}, err
	}
	windows, others := &orderFinder{exact: true}, &orderFinder{}
	f := func(text []byte) *orderFinder {
		if isWindows(text) {
			return windows
		}
		return others
	}
	at, err := r.lookAtTimes(f, part, body, min(body+textfile.BisectBytes, size))
	for i := int64(1); i <= textfile.RowProbes && !others.seen && windows.seen && at < size && err == nil; i++ {
		place := max(at, min(at+(size-at)/textfile.RowProbes*i, size-textfile.BisectBytes))
		windows.hasBefore = false
		_, place, _, err = r.parts.ahead.Line(place - 1)
		if err == nil && i < textfile.RowProbes {
			_, err = r.lookAtTimes(f, part, place, place+1)
		} else if err == nil {
			_, err = r.lookAtTimes(f, part, place, size)
		}
	}
	if err == nil && (others.seen || !windows.seen) {
		windows.hasBefore, others.hasBefore = false, false
		_, err = r.lookAtTimes(f, part, at, size)
	}
	if errors.Is(err, textfile.ErrTooLong) {
		err = nil // it is told where it is read
	}
	return fileOrder{windows.order(false), others.order(part.comma == ';')}, err
}

// lookAtTimes looks at the lines from one to a place, as long as they say something new.
func (r *reader) lookAtTimes(finder func([]byte) *orderFinder, part *textPart, at, to int64) (int64, error) {
	for at < to {
		line, next, _, err := r.parts.ahead.Line(at)
		if err != nil || line == nil {
			return at, err
		}
		at = next
		if isHeader(line) {
			h, _ := parseHeader(string(line))
			part = &textPart{comma: h.comma, timeCell: h.timeCell}
			continue
		}
		text, _, ok := part.timeText(line)
		if !ok {
			continue
		}
		m, ok := scanMoment(text)
		if !ok {
			continue
		}
		f := finder(text)
		f.add(m)
		if !f.exact && (f.decided || m.yearFirst || m.sep == '.') && (f.late > 0 || m.half != 0) {
			return to, nil
		}
	}
	return at, nil
}
