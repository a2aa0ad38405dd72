package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// WhyOptions say how the answer is written.
type WhyOptions struct {
	TextOptions

	Opens  map[string]string // how a command line names the hosts that were watched just now; nil: they were recorded
	All    bool              // all verdicts and lines, however many
	Unseen []string          // hosts that gave nothing, and why
}

// mostRoleLacks is how many counters are named that a role was not judged by.
const mostRoleLacks = 4

// mostWhyLines is how many lines a host has, unless all are wanted.
const mostWhyLines = 12

// Worst is the gravest severity of what was wrong; ok is false where nothing was.
func (r *Report) Worst() (worst alert.Severity, ok bool) {
	if len(r.Verdicts) == 0 {
		return worst, false
	}
	return r.Verdicts[0].Severity, true // the gravest first
}

// IsKnown tells that rules had something to judge, of all that a computer is asked for first.
func (r *Report) IsKnown() bool { return r.Rules.Judged > 0 && len(r.Rules.Blind) == 0 }

// IsSeen tells that all was judged that a computer is asked for first, and nothing was denied.
func (r *Report) IsSeen() bool { return r.IsKnown() && r.denied() == "" }

// WriteWhy writes the answer to one question: what is wrong, since when, who does it, what went
// along, and what to look at next. The host with the gravest comes first, those that are well
// share a line.
func (r *Report) WriteWhy(w io.Writer, o WhyOptions) error {
	l := o.lines()
	told := map[int]bool{}
	for _, v := range r.Verdicts { // in order of gravity
		if !told[v.index] {
			told[v.index] = true
			l.why(r, v.index, o)
		}
	}
	for _, row := range r.WhyRest(o) {
		l.wrapped(row[0]+": ", "  ", row[1])
	}
	return put(w, o.written(l))
}

// WhyRest is what is told behind the verdicts, each with what it is about: who used what in the span
// that was asked about, which hosts are well, what is not known.
func (r *Report) WhyRest(o WhyOptions) (rows [][2]string) {
	add := func(label string, texts ...string) {
		for _, text := range texts {
			rows = append(rows, [2]string{label, printable.Text(text)})
		}
	}
	rows = append(rows, r.used...)
	var well []string
	for i, h := range r.Hosts {
		if !slices.ContainsFunc(r.Verdicts, func(v *Verdict) bool { return v.index == i }) {
			well = append(well, h.Name+h.busiest())
		}
	}
	if len(well) > 0 {
		said := "nothing was wrong"
		switch {
		case r.Rules.Judged == 0:
			said = "not known: no rule had anything to judge"
		case o.Opens != nil:
			said = "nothing is wrong"
		}
		if len(r.Rules.Blind) > 0 && r.Rules.Judged > 0 {
			said += " in what was judged"
		}
		add(said, strings.Join(well, "; "))
	}
	for _, h := range r.Hosts {
		if grew := h.grew(); grew != "" && !r.isPart {
			add("grew in "+english.Span(r.End.Sub(r.Begin)), h.Name+": "+grew)
		}
	}
	add("not known", o.Unseen...)
	if len(r.Rules.Blind) > 0 {
		add("not judged", strings.Join(r.Rules.Blind, ", ")+": their counters are not there, or not for long enough")
	}
	for _, h := range r.Hosts {
		for _, role := range h.Roles {
			if len(role.Lacks) > 0 {
				add("judged in part", h.Name+" as "+role.Name+", "+role.lacksWords(mostRoleLacks)+"; "+role.setCommand()+" makes a set of all for Windows")
			}
		}
	}
	if denied := r.denied(); denied != "" {
		add("not seen", denied+"; an administrator may see it")
	}
	add("missing", r.Missing...)
	return rows
}

// WhyLines is a verdict in short: its sentence, then labels with what belongs to them. opens is how a
// command line names its host, where that was watched just now.
func (r *Report) WhyLines(v *Verdict, opens string) (rows [][2]string) {
	add := func(label, text string) { rows = append(rows, [2]string{label, printable.Text(text)}) }
	add("", fmt.Sprintf("%s %s: %s", v.Host, v.Severity, v.Sentence))
	isLive := opens != ""
	label, since := "when", r.since(v, isLive && r.known.IsZero())
	if (v.IsOpen || isLive) && !v.isEvent() && !strings.HasPrefix(since, "for") {
		label = "since"
	}
	add(label, since)
	for _, f := range v.Facts {
		if f.Name == "Who" {
			add("who", f.Text.String())
		}
	}
	for _, a := range v.Along[:min(len(v.Along), mostAlongWhy)] {
		add("along", a.text(r.clock).String())
	}
	if along := v.Moved.along(); along != "" {
		add("along", along)
	}
	if n := len(v.Next); isLive {
		add("next", nextLive(v, opens))
	} else if n > 0 {
		add("next", v.Next[n-1].String())
	}
	return rows
}

// rule is the name of the rule that it is about; empty: it is about none.
func (v *Verdict) rule() string {
	if len(v.Rules) == 0 {
		return ""
	}
	return v.Rules[0]
}

// Join takes what is wrong at the end from a report that begins earlier and ends with this one: since
// when, and how bad it is by rules that need longer.
func (r *Report) Join(earlier *Report) {
	was := r.Verdicts
	r.known, r.Verdicts = earlier.Begin, nil
	isOf := func(v *Verdict) func(o *Verdict) bool {
		return func(o *Verdict) bool { return o.Host == v.Host && o.Path == v.Path && o.rule() == v.rule() }
	}
	for _, of := range earlier.Verdicts {
		v := *of
		v.index = slices.IndexFunc(r.Hosts, func(h *Host) bool { return h.Name == v.Host })
		if v.index >= 0 && !v.End.Before(r.Begin) {
			r.Verdicts = append(r.Verdicts, &v)
		}
	}
	for _, v := range was {
		if !slices.ContainsFunc(r.Verdicts, isOf(v)) {
			r.Verdicts = append(r.Verdicts, new(*v))
		}
	}
	slices.SortStableFunc(r.Verdicts, func(a, b *Verdict) int { return cmp.Compare(b.Severity, a.Severity) })
	numbers := map[int]int{}
	for i, v := range r.Verdicts {
		if at := slices.IndexFunc(was, isOf(v)); at >= 0 {
			numbers[was[at].Number] = i + 1
		}
		v.Number = i + 1
	}
	for _, h := range r.Hosts {
		for _, c := range h.Counters {
			for k, n := range c.Verdicts {
				c.Verdicts[k] = numbers[n]
			}
		}
	}
}

// why tells what is wrong with a host.
func (l *lines) why(r *Report, host int, o WhyOptions) {
	from := l.b.Len()
	for _, v := range r.Verdicts {
		if v.index != host {
			continue
		}
		for _, row := range r.WhyLines(v, o.Opens[v.Host]) {
			switch {
			case row[0] == "":
				l.wrapped("", "  ", sign(v.Severity)+" "+row[1])
			case o.All:
				l.wrapped(fmt.Sprintf("  %-6s", row[0]), "        ", row[1])
			default:
				l.line(fmt.Sprintf("  %-6s%s", row[0], row[1]))
			}
		}
	}
	told := strings.SplitAfter(string(l.b.Bytes()[from:]), "\n")
	if n := len(told) - 1; !o.All && n > mostWhyLines {
		l.b.Truncate(from)
		l.b.WriteString(strings.Join(told[:mostWhyLines-1], ""))
		l.line(fmt.Sprintf("  and %d lines more: -v has all", n-mostWhyLines+1))
	}
}

// since is from when on it was so, and for how long.
func (r *Report) since(v *Verdict, isLive bool) string {
	length, begin := english.Span(v.End.Sub(v.Begin)), r.whole(v.Begin)
	switch {
	case v.isEvent() && v.Spells == 1:
		return begin
	case isLive && !v.isEvent():
		return "for at least " + length
	case v.Spells > 1:
		return begin + " to " + r.second(v.End) + ", " + plural(v.Spells, "time", "times")
	case v.IsOpen && r.isPart && !v.Begin.After(r.Begin):
		return "before " + begin + ", for at least " + length
	case v.IsOpen && !r.known.IsZero() && !v.Begin.After(r.known):
		return "before " + begin + ", as far back as was looked"
	case v.IsOpen && !v.Begin.After(r.Begin) && r.known.IsZero():
		return "before " + begin + ", when the recording begins, to its end"
	case v.IsOpen:
		return begin + ", for at least " + length
	}
	return begin + " to " + r.second(v.End) + ", " + length
}

// along is what else moved, in one line.
func (m *Moved) along() string {
	var parts []string
	for _, row := range m.Rows {
		before, arrow := row.went()
		if row.IsNew {
			parts = append(parts, row.String()+" is new")
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %s %s (%s before)", row.String(), arrow, row.Scale.With(row.Then), before))
	}
	return strings.Join(parts, ", ")
}

// nextLive is the command that shows more of what is wrong now.
func nextLive(v *Verdict, opens string) string {
	command := "perfdeck -H " + opens
	if len(v.Culprits) > 0 && v.Culprits[0].PID != 0 {
		return command + ", then t: " + strings.TrimPrefix(v.Culprits[0].Name, endedOf) + " among its processes"
	}
	return command + ", then C: what changed"
}

// busiest names the process of a host that is well that used most of a processor.
func (h *Host) busiest() string {
	var best *Counter
	for _, c := range h.Counters {
		if session.IsOfProcesses(c.english.Object) && paths.EqualFold(c.english.Counter, "% Processor Time") &&
			!paths.IsTotal(c.Instance) && c.Instance != "Idle" && c.Word == "" && c.Average >= 1 && (best == nil || c.Average > best.Average) {
			best = c
		}
	}
	if best == nil {
		return ""
	}
	return fmt.Sprintf(", busiest is %s with %.0f %% of one processor", best.Instance, best.Average)
}

// denied says which counters could not be read for want of rights.
func (r *Report) denied() string {
	count, order := map[string]int{}, []string{}
	for _, h := range r.Hosts {
		for _, c := range h.Counters {
			if c.Word == "denied" {
				name := c.Object + `\` + c.Name
				if count[name]++; count[name] == 1 {
					order = append(order, name)
				}
			}
		}
	}
	for i, name := range order {
		order[i] = fmt.Sprintf("%s of %s", name, plural(count[name], "instance", "instances"))
	}
	return listed(order, 3)
}
