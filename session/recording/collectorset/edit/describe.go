package edit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/store"
)

// Description is what a set does, in words.
type Description struct {
	Times    []string   // when it starts, and for how long it runs
	Next     string     // when it starts next; empty: Times say why it does not
	Collects [][]string // of each collector: what it is, then its paths and what comes of them
	Keeps    []string   // what its data manager would remove
}

// Describe says what a set does.
func Describe(e *store.Entry, now time.Time) (d Description) {
	s := &subject{Entry: e}
	d.Times = s.say(start)
	switch next, ok := e.Set.Next(now); {
	case len(e.Set.Schedules) == 0:
		d.Times = append(d.Times, "it starts when it is told to")
	case !e.Set.SchedulesEnabled:
		d.Times = append(d.Times, "its schedules are switched off")
	case e.OfHost:
		d.Times = append(d.Times, "days and times are those of the host's clock and zone")
	case ok:
		d.Next = "next on " + next.Format("Monday 2006-01-02 15:04:05") + ", if perfdeck watch runs then"
	default:
		d.Times = append(d.Times, "its schedules are over")
	}
	d.Times = append(d.Times, s.say(end)...)
	switch limits := strings.Join(s.say(segment), " or "); {
	case e.Set.Segment && limits != "":
		d.Times = append(d.Times, "new files begin after "+limits)
	case limits != "" && !slices.ContainsFunc(e.Set.Collectors, func(c collectorset.Collector) bool { return c.LogCircular }): // whose oldest samples go
		d.Times = append(d.Times, "it ends after "+limits)
	}
	for i := range e.Set.Collectors {
		d.Collects = append(d.Collects, describeCollector(&subject{e, &e.Set.Collectors[i]}))
	}
	if e.Set.Manager != nil {
		d.Keeps = describeManager(s)
	}
	return d
}

// say is what the fields say that belong together.
func (s *subject) say(topic string) []string { return s.rows().Say(s, topic) }

func describeCollector(s *subject) []string {
	c := s.one
	kind, lines := "counters", c.Counters
	switch c.Kind {
	case collectorset.Kept:
		if s.OfHost {
			return []string{c.Element + " " + c.Name}
		}
		return []string{c.Element + " " + c.Name + ": kept, not run"}
	case collectorset.Alerts:
		kind, lines = "alerts", c.Alerts
	case collectorset.Counters:
	}
	head := kind + " " + c.Name + ", " + strings.Join(s.say(how), ", ") + ":"
	return append(append([]string{head}, lines...), s.say(behind)...)
}

// describeManager says what a data manager would remove.
func describeManager(s *subject) (out []string) {
	m := s.Set.Manager
	if !m.Enabled {
		return []string{"its data manager is off: nothing is removed"}
	}
	if limits := s.say(removal); len(limits) > 0 {
		first := policies[min(int(m.ResourcePolicy), len(policies)-1)]
		out = append(out, "after a run the "+first+" folders of the set are removed while "+strings.Join(limits, ", or "))
	}
	for _, a := range m.FolderActions {
		var what []string
		if a.Actions&collectorset.DeleteData != 0 {
			what = append(what, "data")
		}
		if a.Actions&collectorset.DeleteReport != 0 {
			what = append(what, "reports")
		}
		if len(what) > 0 && a.Actions&(collectorset.CreateCab|collectorset.SendCab) == 0 {
			out = append(out, fmt.Sprintf("after a run %s of folders of %d days and %d MB or more are removed", strings.Join(what, " and "), a.Age, a.Size))
		}
	}
	if m.CheckBeforeRunning {
		out = append(out, "it does not start while the limits of folders or of the disk do not hold")
	}
	return out
}
