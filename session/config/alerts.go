package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/alert"
	"perfdeck/session/text/printable"
)

// The tables about alerts.
const (
	alertsTable   = "alerts"
	alertTable    = "alert"
	tasksTable    = "tasks"
	webhooksTable = "webhooks"
)

// Alerts is what a file says about alerts.
type Alerts struct {
	Packs    []string     // names of starter packs
	Rules    []alert.Rule // in the order of the file
	Tasks    map[string]Task
	Webhooks map[string]Webhook
	// Alertmanagers are in the order of the file.
	Alertmanagers []Alertmanager

	recordings []string // names that actions may have
}

// decodeAlerts reads all tables about alerts.
func decodeAlerts(root table, recordings []Record) Alerts {
	a := Alerts{Tasks: map[string]Task{}, Webhooks: map[string]Webhook{}}
	for _, r := range recordings {
		a.recordings = append(a.recordings, paths.Fold(r.Name))
	}
	if t, ok := root.table(alertsTable); ok {
		t.warnUnknown([]string{"packs"})
		set(t, "packs", texts("names of starter packs, as [\"disk\"]", plainText), &a.Packs)
	}
	root.named(tasksTable, func(name string, t table) { a.Tasks[name] = decodeTask(t) })
	root.named(webhooksTable, func(name string, t table) { a.Webhooks[name] = decodeWebhook(t) })
	a.Alertmanagers = decodeAlertmanagers(root)
	taken := map[string]bool{}
	for _, t := range root.tables(alertTable, "tables: [[alert]]") {
		t.warnUnknown(alertKeys)
		r := decodeAlert(t, &a)
		if r.Name != "" && taken[r.Name] {
			t.wrong("name", "a name that no other alert has")
		}
		taken[r.Name] = true
		a.Rules = append(a.Rules, r)
	}
	return a
}

// decodeAlert reads an [[alert]] table.
func decodeAlert(t table, a *Alerts) alert.Rule {
	r := alert.Rule{Severity: alert.Warning, Actions: []alert.Action{{Do: alert.Log}}, Origin: t.d.file}
	known := t.condition(&r)
	set(t, "name", text("a name that can be seen", plainText), &r.Name)
	set(t, "severity", oneOf[alert.Severity](alert.Severities()...), &r.Severity)
	set(t, "interval", sampleInterval(), &r.Interval)
	set(t, "trend", duration(alert.MinTrend, alert.MaxTrend), &r.Trend)
	set(t, "after", duration(0, alert.MaxInterval), &r.After)
	set(t, "cooldown", duration(0, alert.MaxInterval), &r.Cooldown)
	setList(t, "quiet", `times, as ["22:00-06:00", "sat,sun 00:00-24:00"]`, alert.ParseQuiet, &r.Quiet)
	setList(t, "hosts", `names of hosts, with *, as ["sql*"]`, plainItem, &r.Hosts)
	setList(t, "except", `names of instances, with *, as ["D:"]`, plainItem, &r.Except)
	set(t, "totals", yesNo(), &r.Totals)
	set(t, "text", text("a text that can be seen", plainText), &r.Text)
	set(t, "why", text("a text that can be seen", plainText), &r.Why)
	setList(t, "next", `sentences, as ["Who writes to it?"]`, plainItem, &r.Next)
	actions := "actions: " + strings.Join(alert.Actions(), ", ")
	setList(t, "then", actions, alert.ParseAction, &r.Actions)
	setList(t, "cleared", actions, alert.ParseAction, &r.OnClear)
	if times := optional(t, "grows", float()); times != nil {
		r.Grows = *times
	}
	if level := optional(t, "clear", float()); level != nil {
		r.Clear = level
	}
	if f := optional(t, "aggregate", aggregate()); f != nil {
		r.Aggregate = f
	}
	set(t, "value", formula(), &r.Value)
	set(t, "where", formula(), &r.Where)
	if n := optional(t, "for", samples64()); n != nil {
		r.Need, r.Of = n[0], n[1]
	}
	if on := optional(t, "enabled", yesNo()); on != nil {
		r.Disabled = !*on
	}
	t.checkActions("then", r.Actions, a)
	t.checkActions("cleared", r.OnClear, a)
	if known {
		t.checkRule(&r)
	}
	return r
}

// set reads a value that may be absent into a variable.
func set[T any](t table, key string, r reader[T], to *T) {
	if v := optional(t, key, r); v != nil {
		*to = *v
	}
}

// setList reads a list that may be absent into a variable. Of a list with wrong items
// those are reported.
func setList[T any](t table, key, expected string, parse func(string) (T, bool), to *[]T) {
	items, isList := t.values[key].([]any)
	if !isList || len(items) > mostListItems {
		set(t, key, list(expected, parse), to)
		return
	}
	good := make([]T, 0, len(items))
	for i, item := range items {
		s, ok := item.(string)
		var value T
		if ok {
			value, ok = parse(s)
		}
		if !ok {
			t.d.fault(t.at.field(key).item(i).value, &FileError{
				Key: fmt.Sprintf("%s[%d]", t.key(key), i+1), Reason: "found " + show(item), Expected: expected,
			})
			continue
		}
		good = append(good, value)
	}
	*to = good
}

// plainItem takes a text that can be seen.
func plainItem(s string) (string, bool) { return s, plainText(s) }

// condition reads what is judged: when or absent, and the name, which is the
// condition where none is given. It tells whether that could be read.
func (t table) condition(r *alert.Rule) (known bool) {
	when, isWhen := t.values["when"]
	absent, isAbsent := t.values["absent"]
	key, found := "when", when
	if isAbsent {
		key, found = "absent", absent
	}
	switch {
	case isWhen && isAbsent:
		t.wrong("absent", "either when or absent")
		return false
	case !isWhen && !isAbsent:
		t.missing("when", `a condition as '\Memory\Available MBytes < 200', or absent`)
		return false
	}
	s, ok := found.(string)
	if !ok {
		t.wrong(key, "a text in single quotes")
		return false
	}
	var err error
	if isAbsent {
		err = r.SetAbsent(strings.TrimSpace(s))
	} else {
		r.When, err = paths.ParseAlert(strings.TrimSpace(s))
	}
	if err != nil {
		t.d.fault(t.at.field(key).value, &FileError{Key: t.key(key), Reason: err.Error(), Err: err, hint: conditionHint(key, s, err)})
		return false
	}
	r.Name = r.Expression()
	return true
}

func conditionHint(key, text string, err error) string {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(text), "absent "); ok && key == "when" {
		return "write absent = '" + strings.TrimSpace(rest) + "', instead of when"
	}
	if _, ok := errors.AsType[*paths.ParseError](err); ok {
		return `write '\Counterset(instance)\Counter > 90', or with absent a path, or "host"`
	}
	return ""
}

// checkActions refuses actions that name nothing.
func (t table) checkActions(key string, actions []alert.Action, a *Alerts) {
	for _, act := range actions {
		wrong := func(expected string) {
			t.d.fault(t.at.field(key).value, &FileError{Key: t.key(key), Reason: "found " + show(act.String()), Expected: expected})
		}
		switch act.Do {
		case alert.Task:
			if _, ok := a.Tasks[act.Name]; !ok {
				wrong("the name of a table [tasks." + keyText(act.Name) + "]")
			}
		case alert.Webhook:
			if _, ok := a.Webhooks[act.Name]; !ok {
				wrong("the name of a table [webhooks." + keyText(act.Name) + "]")
			}
		case alert.Alertmanager:
			if _, ok := a.Alertmanager(act.Name); !ok {
				wrong("the name of an [[alertmanager]]")
			} else if key == "cleared" {
				wrong("that among then: it is told of the end, too")
			}
		case alert.Record, alert.StopRecord:
			if !slices.Contains(a.recordings, paths.Fold(act.Name)) {
				wrong("the name of a [[record]]")
			}
		default:
		}
		if act.Do.NamesFile() && !isWholePath(act.Name) {
			wrong("an absolute path behind the colon, or one below ~/")
		}
	}
}

// checkRule reports what is wrong with the rule as a whole.
func (t table) checkRule(r *alert.Rule) {
	for _, e := range r.Faults() {
		key := e.Field
		if _, there := t.values[key]; !there {
			key = "when"
		}
		t.d.fault(t.at.field(key).value, &FileError{Key: t.key(key), Reason: e.Reason, Err: e.Err})
	}
}

func plainText(s string) bool {
	return s != "" && len(s) <= mostAlertTextSize && printable.Text(s) == s
}

// list takes an array of texts, each of which parse reads.
func list[T any](expected string, parse func(string) (T, bool)) reader[[]T] {
	return reader[[]T]{expected: expected, read: func(v any) ([]T, bool) {
		items, ok := v.([]any)
		if !ok || len(items) > mostListItems {
			return nil, false
		}
		out := make([]T, 0, len(items))
		for _, item := range items {
			s, ok := item.(string)
			if !ok {
				return nil, false
			}
			value, ok := parse(s)
			if !ok {
				return nil, false
			}
			out = append(out, value)
		}
		return out, true
	}}
}

func texts(expected string, fits func(string) bool) reader[[]string] {
	return list(expected, func(s string) (string, bool) { return s, fits(s) })
}

func float() reader[float64] {
	return reader[float64]{expected: "a number", read: func(v any) (float64, bool) {
		switch v := v.(type) {
		case int64:
			return float64(v), true
		case float64:
			return v, v-v == 0
		}
		return 0, false
	}}
}

// sampleInterval takes the interval of a rule; 0xFFFFFFFF seconds is one sample
// (MS-PLA 3.2.4.8, SampleInterval).
func sampleInterval() reader[time.Duration] {
	usual := duration(alert.MinInterval, alert.MaxInterval)
	usual.expected += `, or "once"`
	read := usual.read
	usual.read = func(v any) (time.Duration, bool) {
		if v == "once" || v == int64(0xFFFFFFFF) {
			return alert.Once, true
		}
		return read(v)
	}
	return usual
}

func aggregate() reader[cooker.AggregateFunc] {
	return reader[cooker.AggregateFunc]{expected: "one of total, average, minimum, maximum", words: []string{"total", "average", "minimum", "maximum"}, read: func(v any) (cooker.AggregateFunc, bool) {
		s, _ := v.(string)
		f, ok := cooker.ParseAggregate(s)
		return f, ok && f != cooker.AggregateNone
	}}
}

func formula() reader[*alert.Formula] {
	return reader[*alert.Formula]{expected: "a formula of counters of the counterset, as '{Bytes Total/sec} * 800 / {Current Bandwidth}'", read: func(v any) (*alert.Formula, bool) {
		s, ok := v.(string)
		if !ok || !plainText(s) {
			return nil, false
		}
		f, err := alert.ParseFormula(s)
		return f, err == nil
	}}
}

// samples64 takes "5 of 6", or 3 for 3 of 3.
func samples64() reader[[2]int] {
	return reader[[2]int]{expected: `samples, as "5 of 6", of 64 at most`, read: func(v any) (out [2]int, ok bool) {
		switch v.(type) {
		case int64, string:
			var err error
			out[0], out[1], err = alert.ParseCounts(fmt.Sprint(v))
			return out, err == nil
		}
		return out, false
	}}
}
