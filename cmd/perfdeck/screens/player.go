package screens

import (
	"context"
	"time"

	"perfdeck/session/hosts/replay"
	"perfdeck/tui/pane"
	bar "perfdeck/tui/pane/replay"
)

// Player is a player as the bar of the screens knows it.
type Player struct {
	*replay.Player

	Files []string // what is played, as the user named it; nil: as the player says
}

// About says what is played.
func (c *Player) About() bar.About {
	a := c.Player.About()
	if c.Files != nil {
		a.Files = c.Files
	}
	return bar.About{Files: a.Files, Hosts: a.Hosts, Counters: a.Counters, Interval: a.Interval, IsInferred: a.Inferred != 0}
}

// Said also sets the zone of the screens, which is that of the recording: the screens call it, and
// write nothing meanwhile.
func (c *Player) Said() string {
	said := c.Player.Said()
	if said != "" {
		time.Local = c.Player.About().Zone
	}
	return said
}

// Overview is the whole recording of a series, in so many cells.
func (c *Player) Overview(t pane.Target, cells int) (list []bar.Cell, seen float64) {
	list = make([]bar.Cell, max(cells, 0))
	h, ok := t.Host.Sampler.(*replay.Host)
	if !ok {
		return list, 1
	}
	found, seen := c.Player.Overview(h, t.Set, t.Counter, t.Key, cells)
	for i, m := range found {
		list[i] = bar.Cell{Min: float32(m.Min), Max: float32(m.Max), Has: m.Has}
	}
	return list, seen
}

// Gaps are the spans without samples.
func (c *Player) Gaps() (list []bar.Gap, seen float64) {
	gaps, seen := c.Player.Gaps()
	for _, g := range gaps {
		list = append(list, bar.Gap(g))
	}
	return list, seen
}

// Marks are bookmarks and moments of alerts.
func (c *Player) Marks() []bar.Mark {
	var list []bar.Mark
	for _, m := range c.Player.Marks() {
		list = append(list, bar.Mark{At: m.At, Level: markLevels[m.Kind], Text: m.Text})
	}
	return list
}

var markLevels = [...]pane.Level{replay.Bookmark: pane.Info, replay.Careful: pane.Careful, replay.Warning: pane.Warning, replay.Critical: pane.Critical}

// Archive is a player as screens know it that look at all of its counters.
type Archive struct {
	*replay.Player

	Hosts   []*pane.Host
	numbers *replay.Numbers // nil: not asked for yet
}

// Recorded is all counters that were recorded.
func (a *Archive) Recorded() []pane.Recorded {
	if a.numbers == nil {
		a.numbers = a.Numbers()
	}
	of := map[*replay.Host]*pane.Host{}
	for _, h := range a.Hosts {
		if played, ok := h.Sampler.(*replay.Host); ok {
			of[played] = h
		}
	}
	list := make([]pane.Recorded, len(a.numbers.Series))
	for i, c := range a.numbers.Series {
		list[i] = pane.Recorded{Target: pane.Target{Host: of[c.Host], Set: c.Set, Counter: c.Counter, Key: c.Instance.Key}, Instance: *c.Instance, Every: c.Host.Every(time.Time{})}
	}
	return list
}

// Read reads their values.
func (a *Archive) Read(ctx context.Context, from, to time.Time, each func(at time.Time, values []float64), came func(share float64)) error {
	return a.numbers.Read(ctx, from, to, each, came)
}
