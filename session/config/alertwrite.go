package config

import (
	"fmt"
	"strings"

	"perfdeck/paths"
	"perfdeck/session/alert"
	"perfdeck/session/text/field"
	"perfdeck/session/text/printable"
)

// AppendAlert appends a rule as an [[alert]] table, as Parse reads it.
func AppendAlert(b []byte, r alert.Rule) []byte {
	return appendFields(append(b, "[["+alertTable+"]]\n"...), alert.Fields(), &r, func(key string, v field.Values) field.Values {
		switch {
		case key != "when":
			return v
		case r.Kind == alert.Threshold:
			return field.Values{spaced(&r)}
		}
		return nil
	})
}

// spaced is the condition with blanks around the comparison, if it reads back the
// same.
func spaced(r *alert.Rule) string {
	tight := r.When.String()
	at := len(r.When.Path.String())
	loose := tight[:at] + " " + tight[at:at+1] + " " + tight[at+1:]
	if again, err := paths.ParseAlert(loose); err != nil || again.String() != tight {
		return tight
	}
	return loose
}

// quote writes a text of TOML, as it is where that is possible: paths are full of
// backslashes.
func quote(s string) string {
	if strings.Contains(s, `\`) && !strings.Contains(s, "'") && printable.Text(s) == s {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case printable.Text(string(r)) != string(r):
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
