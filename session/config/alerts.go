package config

import (
	"errors"
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session/alert"
	"perfdeck/session/text/field"
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
		set(t, "packs", texts("names of starter packs, as [\"disk\"]", plainText), &a.Packs)
	}
	root.named(tasksTable, func(name string, t table) { a.Tasks[name] = decodeTask(t) })
	root.named(webhooksTable, func(name string, t table) { a.Webhooks[name] = decodeWebhook(t) })
	a.Alertmanagers = decodeAlertmanagers(root)
	taken, rows := map[string]bool{}, alert.Fields()
	for _, t := range root.tables(alertTable, "tables: [[alert]]") {
		r := decodeAlert(t, rows, &a)
		if r.Name != "" && taken[r.Name] {
			t.wrong("name", "a name that no other alert has")
		}
		taken[r.Name] = true
		a.Rules = append(a.Rules, r)
	}
	return a
}

// decodeAlert reads an [[alert]] table.
func decodeAlert(t table, rows field.Rows[*alert.Rule], a *Alerts) alert.Rule {
	r := alert.Rule{Severity: alert.Warning, Actions: []alert.Action{{Do: alert.Log}}, Origin: t.d.file}
	known := t.condition(&r)
	decodeFields(t, rows, &r)
	t.checkActions("then", r.Actions, a)
	t.checkActions("cleared", r.OnClear, a)
	if known {
		t.checkRule(&r)
	}
	return r
}

// condition reads what is judged: when or absent, and the name, which is the
// condition where none is given. It tells whether that could be read.
func (t table) condition(r *alert.Rule) (known bool) {
	when, isWhen := t.value("when")
	absent, isAbsent := t.value("absent")
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
		if _, there := t.value(key); !there {
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
