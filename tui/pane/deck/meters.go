package deck

import (
	"math"
	"strconv"

	"perfdeck/session/alert"
	"perfdeck/themes"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/meter"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// meterShare is the cells of the share behind a meter, and from which width on the limit follows.
const (
	meterShare = 10
	limitText  = 12
	limitsFrom = 70
)

// drawMeters draws a pane as rows with meters, and its graph above them where it has one.
func (d *Deck) drawMeters(f pane.Frame, b *block, s *scene) {
	l := layout.Row{NameX: 3, NameW: 11, ValueX: 14, UnitX: 22, UnitW: 4, SparkX: 27}
	w := s.w - l.SparkX - meterShare
	if s.w >= limitsFrom {
		w -= limitText
	}
	x := pane.DrawTitle(f, s.title)
	if s.plot.graph > 0 {
		gw := graphWidth(s)
		if b.made != nil {
			d.drawGraphHead(f, b, s, x, gw)
		}
		d.drawCurve(f.Sub(1, 1, gw, s.plot.graph), b, s)
	} else if s.title.Problem == "" {
		pane.DrawHead(f, s.w-2, "of limit", themes.Muted)
	}
	s.eachRow(f, 1+s.plot.graph, func(y, n, row int) {
		ln := &b.lines[n]
		r := d.rowOf(b, row, s)
		columns := l
		has := ln.item.drawn.Limit.Is() && ln.row >= 0
		if !has {
			columns.SparkW = graph.SparkWidth(s.w - l.SparkX - 2)
		}
		pane.DrawRow(f, y, columns, &r)
		if has {
			d.drawShare(f, y, l.SparkX, w, b, ln, &r, s)
		}
	})
}

// drawShare draws how much of its limit a line is, behind its value.
func (d *Deck) drawShare(f pane.Frame, y, x, w int, b *block, ln *line, r *pane.Row, s *scene) {
	reading := d.readingOf(b, ln, &s.when)
	d.drawMeter(f, y, x, w, b, ln, &reading, r.Alert, r.Stale)
	muted, st := themes.Muted, themes.Text
	if r.Stale {
		st, muted = themes.Stale, themes.Stale
	}
	if reading.Share == reading.Share {
		var buf [32]byte
		f.Right(x+w+1, y, 5, string(percent(buf[:0], reading.Share)), st)
		f.Put(x+w+7, y, '%', muted)
	}
	if s.w >= limitsFrom && reading.Limit == reading.Limit && !ln.item.drawn.IsPercent {
		number, unit := ln.amount(reading.Limit)
		f.Left(x+w+9, y, limitText+1, "of "+number+" "+unit, muted)
	}
	f.Highlight(y, r.Selected)
}

// percent writes a share in at most 5 cells: "68.8", "100.0".
func percent(buf []byte, share float64) []byte {
	if share >= 999.95 {
		return strconv.AppendInt(buf, int64(math.Round(share)), 10)
	}
	return strconv.AppendFloat(buf, share, 'f', 1, 64)
}

// readingOf is the value of a line as it is drawn, at a moment.
func (d *Deck) readingOf(b *block, ln *line, when *moment) kind.Reading {
	view, ok := b.viewOf(ln)
	value := ln.value(view)
	drawn := &ln.item.drawn
	given := drawn.Limit.Value(b.made, ln.key)
	if ok && !when.at.IsZero() {
		value = pane.PastValue(view.Recent(&d.recent, ln.row, ln.col), when.end, value)
		given = pane.PastValue(drawn.Limit.Series(b.made, ln.key), when.end, given)
	}
	return drawn.Read(value, given)
}

// drawMeter draws the share of a limit, in the state of the alert that fires on the line from where that does.
func (d *Deck) drawMeter(f pane.Frame, y, x, w int, b *block, ln *line, reading *kind.Reading, mark alert.Mark, stale bool) {
	m := meter.Meter{Share: reading.Share / 100, Stale: stale}
	if mark.State == alert.Firing {
		for _, l := range b.limits(ln, d.desk.Board()) {
			if at := ln.item.drawn.Level(l.Value, reading.Limit) / reading.Limit; at == at {
				m.Limits = append(m.Limits, graph.Limit{Value: float32(at), State: pane.LevelOf(l.Severity).Style()})
			}
		}
	}
	m.Draw(f.Region, x, y, w)
}
