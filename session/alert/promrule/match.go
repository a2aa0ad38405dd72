package promrule

import (
	"regexp"
	"strings"
	"unicode"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/engine/prom"
)

// hostMatchers are those of the hosts that a rule is meant for.
func hostMatchers(r *alert.Rule) string {
	var all []string
	if r.When.Path.Computer != "" && r.Kind != alert.HostLost {
		all = append(all, matcher("host", false, r.When.Path.Computer))
	}
	if len(r.Hosts) > 0 {
		all = append(all, matcher("host", false, r.Hosts...))
	}
	return strings.Join(all, ",")
}

// matcher takes what one of some patterns, in which * stands for anything, matches as
// paths do, without case; or leaves it out.
func matcher(label string, not bool, patterns ...string) string {
	plain := len(patterns) == 1
	parts := make([]string, len(patterns))
	for i, p := range patterns {
		pieces := strings.Split(p, "*")
		for j := range pieces {
			pieces[j] = regexp.QuoteMeta(prom.LabelValue(pieces[j]))
		}
		parts[i] = strings.Join(pieces, ".*")
		plain = plain && len(pieces) == 1 && strings.IndexFunc(p, unicode.IsLetter) < 0
	}
	is, fits := "=", "=~"
	if not {
		is, fits = "!=", "!~"
	}
	if plain {
		return label + is + quote(prom.LabelValue(patterns[0]))
	}
	return label + fits + quote("(?is)"+strings.Join(parts, "|"))
}

// matchers are those of the series that a rule means, and how these become one, if they do. reason says
// why there are none.
func (w *one) matchers(m *alert.Meaning) (text string, combined *cooker.AggregateFunc, reason string) {
	var all []string
	if w.hosts != "" {
		all = append(all, w.hosts)
	}
	for _, l := range w.names.Labels {
		all = append(all, l.Name+"="+quote(l.Value))
	}
	if !w.set.Instances.Multiple() {
		return strings.Join(all, ","), nil, ""
	}
	label, path := w.names.Instance, m.Path
	switch named, isNamed := session.CombineNamed(path.Instance); {
	case isNamed && path.Parent == "":
		combined = new(named.Aggregator(&w.set.Counters[w.counter]).Func)
		members := session.MembersOf(path.Instance)
		for _, name := range members {
			if strings.ContainsAny(name, "/#") {
				return "", nil, "it combines instances by parent or number: " + name
			}
		}
		if len(members) > 0 && !allOf(members...) {
			all = append(all, matcher(label, false, members...))
		}
		all = append(all, w.totals()...)
	default:
		combined = w.Aggregate
		own, why := w.instance(m, path)
		if why != "" {
			return "", nil, why
		}
		all = append(all, own...)
		if combined != nil || m.Wild && !w.Totals && !paths.IsTotal(path.Instance) {
			all = append(all, w.totals()...)
		}
	}
	if combined != nil {
		all = append(all, w.again(path.Instance)...)
	}
	if combined != nil && *combined == cooker.AggregateTotal && w.set.Nests() {
		return "", nil, "its instances count those within them, which an engine would add again: name those to add"
	}
	for _, p := range w.Except {
		if strings.ContainsAny(p, "/#") {
			return "", nil, "it leaves out instances by parent or number: " + p
		}
		if m.Wild {
			all = append(all, matcher(label, true, p))
		}
	}
	return strings.Join(all, ","), combined, ""
}

// instance are the matchers of the instances that a path means.
func (w *one) instance(m *alert.Meaning, path paths.Path) (all []string, reason string) {
	label := w.names.Instance
	if path.Parent != "" && !allOf(path.Parent) {
		all = append(all, matcher("parent", false, path.Parent))
	}
	if !allOf(path.Instance) {
		all = append(all, matcher(label, false, path.Instance))
	}
	n, isNumber := path.Index.Number()
	isFirst := path.Index == paths.First
	switch {
	case path.Index == paths.Any, isFirst && m.Wild:
	case w.names.ByNumber && isFirst:
		w.say("all processes of the name are judged: their series are told apart by process_id")
	case w.names.ByNumber:
		return nil, "series of processes are told apart by process_id, not by #n"
	case isFirst || isNumber && n == 0:
		all = append(all, `index=""`)
	default:
		all = append(all, "index="+quote(string(path.Index)))
	}
	return all, ""
}

// totals leaves out what counts again what others count.
func (w *one) totals() (all []string) {
	all = append(all, matcher(w.names.Instance, true, "*_Total"))
	if w.names.ByNumber {
		all = append(all, matcher(w.names.Instance, true, "Idle"))
	}
	return all
}

// again leaves out interfaces that count again what others carry, of what is combined of all.
func (w *one) again(of string) (all []string) {
	if w.set.IsOfInterfaces() && (of == "*" || allOf(session.MembersOf(of)...)) {
		all = append(all, w.names.Instance+"!~"+quote("(?is)"+session.InterfacesAgain))
	}
	return all
}

// allOf tells patterns that match anything.
func allOf(patterns ...string) bool {
	for _, p := range patterns {
		if p != "" && strings.Trim(p, "*") == "" {
			return true
		}
	}
	return false
}
