package field_test

import (
	"slices"
	"testing"

	"perfdeck/session/text/field"
)

// A line of several values holds them: what is written is read again, and where a value has what
// stands between them there is no line.
func TestLinesHoldLists(t *testing.T) {
	var said []string
	for _, kind := range []field.Kind{field.Words, field.Lines} {
		rows := field.Rows[*[]string]{{
			Name: "then", Label: "then", Kind: kind, Joint: ",;",
			List: func(s *[]string) []string { return *s }, Set: func(s *[]string, v field.Values) error { *s = v; return nil },
		}}
		for _, c := range []struct {
			list []string
			fits bool
		}{{[]string{"a b", "c"}, true}, {nil, true}, {[]string{"ops,eu", "log"}, false}, {[]string{"who; who reads?"}, false}} {
			said = c.list
			form := rows.Form(&said)
			if (len(form) == 1) != c.fits {
				t.Errorf("%q: %d lines", c.list, len(form))
			}
			if !c.fits {
				continue
			}
			if err := rows.Apply(&said, rows.Answered(form, field.Answers{"then": form[0].Value + ", d"})); err != nil || !slices.Equal(said, append(slices.Clone(c.list), "d")) {
				t.Errorf("%q became %q, %v", c.list, said, err)
			}
		}
	}
}
