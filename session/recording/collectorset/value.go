package collectorset

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

var (
	errForm   = errors.New("in another form than Windows writes it") // it was read
	errNumber = errors.New("no number from 0 to 4294967295")
	errFlag   = errors.New("neither 0 nor -1")
	errDate   = errors.New("no date as 01/31/2005")
	errClock  = errors.New("no time as 16:00:00 or 4:00:00 PM")
)

// parseFlag reads a boolean: 0 or -1, and what real files have besides.
func parseFlag(text string) (bool, error) {
	switch {
	case strings.EqualFold(text, "true"):
		return true, errForm
	case strings.EqualFold(text, "false"):
		return false, errForm
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return false, errFlag
	}
	return n != 0, nil
}

func parseNumber(text string) (uint32, error) {
	if n, err := strconv.ParseUint(text, 10, 32); err == nil {
		return uint32(n), nil
	}
	if digits, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
		if n, err := strconv.ParseUint(digits, 16, 32); err == nil {
			return uint32(n), errForm
		}
	}
	return 0, errNumber
}

// Date is a day of the calendar; the zero value is none.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// IsZero tells that there is none.
func (d Date) IsZero() bool { return d == Date{} }

// Compare is negative if d is before o.
func (d Date) Compare(o Date) int {
	return cmp.Or(cmp.Compare(d.Year, o.Year), cmp.Compare(d.Month, o.Month), cmp.Compare(d.Day, o.Day))
}

func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return fmt.Sprintf("%02d/%02d/%04d", d.Month, d.Day, d.Year)
}

// DateOf is the day of a time in its zone.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, m, d}
}

// ParseDate reads month/day/year, and year-month-day with an error that says only that.
func ParseDate(text string) (Date, error) {
	if text == "" {
		return Date{}, nil
	}
	if t, err := time.Parse("1/2/2006", text); err == nil && t.Year() > 0 {
		return DateOf(t), nil
	}
	if t, err := time.Parse("2006-01-02", text); err == nil && t.Year() > 0 {
		return DateOf(t), errForm
	}
	return Date{}, errDate
}

// ParseDay reads a day; year-month-day is as good as Windows' form here.
func ParseDay(text string) (Date, error) {
	d, err := ParseDate(text)
	if err != nil && !d.IsZero() {
		err = nil
	}
	return d, err
}

// Clock is a time of the day, in seconds.
type Clock int

func (c Clock) String() string {
	return fmt.Sprintf("%02d:%02d:%02d", c/3600, c/60%60, c%60)
}

// ParseClock reads a time of 24 or of twelve hours.
func ParseClock(text string) (Clock, error) {
	if text == "" {
		return 0, nil
	}
	for _, layout := range []string{"15:04:05", "3:04:05 PM", "15:04", "3:04 PM"} {
		if t, err := time.Parse(layout, strings.ToUpper(text)); err == nil {
			return Clock(t.Hour()*3600 + t.Minute()*60 + t.Second()), nil
		}
	}
	return 0, errClock
}

// setField reads a text into a field. A text that says nothing, or what cannot be,
// leaves it as it is.
func setField(field any, text string) error {
	switch v := field.(type) {
	case *string:
		*v = text
	case *[]string:
		*v = append(*v, text)
	case *bool:
		return assign(v, text, parseFlag)
	case *uint32:
		return assign(v, text, parseNumber)
	case *Date:
		return assign(v, text, ParseDate)
	case *Clock:
		return assign(v, text, ParseClock)
	}
	return nil
}

func assign[T any](to *T, text string, parse func(string) (T, error)) error {
	if text == "" {
		return nil
	}
	v, err := parse(text)
	if err == nil || errors.Is(err, errForm) {
		*to = v
	}
	return err
}

// texts are what stands in the elements of a field.
func texts(field any) []string {
	switch v := field.(type) {
	case *bool:
		if *v {
			return []string{"-1"}
		}
		return []string{"0"}
	case *uint32:
		return []string{strconv.FormatUint(uint64(*v), 10)}
	case *string:
		return []string{*v}
	case *[]string:
		return *v
	case *Date:
		return []string{v.String()}
	case *Clock:
		return []string{v.String()}
	}
	return nil
}
