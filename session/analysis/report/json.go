package report

import (
	"encoding/json"
	"io"
	"math"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note"
)

// The forms of JSON. Numbers are as they are in the recording, times RFC 3339; what is
// not known is null. Where the clock of the recording was set back times are as they were
// recorded, and the part tells which of two it is.

// schema is the version of these forms: 2 has parts.
const schema = 2

type jsonReport struct {
	Recording string        `json:"recording"`
	Version   string        `json:"version"`
	Schema    int           `json:"schema"`
	Parts     []jsonPart    `json:"parts,omitempty"`
	Begin     time.Time     `json:"begin"`
	End       time.Time     `json:"end"`
	Headline  string        `json:"headline"`
	Texts     string        `json:"texts,omitempty"` // says that what hosts wrote stands in it
	Verdicts  []jsonVerdict `json:"verdicts"`
	Rules     jsonRules     `json:"rules"`
	Hosts     []jsonHost    `json:"hosts"`
	Changes   jsonChanges   `json:"changes"`
	Gaps      []jsonGap     `json:"gaps"`
	Notes     []jsonNote    `json:"notes"`
	Clocks    []Text        `json:"clocks"`
	Missing   []string      `json:"missing"`
	Hours     []time.Time   `json:"hours"`
	Counters  []jsonCounter `json:"counters"`
}

// jsonPart is a part of a recording whose clock was set back.
type jsonPart struct {
	Part  int       `json:"part"`
	Begin time.Time `json:"begin"`
	End   time.Time `json:"end"`
}

type jsonVerdict struct {
	Number    int            `json:"number"`
	Severity  alert.Severity `json:"severity"`
	Host      string         `json:"host"`
	Sentence  string         `json:"sentence"`
	Rules     []string       `json:"rules"`
	Path      string         `json:"path,omitempty"`
	Begin     time.Time      `json:"begin"`
	End       time.Time      `json:"end"`
	Part      int            `json:"part,omitempty"` // in which it begins
	EndPart   int            `json:"endPart,omitempty"`
	Open      bool           `json:"open"`
	Spells    int            `json:"spells"`
	Lasted    float64        `json:"lastedSeconds"`
	Limit     *float64       `json:"limit"`
	Worst     *float64       `json:"worst"`
	WorstAt   *time.Time     `json:"worstAt"`
	WorstPart int            `json:"worstPart,omitempty"`
	Median    *float64       `json:"median"`
	Before    *float64       `json:"medianBefore"`
	Beyond    int            `json:"beyond"`
	Samples   int            `json:"samples"`
	Facts     []Fact         `json:"facts"`
	Why       string         `json:"why,omitempty"`
	Culprits  []jsonCulprit  `json:"culprits,omitempty"`
	Instances *Table         `json:"instances,omitempty"`
	Along     []jsonAlong    `json:"along,omitempty"` // what the host wrote down
	Moved     []jsonMoved    `json:"moved"`
	Still     int            `json:"still"`
	Next      []Text         `json:"next"`
	Made      []string       `json:"made"`
}

// jsonCulprit is one of those who did it: its share of all that was used, 0 to 1.
type jsonCulprit struct {
	Name  string   `json:"name"`
	PID   uint64   `json:"pid,omitempty"`
	Share *float64 `json:"share"`
}

type jsonMoved struct {
	Path    string   `json:"path"`
	New     bool     `json:"new"`
	Before  *float64 `json:"before"`
	Then    *float64 `json:"then"`
	Spreads *float64 `json:"spreads"`
}

type jsonRules struct {
	Judged   int               `json:"judged"`
	Fired    int               `json:"fired"`
	Folded   int               `json:"folded"`
	Quiet    []string          `json:"quiet"`
	Unjudged map[string]string `json:"unjudged"`
}

type jsonHost struct {
	Name     string  `json:"name"`
	Facts    string  `json:"facts,omitempty"`
	Roles    []Role  `json:"roles,omitempty"`
	Interval float64 `json:"intervalSeconds"`
	Longest  float64 `json:"longestIntervalSeconds,omitempty"` // where the interval was changed
	Counters int     `json:"counters"`
	Values   int64   `json:"values"`
	Samples  int64   `json:"samples"`
	Expected int64   `json:"expected"`
}

type jsonChanges struct {
	Before  time.Time   `json:"before"`
	From    time.Time   `json:"from"`
	Why     string      `json:"why,omitempty"`
	Judged  int         `json:"judged"`
	Changed []jsonMoved `json:"changed"`
	New     []string    `json:"new"`
	Gone    []string    `json:"gone"`
}

type jsonGap struct {
	Host   string    `json:"host"`
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Part   int       `json:"part,omitempty"` // in which it begins
	ToPart int       `json:"toPart,omitempty"`
	Cause  string    `json:"cause"`
	Known  string    `json:"known,omitempty"`
}

type jsonNote struct {
	Time time.Time `json:"time"`
	Part int       `json:"part,omitempty"`
	Text string    `json:"text"`
	By   string    `json:"by,omitempty"`
}

type jsonCounter struct {
	Path     string     `json:"path"`
	Host     string     `json:"host"`
	Count    int64      `json:"count"`
	Missing  int64      `json:"missing"`
	Word     string     `json:"word,omitempty"`
	Min      *float64   `json:"min"`
	Average  *float64   `json:"average"`
	Weighted string     `json:"weighted,omitempty"` // "by time", for want of raw samples
	P95      *float64   `json:"p95"`
	Max      *float64   `json:"max"`
	MaxAt    *time.Time `json:"maxAt"`
	MaxPart  int        `json:"maxPart,omitempty"`
	Hours    []*float64 `json:"hours"`
}

// number is a number of JSON, or null.
func number(f float64) *float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}

// first are at most so many of a list, which is one.
func first[T any](list []T, most int) []T { return notNil(list[:min(len(list), most)]) }

func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// each is a list of what elements of another are.
func each[T, U any](list []T, as func(T) U) []U {
	out := make([]U, len(list))
	for i, one := range list {
		out[i] = as(one)
	}
	return out
}

// WriteJSON writes all of it as one object.
func (r *Report) WriteJSON(w io.Writer) error {
	out := jsonReport{
		Recording: r.Title, Version: r.Version, Schema: schema, Begin: r.Begin, End: r.End, Headline: r.Headline(),
		Rules:    jsonRules{r.Rules.Judged, r.Rules.Fired, r.Rules.Folded, notNil(r.Rules.Quiet), map[string]string{}},
		Verdicts: each(r.Verdicts, r.jsonVerdict), Gaps: each(r.Gaps, r.jsonGap), Notes: each(r.Notes, r.jsonNote), Hosts: each(r.Hosts, (*Host).json),
		Clocks: notNil(r.Clocks), Missing: notNil(r.Missing), Counters: []jsonCounter{},
		Changes: jsonChanges{r.Changes.Before, r.Changes.From, r.Changes.Why, r.Changes.Judged, each(r.Changes.Rows, (*MovedRow).json), first(r.Changes.New, mostChanges), first(r.Changes.Gone, mostChanges)},
		Hours: each(r.Hours, func(at time.Time) time.Time {
			told, _ := r.Line.Told(at)
			return told
		}),
	}
	r.Line.Tell(&out.Begin, &out.End, &out.Changes.Before, &out.Changes.From)
	if parts := r.Line.Parts(); len(parts) > 1 {
		for i, p := range parts {
			out.Parts = append(out.Parts, jsonPart{i + 1, p.First, p.Last})
		}
	}
	if r.hasTexts() {
		out.Texts = textsWords
	}
	for _, u := range r.Rules.Unjudged {
		out.Rules.Unjudged[u.Rule] = u.Why
	}
	for _, h := range r.Hosts {
		for _, c := range h.Counters {
			out.Counters = append(out.Counters, c.json(h.Name, r.Line))
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(out)
}

func (r *Report) jsonVerdict(v *Verdict) jsonVerdict {
	out := jsonVerdict{
		Number: v.Number, Severity: v.Severity, Host: v.Host, Sentence: v.Sentence, Rules: notNil(v.Rules), Path: v.Path,
		Open: v.IsOpen, Spells: v.Spells, Lasted: v.Lasted.Seconds(), Limit: v.Limit, Worst: v.Peak,
		Median: v.Median, Before: v.Before, Beyond: v.Over, Samples: v.Of, Facts: notNil(v.Facts), Why: v.Why,
		Culprits:  each(v.Culprits, func(c Culprit) jsonCulprit { return jsonCulprit{c.Name, c.PID, number(c.Share)} }),
		Instances: v.Instances, Along: each(v.Along, r.jsonAlong), Moved: each(v.Moved.Rows, (*MovedRow).json), Still: v.Moved.Still, Next: notNil(v.Next), Made: v.Fold.lines(),
	}
	out.Begin, out.Part = r.Line.Told(v.Begin)
	out.End, out.EndPart = r.Line.Told(v.End)
	if v.Peak != nil {
		at, part := r.Line.Told(v.PeakAt)
		out.WorstAt, out.WorstPart = &at, part
	}
	return out
}

func (r *Report) jsonGap(g Gap) jsonGap {
	from, part := r.Line.Told(g.From)
	to, toPart := r.Line.Told(g.To)
	return jsonGap{g.Host, from, to, part, toPart, g.Cause, g.Known}
}

func (r *Report) jsonNote(n note.Note) jsonNote {
	at, part := r.Line.Told(n.Time)
	return jsonNote{at, part, n.Text, n.By}
}

func (r *MovedRow) json() jsonMoved {
	return jsonMoved{r.Path, r.IsNew, number(r.Before), number(r.Then), number(r.Times)}
}

func (h *Host) json() jsonHost {
	out := jsonHost{Name: h.Name, Facts: h.Facts, Roles: h.Roles, Interval: h.Interval.Seconds(), Counters: len(h.Counters), Values: h.Values, Samples: h.Samples, Expected: h.Expected}
	if h.changedPace() {
		out.Longest = h.Longest.Seconds()
	}
	return out
}

// lines is a fold as lines of text.
func (f *Fold) lines() (out []string) {
	out = each(f.Text, Text.String)
	if f.Raw != nil {
		for _, row := range f.Raw.Rows {
			line := row[0] + ": " + row[1] + ", then " + row[2]
			if row[3] != "" && row[3] != constant {
				line += ", difference " + row[3]
			}
			out = append(out, line)
		}
	}
	return append(append(out, f.Worked...), f.Notes...)
}

func (c *Counter) json(host string, line *logs.Line) jsonCounter {
	out := jsonCounter{Path: c.Path, Host: host, Count: c.Count, Missing: c.Missing, Word: c.Word, Hours: []*float64{}}
	if c.Word != "" {
		return out
	}
	at, part := line.Told(c.MaxAt)
	out.Min, out.Average, out.Max, out.MaxAt, out.MaxPart = number(c.Min), number(c.Average), number(c.Max), &at, part
	out.Weighted = c.Weighted
	if !c.isFew() {
		out.P95 = number(c.P95)
	}
	out.Hours = each(c.Hours, number)
	return out
}
