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
	Sets          []HostSet // of hosts

	recordings []string // names that actions may have
}

// decodeAlerts reads all tables about alerts.
func decodeAlerts(root table, recordings []Record, hosts []Host) Alerts {
	a := Alerts{Tasks: map[string]Task{}, Webhooks: map[string]Webhook{}, Sets: hostSets(hosts)}
	for _, r := range recordings {
		a.recordings = append(a.recordings, paths.Fold(r.Name))
	}
	if t, ok := root.table(alertsTable); ok {
		set(t, "packs", texts("names of starter packs, as [\"disk\"]", plainText), &a.Packs)
	}
	root.named(tasksTable, func(name string, t table) { a.Tasks[name] = decodeTask(t) })
	root.named(webhooksTable, func(name string, t table) { a.Webhooks[name] = decodeWebhook(t) })
	a.Alertmanagers = listed(root, alertmanagerTable, "Alertmanager", func(m *Alertmanager) string { return m.Name }, decodeAlertmanager)
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
	if _, named := t.value("name"); known && !named {
		r.Name = r.Expression()
	}
	t.checkActions("then", r.Actions, &r, a)
	t.checkActions("cleared", r.OnClear, &r, a)
	if known {
		t.checkRule(&r)
	}
	return r
}

// counted are the keys that say which events of a host are counted.
var counted = []string{"source", "id", "log", "key"}

// condition reads what is judged: when or absent, or that events are counted, which other keys say.
// It tells whether that could be read.
func (t table) condition(r *alert.Rule) (known bool) {
	when, isWhen := t.value("when")
	absent, isAbsent := t.value("absent")
	counts := slices.IndexFunc(counted, t.has)
	key, found := "when", when
	if isAbsent {
		key, found = "absent", absent
	}
	switch {
	case isWhen && isAbsent:
		t.wrong("absent", "either when or absent")
		return false
	case counts >= 0 && (isWhen || isAbsent):
		t.wrong(counted[counts], "either "+key+" or events")
		return false
	case counts >= 0:
		r.Kind = alert.EventCount
		return true
	case !isWhen && !isAbsent:
		t.missing("when", `a condition as '\Memory\Available MBytes < 200', or absent, or source, id, log or key of events`)
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
		t.fault(key, &FileError{Reason: err.Error(), Err: err, hint: conditionHint(key, s, err)})
		return false
	}
	return true
}

func conditionHint(key, text string, err error) string {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(text), "absent "); ok && key == "when" {
		return "write absent = '" + strings.TrimSpace(rest) + "', instead of when"
	} else if read, err := alert.ParseRule(text); err == nil && read.Kind == alert.EventCount {
		return "write source, id, log or key, more_than and within, instead of when"
	}
	if _, ok := errors.AsType[*paths.ParseError](err); ok {
		return `write '\Counterset(instance)\Counter > 90', or with absent a path, or "host"`
	}
	return ""
}

// checkActions refuses actions that name nothing, or would never do anything.
func (t table) checkActions(key string, actions []alert.Action, r *alert.Rule, a *Alerts) {
	for _, act := range actions {
		wrong := func(expected string) {
			t.fault(key, &FileError{Reason: "found " + show(act.String()), Expected: expected})
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
		case alert.StartSet, alert.StopSet:
			set, ok := a.Set(act.Name)
			begins := slices.ContainsFunc(r.Actions, func(o alert.Action) bool {
				other, _ := a.Set(o.Name)
				return o.Do == alert.StartSet && other == set
			})
			switch {
			case !ok:
				wrong(`HOST\NAME, of the sets of a [[host]]`)
			case act.Do == alert.StartSet && key == "cleared":
				wrong("that among then")
			case act.Do == alert.StopSet && !set.StopAny && (key == "then" || !begins):
				wrong(`that start-set:` + act.Name + ` is among then, and this among cleared; or stop_sets = "any" of the [[host]]`)
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
		if i := slices.IndexFunc(counted, t.has); !t.has(key) && i >= 0 {
			key = counted[i]
		} else if !t.has(key) {
			key = "when"
		}
		t.fault(key, &FileError{Reason: e.Err.Error(), Err: e.Err})
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
