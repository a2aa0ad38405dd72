package bundle

import (
	"fmt"
	"slices"
	"strings"

	"perfdeck/session"
	"perfdeck/session/files/eventlist"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/text/english"
)

// addEvents writes the events of hosts that are of the time. Their own words are in no bundle, unless
// they are asked for, and in none without names.
func (s *slice) addEvents(r *Recording, title string) error {
	if s.out == nil || !r.HasEvents {
		return nil
	}
	events, texts := eventlist.Within(r.HostEvents, s.options.Begin, s.options.End), 0
	for i := range events {
		e := &events[i]
		if e.Text != "" && (!s.options.Texts || s.options.Anonymous) {
			e.Text = ""
			texts++
		}
		s.names.event(e)
	}
	if texts > 0 {
		left := fmt.Sprintf("%s: the own words of %s of its hosts", title, english.Count(texts, "event", "events"))
		if !s.options.Anonymous {
			left += "; --events packs them"
		}
		s.manifest.Left = append(s.manifest.Left, left)
	}
	eventlist.Move(events, logs.LineOf(s.reader).Written)
	s.events = len(events)
	return formats.WriteEvents(s.out, events)
}

// event cuts secrets out of an event.
func (p *plainly) event(e *session.HostEvent) {
	e.Host = p.host(e.Host)
	e.Names = slices.Clone(e.Names)
	for _, text := range slices.Concat([]*string{&e.Log, &e.Source, &e.ID, &e.Unit, &e.Text}, pointers(e.Names)) {
		*text = p.clean(*text)
	}
}

func pointers(all []string) (out []*string) {
	for i := range all {
		out = append(out, &all[i])
	}
	return out
}

// usualLogs are where events stand on every host.
var usualLogs = []string{"", "journal", "kernel", "System", "Application"}

// usualResults are what systemd says of how services end.
var usualResults = []string{"exit-code", "signal", "core-dump", "timeout", "watchdog", "oom-kill", "start-limit-hit", "resources", "protocol", "success"}

// event leaves of an event when it was, how bad, its number, how often, and our sentence: what that
// names, who wrote it and of which service are replaced as instances are.
func (a *anonymously) event(e *session.HostEvent) {
	out := session.HostEvent{
		Time: e.Time, Until: e.Until, Count: e.Count, AtLeast: e.AtLeast, Level: e.Level, Known: e.Known, Host: a.host(e.Host),
		Source: a.service(e.Source), Unit: a.service(e.Unit),
	}
	if slices.Contains(usualLogs, e.Log) {
		out.Log = e.Log
	}
	const messageID = 32
	if len(e.ID) == messageID && strings.Trim(e.ID, "0123456789abcdef") == "" || strings.Trim(e.ID, "0123456789") == "" {
		out.ID = e.ID
	}
	for _, name := range e.Names {
		if !slices.Contains(usualResults, name) {
			name = a.service(name)
		}
		out.Names = append(out.Names, name)
	}
	if out.Known == session.EventGap && !eventlist.IsUnread(e) {
		out.Names = []string{english.Span(e.Until.Sub(e.Time))}
	}
	*e = out
}

func (a *anonymously) service(name string) string {
	if name == "" {
		return ""
	}
	return a.names.Instance("Service", name)
}
