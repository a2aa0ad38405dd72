package edit

import (
	"fmt"

	"perfdeck/paths"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/store"
	"perfdeck/session/text/field"
)

// Make is a set of a kind of collector that is as its changes say.
func Make(kind collectorset.Kind, name string, said field.Changes) (*store.Entry, error) {
	return made(&store.Entry{}, kind, name, said)
}

// MakeOfHost is one that a Windows host is to keep.
func MakeOfHost(kind collectorset.Kind, name string, said field.Changes) (*store.Entry, error) {
	return made(&store.Entry{OfHost: true}, kind, name, said)
}

func made(e *store.Entry, kind collectorset.Kind, name string, said field.Changes) (*store.Entry, error) {
	e.Set = collectorset.New(name)
	one := collectorset.NewCollector(kind, name)
	if text := said["collector"].Text(); text != "" {
		one.Name = text
	}
	e.Set.Collectors = []collectorset.Collector{one}
	e.Set.Manager = collectorset.NewManager()
	e.Set.Manager.ResourcePolicy = collectorset.DeleteOldest // of the sets of Windows the largest goes first
	return e, Apply(e, said)
}

// Apply does to a set what changes say. Fields of collectors change the one that is meant;
// those that it does not have mean nothing.
func Apply(e *store.Entry, said field.Changes) error {
	one, err := meant(e.Set, said)
	if err != nil {
		return err
	}
	s := &subject{e, one}
	if err := s.rows().Apply(s, said); err != nil {
		return err
	}
	s.settleSegments(said)
	if said.Any("most-folders", "most-size", "least-free", "remove-first") {
		m := e.Set.Manager
		m.Enabled = m.MaxSize > 0 || m.MinFreeDisk > 0 || m.MaxFolderCount > 0 || len(m.FolderActions) > 0
	}
	return nil
}

// settleSegments has limits of files begin new ones, unless these are circular.
func (s *subject) settleSegments(said field.Changes) {
	if said.Any("segment-time", "segment-size", "segment-samples") {
		s.Set.Segment = s.Set.SegmentMaxDuration > 0 || s.Set.SegmentMaxSize > 0
		if s.one != nil {
			s.Set.Segment = !s.one.LogCircular && (s.Set.Segment || s.one.SegmentMaxRecords > 0)
		}
	}
	if said["no-segments"].Is() {
		s.Set.Segment = false
	}
}

// meant is the collector that changes mean: the first that is run, or the one that they
// name; nil: there is none to run.
func meant(s *collectorset.Set, said field.Changes) (*collectorset.Collector, error) {
	name, thresholds := said["collector"], said["threshold"]
	for i := range s.Collectors {
		c := &s.Collectors[i]
		if c.Kind == collectorset.Kept || name.Text() != "" && !paths.EqualFold(c.Name, name.Text()) || len(thresholds) > 0 && c.Kind != collectorset.Alerts {
			continue
		}
		return c, nil
	}
	switch {
	case name.Text() != "":
		return nil, &field.Error{Field: "collector", Value: name.Text(), Why: fmt.Sprintf("the set %s has no such collector", s.Name)}
	case len(thresholds) > 0:
		return nil, &field.Error{Field: "threshold", Value: thresholds.Text(), Why: fmt.Sprintf("the set %s has no such collector", s.Name)}
	}
	return nil, nil
}
