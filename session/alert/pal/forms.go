package pal

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"perfdeck/paths"
	"perfdeck/session/alert"
	"perfdeck/session/system/lazy"
)

// forms are the shapes of scripts that work out a value from several counters of an
// instance, and what they make as a formula of ours: {1} is the first counter that the
// script names, {2} the second. No script is run: a shape is known by a sum over it
// without comments, blanks, the names of variables and the texts that it shows. One that
// differs in anything else, a number as well, is another shape.
var forms = []struct {
	shape   string // first half of SHA-256
	formula string
	about   string
}{
	{"7267874733bf7ecc7aa2cf1af66cae71", "round({1} * 8 / {2} * 100)", "bytes a second as a part of a bandwidth in bits a second, in whole percent"},
	{"53f064cda82f55631d8830a1f301f01a", "({1} >= 1) * (({2} > 0.015) + ({2} > 0.025 + 0.01 * ({3} > 65536)))", "requests wait and take long: 2 for more than 25 ms, or 35 ms of more than 64 KB; 1 for more than 15 ms"},
}

// parts of scripts that shapes leave out or tell apart.
var scriptPart = lazy.Regexp(`(?s)<#.*?#>|#[^\r\n]*|"[^"]*"|\$[A-Za-z_][A-Za-z0-9_]*|\s+`)

// shapeOf is the shape of a script, and its variables in the order in which they come.
func shapeOf(code string) (shape string, variables []string) {
	text := scriptPart().ReplaceAllStringFunc(code, func(part string) string {
		switch part[0] {
		case '"':
			return `""`
		case '$':
			name := strings.ToLower(part[1:])
			i := slices.Index(variables, name)
			if i < 0 {
				i = len(variables)
				variables = append(variables, name)
			}
			return "$" + strconv.Itoa(i)
		}
		return ""
	})
	sum := sha256.Sum256([]byte(strings.ToLower(text)))
	return hex.EncodeToString(sum[:16]), variables
}

// generated finds the formula of a value that a script works out, and the counter that it
// names first. reason says why there is none.
func (a *analysis) generated(s *dataSource) (first *dataSource, formula *alert.Formula, reason string) {
	shape, variables := shapeOf(s.Code)
	at := slices.IndexFunc(forms, func(f struct{ shape, formula, about string }) bool { return f.shape == shape })
	if at < 0 {
		return nil, nil, "it judges a value that PAL works out from several counters, by a script of no known form"
	}
	text := forms[at].formula
	var object string
	n := 0
	for _, name := range variables {
		i := slices.IndexFunc(a.Sources, func(o dataSource) bool {
			return strings.EqualFold(o.Type, counterLog) && strings.EqualFold(strings.TrimPrefix(o.Variable, "$"), name)
		})
		if i < 0 {
			continue
		}
		path, err := paths.Parse(a.Sources[i].path())
		if err != nil {
			return nil, nil, err.Error()
		}
		if n++; n == 1 {
			first, object = &a.Sources[i], path.Object
		} else if !paths.EqualFold(object, path.Object) {
			return nil, nil, "it works a value out from counters of several countersets"
		}
		text = strings.ReplaceAll(text, "{"+strconv.Itoa(n)+"}", "{"+path.Counter+"}")
	}
	if first == nil {
		return nil, nil, "its script names no counter of the analysis"
	}
	formula, err := alert.ParseFormula(text)
	if err != nil {
		return nil, nil, err.Error()
	}
	return first, formula, ""
}
