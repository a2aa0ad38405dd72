package inventory

import (
	"errors"
	"fmt"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
)

// ParseQueries reads a file of counter paths as typeperf -cf does: one a line;
// blank lines and those that begin with ;, # or // mean nothing, nor does the last that it prints.
func ParseQueries(name string, data []byte) (all []Query) {
	n := 0
	for line := range strings.Lines(osfile.Text(data)) {
		n++
		line = strings.TrimSpace(strings.Map(typedBlank, line))
		if line == "" || line[0] == ';' || line[0] == '#' || strings.HasPrefix(line, "//") || line == doneLine {
			continue
		}
		if len(line) > 2 && line[0] == '"' && line[len(line)-1] == '"' {
			line = line[1 : len(line)-1]
		}
		all = append(all, NewQuery(line, fmt.Sprintf("%s:%d", name, n)))
	}
	return all
}

// typedBlank is the blank that is typed for those that pages have in its place.
func typedBlank(r rune) rune {
	if paths.LooksLike(r, " ") {
		return ' '
	}
	return r
}

// doneLine is the last that typeperf -qx prints, as lists have it that were made of that.
const doneLine = "The command completed successfully."

var errNotCombined = errors.New("no instances are named")

// Aggregates are the queries of --aggregate. function is the word of
// --aggregate-func, empty for the counters' own.
func Aggregates(texts []string, function string) ([]Query, error) {
	var chosen *cooker.AggregateFunc
	if function != "" {
		f, ok := cooker.ParseAggregate(function)
		if !ok {
			return nil, wrong("known: total, average, minimum, maximum", "--aggregate-func %q: no such value", function)
		}
		chosen = &f
	}
	var all []Query
	for _, text := range texts {
		p, err := paths.Parse(text)
		if err != nil {
			return nil, failure.Usage(err)
		}
		of := p.InstanceText()
		if of == "" {
			return nil, failure.Usage(fmt.Errorf("--aggregate %s: %w", text, errNotCombined), `write \Set(a|b|c)\Counter`)
		}
		q := NewQuery(text, "")
		q.Combine = &session.Combine{Name: of, Match: session.OneOf(strings.Split(of, "|")), Func: chosen, All: of == "*"}
		all = append(all, q)
	}
	return all, nil
}
