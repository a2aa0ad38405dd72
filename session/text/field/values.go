package field

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"perfdeck/session/text/english"
)

// Kind is what values a field takes.
type Kind uint8

// The kinds.
const (
	Text   Kind = iota
	Amount      // a text, or a number: a time, a count
	Words       // several, on a command line with commas between
	Lines       // several, said one by one
	Number
	Switch
)

// IsList tells kinds of several values.
func (k Kind) IsList() bool { return k == Words || k == Lines }

// Values are what is said of a field, as text.
type Values []string

// ErrNot is that a value is not what the field takes.
var ErrNot = errors.New("not what it takes")

// Text is the only one, or the last.
func (v Values) Text() string { return v.Or("") }

// Or is the only one, the last, or if there are none the given one.
func (v Values) Or(none string) string {
	if len(v) == 0 {
		return none
	}
	return v[len(v)-1]
}

// Is tells that a switch is on.
func (v Values) Is() bool { return v.Text() == "true" }

// Values are those of a decoder of TOML or JSON, if they are of the kind. Those of nil are none.
func (k Kind) Values(v any) (out Values, ok bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case string:
		return Values{v}, k == Text || k == Amount
	case bool:
		return Values{strconv.FormatBool(v)}, k == Switch
	case int64:
		return Values{strconv.FormatInt(v, 10)}, k == Number || k == Amount
	case float64:
		return Values{strconv.FormatFloat(v, 'f', -1, 64)}, k == Number || k == Amount
	case []any:
		for _, item := range v {
			s, ok := item.(string)
			if !ok {
				return nil, false
			}
			out = append(out, s)
		}
		return out, k.IsList()
	}
	return nil, false
}

// plain are values as JSON has them.
func (k Kind) plain(v Values) any {
	switch k {
	case Words, Lines:
		return []string(v)
	case Switch:
		return v.Is()
	case Number:
		if f, err := strconv.ParseFloat(v.Text(), 64); err == nil {
			return f
		}
	case Amount:
		if d, err := time.ParseDuration(v.Text()); err == nil {
			return d.String()
		}
	case Text:
	}
	return v.Text()
}

// Seconds is a time that JSON has as a number of seconds.
type Seconds time.Duration

// MarshalJSON writes the number.
func (s Seconds) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(s).Seconds()) }

// UnmarshalJSON reads it.
func (s *Seconds) UnmarshalJSON(text []byte) error {
	var n float64
	err := json.Unmarshal(text, &n)
	*s = Seconds(n * float64(time.Second))
	return err
}

// spelled writes units of times as time.ParseDuration knows them.
var spelled = strings.NewReplacer(" ", "", "sec", "s", "min", "m")

// ParseDuration is time.ParseDuration that knows days, as "1d", and how people write: "1 min 30 s".
func ParseDuration(text string) (time.Duration, error) {
	const most = 100_000
	bare := spelled.Replace(strings.ToLower(text))
	days, rest, has := strings.Cut(bare, "d")
	if n, err := strconv.ParseUint(days, 10, 32); has && err == nil && n <= most {
		if rest == "" {
			rest = "0"
		}
		d, err := time.ParseDuration(rest)
		return d + time.Duration(n)*24*time.Hour, err
	}
	return time.ParseDuration(bare)
}

// ParseTime reads a time as users write it: 90, 500ms, 8h, 1 min 30 s, 01:30:00.
func ParseTime(text string) (time.Duration, bool) {
	if d, err := ParseDuration(text); err == nil {
		return d, d >= 0
	}
	seconds, ok := clockSeconds(text)
	if !ok || !(seconds >= 0 && seconds <= math.MaxInt64/float64(time.Second)-1) { // NaN is neither
		return 0, false
	}
	return time.Duration(math.Round(seconds * float64(time.Second))), true
}

// clockSeconds reads a number of seconds, or [[HH:]MM:]SS as typeperf does.
func clockSeconds(text string) (seconds float64, ok bool) {
	parts := strings.Split(text, ":")
	for i, part := range parts {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil || len(parts) > 3 || len(parts) > 1 && (part[0] < '0' || part[0] > '9' || i > 0 && n >= 60) {
			return 0, false
		}
		seconds = seconds*60 + n
	}
	return seconds, true
}

// Times is what takes a time, for messages.
func Times(least, most time.Duration) string {
	return fmt.Sprintf(`a time from %s to %s, as "500ms", "10m" or "00:15", or a number of seconds`, english.Exact(least), english.Exact(most))
}

// sizeUnits are those of sizes: multiples of 1024, as Windows has them.
var sizeUnits = []struct {
	name  string
	bytes float64
}{
	{"TB", 1 << 40}, {"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10},
	{"T", 1 << 40}, {"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}, {"B", 1}, {"", 1},
}

// ParseSize reads a number of bytes as 1500, 500KB, 1.5 GiB or 2g.
func ParseSize(text string) (bytes int64, ok bool) {
	bare := strings.ToUpper(strings.TrimSpace(text))
	if head, binary := strings.CutSuffix(bare, "IB"); binary {
		bare = head + "B"
	}
	for _, u := range sizeUnits {
		number, has := strings.CutSuffix(bare, u.name)
		if !has {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		n *= u.bytes
		return int64(n), err == nil && n >= 0 && n < math.MaxInt64
	}
	return 0, false
}
