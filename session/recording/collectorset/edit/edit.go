package edit

import (
	"fmt"

	"perfdeck/paths"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/store"
)

// Changes are what is said of a set, by the names of fields. What no field says stays as
// it is.
type Changes map[string][]string

func (c Changes) values(field string) values { return values{field, c[field]} }

func (c Changes) any(fields ...string) bool {
	for _, name := range fields {
		if _, is := c[name]; is {
			return true
		}
	}
	return false
}

// Make is a set of a kind of collector that is as its changes say.
func Make(kind collectorset.Kind, name string, said Changes) (*store.Entry, error) {
	e := &store.Entry{Set: collectorset.New(name)}
	one := collectorset.NewCollector(kind, name)
	if text := said.values("collector").text(); text != "" {
		one.Name = text
	}
	e.Set.Collectors = []collectorset.Collector{one}
	e.Set.Manager = collectorset.NewManager()
	e.Set.Manager.ResourcePolicy = collectorset.DeleteOldest // of the sets of Windows the largest goes first
	return e, Apply(e, said)
}

// Apply does to a set what changes say. Fields of collectors change the one that is meant;
// those that it does not have mean nothing.
func Apply(e *store.Entry, said Changes) error {
	one, err := meant(e.Set, said)
	if err != nil {
		return err
	}
	s := &subject{e, one}
	for i := range fields {
		f := &fields[i]
		if _, is := said[f.Name]; !is || f.set == nil || !s.has(f) {
			continue
		}
		if err := f.set(s, said.values(f.Name)); err != nil {
			return err
		}
	}
	s.settleSegments(said)
	if said.any("most-folders", "most-size", "least-free", "remove-first") {
		m := e.Set.Manager
		m.Enabled = m.MaxSize > 0 || m.MinFreeDisk > 0 || m.MaxFolderCount > 0 || len(m.FolderActions) > 0
	}
	return nil
}

// settleSegments has limits of files begin new ones, unless these are circular.
func (s *subject) settleSegments(said Changes) {
	if said.any("segment-time", "segment-size", "segment-samples") {
		s.Set.Segment = s.Set.SegmentMaxDuration > 0 || s.Set.SegmentMaxSize > 0
		if s.one != nil {
			s.Set.Segment = !s.one.LogCircular && (s.Set.Segment || s.one.SegmentMaxRecords > 0)
		}
	}
	if said.values("no-segments").is() {
		s.Set.Segment = false
	}
}

// meant is the collector that changes mean: the first that is run, or the one that they
// name; nil: there is none to run.
func meant(s *collectorset.Set, said Changes) (*collectorset.Collector, error) {
	name, thresholds := said.values("collector"), said.values("threshold")
	for i := range s.Collectors {
		c := &s.Collectors[i]
		if c.Kind == collectorset.Kept || name.text() != "" && !paths.EqualFold(c.Name, name.text()) || len(thresholds.all) > 0 && c.Kind != collectorset.Alerts {
			continue
		}
		return c, nil
	}
	switch {
	case name.text() != "":
		return nil, name.wrong(fmt.Sprintf("the set %s has no such collector", s.Name), "")
	case len(thresholds.all) > 0:
		return nil, thresholds.wrong(fmt.Sprintf("the set %s has no such collector", s.Name), "")
	}
	return nil, nil
}
