package config

import (
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
)

func plainText(s string) bool {
	return s != "" && len(s) <= mostAlertTextSize && session.Printable(s) == s
}

// list takes an array of texts, each of which parse reads.
func list[T any](expected string, parse func(string) (T, bool)) reader[[]T] {
	return reader[[]T]{expected: expected, read: func(v any) ([]T, bool) {
		items, ok := v.([]any)
		if !ok || len(items) > mostListItems {
			return nil, false
		}
		out := make([]T, 0, len(items))
		for _, item := range items {
			s, ok := item.(string)
			if !ok {
				return nil, false
			}
			value, ok := parse(s)
			if !ok {
				return nil, false
			}
			out = append(out, value)
		}
		return out, true
	}}
}

func texts(expected string, fits func(string) bool) reader[[]string] {
	return list(expected, func(s string) (string, bool) { return s, fits(s) })
}

func float() reader[float64] {
	return reader[float64]{expected: "a number", read: func(v any) (float64, bool) {
		switch v := v.(type) {
		case int64:
			return float64(v), true
		case float64:
			return v, v-v == 0
		}
		return 0, false
	}}
}

// sampleInterval takes the interval of a rule; 0xFFFFFFFF seconds is one sample
// (MS-PLA 3.2.4.8, SampleInterval).
func sampleInterval() reader[time.Duration] {
	usual := duration(alert.MinInterval, alert.MaxInterval)
	usual.expected += `, or "once"`
	read := usual.read
	usual.read = func(v any) (time.Duration, bool) {
		if v == "once" || v == int64(0xFFFFFFFF) {
			return alert.Once, true
		}
		return read(v)
	}
	return usual
}

func aggregate() reader[cooker.AggregateFunc] {
	return reader[cooker.AggregateFunc]{expected: "one of total, average, minimum, maximum", words: []string{"total", "average", "minimum", "maximum"}, read: func(v any) (cooker.AggregateFunc, bool) {
		s, _ := v.(string)
		f, ok := cooker.ParseAggregate(s)
		return f, ok && f != cooker.AggregateNone
	}}
}

func formula() reader[*alert.Formula] {
	return reader[*alert.Formula]{expected: "a formula of counters of the counterset, as '{Bytes Total/sec} * 800 / {Current Bandwidth}'", read: func(v any) (*alert.Formula, bool) {
		s, ok := v.(string)
		if !ok || !plainText(s) {
			return nil, false
		}
		f, err := alert.ParseFormula(s)
		return f, err == nil
	}}
}

// samples64 takes "5 of 6", or 3 for 3 of 3.
func samples64() reader[[2]int] {
	return reader[[2]int]{expected: `samples, as "5 of 6", of 64 at most`, read: func(v any) (out [2]int, ok bool) {
		switch v := v.(type) {
		case int64:
			out = [2]int{int(v), int(v)}
			ok = v <= alert.MaxOf
		case string:
			need, of, both := strings.Cut(v, " of ")
			var errs [2]error
			out[0], errs[0] = strconv.Atoi(strings.TrimSpace(need))
			out[1], errs[1] = strconv.Atoi(strings.TrimSpace(of))
			ok = both && errs == [2]error{}
		}
		return out, ok && 1 <= out[0] && out[0] <= out[1] && out[1] <= alert.MaxOf
	}}
}
