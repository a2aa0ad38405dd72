package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// phrase says what a verdict on a counter is. {limit} and {median} are with their units, {instance}
// is none of the total.
type phrase struct {
	object  string // folded; * at an end stands for anything
	counter string // begins so; of a formula its text
	text    string
}

var phrases = []phrase{
	{"*disk", "avg. disk sec/", "{Disk} {took}"},
	{"*disk", "current disk queue length", "{median} requests waited at {disk}"},
	{"*disk", "% free space", "Less than {limit} of {disk} is free"},
	{"*disk", "free megabytes", "Less than {limit} are free on {disk}"},
	{"*disk", "% disk time", "{Disk} was {median} busy"},
	{"memory", "available ", "Less than {limit} of memory available"},
	{"memory limit", "% available", "Less than {limit} of the memory that may be used is left"},
	{"memory", "% committed bytes in use", "{median} of all memory that can be had was promised"},
	{"memory", "pages input/sec", "Pages were read back from disk, {median}"},
	{"paging file", "% usage", "The page file was {median} full"},
	{"processor limit", "% processor ", "{median} of the processors that may be used was used"},
	{"processor limit", "% privileged time", "The kernel took {median} of the processors that may be used"},
	{"processor limit", "% throttled above time", "A limit above this container held it back {median} of the time"},
	{"processor*", "% processor ", "{Processor was} {median} busy"},
	{"processor*", "% privileged time", "The processors spent {median} of the time in the kernel"},
	{"processor*", "% interrupt time", "Processor {instance} spent {median} of its time with interrupts"},
	{"processor*", "% dpc time", "Processor {instance} spent {median} of its time with deferred calls"},
	{"system", "processor queue length", "{median} threads waited for a processor"},
	{"network *", "bytes total/sec", "{instance} carried {median}"},
	{"network *", "output queue length", "{median} packets waited at {instance}"},
	{"network *", "800 / {current bandwidth} *", "{instance} was {median} % full"},
	{"network *", "rate({packets received", "{median} % of what came to {instance} was lost"},
	{"tcpv*", "{segments retransmitted/sec} * 100", "{median} % of TCP segments were sent again"},
	{"hyper-v hypervisor logical processor", "% total run time", "The processors of the hypervisor were {median} busy"},
	{"pressure stall information", "% full stall time", "All tasks waited for {instance} {median} of the time"},
	{"pressure stall information", "% some stall time", "Some task waited for {instance} {median} of the time"},
	{"control group", "% memory limit", "{instance} used {median} of the memory that it may"},
	{"control group", "% throttled time", "{instance} was held at its quota {median} of the time"},
	{"*:general statistics", "processes blocked", "{median} sessions waited behind the locks of others"},
	{"tcpv*", "segments retransmitted/sec", "TCP segments were sent again, {median}"},
}

// say is the phrase with its words; times is how many times the median before it is, 0 where that
// is not known.
func (p *phrase) say(instance, limit, median string, times float64) string {
	disk, processor, took := strings.TrimSpace("disk "+instance), "The processors were", "took "+median+" for a transfer"
	if instance != "" {
		processor = "Processor " + instance + " was"
	}
	if times >= 2 {
		took = "took " + factor(times) + " times as long as before"
	}
	return strings.TrimSpace(strings.NewReplacer("{disk}", disk, "{Disk}", capital(disk), "{instance}", instance, "{limit}", limit,
		"{median}", median, "{Processor was}", processor, "{took}", took).Replace(p.text))
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
func (d *draft) sentence(s Scale) string {
	rule := d.lead()
	switch rule.Kind {
	case alert.HostLost:
		return "No answer for " + english.Span(d.Lasted)
	case alert.NoValue:
		return fmt.Sprintf("No value of %s for %s", d.about(), english.Span(d.Lasted))
	case alert.EventCount:
		return fmt.Sprintf("%s events of %s in %s", d.Worst, rule.Events.Which(), english.Span(rule.Events.Span()))
	case alert.Threshold:
	}
	if d.growth != nil {
		return d.growthSentence(s)
	}
	instance, limit, times := "", s.limit(rule.When.Limit), 0.0
	if !paths.IsTotal(d.first().Key.Name) {
		instance = d.first().Instance
	}
	if d.Median != nil && d.Before != nil && *d.Before > 0 {
		times = *d.Median / *d.Before
	}
	object, counter := paths.Fold(rule.When.Path.Object), paths.Fold(rule.When.Path.Counter)
	if rule.Value != nil {
		counter = paths.Fold(rule.Value.String())
	}
	text := ""
	if isKill(rule) {
		text = "Programs were killed for lack of memory"
	}
	if rule.Trend == 0 && d.Median != nil && (rule.When.Op == paths.Above && *d.Median > 0 || rule.When.Op == paths.Below) {
		for _, p := range phrases {
			if p.fits(object, counter) && rule.When.Holds(*d.Median) {
				text = p.say(instance, limit, s.With(*d.Median), times)
				break
			}
		}
	}
	if text == "" {
		about := d.about()
		if rule.Trend > 0 {
			about = "The trend of " + about
		}
		text = fmt.Sprintf("%s was %s %s", about, d.side("above", "below"), limit)
		if times >= 2 && rule.When.Op == paths.Above && !math.IsInf(times, 0) {
			text += fmt.Sprintf(", %s times what it was before", factor(times))
		}
	}
	return text + d.rest()
}

// rest is what a sentence ends with: on what else it was so, how often, for how long, and who did
// it.
func (d *draft) rest() (text string) {
	if n := d.otherInstances(); n > 0 {
		text += fmt.Sprintf(", and %s more", inWords(n))
	}
	if d.spans != nil {
		text += fmt.Sprintf(", %s%s", plural(d.Spells, "time", "times"), d.eachText())
	}
	if d.isGoingOn() {
		text += " for at least " + english.Span(d.Lasted)
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
	counter, name := cmp.Or(ep.ID.Counter, ep.Rule.When.Path.Counter), cmp.Or(ep.Instance, ep.ID.Name)
	if name == "" || paths.IsTotal(name) {
		return cmp.Or(ep.ID.Set, ep.Rule.When.Path.Object) + " " + counter
	}
	return counter + " of " + name
}

// lead is up to three sentences on the gravest.
func (r *Report) lead() []Text {
	const most = 3
	var out []Text
	for _, v := range r.Verdicts[:min(len(r.Verdicts), most)] {
		begin, end := r.minute(v.Begin), r.minute(v.End)
		when := "Between " + begin + " and " + end
		switch {
		case v.IsOpen:
			when = "Since " + begin
		case begin == end:
			when = "At " + begin
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
		text += ", " + r.whole(first) + " to " + r.whole(last)
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
			return printable.Text("No rule had anything to judge on " + on + ".")
		}
		text := "Nothing was wrong on " + on
		if r.Lost > 0 {
			text = "Nothing was wrong in what could be read" + r.heard()
		}
		if n := len(r.Rules.Blind); n > 0 {
			text += " in what was judged; not judged: " + strings.Join(r.Rules.Blind, ", ")
		}
		return printable.Text(text + ".")
	}
	concerned, grave := map[int]bool{}, map[alert.Severity]int{}
	for _, v := range r.Verdicts {
		concerned[v.index] = true
		grave[v.Severity]++
	}
	if n := len(concerned); n < hosts {
		on = inWords(n) + " of " + on
	}
	n, critical := len(r.Verdicts), grave[alert.Critical]
	text := capital(inWords(n)) + " things were wrong on " + on + "."
	switch {
	case n == 1 && critical == 1:
		text = "One thing was wrong on " + on + ", and critical."
	case n == 1:
		text = "One thing was wrong on " + on + "."
	case critical == 1:
		text += " One was critical."
	case critical == n:
		text += " All were critical."
	case critical > 0:
		text += " " + capital(inWords(critical)) + " were critical."
	case grave[alert.Warning] > 0:
		text += " None was critical."
	}
	return printable.Text(text)
}
