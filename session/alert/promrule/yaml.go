package promrule

import (
	"fmt"
	"strings"

	"perfdeck/session/text/printable"
)

// head stands in front of every file.
const head = `# Rules of perfdeck for Prometheus and what evaluates its rules. Actions are left to
# Alertmanager. They fire when perfdeck's do if series have a sample each interval, with
# these differences: a sample that lacks, or had nothing to measure, ends an alert here, and
# in perfdeck only when the instance is gone or well; the newest sample counts as that of its interval for up to 5 minutes
# unless the engine is told that the series ended, as scrapes and pushes do.
`

// Append writes the file as YAML.
func (f *File) Append(b []byte) []byte {
	b = append(b, head...)
	for _, l := range f.Left {
		if l.Whole {
			b = fmt.Appendf(b, "# left out: %s: %s\n", printable.Text(l.Rule), l.Reason)
		}
	}
	if len(f.Groups) == 0 {
		return append(b, "groups: []\n"...)
	}
	b = append(b, "groups:\n"...)
	for _, g := range f.Groups {
		b = fmt.Appendf(b, "  - name: %s\n    interval: %s\n    rules:\n", scalar("perfdeck "+Duration(g.Every)), Duration(g.Every))
		for i := range g.Rules {
			b = g.Rules[i].append(b)
		}
	}
	return b
}

func (r *Rule) append(b []byte) []byte {
	for _, note := range r.Notes {
		b = fmt.Appendf(b, "      # %s\n", printable.Text(note))
	}
	b = fmt.Appendf(b, "      - alert: %s\n        expr: %s\n", scalar(r.Name), expression(r.Expr))
	if r.For > 0 {
		b = fmt.Appendf(b, "        for: %s\n", Duration(r.For))
	}
	for _, part := range []struct {
		key   string
		pairs [][2]string
	}{{"labels", r.Labels}, {"annotations", r.Annotations}} {
		b = fmt.Appendf(b, "        %s:\n", part.key)
		for _, pair := range part.pairs {
			b = fmt.Appendf(b, "          %s: %s\n", pair[0], scalar(pair[1]))
		}
	}
	return b
}

// expression is an expression over several lines as a block of YAML, which takes it as it
// is where it can be printed.
func expression(text string) string {
	if !strings.Contains(text, "\n") || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }) {
		return scalar(text)
	}
	return "|-\n          " + strings.ReplaceAll(text, "\n", "\n          ")
}

// scalar is a text in quotes: single ones, in which all stands as it is, or those of JSON,
// of which YAML takes all escapes.
func scalar(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	quoted, _ := printable.JSON(text) // a text can be
	return string(printable.EscapeJSON(quoted))
}
