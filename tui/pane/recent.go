package pane

import (
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/scale"
)

// Recent is what a value was in the last minute.
type Recent struct {
	Series session.Series
	End    uint64        // number of the sample behind the last one that is shown
	Every  time.Duration // from one sample to the next; 0: a cell is one
	Scale  scale.Rule    // what it is measured against
	Hi     float32       // what the highest level stands for; 0: as Scale and Top have it
	Top    *scale.Scale  // which goes down seldom; nil: it is chosen each time
	Now    time.Time     // of the newest sample
	Look   session.Look
	Unit   cooker.Unit
	Limits []graph.Limit
	Plain  themes.Style // of cells beyond no limit; Text: shades by their level
}

// EveryOf is the usual time from one sample to the next, 0 if there are not two.
func EveryOf(s *session.Snapshot) time.Duration {
	if s == nil {
		return 0
	}
	return time.Duration(UsualInterval(s.Timeline.Nanos, true))
}

// DrawRecent draws a sparkline in w cells.
func (f Frame) DrawRecent(x, y, w int, r *Recent) {
	per := graph.PerCell(w, r.Every)
	shown := r.Series.Cut(r.End, w*per)
	if len(shown.Values) == 0 {
		return
	}
	s := graph.Spark{
		Series: shown, End: r.End, PerCell: per, Limits: r.Limits, Plain: r.Plain, Wipe: f.Wipe, Hi: r.Hi,
	}
	if s.Hi == 0 {
		s.Hi = r.top(shown.Highest())
	}
	s.Draw(f.Region, x, y, w)
}

// top is what the highest level stands for of values that are shown alone, of which that is the largest.
func (r *Recent) top(most float32) float32 {
	top := r.Top
	if top == nil {
		top = new(scale.Scale)
	}
	return float32(top.Top(r.Scale, float64(most), r.Look.Format, r.Unit, r.Now))
}
