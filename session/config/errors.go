package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session/text/printable"
)

// FileError says what is wrong in a config file, and where.
type FileError struct {
	File         string
	Line, Column int          // from 1, columns in characters; 0 when unknown
	Key          string       // as "numbers.units" or "deck[1].panes[2].busiest", items from 1; may be empty
	Reason       string       // what was found
	Expected     string       // what would be right; empty when Reason says it
	Err          error        // what refused the value, as a *paths.ParseError; may be nil
	Others       []*FileError // behind it in the file
	hint         string
	runs         bool // it names a program, and is told before all else
}

func (e *FileError) Error() string {
	return "load config: " + join(where(e.File, e.Line, e.Column), e.Key, expected(e.Reason, e.Expected))
}

// Hint says what may have been meant; it may be empty.
func (e *FileError) Hint() string { return e.hint }

func (e *FileError) Unwrap() error { return e.Err }

// Warning is about something in a config file that has no effect.
type Warning struct {
	File         string
	Line, Column int    // from 1, columns in characters; 0 when it is about the whole file
	Key          string // as in FileError
	Reason       string
	Nearest      string // the known key that may have been meant; may be empty
}

func (w Warning) String() string {
	return join(where(w.File, w.Line, w.Column), w.Key, w.Reason)
}

// Hint says what may have been meant; it may be empty.
func (w Warning) Hint() string { return didYouMean(w.Nearest) }

func where(file string, line, column int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d:%d", file, line, column)
}

func join(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if p == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(p)
	}
	return b.String()
}

func expected(reason, expected string) string {
	if expected == "" {
		return reason
	}
	return reason + ", expected " + expected
}

func didYouMean(word string) string {
	if word == "" {
		return ""
	}
	return "did you mean " + word + "?"
}

// show writes a TOML value for a message.
func show(v any) string {
	switch v := v.(type) {
	case string:
		v = printable.Shorten(v, mostShown)
		if strings.Contains(v, `\`) && !strings.ContainsAny(v, "'\n") {
			return "'" + v + "'" // as one writes a counter path
		}
		return strconv.Quote(v)
	case bool, int64, float64:
		return fmt.Sprint(v)
	case map[string]any:
		return "a table"
	case []any:
		return "an array"
	case time.Time:
		return "a time"
	}
	return "a date or time"
}

// mostShown is how many characters of a value a message shows.
const mostShown = 60

// Nearest is the known word most like a word, empty when none is like it.
func Nearest(word string, known []string) string {
	const longest = 40 // bytes; no key is longer
	if len(word) > longest {
		return ""
	}
	word = strings.ReplaceAll(strings.ToLower(word), "-", "_")
	best, least := "", max(1, len(word)/3)+1
	for _, k := range known {
		if n := paths.Distance([]rune(word), []rune(strings.ToLower(k))); n < least {
			best, least = k, n
		}
	}
	return best
}

// Mistakes are all that is wrong with a config file, of the error of reading it.
func Mistakes(err error) (out []error) {
	if err == nil {
		return nil
	}
	out = append(out, err)
	if e, ok := errors.AsType[*FileError](err); ok {
		for _, other := range e.Others {
			out = append(out, other)
		}
	}
	return out
}
