package pal

import (
	"slices"
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/system/lazy"
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
	endless   // a quote or a comment that does not end
)

type word struct {
	kind wordKind
	text string
}

// scriptWord is the next word of a script, in a group for each kind, or what is none: a line that goes on, blanks,
// a comment.
var scriptWord = lazy.Regexp("(?s)\\A(?:`(?:\r\n?|\n)|[ \t]+|<#(?:>|.*?#>)|#[^\r\n]*|" +
	`'([^']*)'|"([^"]*)"|\$(\w+)|-([A-Za-z_]+):?|([A-Za-z0-9_+.-]+)|(<#|['"])|([\r\n])|(.))`)

var wordKinds = [...]wordKind{quoted, quoted, variable, parameter, bare, endless, other, other}

// split takes a script apart, as far as one call needs it. Comments are left out.
// It is false for a text that does not end.
func split(code string) (words []word, ok bool) {
	line := word{other, "\n"} // a second line is a second statement, unless it is empty
	for code != "" {
		m := scriptWord().FindStringSubmatchIndex(code)
		for i, kind := range wordKinds {
			from, to := m[2*i+2], m[2*i+3]
			if from < 0 {
				continue
			}
			w := word{kind, code[from:to]}
			if w.text == "\r" && kind == other {
				w = line
			}
			switch {
			case kind == endless:
				return nil, false
			case w != line || len(words) > 0 && words[len(words)-1] != line:
				words = append(words, w)
			}
		}
		code = code[m[1]:]
	}
	if len(words) > 0 && words[len(words)-1] == line {
		words = words[:len(words)-1]
	}
	return words, true
}
