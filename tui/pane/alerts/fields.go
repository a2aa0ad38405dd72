package alerts

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/alert"
	"perfdeck/session/text/english"
	"perfdeck/tui/pane"
)

// checked makes the check of a field from a reader of its value.
func checked[T any](read func(string) (T, error)) func(string) error {
	return func(text string) error {
		_, err := read(text)
		return err
	}
}

// readCounts reads for how many samples. Nothing is 1 of 1.
func readCounts(text string) (c [2]int, err error) {
	if strings.TrimSpace(text) != "" {
		c[0], c[1], err = alert.ParseCounts(text)
	}
	return c, err
}

// countsText is readCounts' form of a rule's counts.
func countsText(r *alert.Rule) string {
	need, of := r.Counts()
	return fmt.Sprintf("%d of %d", need, of)
}

// onceWord is the interval of a rule that is judged once.
const onceWord = "once"

// intervalField asks for the interval of a rule, as it is by itself: that of all rules.
func intervalField(desk *pane.Desk, is time.Duration) pane.FormField {
	return pane.FormField{
		Name: fieldEvery, Label: "interval", Value: typed(cmp.Or(is, everyOf(desk), alert.DefaultInterval)), Check: checked(readInterval),
		Help: "between samples, as 5s or 1m; empty: that of all rules; once",
	}
}

// intervalOf is what was answered; that of all rules stays it where the rule had none of its own.
func intervalOf(desk *pane.Desk, text string, was time.Duration) (time.Duration, error) {
	d, err := readInterval(text)
	if was == 0 && d == cmp.Or(everyOf(desk), alert.DefaultInterval) {
		d = 0
	}
	return d, err
}

// readInterval reads an interval; nothing is that of all rules.
func readInterval(text string) (time.Duration, error) {
	if strings.EqualFold(strings.TrimSpace(text), onceWord) {
		return alert.Once, nil
	}
	d, err := readSpan(text)
	if err == nil && d != 0 && (d < alert.MinInterval || d > alert.MaxInterval) {
		return 0, errors.New("not from 1 s to 7 d")
	}
	return d, err
}

// readSpan reads a time: "15", "15s", "1 min 30 s", "2h", "1d"; nothing is 0.
func readSpan(text string) (d time.Duration, err error) {
	rest := strings.ToLower(strings.Join(strings.Fields(text), ""))
	for rest != "" {
		end := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
		if end < 0 {
			end = len(rest)
		}
		number, err := strconv.ParseFloat(rest[:end], 64)
		if err != nil {
			return 0, fmt.Errorf("%.20q is no time, as 15s, 2m, 1h", text)
		}
		rest = rest[end:]
		end = strings.IndexAny(rest, "0123456789.")
		if end < 0 {
			end = len(rest)
		}
		unit, ok := spans[rest[:end]]
		if !ok {
			return 0, fmt.Errorf("%.20q is no time, as 15s, 2m, 1h", text)
		}
		rest = rest[end:]
		d += time.Duration(number * float64(unit))
		if number > 1e6 || d > alert.MaxInterval {
			return 0, errors.New("longer than 7 d")
		}
	}
	return d, nil
}

var spans = map[string]time.Duration{
	"": time.Second, "s": time.Second, "sec": time.Second, "ms": time.Millisecond, "m": time.Minute, "min": time.Minute,
	"h": time.Hour, "d": 24 * time.Hour,
}

// typed is a time as readInterval and readSpan read it; nothing for 0.
func typed(d time.Duration) string {
	switch d {
	case 0:
		return ""
	case alert.Once:
		return onceWord
	}
	return english.Exact(d)
}

// readActions reads actions between commas.
func readActions(text string) (out []alert.Action, err error) {
	for _, word := range words(text, ",") {
		if word == noActions {
			continue
		}
		a, ok := alert.ParseAction(word)
		if !ok {
			return nil, fmt.Errorf("%.30q is none of %s", word, strings.Join(alert.Actions(), ", "))
		}
		out = append(out, a)
	}
	return out, nil
}

// noActions stands for no action: the event is in the log, where all are.
const noActions = "none"

func actionsText(list []alert.Action) string {
	texts := make([]string, len(list))
	for i, a := range list {
		texts[i] = a.String()
	}
	return strings.Join(texts, ", ")
}

// readQuiet reads quiet hours between semicolons.
func readQuiet(text string) (out []alert.QuietHours, err error) {
	for _, word := range words(text, ";") {
		q, ok := alert.ParseQuiet(word)
		if !ok {
			return nil, fmt.Errorf("%.30q is not as 22:00-06:00 or sat,sun 00:00-24:00", word)
		}
		out = append(out, q)
	}
	return out, nil
}

func quietText(list []alert.QuietHours) string {
	texts := make([]string, len(list))
	for i, q := range list {
		texts[i] = q.String()
	}
	return strings.Join(texts, "; ")
}

// readClear reads the level at which it is well again, unscaled; nothing is the
// limit itself.
func readClear(text string) (*float64, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	v, err := measure{}.parse(text)
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// words are the parts of a text between separators, without the blanks around
// them and without empty ones.
func words(text, separator string) (out []string) {
	for part := range strings.SplitSeq(text, separator) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// hostPatterns are those between blanks or commas.
func hostPatterns(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
}

// aggregates are the choices of how instances become one value.
var aggregates = []string{noActions, "total", "average", "minimum", "maximum"}

func readAggregate(text string) (*cooker.AggregateFunc, error) {
	f, ok := cooker.ParseAggregate(text)
	switch {
	case text == "" || text == noActions:
		return nil, nil
	case !ok:
		return nil, fmt.Errorf("%.20q is none of %s", text, strings.Join(aggregates, ", "))
	}
	return &f, nil
}

const (
	yes = "yes"
	no  = "no"
)

func yesNo(b bool) string {
	if b {
		return yes
	}
	return no
}

// reason is what is wrong with a rule, without its name, which stands above.
func reason(err error) error {
	if e, ok := errors.AsType[*alert.RuleError](err); ok {
		return fmt.Errorf("%s: %s", e.Field, e.Reason)
	}
	return err
}
