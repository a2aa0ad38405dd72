// Package screens joins what runs to what is shown: hosts, recordings, sets, players and findings
// as the screens see them.
package screens

import (
	"time"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/files/past"
	"perfdeck/tui/pane"
)

// Host is a host with a feed of the screens'.
func Host(h inventory.Host, s config.Settings) *pane.Host {
	history := s.History
	feed := h.Sampler.Feed(session.FeedOptions{Every: s.Interval, History: history, Memory: s.HistoryMemory * max(1, int64(history/(10*time.Minute)))})
	shown := &pane.Host{Name: h.Name, Open: h.Open, Sampler: h.Sampler, Feed: feed, History: history, Local: h.Local, Groups: h.Groups, LogOns: h.LogOns, Beside: h.Beside, Events: h.Sampler.Events()}
	shown.Historian, _ = h.Source.(session.Historian)
	shown.Tracer, _ = h.Source.(session.Tracer)
	shown.Namer, _ = h.Source.(session.Namer)
	if h.Engine != "" {
		shown.Past = func(from, to time.Time) (string, time.Duration) {
			ahead := h.EngineAhead()
			return past.Span{Hosts: h.Engine, From: from.Add(ahead), To: to.Add(ahead)}.String(), ahead
		}
	}
	if h.Past != nil {
		shown.Feed = h.Past.Feed(feed)
	}
	return shown
}

// EndingFeed ends the host with its only feed.
type EndingFeed struct {
	pane.Feed

	End func()
}

// SampleNow is that of the feed, as the screens look for it.
func (f EndingFeed) SampleNow() {
	if s, ok := f.Feed.(interface{ SampleNow() }); ok {
		s.SampleNow()
	}
}

// Close ends it.
func (f EndingFeed) Close() {
	f.Feed.Close()
	f.End()
}
