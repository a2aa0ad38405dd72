package panetest

import (
	"perfdeck/session/files/listing"
	"perfdeck/tui/pane"
)

// HostSets are hosts whose sets are shown, as a test says.
type HostSets struct {
	Asked map[string]bool
	Runs  map[string][]string // by host
	Told  []string            // records of which details were wanted
}

// Ask implements pane.HostSets, as do the others.
func (s *HostSets) Ask(h *pane.Host) bool {
	s.Asked[h.Name] = !s.Asked[h.Name]
	return s.Asked[h.Name]
}

// Running are those that run on a host.
func (s *HostSets) Running(h *pane.Host) []string { return s.Runs[h.Name] }

// Tell notes the record.
func (s *HostSets) Tell(r *listing.Record) { s.Told = append(s.Told, r.Name) }
