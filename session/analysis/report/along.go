package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/files/eventlist"
	"perfdeck/session/text/english"
	"perfdeck/session/text/eventtext"
	"perfdeck/session/text/printable"
)

// Along is an event that a host wrote down while something was wrong there, or shortly before.
type Along struct {
	session.HostEvent

	IsNew bool // the recording has none of its kind before
}

// The bounds of what went along.
const (
	mostAlong    = 12
	mostAlongWhy = 2
	alongBefore  = 10 * time.Minute // of the onset
)

// events are those of the hosts that are told of.
type events struct {
	all   []session.HostEvent
	first map[kindOfEvent]time.Time // when there was one first
	from  time.Time                 // when the recording begins
}

type kindOfEvent struct{ host, log, source, id, unit, known, names string }

func kindOf(e *session.HostEvent) kindOfEvent {
	return kindOfEvent{paths.Fold(e.Host), e.Log, e.Source, e.ID, e.Unit, e.Known, strings.Join(e.Names, "\n")}
}

func newEvents(all []session.HostEvent, from time.Time) *events {
	o := &events{all: all, from: from, first: map[kindOfEvent]time.Time{}}
	for i := range all {
		kind := kindOf(&all[i])
		if at, is := o.first[kind]; !is || all[i].Time.Before(at) {
			o.first[kind] = all[i].Time
		}
	}
	return o
}

// along are the events of a host from a while before a time to its end, folded: those that are known
// to matter first, then those that were not there before, then by level, then the nearest.
func (o *events) along(host string, begin, end time.Time) (out []Along) {
	from, at := begin.Add(-alongBefore), map[kindOfEvent]int{}
	for i := range o.all {
		e := &o.all[i]
		if !paths.EqualFold(e.Host, host) || e.Until.Before(from) || e.Time.After(end) || eventlist.IsUnread(e) {
			continue
		}
		kind := kindOf(e)
		if n, is := at[kind]; is {
			out[n].Level = max(out[n].Level, e.Level)
			out[n].Add(e)
			continue
		}
		at[kind] = len(out)
		out = append(out, Along{*e, from.After(o.from) && !o.first[kind].Before(from)})
	}
	slices.SortStableFunc(out, func(a, b Along) int {
		return cmp.Or(rank(a.matters())-rank(b.matters()), rank(a.IsNew)-rank(b.IsNew), cmp.Compare(b.Level, a.Level),
			cmp.Compare(a.Time.Sub(begin).Abs(), b.Time.Sub(begin).Abs()))
	})
	return out[:min(len(out), mostAlong)]
}

func (a *Along) matters() bool { return a.Known != "" && !a.IsOfLog() }

// text is an event in a line.
func (a *Along) text(c clock) Text {
	level := ""
	if !a.matters() && !a.IsOfLog() {
		level = a.Level.String() + " of "
	}
	text := words(c.second(a.Time), " "+level, a.Line())
	if a.IsNew {
		text = append(text, words(", not there before")...)
	}
	return text
}

// findings are the events that are one by themselves, as verdicts: those that went along with none. What
// happened to the same several times is one.
func (g *Gatherer) findings(r *Report) (out []*Verdict) {
	at := map[kindOfEvent]int{}
	for i := range g.happened.all {
		e := &g.happened.all[i]
		h := g.hostNamed(e.Host)
		if h == nil || !eventtext.IsFinding(e.Known) || e.Time.Before(g.begin) || e.Time.After(g.end) || e.Until.Before(g.Of) {
			continue
		}
		isTold := func(v *Verdict) bool {
			return v.index == h.index && !e.Until.Before(v.Begin.Add(-alongBefore)) && !e.Time.After(v.End)
		}
		if slices.ContainsFunc(r.Verdicts, isTold) {
			continue
		}
		kind := kindOf(e)
		kind.log, kind.id = "", ""
		if n, is := at[kind]; is {
			v := out[n]
			v.event.Add(e)
			v.Begin, v.End = session.Earlier(v.Begin, e.Time), session.Later(v.End, e.Until)
			continue
		}
		at[kind] = len(out)
		out = append(out, &Verdict{
			Severity: alert.Warning, Host: h.Name, index: h.index, Short: printable.Text(e.Known), Begin: e.Time, End: e.Until,
			Rules: []string{eventRule + e.Known}, event: *e, Moved: Moved{Why: "It is no counter: what moved then is not compared."},
		})
	}
	for _, v := range out {
		g.tellFinding(v)
	}
	return out
}

// eventRule begins what stands for the rule of a finding that is an event.
const eventRule = "event "

// isEvent tells that it is about what a host wrote down, and no counter.
func (v *Verdict) isEvent() bool { return v.event.Known != "" }

// tellFinding tells of an event that is a finding.
func (g *Gatherer) tellFinding(v *Verdict) {
	e := &v.event
	v.Lasted, v.Spells = v.End.Sub(v.Begin), max(e.Count, 1)
	v.Sentence = printable.Text(eventtext.Sentence(e.Known, e.Names))
	v.Worst, v.WorstWord = english.Times(v.Spells), "told"
	when := words(g.second(v.Begin))
	if v.Spells > 1 {
		when = words(g.second(v.Begin)+" to "+g.second(v.End)+", ", strong(english.Times(v.Spells)))
	}
	v.fact("When", when)
	v.fact("Told by", strings.Join(slices.DeleteFunc([]string{e.Log, e.Source, e.ID}, func(s string) bool { return s == "" }), ", "))
	if e.Text != "" {
		v.fact("In its words", e.Text)
	}
	v.Why = "The host wrote it down. It makes a warning, and nothing graver, by itself."
	v.Next = []Text{g.nextAt(v.Begin)}
}

// insert puts verdicts in by their severity, behind the others of it, and numbers all.
func (r *Report) insert(more []*Verdict) {
	at := 0
	for at < len(r.Verdicts) && r.Verdicts[at].Severity >= alert.Warning {
		at++
	}
	r.Verdicts = slices.Insert(r.Verdicts, at, more...)
	for i, v := range r.Verdicts {
		v.Number = i + 1
	}
}

// hasTexts tells that texts of hosts are told.
func (r *Report) hasTexts() bool {
	return slices.ContainsFunc(r.Verdicts, func(v *Verdict) bool {
		return v.event.Text != "" || slices.ContainsFunc(v.Along, func(a Along) bool { return a.Text != "" })
	})
}

// textsWords say that texts of hosts are told.
const textsWords = "What hosts wrote down stands here in their own words, which may name users, paths and addresses."

// jsonAlong is an event that went along.
type jsonAlong struct {
	session.HostEvent

	Part int    `json:"part,omitempty"` // in which it is
	Said string `json:"said"`           // as pages have it
	New  bool   `json:"new"`
}

func (r *Report) jsonAlong(a Along) jsonAlong {
	out := jsonAlong{HostEvent: a.HostEvent, Said: printable.Text(a.Line()), New: a.IsNew}
	out.Time, out.Part = r.Line.Told(a.Time)
	out.Until, _ = r.Line.Told(a.Until)
	return out
}
