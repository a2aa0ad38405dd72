package alerts

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/text/field"
)

// checked makes the check of a field from a reader of its value.
func checked[T any](read func(string) (T, error)) func(string) error {
	return func(text string) error {
		_, err := read(text)
		return err
	}
}

// spanText is a time for people; nothing for 0.
func spanText(d time.Duration) string {
	if d == alert.Once {
		return "once"
	}
	var parts []string
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}} {
		if n := d / u.unit; n > 0 {
			parts, d = append(parts, strconv.Itoa(int(n))+" "+u.name), d%u.unit
		}
	}
	if d > 0 {
		parts = append(parts, plain(d.Seconds())+" s")
	}
	return strings.Join(parts, " ")
}

// reason is what is wrong with a rule, without its name, which stands above.
func reason(err error) error {
	if e, ok := errors.AsType[*alert.RuleError](err); ok {
		return &field.Error{Field: e.Field, Why: e.Reason, Err: err}
	}
	return err
}
