package pal

import (
	"slices"
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
)

// call is a call of PAL's function StaticThreshold.
type call struct {
	collection string // name of the variable with the counter's instances
	op         paths.Op
	limit      float64
	orEqual    bool // the limit itself is beyond, too
	trend      bool // the limit is one of the growth per hour
}

// function is the one function that rules are taken from; parameters are its
// own.
const function = "StaticThreshold"

var parameters = []string{"CollectionOfCounterInstances", "Operator", "Threshold", "IsTrendOnly"}

// call reads the code of a threshold: one call of StaticThreshold with values
// that stand there. Of all else it says why it is not taken.
func (t *converter) call(code string) (c call, reason string) {
	words, ok := split(code)
	switch {
	case !ok:
		return c, "its script cannot be read"
	case len(words) == 0:
		return c, "it has no script"
	}
	if words[0].kind != bare || !strings.EqualFold(words[0].text, function) {
		return c, t.whyScript(words)
	}
	given := map[string]word{}
	for i := 1; i < len(words); i++ {
		w := words[i]
		n := slices.IndexFunc(parameters, func(p string) bool { return strings.EqualFold(p, w.text) })
		if w.kind != parameter || n < 0 || i+1 >= len(words) || words[i+1].kind == parameter || words[i+1].kind == other {
			return c, t.whyScript(words)
		}
		i++
		given[parameters[n]] = words[i]
	}
	return t.read(given)
}

// read reads the arguments of the call.
func (t *converter) read(given map[string]word) (c call, reason string) {
	if trend, ok := given["IsTrendOnly"]; ok {
		if trend.kind != variable || !strings.EqualFold(trend.text, "true") && !strings.EqualFold(trend.text, "false") {
			return c, "it does not say whether it judges a trend"
		}
		c.trend = strings.EqualFold(trend.text, "true")
	}
	collection, limit := given["CollectionOfCounterInstances"], given["Threshold"]
	if collection.kind != variable {
		return c, "it names no counter"
	}
	if limit.kind == variable {
		return c, t.whyVariable(limit.text)
	}
	f, ok := number(limit.text)
	if !ok {
		return c, "its limit is no number: " + limit.text
	}
	c.collection, c.limit = collection.text, f
	switch strings.ToLower(given["Operator"].text) {
	case "gt":
		c.op = paths.Above
	case "lt":
		c.op = paths.Below
	case "ge":
		c.op, c.orEqual = paths.Above, true
	case "le":
		c.op, c.orEqual = paths.Below, true
	default:
		return c, "its comparison is neither greater nor less: " + given["Operator"].text
	}
	return c, ""
}

// whyScript says why a script is not taken.
func (t *converter) whyScript(words []word) string {
	for _, q := range t.questions {
		if q.Variable != "" && slices.ContainsFunc(words, func(w word) bool { return w.kind == variable && strings.EqualFold(w.text, q.Variable) }) {
			return t.whyVariable(q.Variable)
		}
	}
	return "its limit is worked out by a script"
}

func (t *converter) whyVariable(name string) string {
	if slices.ContainsFunc(t.questions, func(q question) bool { return strings.EqualFold(q.Variable, name) }) {
		return "its limit depends on an answer about the computer: $" + name
	}
	return "its limit is worked out by a script"
}

// number reads a number of PowerShell: decimal, with an exponent, with a suffix
// of 1024s.
func number(text string) (float64, bool) {
	factor := 1.0
	for i, suffix := range []string{"kb", "mb", "gb", "tb", "pb"} {
		if head, ok := strings.CutSuffix(strings.ToLower(text), suffix); ok {
			text = head
			for range i + 1 {
				factor *= 1024
			}
			break
		}
	}
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	f *= factor
	return f, err == nil && cooker.IsFinite(f)
}

// wordKind is a kind of words of PowerShell.
type wordKind uint8

const (
	bare wordKind = iota
	quoted
	variable  // $name, without the sign
	parameter // -Name, without the sign
	other     // what makes it more than one call: ; = { ( and so on
)

type word struct {
	kind wordKind
	text string
}

// split takes a script apart, as far as one call needs it. Comments are left out.
// It is false for a text that does not end.
func split(code string) (words []word, ok bool) {
	for at := 0; at < len(code); {
		c := code[at]
		switch {
		case c == '`' && at+1 < len(code) && (code[at+1] == '\n' || code[at+1] == '\r'):
			at += 2 // the line goes on
			if code[at-1] == '\r' && at < len(code) && code[at] == '\n' {
				at++
			}
		case c == '\n' || c == '\r':
			// A second line is a second statement, unless it is empty.
			if len(words) > 0 && words[len(words)-1] != (word{other, "\n"}) {
				words = append(words, word{other, "\n"})
			}
			at++
		case c == ' ' || c == '\t':
			at++
		case strings.HasPrefix(code[at:], "<#"):
			end := strings.Index(code[at:], "#>")
			if end < 0 {
				return nil, false
			}
			at += end + 2
		case c == '#':
			end := strings.IndexAny(code[at:], "\r\n")
			if end < 0 {
				end = len(code) - at
			}
			at += end
		case c == '\'' || c == '"':
			end := strings.IndexByte(code[at+1:], c)
			if end < 0 {
				return nil, false
			}
			words = append(words, word{quoted, code[at+1 : at+1+end]})
			at += end + 2
		default:
			w, size := oneWord(code[at:])
			words = append(words, w)
			at += size
		}
	}
	for len(words) > 0 && words[len(words)-1] == (word{other, "\n"}) {
		words = words[:len(words)-1]
	}
	return words, true
}

// oneWord reads a word that is not quoted.
func oneWord(code string) (w word, size int) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	const digits = "0123456789"
	run := func(from int, of string) int {
		for from < len(code) && strings.IndexByte(of, code[from]) >= 0 {
			from++
		}
		return from
	}
	switch {
	case code[0] == '$':
		if end := run(1, letters+digits); end > 1 {
			return word{variable, code[1:end]}, end
		}
	case code[0] == '-' && len(code) > 1 && strings.IndexByte(letters, code[1]) >= 0:
		end := run(1, letters)
		size = end
		if end < len(code) && code[end] == ':' {
			size++
		}
		return word{parameter, code[1:end]}, size
	case strings.IndexByte(letters+digits+"+-.", code[0]) >= 0:
		end := run(1, letters+digits+"+-.")
		return word{bare, code[:end]}, end
	}
	return word{other, code[:1]}, 1
}
