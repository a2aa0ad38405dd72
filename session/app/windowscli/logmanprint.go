package windowscli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session/app/remotesets"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/text/printable"
)

// printSets prints sets as logman query does.
func printSets(w io.Writer, sets []remotesets.Queried) {
	fmt.Fprintf(w, "\n%-39s %-29s %s\n%s\n", "Data Collector Set", "Type", "Status", strings.Repeat("-", 79))
	for _, s := range sets {
		kind, status := "Counter", "Stopped"
		if s.Set == nil {
			status = "Undefined"
		} else if kinds := collectorKinds(s.Set); len(kinds) > 0 {
			kind = strings.Join(kinds, ", ")
		}
		if s.Status == pla.Running {
			status = "Running"
		}
		fmt.Fprintf(w, "%-39s %-29s %s\n", printable.Text(s.Name), kind, status)
	}
}

// collectorKinds are the kinds of collectors of a set, each once, as logman calls them.
func collectorKinds(s *collectorset.Set) (kinds []string) {
	for i := range s.Collectors {
		if k := collectorKind(&s.Collectors[i]); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

func collectorKind(c *collectorset.Collector) string {
	switch c.Kind {
	case collectorset.Alerts:
		return "Alert"
	case collectorset.Kept:
		return strings.TrimSuffix(c.Element, "DataCollector")
	case collectorset.Counters:
	}
	return "Counter"
}

func onOff(is bool) string { return map[bool]string{false: "Off", true: "On"}[is] }

// printSet prints a set as logman query NAME does.
func printSet(w io.Writer, s remotesets.Queried) {
	set := s.Set
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-21s %s\n", label+":", printable.Text(fmt.Sprintf(format, args...)))
	}
	status := "Stopped"
	if s.Status == pla.Running {
		status = "Running"
	}
	fmt.Fprintln(w)
	line("Name", "%s", set.Name)
	line("Status", "%s", status)
	line("Root Path", "%s", s.Root)
	line("Segment", "%s", onOff(set.Segment))
	if set.Duration > 0 {
		line("Duration", "%d second(s)", set.Duration)
	}
	if set.SegmentMaxDuration > 0 {
		line("Segment Max Duration", "%d second(s)", set.SegmentMaxDuration)
	}
	if set.SegmentMaxSize > 0 {
		line("Segment Max Size", "%d MB", set.SegmentMaxSize)
	}
	line("Schedules", "%s", onOff(set.SchedulesEnabled))
	for i := range set.Schedules {
		line("Start", "%s", set.Schedules[i].Describe())
	}
	line("Run as", "%s", s.Account)
	for i := range set.Collectors {
		printCollector(w, set, &set.Collectors[i], line)
	}
}

func printCollector(w io.Writer, set *collectorset.Set, c *collectorset.Collector, line func(label, format string, args ...any)) {
	list := func(head string, lines []string) {
		_, _ = io.WriteString(w, head+":\n")
		for _, text := range lines {
			fmt.Fprintf(w, "    %s\n", printable.Text(text))
		}
	}
	fmt.Fprintln(w)
	line("Name", "%s\\%s", set.Name, c.Name)
	line("Type", "%s", collectorKind(c))
	if c.Kind == collectorset.Kept {
		return
	}
	if c.LatestOutputLocation != "" {
		line("Output Location", "%s", c.LatestOutputLocation)
	}
	if c.Kind == collectorset.Counters {
		line("Append", "%s", onOff(c.LogAppend))
		line("Circular", "%s", onOff(c.LogCircular))
		line("Overwrite", "%s", onOff(c.LogOverwrite))
	}
	line("Sample Interval", "%d second(s)", c.SampleInterval)
	if c.Kind == collectorset.Alerts {
		line("Event Log", "%s", onOff(c.EventLog))
		if c.Trigger != "" && !paths.EqualFold(c.Trigger, set.Name) {
			line("Run", "%s", c.Trigger)
		}
		list("Thresholds", c.Alerts)
		return
	}
	list("Counters", c.Counters)
}
