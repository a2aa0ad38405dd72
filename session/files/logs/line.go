package logs

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/text/english"
)

// Line is the time line of a recording. Clocks are set back, and wall clocks go back at the
// end of summer: rows count once each, in the order of the file, so what stands behind a row of
// a later time is a part of its own. The moments of a line never fall: those of a part are
// what was recorded and a shift, and the zone of the part has the clocks of then.
//
// It is known as far as the file was read, by whoever did. It may be used by several goroutines.
type Line struct {
	zone *time.Location
	wall bool // its times are those of wall clocks
	// read reads the times up to a place. It leaves the reader that has the line where it is.
	read func(ctx context.Context, place int64) error

	mu sync.Mutex
	known
}

// known is what is known of a line.
type known struct {
	parts    []Part
	upTo     int64  // the rows before this place are known
	isWhole  bool   // all that the file had were looked at once
	paces    []pace // that rows had, in their order
	other    pace   // of the last steps, which are of no pace so far
	alike    int    // how many these are
	steps    [aPace]time.Duration
	location *time.Location
}

// pace is how far apart rows are from one on.
type pace struct {
	from  time.Time // on the line
	every time.Duration
}

// Part is a run of rows of which the times do not fall.
type Part struct {
	First, Last time.Time     // of its rows, as they were recorded
	Shift       time.Duration // by which the moments of the line are later

	place int64 // of its first row
	zone  *time.Location
}

const (
	// mostFalls bounds the parts of a line. Rows that go back behind the last of them are at its
	// latest moment.
	mostFalls = 1000
	// mostShift bounds how far back: a time.Duration has 292 years.
	mostShift = 250 * 365 * 24 * time.Hour
	// mostPaces bounds how often rows come at another pace. A few of them make one: fewer are
	// rows that lack.
	mostPaces = 1000
	aPace     = 5
	// zoneStep is by what zones differ.
	zoneStep = 30 * time.Minute
)

func newLine(zone *time.Location, place int64) *Line {
	return &Line{zone: zone, known: known{upTo: place, location: zone}}
}

// Parts are those that are known, in the order of the file.
func (l *Line) Parts() []Part {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.parts)
}

// Falls tells whether there are several parts.
func (l *Line) Falls() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.parts) > 1
}

// Location has the clocks of all parts, which are set back where the next one begins.
func (l *Line) Location() *time.Location {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.location
}

// Recorded is what was recorded at a moment of the line, and in which of the parts, from 0.
func (l *Line) Recorded(at time.Time) (recorded time.Time, part int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.parts) == 0 {
		return at.In(l.zone), 0
	}
	part = max(l.partAt(at), 0)
	return at.Add(-l.parts[part].Shift).In(l.zone), part
}

// Told is how a moment is told to programs: as it was recorded, and, where there are several
// parts, in which, from 1.
func (l *Line) Told(at time.Time) (recorded time.Time, part int) {
	if !l.Falls() {
		return at, 0
	}
	recorded, part = l.Recorded(at)
	return recorded, part + 1
}

// Tell makes moments what is told of them to programs.
func (l *Line) Tell(moments ...*time.Time) {
	for _, at := range moments {
		*at, _ = l.Told(*at)
	}
}

// Moments are those of the line at which a time was recorded, or passed: of each part one.
func (l *Line) Moments(recorded time.Time) (at []time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.parts {
		p := &l.parts[i]
		if (i == 0 || !recorded.Before(p.First)) && (i == len(l.parts)-1 || !recorded.After(p.Last)) {
			at = append(at, recorded.Add(p.Shift).In(p.zone))
		}
	}
	return at
}

// Take takes over what another line of the same file knows, if that is more. It reports whether
// there are other parts by that.
func (l *Line) Take(o *Line) bool {
	if l == o {
		return false
	}
	o.mu.Lock()
	more := o.known
	more.parts, more.paces = slices.Clone(o.parts), slices.Clone(o.paces)
	o.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if more.upTo <= l.upTo {
		return false
	}
	before := max(len(l.parts), 1)
	l.known = more
	return len(more.parts) > before
}

// partAt is the last part that began at a moment or before it; -1: none had. l.mu is held.
func (l *Line) partAt(at time.Time) int {
	i := len(l.parts) - 1
	for i >= 0 && at.Before(l.parts[i].First.Add(l.parts[i].Shift)) {
		i--
	}
	return i
}

// take takes in a row that stands from one place to another, and tells its part. known is false
// of one that is behind rows that are not known.
func (l *Line) take(from, to int64, at time.Time) (p *Part, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if from == l.upTo {
		l.add(from, to, at)
	}
	i := len(l.parts) - 1
	for i > 0 && from < l.parts[i].place {
		i--
	}
	if i < 0 {
		return nil, false
	}
	return &l.parts[i], from < l.upTo
}

// add takes in the row that comes next. l.mu is held.
func (l *Line) add(from, to int64, at time.Time) {
	l.upTo = to
	n := len(l.parts)
	if n == 0 {
		l.parts = []Part{{First: at, Last: at, place: from, zone: l.zone}}
		return
	}
	last := &l.parts[n-1]
	switch every := at.Sub(last.Last); {
	case every > 0:
		l.step(last, every)
		last.Last = at
	case every < 0 && n < mostFalls: // else the part goes on at where it was
		if p := l.next(from, at); p.Shift <= mostShift {
			l.parts = append(l.parts, p) // readers hold the parts before
			l.locate()
		}
	}
}

// end is the last row of a part on the line.
func (p *Part) end() time.Time { return p.Last.Add(p.Shift) }

// step notes how far the next row is from the last one of a part. l.mu is held.
func (l *Line) step(last *Part, every time.Duration) {
	p := pace{every: every}
	if n := len(l.paces); n > 0 && l.paces[n-1].isLike(p) {
		l.alike = 0
		return
	}
	if l.alike == 0 || !l.other.isLike(p) {
		p.from = last.end()
		l.other, l.alike = p, 0
	}
	l.steps[l.alike] = every
	if l.alike++; l.alike < aPace {
		return
	}
	l.alike = 0
	if len(l.paces) < mostPaces {
		slices.Sort(l.steps[:])
		l.paces = append(l.paces, pace{l.other.from, l.steps[aPace/2]})
	}
}

func (p pace) isLike(o pace) bool { return 2*p.every < 3*o.every && 2*o.every < 3*p.every }

// Every is how far apart rows are that follow on a moment of files, as far as that is known; 0: it
// is not. Of several it is the shortest.
func Every(lines []*Line, at time.Time) (every time.Duration) {
	for _, l := range lines {
		if one := l.every(at); every == 0 || one > 0 && one < every {
			every = one
		}
	}
	return every
}

// RowsBetween is about how many rows files have from a moment to another. usual is how far apart
// they are where that is not known.
func RowsBetween(lines []*Line, from, to time.Time, usual time.Duration) (n float64) {
	changes := []time.Time{to}
	for _, l := range lines {
		l.mu.Lock()
		for _, p := range l.paces {
			changes = append(changes, p.from)
		}
		if k := len(l.parts); k > 0 {
			changes = append(changes, l.parts[0].First, l.parts[k-1].end())
		}
		l.mu.Unlock()
	}
	slices.SortFunc(changes, time.Time.Compare)
	for _, until := range changes {
		span := session.Earlier(until, to).Sub(from)
		if span <= 0 {
			continue
		}
		if every := cmp.Or(Every(lines, from.Add(span/2)), usual); every > 0 {
			n += float64(span) / float64(every)
		}
		from = until
	}
	return n
}

// Paces are the shortest and the longest time that rows of files are known to be apart; 0: none is.
func Paces(lines []*Line) (shortest, longest time.Duration) {
	for _, l := range lines {
		l.mu.Lock()
		for _, p := range l.paces {
			if longest = max(longest, p.every); shortest == 0 || p.every < shortest {
				shortest = p.every
			}
		}
		l.mu.Unlock()
	}
	return shortest, longest
}

func (l *Line) every(at time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.parts); len(l.paces) == 0 || at.Before(l.parts[0].First) || at.After(l.parts[n-1].end()) {
		return 0
	}
	i := len(l.paces) - 1
	for i > 0 && at.Before(l.paces[i].from) {
		i--
	}
	return l.paces[i].every
}

// next is a part that begins with a row that goes back. As nobody knows how long it is after the
// row before it is the usual time; clocks that go back by half hours, as at the end of summer,
// tell it. Zones have whole seconds, so shifts do. l.mu is held.
func (l *Line) next(place int64, at time.Time) Part {
	usual := max(l.other.every, time.Second)
	if n := len(l.paces); n > 0 {
		usual = max(l.paces[n-1].every, time.Second)
	}
	shift := l.parts[len(l.parts)-1].end().Add(usual).Sub(at)
	whole := shift.Round(zoneStep)
	if late := shift - whole; whole <= 0 || late.Abs() > usual/2 {
		whole = shift.Truncate(time.Second)
		if whole < shift {
			whole += time.Second
		}
	}
	_, offset := at.In(l.zone).Zone()
	const most = 1 << 31 * time.Second / 2 // what a zone can be off
	name, _ := at.In(l.zone).Zone()
	zone := time.FixedZone(name, offset-int(min(whole, most)/time.Second))
	return Part{First: at, Last: at, Shift: whole, place: place, zone: zone}
}

// locate makes the location anew. l.mu is held.
func (l *Line) locate() {
	name, offset := l.parts[0].First.In(l.zone).Zone()
	offsets, at := []int{offset}, []time.Time{{}}
	for _, p := range l.parts[1:] {
		_, offset := p.First.In(p.zone).Zone()
		offsets, at = append(offsets, offset), append(at, p.First.Add(p.Shift))
	}
	if made, err := stepped(name, offsets, at); err == nil {
		l.location = made
	}
}

// stepped is a location of which the clocks change at moments: those before all of them are of
// the first offset. It is made as a file of the time zone database is (RFC 8536).
func stepped(name string, offsets []int, at []time.Time) (*time.Location, error) {
	head := func(b []byte, times, types, chars int) []byte {
		b = append(b, "TZif2"...)
		b = append(b, make([]byte, 15+3*4)...) // no indicators, no leap seconds
		for _, n := range []int{times, types, chars} {
			b = binary.BigEndian.AppendUint32(b, uint32(n))
		}
		return b
	}
	b := head(nil, 0, 1, 1) // of 32 bits, which nobody reads
	b = append(b, make([]byte, 6+1)...)
	name += "\x00"
	const mostTypes = 255 // a type has a number of a byte
	n := min(len(offsets), mostTypes)
	b = head(b, n-1, n, len(name))
	for _, t := range at[1:n] {
		b = binary.BigEndian.AppendUint64(b, uint64(t.Unix()))
	}
	for i := 1; i < n; i++ {
		b = append(b, byte(i))
	}
	for _, offset := range offsets[:n] {
		b = append(binary.BigEndian.AppendUint32(b, uint32(int32(offset))), 0, 0)
	}
	b = append(b, name...)
	return time.LoadLocationFromTZData(session.LineZone, append(b, "\n\n"...))
}

// end is the last row that is known, as recorded and on the line.
func (l *Line) end() (recorded, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.parts) == 0 {
		return recorded, at
	}
	p := &l.parts[len(l.parts)-1]
	return p.Last, p.end().In(p.zone)
}

// SetBack tells in words where clocks of a recording were set back; none: they were not, as far as
// is known. told is the line by which its times are told.
func SetBack(r Reader, told *Line) (words []string) {
	const most = 3
	are := "what follows is part %d of it, from %s to %s"
	if !told.Falls() {
		are += ", which is told as if it had not been"
	}
	for _, l := range r.Lines() {
		parts := l.Parts()
		for i := 1; i < len(parts); i++ {
			if len(words) == most {
				return append(words, "clocks were set back more often than that")
			}
			p, before := &parts[i], &parts[i-1]
			words = append(words, fmt.Sprintf("its clock was set back, by about %s, behind %s: "+are, english.Span(p.Shift-before.Shift),
				before.Last.In(l.zone).Format(time.DateTime), i+1, p.First.In(l.zone).Format(time.DateTime), p.Last.In(l.zone).Format(time.DateTime)))
		}
	}
	return words
}

// LineOf is the line of a recording.
func LineOf(r Reader) *Line { return Common(r.Lines()) }

// Common is the line of files that are read as one, of which there is at least one. Where not all
// were set back alike, as of computers of which one was, moments are told by the clocks of those
// that were not: rows of the same moment have one time.
func Common(lines []*Line) *Line {
	first := lines[0].Parts()
	for _, l := range lines[1:] {
		parts := l.Parts()
		same := slices.EqualFunc(first, parts, func(a, b Part) bool { return a.Shift == b.Shift })
		if !same && len(first) > 0 && len(parts) > 0 {
			return newLine(lines[0].zone, 0)
		}
		if len(first) == 0 {
			lines, first = lines[1:], parts
		}
	}
	return lines[0]
}

// Know reads the times of a recording that are not known, to its end.
func Know(ctx context.Context, r Reader) error {
	for _, l := range r.Lines() {
		if err := l.read(ctx, math.MaxInt64); err != nil {
			return err
		}
	}
	return nil
}

// FileRows are those of a file, which stand at places, in their order.
type FileRows interface {
	Rows

	Position() int64 // where the row that comes next is looked for
	GoTo(place int64) error
	// Bounds are the place of the first row, -1: there is none, the one behind the last, and how
	// near to a place it is as fast to go from row to row.
	Bounds() (first, end, near int64, err error)
	// RowAt finds the first row that stands at a place or behind it, and before another; -1: none.
	RowAt(place, before int64) (at int64, t time.Time, err error)
	// BackFrom finds the row that is n rows before a place, or the first.
	BackFrom(place int64, n int) (at int64, went int, err error)
}

// settler is rows of several lines, which are found by one of them.
type settler interface {
	Settle(line int64, t time.Time) (at int64, err error)
}

// BackBy goes back from row to row, as long as there are some.
func BackBy(place int64, n int, one func(place int64) (int64, error)) (at int64, went int, err error) {
	for ; went < n; went++ {
		before, err := one(place)
		if err != nil || before < 0 {
			return place, went, err
		}
		place = before
	}
	return place, went, nil
}

// timesReader is rows of which the times are read faster alone, to their end.
type timesReader interface {
	Times(ctx context.Context, place int64, take func(from, to int64, at time.Time)) error
}

// timed gives rows their moments on the line of the file.
type timed struct {
	FileRows

	ctx    context.Context
	line   *Line
	before time.Time // of the last row, as recorded; zero: there was a jump
	moment time.Time // the same, on the line
	looked bool      // how large the file is
	naming naming
}

// NewReader makes a Reader of the rows of a file, which open opens once more. wall: its times are
// those of wall clocks.
func NewReader(ctx context.Context, r FileRows, open func() (FileRows, error), o OpenOptions, wall bool) Reader {
	t := &timed{FileRows: r, ctx: ctx, naming: naming{names: o.Names, english: o.English}, line: newLine(r.Header().Zone.Location(), r.Position())}
	t.line.wall = wall
	t.line.read = func(ctx context.Context, place int64) error { return t.readTo(ctx, place, open) }
	return t
}

// readTo reads the times of rows up to a place: at once, or with another reader of the file. What
// cannot be read is told by who reads the values.
func (r *timed) readTo(ctx context.Context, place int64, open func() (FileRows, error)) error {
	l := r.line
	l.mu.Lock()
	upTo := l.upTo
	l.isWhole = l.isWhole || place == math.MaxInt64
	l.mu.Unlock()
	if upTo >= place {
		return nil
	}
	if all, ok := r.FileRows.(timesReader); ok {
		return all.Times(ctx, upTo, func(from, to int64, at time.Time) {
			if from < place {
				l.take(from, to, at)
			}
		})
	}
	other, err := open()
	if err != nil {
		return nil // it has no name any more: no more will be known than is read
	}
	defer other.Close() //nolint:errcheck // it was only read
	other.Only([]int{})
	if err := other.GoTo(upTo); err != nil {
		return err
	}
	var row Row
	for n := 0; other.Position() < place; n++ {
		if n%BetweenLooks == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		from := other.Position()
		if other.Next(&row) != nil {
			return nil // as above
		}
		l.take(from, other.Position(), row.Time)
	}
	return nil
}

func (r *timed) Header() *Header { return r.naming.of(r.FileRows.Header()) }

func (r *timed) Lines() []*Line { return []*Line{r.line} }

func (r *timed) Next(row *Row) error {
	from := r.Position()
	if err := r.FileRows.Next(row); err != nil {
		return err
	}
	to := r.Position()
	p, known := r.line.take(from, to, row.Time)
	if !known && row.Time.Before(r.before) {
		if err := r.line.read(r.ctx, to); err != nil {
			return err
		}
		p, _ = r.line.take(from, to, row.Time)
	}
	r.before, row.Shift = row.Time, 0
	if p != nil && p.Shift != 0 {
		row.Shift, row.Time = p.Shift, row.Time.Add(p.Shift).In(p.zone)
	}
	if row.Time.Before(r.moment) { // there are too many parts
		row.Shift, row.Time = r.moment.Sub(r.before), r.moment
	}
	r.moment = row.Time
	return nil
}

// jumped forgets the row before.
func (r *timed) jumped() { r.before, r.moment = time.Time{}, time.Time{} }

// look reads all times of a small file.
func (r *timed) look(s *Span) error {
	const small = 8 << 20
	if r.looked || s.Bytes > small {
		return nil
	}
	r.looked = true
	r.line.mu.Lock()
	known := r.line.isWhole
	r.line.mu.Unlock()
	if known {
		return nil
	}
	return r.line.read(r.ctx, math.MaxInt64)
}

// SeekTime bisects the part of the line that the moment is of.
func (r *timed) SeekTime(t time.Time) error {
	r.jumped()
	if !r.looked {
		if _, err := r.Span(); err != nil {
			return err
		}
		r.looked = true
	}
	low, high, near, err := r.Bounds()
	if err != nil || low < 0 {
		return err
	}
	for i, p := range slices.Backward(r.line.Parts()) {
		if i == 0 || p.First.Add(p.Shift).Before(t) {
			low, t = max(low, p.place), t.Add(-p.Shift)
			break
		}
		high = p.place
	}
	end, found := high, high
	for low < high {
		middle := low
		if high-low > near {
			middle += (high - low) / 2
		}
		at, when, err := r.RowAt(middle, high)
		switch {
		case err != nil:
			return err
		case at < 0:
			high = middle
		case when.Before(t):
			low = at + 1
		default:
			high, found = middle, at
		}
	}
	if s, ok := r.FileRows.(settler); ok && found < end {
		if found, err = s.Settle(found, t); err != nil {
			return err
		}
	}
	return r.GoTo(found)
}

func (r *timed) Back(n int) (int, error) {
	r.jumped()
	at, went, err := r.BackFrom(r.Position(), n)
	if err == nil || went > 0 {
		err = cmp.Or(err, r.GoTo(at))
	}
	return went, err
}

// Span reads the line to its end where it is known to fall.
func (r *timed) Span() (Span, error) {
	s, err := r.FileRows.Span()
	if err == nil {
		err = r.look(&s)
	}
	if err != nil || !r.line.Falls() && !s.Last.Before(s.First) {
		return s, err
	}
	last, at := r.line.end()
	if !last.Equal(s.Last) {
		if err := r.line.read(r.ctx, math.MaxInt64); err != nil {
			return s, err
		}
		_, at = r.line.end()
	}
	s.Last = at
	return s, nil
}

func (r *timed) Complete(ctx context.Context) error {
	r.jumped()
	return r.FileRows.Complete(ctx)
}

// BetweenLooks is how many rows are read between looks at the context.
const BetweenLooks = 4096
