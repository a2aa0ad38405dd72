package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/text/english"
)

// The keys of [[alert]], [tasks.NAME] and [webhooks.NAME].
var (
	alertKeys = []string{
		"name", "when", "absent", "value", "where", "trend", "grows", "severity", "interval", "for", "clear", "after", "cooldown",
		"quiet", "hosts", "except", "totals", "aggregate", "then", "cleared", "text", "why", "next", "enabled",
	}
	taskKeys    = []string{"command", "timeout", "most"}
	webhookKeys = []string{"url", tokenFile, tokenCommand, tokenKeyring, "header", "ca_file", "per_minute"}
)

// AppendAlert appends a rule as an [[alert]] table, as Parse reads it.
func AppendAlert(b []byte, r alert.Rule) []byte {
	w := ruleWriter{append(b, "[["+alertTable+"]]\n"...)}
	w.text("name", r.Name)
	w.condition(&r)
	w.text("severity", r.Severity.String())
	w.timing(&r)
	w.list("quiet", spelled(r.Quiet))
	w.list("hosts", r.Hosts)
	w.list("except", r.Except)
	if r.Totals {
		w.put("totals", "true")
	}
	if r.Aggregate != nil {
		w.text("aggregate", r.Aggregate.String())
	}
	w.list("then", spelled(r.Actions))
	w.list("cleared", spelled(r.OnClear))
	w.text("text", r.Text)
	w.text("why", r.Why)
	w.list("next", r.Next)
	if r.Disabled {
		w.put("enabled", "false")
	}
	return w.b
}

// ruleWriter appends the keys of a rule; those that say nothing are left out.
type ruleWriter struct{ b []byte }

func (w *ruleWriter) put(key, value string) { w.b = fmt.Appendf(w.b, "%s = %s\n", key, value) }

func (w *ruleWriter) text(key, text string) {
	if text != "" {
		w.put(key, quote(text))
	}
}

func (w *ruleWriter) list(key string, items []string) {
	if len(items) > 0 {
		w.put(key, "["+strings.Join(quoteAll(items), ", ")+"]")
	}
}

func (w *ruleWriter) span(key string, d time.Duration) {
	if d != 0 {
		w.put(key, strconv.Quote(english.Exact(d)))
	}
}

// condition is what a rule judges.
func (w *ruleWriter) condition(r *alert.Rule) {
	switch what := r.Expression(); r.Kind {
	case alert.Threshold:
		w.text("when", spaced(r))
	case alert.NoValue, alert.HostLost:
		w.text("absent", strings.TrimPrefix(what, "absent "))
	}
	if r.Value != nil {
		w.text("value", r.Value.String())
	}
	if r.Where != nil {
		w.text("where", r.Where.String())
	}
	w.span("trend", r.Trend)
	if r.Grows > 0 {
		w.put("grows", strconv.FormatFloat(r.Grows, 'g', -1, 64))
	}
}

// timing is how often a rule judges, and how long it takes to fire and to clear.
func (w *ruleWriter) timing(r *alert.Rule) {
	if r.Interval == alert.Once {
		w.put("interval", `"once"`)
	} else {
		w.span("interval", r.Interval)
	}
	if r.Need > 0 {
		w.put("for", fmt.Sprintf(`"%d of %d"`, r.Need, r.Of))
	}
	if r.Clear != nil {
		w.put("clear", strconv.FormatFloat(*r.Clear, 'g', -1, 64))
	}
	w.span("after", r.After)
	w.span("cooldown", r.Cooldown)
}

func spelled[T fmt.Stringer](items []T) (out []string) {
	for _, item := range items {
		out = append(out, item.String())
	}
	return out
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

func quoteAll(items []string) []string {
	out := make([]string, len(items))
	for i, s := range items {
		out[i] = quote(s)
	}
	return out
}

// quote writes a text of TOML, as it is where that is possible: paths are full of
// backslashes.
func quote(s string) string {
	if strings.Contains(s, `\`) && !strings.Contains(s, "'") && session.Printable(s) == s {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case session.Printable(string(r)) != string(r):
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
