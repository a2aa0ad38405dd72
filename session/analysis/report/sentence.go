package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
)

// phrase says what a verdict on a counter is, with its numbers.
type phrase struct {
	object  string // folded; * at an end stands for anything
	counter string // begins so; of a formula its text
	say     func(p phraseWords) string
}

// phraseWords are what phrases are made of.
type phraseWords struct {
	instance      string  // empty: there is none, or it is the total
	limit, median string  // with their units
	times         float64 // the median is so many times the one before; 0: not known
}

// than says how many times something is what it was.
func (p phraseWords) than(verb, asMuch, otherwise string) string {
	if p.times >= 2 {
		return fmt.Sprintf("%s %s times %s as before", verb, factor(p.times), asMuch)
	}
	return otherwise
}

func (p phraseWords) disk() string { return strings.TrimSpace("disk " + p.instance) }

var phrases = []phrase{
	{"*disk", "avg. disk sec/", func(p phraseWords) string {
		return capital(p.disk()) + " " + p.than("took", "as long", "took "+p.median+" for a transfer")
	}},
	{"*disk", "current disk queue length", func(p phraseWords) string { return p.median + " requests waited at " + p.disk() }},
	{"*disk", "% free space", func(p phraseWords) string { return "Less than " + p.limit + " of " + p.disk() + " is free" }},
	{"*disk", "free megabytes", func(p phraseWords) string { return "Less than " + p.limit + " are free on " + p.disk() }},
	{"*disk", "% disk time", func(p phraseWords) string { return capital(p.disk()) + " was " + p.median + " busy" }},
	{"memory", "available ", func(p phraseWords) string { return "Less than " + p.limit + " of memory available" }},
	{"memory limit", "% available", func(p phraseWords) string { return "Less than " + p.limit + " of the memory that may be used is left" }},
	{"memory", "% committed bytes in use", func(p phraseWords) string { return p.median + " of all memory that can be had was promised" }},
	{"memory", "pages input/sec", func(p phraseWords) string { return "Pages were read back from disk, " + p.median }},
	{"paging file", "% usage", func(p phraseWords) string { return "The page file was " + p.median + " full" }},
	{"processor limit", "% processor ", func(p phraseWords) string { return p.median + " of the processors that may be used was used" }},
	{"processor limit", "% privileged time", func(p phraseWords) string {
		return "The kernel took " + p.median + " of the processors that may be used"
	}},
	{"processor limit", "% throttled above time", func(p phraseWords) string {
		return "A limit above this container held it back " + p.median + " of the time"
	}},
	{"processor*", "% processor ", func(p phraseWords) string {
		if p.instance == "" {
			return "The processors were " + p.median + " busy"
		}
		return "Processor " + p.instance + " was " + p.median + " busy"
	}},
	{"processor*", "% privileged time", func(p phraseWords) string {
		return "The processors spent " + p.median + " of the time in the kernel"
	}},
	{"processor*", "% interrupt time", func(p phraseWords) string {
		return "Processor " + p.instance + " spent " + p.median + " of its time with interrupts"
	}},
	{"processor*", "% dpc time", func(p phraseWords) string {
		return "Processor " + p.instance + " spent " + p.median + " of its time with deferred calls"
	}},
	{"system", "processor queue length", func(p phraseWords) string { return p.median + " threads waited for a processor" }},
	{"network *", "bytes total/sec", func(p phraseWords) string { return strings.TrimSpace(p.instance + " carried " + p.median) }},
	{"network *", "output queue length", func(p phraseWords) string { return p.median + " packets waited at " + p.instance }},
	{"network *", "800 / {current bandwidth} *", func(p phraseWords) string { return p.instance + " was " + p.median + " % full" }},
	{"network *", "rate({packets received", func(p phraseWords) string { return p.median + " % of what came to " + p.instance + " was lost" }},
	{"tcpv*", "{segments retransmitted/sec} * 100", func(p phraseWords) string { return p.median + " % of TCP segments were sent again" }},
	{"hyper-v hypervisor logical processor", "% total run time", func(p phraseWords) string { return "The processors of the hypervisor were " + p.median + " busy" }},
	{"pressure stall information", "% full stall time", func(p phraseWords) string {
		return "All tasks waited for " + p.instance + " " + p.median + " of the time"
	}},
	{"pressure stall information", "% some stall time", func(p phraseWords) string {
		return "Some task waited for " + p.instance + " " + p.median + " of the time"
	}},
	{"control group", "% memory limit", func(p phraseWords) string { return p.instance + " used " + p.median + " of the memory that it may" }},
	{"control group", "% throttled time", func(p phraseWords) string { return p.instance + " was held at its quota " + p.median + " of the time" }},
	{"*:general statistics", "processes blocked", func(p phraseWords) string { return p.median + " sessions waited behind the locks of others" }},
	{"tcpv*", "segments retransmitted/sec", func(p phraseWords) string { return "TCP segments were sent again, " + p.median }},
}

func (p *phrase) fits(object, counter string) bool {
	is := object == p.object
	if head, ok := strings.CutSuffix(p.object, "*"); ok {
		is = strings.HasPrefix(object, head)
	} else if tail, ok := strings.CutPrefix(p.object, "*"); ok {
		is = strings.HasSuffix(object, tail)
	}
	return is && strings.HasPrefix(counter, p.counter)
}

// sentence says what was wrong.
func (g *Gatherer) sentence(d *draft, v *Verdict, s Scale) string {
	rule := d.lead()
	switch rule.Kind {
	case alert.HostLost:
		return "No answer for " + span(v.Lasted)
	case alert.NoValue:
		return session.Printable(fmt.Sprintf("No value of %s for %s", d.about(), span(v.Lasted)))
	case alert.Threshold:
	}
	if d.growth != nil {
		return d.growthSentence(s)
	}
	p := phraseWords{limit: s.limit(rule.When.Limit)}
	if name := d.first().Key.Name; !paths.IsTotal(name) {
		p.instance = session.Printable(d.first().Instance)
	}
	if v.Median != nil {
		p.median = s.With(*v.Median)
		if v.Before != nil && *v.Before > 0 {
			p.times = *v.Median / *v.Before
		}
	}
	object, counter := paths.Fold(rule.When.Path.Object), paths.Fold(rule.When.Path.Counter)
	if rule.Value != nil {
		counter = paths.Fold(rule.Value.String())
	}
	text := ""
	if isKill(rule) {
		text = "Programs were killed for lack of memory"
	}
	if rule.Trend == 0 && v.Median != nil && (rule.When.Op == paths.Above && *v.Median > 0 || rule.When.Op == paths.Below) {
		for i := range phrases {
			if phrases[i].fits(object, counter) && rule.When.Holds(*v.Median) {
				text = phrases[i].say(p)
				break
			}
		}
	}
	if text == "" {
		side := "above"
		if rule.When.Op == paths.Below {
			side = "below"
		}
		about := d.about()
		if rule.Trend > 0 {
			about = "The trend of " + about
		}
		text = fmt.Sprintf("%s was %s %s", about, side, p.limit)
		if p.times >= 2 && rule.When.Op == paths.Above && !math.IsInf(p.times, 0) {
			text += fmt.Sprintf(", %s times what it was before", factor(p.times))
		}
	}
	return session.Printable(text + d.rest(v))
}

// rest is what a sentence ends with: on what else it was so, how often, for how long, and who did
// it.
func (d *draft) rest(v *Verdict) (text string) {
	if n := d.otherInstances(); n > 0 {
		text += fmt.Sprintf(", and %s more", inWords(n))
	}
	if d.spans != nil {
		text += fmt.Sprintf(", %s%s", plural(int64(d.spells), "time", "times"), d.eachText())
	}
	if d.isGoingOn() {
		text += " for at least " + span(v.Lasted)
	}
	if !d.isOfOne() {
		text += d.account.bySentence()
	}
	return text
}

// otherInstances is on how many other instances the same was wrong.
func (d *draft) otherInstances() int {
	names := map[string]bool{}
	for _, ep := range d.others {
		if ep.Path != d.first().Path {
			names[ep.Path] = true
		}
	}
	return len(names)
}

// about is the counter with its instance, in words.
func (d *draft) about() string {
	ep := d.first()
	counter := ep.ID.Counter
	if counter == "" {
		counter = ep.Rule.When.Path.Counter
	}
	name := ep.Instance
	if name == "" && ep.ID.Name != "" {
		name = ep.ID.Name
	}
	if name == "" || paths.IsTotal(name) {
		object := ep.ID.Set
		if object == "" {
			object = ep.Rule.When.Path.Object
		}
		return object + " " + counter
	}
	return counter + " of " + name
}

// lead is up to three sentences on the gravest.
func (r *Report) lead() []Text {
	const most = 3
	var out []Text
	for i := range r.Verdicts[:min(len(r.Verdicts), most)] {
		v := &r.Verdicts[i]
		when := "Between " + r.clock.minute(v.Begin) + " and " + r.clock.minute(v.End)
		switch {
		case v.IsOpen:
			when = "Since " + r.clock.minute(v.Begin)
		case r.clock.minute(v.Begin) == r.clock.minute(v.End):
			when = "At " + r.clock.minute(v.Begin)
		}
		text := words(when+" on ", strong(v.Host), ": "+v.Sentence)
		if v.Median != nil && v.Before != nil && *v.Before > 0 && *v.Median / *v.Before >= 2 && v.Chart != nil {
			s := v.Chart.Scale
			text = append(text, words(fmt.Sprintf(" (%s instead of %s)", s.With(*v.Median), s.With(*v.Before)))...)
		}
		out = append(out, append(text, Run{Text: "."}))
	}
	return out
}

// heard is how much of a damaged recording could be read, and of which time that is.
func (r *Report) heard() string {
	text := fmt.Sprintf(": %s of %s", grouped(r.Rows), plural(r.Rows+r.Lost, "sample", "samples"))
	var first, last time.Time
	for _, h := range r.Hosts {
		if !h.First.IsZero() && (first.IsZero() || h.First.Before(first)) {
			first = h.First
		}
		last = session.Later(last, h.Last)
	}
	if !first.IsZero() {
		text += ", " + r.clock.whole(first) + " to " + r.clock.whole(last)
	}
	return text
}

// Headline is the sentence above all.
func (r *Report) Headline() string {
	hosts := len(r.Hosts)
	on := inWords(hosts) + " hosts"
	if hosts == 1 {
		on = r.Hosts[0].Name
	}
	if len(r.Verdicts) == 0 {
		if r.Rules.Judged == 0 {
			return session.Printable("No rule had anything to judge on " + on + ".")
		}
		text := "Nothing was wrong on " + on
		if r.Lost > 0 {
			text = "Nothing was wrong in what could be read" + r.heard()
		}
		if n := len(r.Rules.Blind); n > 0 {
			text += " in what was judged; not judged: " + strings.Join(r.Rules.Blind, ", ")
		}
		return session.Printable(text + ".")
	}
	concerned := map[int]bool{}
	critical, warning := 0, 0
	for i := range r.Verdicts {
		concerned[r.Verdicts[i].host] = true
		switch r.Verdicts[i].Severity {
		case alert.Critical:
			critical++
		case alert.Warning:
			warning++
		case alert.Careful:
		}
	}
	if n := len(concerned); n < hosts {
		on = inWords(n) + " of " + on
	}
	n := len(r.Verdicts)
	text := capital(inWords(n)) + " things were wrong on " + on + "."
	if n == 1 {
		text = "One thing was wrong on " + on + "."
	}
	count := func(n int, word string) string {
		switch {
		case n == 1:
			return " One was " + word + "."
		case n == len(r.Verdicts) && n > 1:
			return " All were " + word + "."
		}
		return " " + capital(inWords(n)) + " were " + word + "."
	}
	switch {
	case len(r.Verdicts) == 1 && critical == 1:
		text = strings.TrimSuffix(text, ".") + ", and critical."
	case len(r.Verdicts) == 1:
	case critical > 0:
		text += count(critical, "critical")
	case warning > 0:
		text += " None was critical."
	}
	return session.Printable(text)
}
