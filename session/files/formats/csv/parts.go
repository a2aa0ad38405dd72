package csv

import (
	"bytes"
	"context"
	"errors"
	"math"
	"sort"
	"strings"
	"time"

	"perfdeck/session/files/formats/textfile"
	"perfdeck/session/files/logs"
)

// textPart is what stands under one header. A file has several when somebody appended to
// it, or merged files: their columns are told by name, each with its own zone.
type textPart struct {
	at, body int64 // of the header, and of the line behind it
	lines    int64 // of the header
	comma    byte
	console  bool
	timeCell bool
	clock    wallClock
	// place is where its columns stand among those of the reader; negative: one without a name.
	place   []int
	inOrder bool   // they are the first ones, in order
	texts   []bool // by column of its own, of those of texts; nil: isText finds it out

	wanted []bool // by column of its own; nil: all
	last   int    // the last that is wanted
}

// mostParts bounds how many headers of a file may differ from the one before.
const mostParts = 1 << 20

// textParts finds the headers of a file, up to where somebody reads.
type textParts struct {
	all     []*textPart
	scanned int64           // up to where headers were looked for
	raw     string          // the header in force there
	ahead   textfile.Window // apart from the one that rows are read with
	keys    map[string]int  // places of columns, by path
}

// reach finds the headers that begin before a place.
func (r *reader) reach(to int64) error {
	p := &r.parts
	for p.scanned < to {
		if r.Window.Ctx != nil && r.Window.Ctx.Err() != nil {
			return context.Cause(r.Window.Ctx)
		}
		at, next, err := r.Window.Find(headerWord, p.scanned)
		switch {
		case err != nil:
			return err
		case at < 0 && next == p.scanned: // the end of the file
			return nil
		case at < 0:
			p.scanned = next
			continue
		}
		if done, err := r.headerAt(at); !done || err != nil {
			return err
		}
	}
	return nil
}

// headerAt takes in the header whose word stands at a place, if it is one. done is false for
// one that is still written.
func (r *reader) headerAt(word int64) (done bool, err error) {
	p, w := &r.parts, &r.parts.ahead
	low := max(word-longestFirstCell, r.header.body)
	before, err := w.Load(low, int(word-low)+1)
	if err != nil {
		return false, err
	}
	before = before[:min(int64(len(before)), word-low)]
	at := low + int64(bytes.LastIndexByte(before, w.End)) + 1
	glued := !beginsHeader(before[at-low:])
	if glued { // files were put together of which one had no line end
		at = word - int64(len(before)-len(bytes.TrimSuffix(before, []byte(`"`))))
	}
	p.scanned = word + int64(len(headerWord))
	line, next, ends, err := wholeHeader(w, at)
	if err != nil {
		return false, err
	}
	whole := w.From(next - 1)
	if len(whole) == 0 || whole[0] != w.End {
		p.scanned = word
		return false, nil
	}
	text, err := r.Window.Source.Text(line, at)
	if err != nil {
		return false, err
	}
	p.scanned = max(p.scanned, next)
	if text == p.raw && ends == 0 && !glued {
		return true, nil
	}
	h, _ := parseHeader(text) // one that names no counter has rows without values
	if glued && (len(h.Columns) == 0 || !strings.HasPrefix(h.Columns[0].Path, `\`)) {
		return true, nil // a text that speaks of it
	}
	if len(p.all) >= mostParts {
		return false, r.Fail(0, errManyHeaders)
	}
	h.body, h.line = next, ends
	p.raw = text
	return true, r.addPart(h, at)
}

// addPart takes in what stands under a header. Its first row tells what only a row can:
// whether the last cell of the header is a caption, and the zone where no header tells it.
func (r *reader) addPart(h *textHeader, at int64) error {
	part := &textPart{at: at, body: h.body, lines: h.line + 1, comma: h.comma, console: h.console, timeCell: h.timeCell}
	part.setClock(h.Zone, r.order)
	var first time.Time
	err := r.rowsAhead(part, headerSearch, func(t time.Time, cells []byte) bool {
		first = t
		h.fit(cells)
		return false
	})
	if err != nil {
		return err
	}
	switch n := len(r.parts.all); {
	case h.Zone.Known:
	case n > 0 && r.header.Zone.Known: // the file has one
		part.clock = r.parts.all[n-1].clock
	default:
		h.Zone = assumedZone(first)
		part.setClock(h.Zone, r.order)
		h.Zone.Known = false
	}
	if len(r.parts.all) == 0 {
		r.header = h
		r.parts.keys = map[string]int{}
	} else {
		part.clock.location = r.parts.all[0].clock.location
	}
	r.placeColumns(part, h)
	r.parts.all = append(r.parts.all, part)
	return nil
}

// setClock lets a part go by a zone.
func (p *textPart) setClock(z logs.Zone, order fileOrder) {
	p.clock = newWallClock(z)
	p.clock.order = order
}

// assumedZone is that of this computer at the wall clock of a first row; without one it is
// that of now.
func assumedZone(first time.Time) logs.Zone {
	if first.IsZero() {
		return logs.LocalZone(time.Now())
	}
	y, m, d := first.Date()
	h, i, s := first.Clock()
	return logs.LocalZone(time.Date(y, m, d, h, i, s, 0, time.Local))
}

// placeColumns gives the columns of a part their places among all.
func (r *reader) placeColumns(part *textPart, h *textHeader) {
	columns := h.Columns
	if len(r.parts.all) == 0 {
		r.header.Columns = nil
	}
	same := logs.Ordinals{}
	part.place, part.inOrder = make([]int, len(columns)), true
	for i := range columns {
		if columns[i].Path == "" {
			part.place[i], part.inOrder = -1, false
			continue
		}
		key := same.Key(columns[i].Path)
		place, ok := r.parts.keys[key]
		if !ok {
			place = len(r.header.Columns)
			r.parts.keys[key] = place
			r.header.Columns = append(r.header.Columns, columns[i])
		}
		part.place[i], part.inOrder = place, part.inOrder && place == i
	}
	part.last = len(part.place)
}

// rowsAhead hands out the rows of a part from its beginning on, of so many bytes, as long as more is
// wanted: their times, and their cells from the separator before the first value on.
func (r *reader) rowsAhead(p *textPart, bytes int64, row func(t time.Time, cells []byte) (more bool)) error {
	for at := p.body; at < p.body+bytes; {
		line, next, _, err := r.parts.ahead.Line(at)
		if err != nil || line == nil || isHeader(line) {
			if errors.Is(err, textfile.ErrTooLong) {
				err = nil
			}
			return err
		}
		if t, begin, ok := p.rowTime(line); ok && !row(t, line[begin:]) {
			break
		}
		at = next
	}
	return nil
}

// partAt is the number of the part that a place is of, up to which headers were found.
func (p *textParts) partAt(at int64) int {
	return max(sort.Search(len(p.all), func(i int) bool { return p.all[i].at > at })-1, 0)
}

// enter finds the part of the line that comes next, which ends before next. end is where
// another part begins.
func (r *reader) enter(next int64) (end int64, err error) {
	if err := r.reach(next - int64(len(headerWord)) + 1); err != nil {
		return 0, err
	}
	all := r.parts.all
	if r.part != nil && r.At >= r.part.at && r.At < r.partEnd && r.parted == len(all) {
		return r.partEnd, nil
	}
	i := r.parts.partAt(r.At)
	r.partEnd, r.parted = math.MaxInt64, len(all)
	if i+1 < len(all) {
		r.partEnd = all[i+1].at
	}
	if r.part != all[i] {
		r.part = all[i]
		r.limit(r.part)
	}
	return r.partEnd, nil
}

// limit limits a part to its columns that are wanted.
func (r *reader) limit(part *textPart) {
	part.wanted, part.last = nil, len(part.place)
	if r.only == nil {
		return
	}
	part.wanted, part.last = make([]bool, len(part.place)), 0
	for i, place := range part.place {
		if r.only.Has(place) {
			part.wanted[i], part.last = true, i+1
		}
	}
}

// IsComplete finds all headers, which takes no reading of rows.
func (r *reader) IsComplete() (bool, error) { return true, r.reach(math.MaxInt64) }

func (r *reader) Complete(context.Context) error { return r.reach(math.MaxInt64) }
