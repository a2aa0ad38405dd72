package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
)

// The keys of [[alert]], [tasks.NAME] and [webhooks.NAME].
var (
	alertKeys = []sample{
		{"name", `"slow disk"`, "As screens and logs call it, unlike every other; absent: the condition."},
		{"when", `'\PhysicalDisk(*)\Avg. Disk sec/Transfer > 0.025'`, "A counter path, > or <, and a limit in the counter's own unit. A wildcard gives an\nalert for each instance and host."},
		{"absent", `'\Process(sqlservr)\ID Process'`, "Instead of when: a path that gives no value, or \"host\" for a host that is lost."},
		{"value", `"{Disk Read Bytes/sec} / {Disk Bytes/sec}"`, "Judged instead of the counter: worked out of counters of the same instance, by\n+ - * /, comparisons (1 or 0), min, max, abs, round, and rate(x): how much x grew a second."},
		{"trend", `"1h"`, "Judged instead of the value: how much it grows in an hour, as the slope of a line\nthrough the samples of at most this time, once a quarter of it was seen."},
		{"grows", "0.5", "Judged instead of the value: by how much it leaks, growing by so many times of what it\nwas, for most of a day or of what is known, and not come to rest."},
		{"severity", `"critical"`, "careful, warning (the default) or critical."},
		{"interval", `"15s"`, "Time between samples, from 1s; \"once\" for a single one."},
		{"for", `"5 of 6"`, "So many of the last samples have to be beyond the limit."},
		{"clear", "0.015", "It is well again below (or, with <, above) this level."},
		{"after", `"30s"`, "With absent: how long it has to last."},
		{"cooldown", `"10m"`, "How long after the end of one alert no other begins."},
		{"quiet", `["22:00-06:00", "sat,sun 00:00-24:00"]`, "When nobody is told, by the local clock. What still fires at the end is told then."},
		{"hosts", `["sql*"]`, "Only on these hosts."},
		{"except", `["D:", "HarddiskVolume*"]`, "Instances that a wildcard leaves out."},
		{"totals", "true", "A wildcard takes _Total and its like, too."},
		{"aggregate", `"average"`, "Judge the instances as one: total, average, minimum or maximum."},
		{"then", `["bell", "webhook:ops", "task:page"]`, whatIsDone()},
		{"cleared", `["webhook:ops"]`, "What is done when it is well again."},
		{"text", `"see the runbook, page 12"`, "{usertext} of tasks."},
		{"why", `"Above 25 ms users wait."`, "A sentence for those who read the rule."},
		{"next", `["Which process writes there?"]`, "What reports tell to look at next, at most four sentences."},
		{"enabled", "true", ""},
	}
	taskKeys = []sample{
		{"command", `["/usr/local/bin/page", "{name}", "{counter}", "{value}"]`, "Run without a shell. {name} {counter} {value} {threshold} {date} {usertext} are\nreplaced inside each argument. It sees PATH, HOME, LANG and PERFDECK_ALERT_*.\nNames are no options: where one begins an argument and begins with -, it is not run,\nunless \"--\" stands before."},
		{"timeout", `"30s"`, "Then it is ended, with all that it started."},
		{"most", "4", "So many may run at once; the others wait."},
	}
	webhookKeys = []sample{
		{"url", `"https://hooks.example.com/alerts"`, "It gets a JSON object by POST. http:// is for this computer only."},
		{tokenFile, `"~/.config/perfdeck/ops.token"`, "Its token: the first line of a file that only you may read,"},
		{tokenCommand, `["pass", "show", "ops"]`, "or the first line that a program prints,"},
		{tokenKeyring, `"perfdeck"`, "or that of this service and the webhook's name in the system's keyring."},
		{"header", `"Authorization"`, "The header that carries it, here as \"Bearer TOKEN\", others as it is."},
		{"ca_file", `"/etc/ssl/ops.pem"`, "Trust these certificates instead of the system's."},
		{"per_minute", "30", "So many requests a minute at most."},
	}
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
		w.put(key, strconv.Quote(session.DurationText(d)))
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

// whatIsDone lists the actions, in lines.
func whatIsDone() string {
	const cells = 80
	lines := []string{"What is done:"}
	for i, form := range alert.Actions() {
		if i > 0 {
			lines[len(lines)-1] += ","
		}
		if len(lines[len(lines)-1])+1+len(form) > cells {
			lines = append(lines, form)
		} else {
			lines[len(lines)-1] += " " + form
		}
	}
	return strings.Join(lines, "\n") + "."
}
