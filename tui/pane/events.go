package pane

import (
	"slices"
	"strings"
	"time"

	"perfdeck/session"
)

// Events are what a host wrote down of itself, read while somebody wants that. *session.EventLog is
// one.
type Events interface {
	Want(back time.Duration, each func([]session.HostEvent)) (stop func())
	State() session.EventState
}

// ShowsEvents is a screen on which events of hosts are seen: they are read meanwhile.
type ShowsEvents interface{ ShowsEvents(h *Host) bool }

// LevelOfEvent is the level of an event as screens show it.
func LevelOfEvent(l session.EventLevel) Level { return min(Level(l), Critical) }

// EventState is what is known of the events of a host, or why there are none.
func (h *Host) EventState() session.EventState {
	if h.Events == nil {
		return session.EventState{}
	}
	return h.Events.State()
}

// Notable are the events of hosts in a time that charts mark: those that we know, and warnings.
func (d *Desk) Notable(hosts []*Host, from, to time.Time) (out []*session.HostEvent) {
	for _, h := range hosts {
		events := h.EventState().Events
		if of, ok := h.Events.(interface{ All() []session.HostEvent }); ok { // a recording has those behind the moment, too
			events = of.All()
		}
		for i := range events {
			if e := &events[i]; (e.Known != "" || e.Level > session.EventInformation) && !e.Until.Before(from) && !e.Time.After(to) {
				out = append(out, e)
			}
		}
	}
	return out
}

// How long before a moment, and after it, what is told of a row still belongs to it.
const (
	beforeRow = 10 * time.Minute
	afterRow  = time.Minute
)

// EventsAround are what a host told at the time of the moment that is shown.
func (d *Desk) EventsAround(h *Host) []*session.HostEvent {
	at := d.Moment()
	return d.Notable([]*Host{h}, at.Add(-beforeRow), at.Add(afterRow))
}

// Concerns tells whether an event names an instance: the process by its number or one of the
// services that it runs, the service, or the device.
func Concerns(e *session.HostEvent, set *session.Counterset, in *session.Instance, runs []string) bool {
	switch {
	case in.Number != 0:
		return e.PID == in.Number || e.Unit != "" && slices.Contains(runs, e.Unit)
	case set.Name == "Service":
		return e.Unit != "" && e.Unit == in.Key.Name
	}
	return len(e.Names) > 0 && strings.Contains(set.Name, deviceSets[e.Known]) && deviceSets[e.Known] != "" && isDevice(in.Key.Name, e.Names[0])
}

// deviceSets are parts of the names of the countersets whose instances events name, by their keys.
var deviceSets = map[string]string{
	"disk-reset": "Disk", "bad-block": "Disk", "disk-error": "Disk", "disk-retried": "Disk", "disk-gone": "Disk", "paging-error": "Disk", "file-system-error": "Disk",
	"net-watchdog": "Network", "link-down": "Network", "link-up": "Network", "lockup": "Processor",
}

// isDevice tells whether an instance is the device of a name, or a part of it: sda1 of sda, nvme0n1 of
// nvme0, 1 D: of 1 and of \Device\Harddisk1\DR1.
func isDevice(instance, name string) bool {
	if _, disk, is := strings.Cut(name, `\Harddisk`); is {
		name, _, _ = strings.Cut(disk, `\`)
	}
	rest, is := strings.CutPrefix(instance, name)
	if !is || name == "" || rest == "" {
		return is && name != ""
	}
	isDigit := func(c byte) bool { return c >= '0' && c <= '9' }
	return rest[0] == ' ' || isDigit(name[len(name)-1]) == (rest[0] == 'n' || rest[0] == 'p') && isDigit(name[len(name)-1]) != isDigit(rest[0])
}

// EventFacts are what a host told of the instance of a target, the newest first, each with its time.
func (d *Desk) EventFacts(t Target, in *session.Instance) (out []string) {
	const most = 3
	runs := strings.Split(t.Services(in), ", ")
	for _, e := range slices.Backward(d.EventsAround(t.Host)) {
		if len(out) < most && Concerns(e, t.Set, in, runs) {
			out = append(out, EventAt(e, d.Now()))
		}
	}
	return out
}

// EventAt is an event with its time, for a row or a mark.
func EventAt(e *session.HostEvent, now time.Time) string {
	return e.Title() + " at " + Clock(e.Time, now)
}
