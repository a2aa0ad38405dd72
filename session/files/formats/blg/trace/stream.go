package trace

import (
	"cmp"
	"errors"
	"io"
	"slices"
)

// Event is an event of a log, whole.
type Event struct {
	Kind    Kind
	Time    int64 // local, FILETIME
	Place   Place // where it begins
	Payload []byte
}

// Place is a place in a log: of an event, or behind the last. It counts the bytes of the buffers in
// the order of time.
type Place int64

// Stream gives the events of a log in the order of time. It holds one buffer and one
// event. A log that is still written may grow: after io.EOF Next gives what came since.
type Stream struct {
	Header Header
	// Inferred tells that the buffers do not stand in the order of time, as in a circular
	// log: by their clocks they were put in order, and so for as long as it is read.
	Inferred bool
	// Lost is told once of what cannot be read, and where it stands in the file.
	Lost func(at int64, err error)

	file io.ReaderAt
	size func() (int64, error)

	buffers []int64 // by order of time; nil: as they stand
	buf     []byte
	held    int64 // the buffer in buf, in the order of time; -1: none
	used    int   // bytes of buf with events
	whole   bool  // all of the buffer is in the file
	final   bool  // another stands behind it: it does not change any more
	short   bool  // events of it are not
	bad     bool  // its head is damaged

	next    Place
	joining joining
	told    map[int64]struct{}
}

// joining is an event of which some fragments were read.
type joining struct {
	event  Event
	at     int64 // in the file
	of     uint32
	number uint32 // of the fragment that was read last; 0: none
	from   bool   // fragments that follow none are none lost: reading began here
}

const (
	mostSample = 32 << 20 // bytes of one event
	mostTold   = 1 << 16  // faults that are told once only
	allProbed  = 4096     // buffers up to which all are looked at for their order
	someProbed = 512
)

// NewStream begins to read a log.
func NewStream(file io.ReaderAt, size func() (int64, error)) (*Stream, error) {
	head := make([]byte, leastBuffer)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	h, err := ReadHeader(head[:n])
	if err != nil {
		return nil, err
	}
	s := &Stream{Header: h, Lost: func(int64, error) {}, file: file, size: size, held: -1, told: map[int64]struct{}{}}
	return s, s.arrange()
}

// Count is how many buffers there are, one that is cut off included.
func (s *Stream) Count() (int64, error) {
	size, err := s.size()
	b := int64(s.Header.BufferBytes)
	return (size + b - 1) / b, err
}

// At is where a place stands in the file.
func (s *Stream) At(p Place) int64 {
	buffer, offset := s.Split(p)
	return int64(s.place(s.position(buffer), offset))
}

// Split is the buffer of a place, from 0 in the order of time, and the offset in it.
func (s *Stream) Split(p Place) (buffer int64, offset int) {
	b := Place(s.Header.BufferBytes)
	return int64(p / b), int(p % b)
}

func (s *Stream) place(buffer int64, offset int) Place {
	return Place(buffer*int64(s.Header.BufferBytes) + int64(offset))
}

func (s *Stream) position(buffer int64) int64 {
	if buffer < int64(len(s.buffers)) {
		return s.buffers[buffer]
	}
	return buffer
}

// clocks are the two clocks of a buffer: when it was written, in UTC, and the local time
// of its first event. 0: it has none.
type clocks struct{ flushed, first int64 }

func (s *Stream) clocksOf(position int64) (c clocks, err error) {
	var b [bufferHeaderBytes + 48]byte
	n, err := s.file.ReadAt(b[:], position*int64(s.Header.BufferBytes))
	if err != nil && !errors.Is(err, io.EOF) || n < len(b) {
		return c, IgnoreEOF(err)
	}
	if order.Uint32(b[:]) != uint32(s.Header.BufferBytes) {
		return c, nil
	}
	c.flushed = int64(order.Uint64(b[16:]))
	if event := b[bufferHeaderBytes:]; event[2] == 0x0A || event[2] == 0x14 {
		c.first = int64(order.Uint64(event[16:]))
	}
	return c, nil
}

// IgnoreEOF lets the end of a file be no error.
func IgnoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// arrange looks at the clocks of buffers, in large files at some of them. Where they go
// back all are put in their order: by when they were written, or where that is not kept by
// their first events. The first buffer stays the first.
func (s *Stream) arrange() error {
	n, err := s.Count()
	if err != nil {
		return err
	}
	step := int64(1)
	if n > allProbed && s.Header.Mode&circularMode == 0 {
		step = n / someProbed
	}
	probed, err := s.probe(n, step)
	if err != nil || isOrdered(probed) {
		return err
	}
	if step > 1 {
		if probed, err = s.probe(n, 1); err != nil {
			return err
		}
	}
	byFirst := slices.ContainsFunc(probed, func(c clocks) bool { return c.flushed == 0 && c.first != 0 })
	keys := make([]int64, n)
	s.buffers = make([]int64, n)
	for i := int64(1); i < n; i++ {
		s.buffers[i], keys[i] = i, probed[i-1].flushed
		if byFirst {
			keys[i] = probed[i-1].first
		}
		if keys[i] == 0 { // what has no clock stays behind what it stood behind
			keys[i] = keys[i-1]
		}
	}
	slices.SortStableFunc(s.buffers[min(1, n):], func(a, b int64) int { return cmp.Compare(keys[a], keys[b]) })
	s.Inferred = true
	return nil
}

// probe reads the clocks of every step-th buffer after the first.
func (s *Stream) probe(n, step int64) (all []clocks, err error) {
	for position := int64(1); position < n; position += step {
		c, err := s.clocksOf(position)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// isOrdered tells whether clocks never go back. Local time does, by an hour, when summer
// ends.
func isOrdered(all []clocks) bool {
	const hour, near = 3600 * 10_000_000, 300 * 10_000_000
	var before clocks
	for _, c := range all {
		if c.flushed != 0 {
			if c.flushed < before.flushed {
				return false
			}
			before.flushed = c.flushed
		} else if c.first != 0 {
			if back := before.first - c.first; back > 0 && (back < hour-near || back > hour+near) {
				return false
			}
		}
		if c.first != 0 {
			before.first = c.first
		}
	}
	return true
}

// Lose tells of what cannot be read, once for each place.
func (s *Stream) Lose(at int64, err error) {
	if _, known := s.told[at]; known {
		return
	}
	if len(s.told) < mostTold {
		s.told[at] = struct{}{}
	}
	s.Lost(at, err)
}

// Begin lets the first event come next.
func (s *Stream) Begin() { s.Seek(0) }

// Seek lets the event at a place come next.
func (s *Stream) Seek(p Place) {
	s.next, s.joining.number, s.joining.from = p, 0, true
}

// Place is where the event begins that comes next.
func (s *Stream) Place() Place {
	if s.joining.number > 0 {
		return s.joining.event.Place
	}
	return s.next
}

// Torn tells whether the log ends, for now, within an event or a buffer, and where that
// begins.
func (s *Stream) Torn() (at int64, torn bool) {
	switch {
	case s.joining.number > 0:
		return s.joining.at, true
	case s.held >= 0 && s.short:
		return s.position(s.held) * int64(s.Header.BufferBytes), true
	}
	return 0, false
}

// Next gives the event that comes next, whole. It is valid until the next call.
func (s *Stream) Next(e *Event) error {
	for {
		f, at, err := s.fragment()
		if err != nil {
			return err
		}
		if s.join(&f, at) {
			*e = s.joining.event
			return nil
		}
	}
}

// fragment gives the fragment that comes next, which begins at a place.
func (s *Stream) fragment() (f fragment, at Place, err error) {
	for {
		buffer, offset := s.Split(s.next)
		if err := s.load(buffer); err != nil {
			return f, at, err
		}
		offset = max(offset, bufferHeaderBytes)
		at = s.place(buffer, offset)
		if offset+systemHeaderBytes > s.used {
			more, err := s.pass()
			if err != nil {
				return f, at, err
			}
			if !more {
				return f, at, io.EOF
			}
			continue
		}
		f, size, ours, err := readEvent(s.buf[offset:s.used])
		if err != nil {
			if !s.whole { // more of it may come
				if more, err := s.pass(); err != nil || !more {
					return f, at, orEOF(err)
				}
			} else {
				s.next = s.place(buffer+1, 0)
			}
			if at < s.next {
				s.Lose(s.At(at), errEvent)
			}
			continue
		}
		s.next = at + Place(size+7)&^7
		if ours {
			return f, at, nil
		}
	}
}

func orEOF(err error) error {
	if err != nil {
		return err
	}
	return io.EOF
}

// pass goes on to the buffer behind, if there is one. Else the one that was held may grow,
// and is read again.
func (s *Stream) pass() (more bool, err error) {
	n, err := s.Count()
	if err != nil {
		return false, err
	}
	buffer, offset := s.Split(s.next)
	if s.bad {
		s.Lose(s.position(s.held)*int64(s.Header.BufferBytes), errBuffer)
	}
	if buffer+1 < n {
		if !s.final {
			s.held = -1 // it is by now
			if err := s.load(buffer); err != nil || offset+systemHeaderBytes <= s.used {
				return err == nil, err
			}
		}
		s.next = s.place(buffer+1, 0)
		return true, nil
	}
	used := s.used
	s.held = -1
	if err := s.load(buffer); err != nil {
		return false, IgnoreEOF(err)
	}
	return s.used > used && offset+systemHeaderBytes <= s.used, nil
}

// load holds a buffer, as much as there is of it.
func (s *Stream) load(buffer int64) error {
	if s.held == buffer && buffer >= 0 {
		return nil
	}
	b := s.Header.BufferBytes
	if cap(s.buf) < b {
		s.buf = make([]byte, b)
	}
	count, err := s.Count()
	if err != nil {
		return err
	}
	n, err := s.file.ReadAt(s.buf[:b], s.position(buffer)*int64(b))
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if n == 0 {
		s.held = -1
		return io.EOF
	}
	s.final = n == b && s.position(buffer)+1 < count
	s.held, s.used, s.whole, s.short, s.bad = buffer, 0, n == b, n < bufferHeaderBytes, false
	if s.short {
		return nil
	}
	used := order.Uint32(s.buf[48:])
	if s.bad = order.Uint32(s.buf) != uint32(b) || used < bufferHeaderBytes || used > uint32(b); !s.bad {
		s.used, s.short = min(int(used), n), int(used) > n
	}
	return nil
}

// join takes a fragment, and tells whether the event is whole.
func (s *Stream) join(f *fragment, at Place) bool {
	j := &s.joining
	follows := j.number > 0 && f.kind == j.event.Kind && f.time == j.event.Time && f.of == j.of && f.number == j.number+1
	if j.number > 0 && !follows {
		s.Lose(j.at, errFragment)
		j.number = 0
	}
	switch {
	case follows:
		if len(j.event.Payload)+len(f.payload) > mostSample {
			s.Lose(j.at, errLong)
			j.number = 0
			return false
		}
		j.event.Payload = append(j.event.Payload, f.payload...)
	case f.number == 1 && f.of >= 1:
		j.at, j.of, j.from = s.At(at), f.of, false
		j.event = Event{f.kind, f.time, at, append(j.event.Payload[:0], f.payload...)}
	default:
		if !j.from {
			s.Lose(s.At(at), errFragment)
		}
		return false
	}
	j.number = f.number
	if j.number < j.of {
		return false
	}
	j.number = 0
	return true
}

// starts goes over the events of a kind that begin in a buffer, as long as more wants it.
func (s *Stream) starts(buffer int64, kind Kind, more func(p Place, time int64) bool) error {
	if err := s.load(buffer); err != nil {
		return IgnoreEOF(err)
	}
	for o := bufferHeaderBytes; o+systemHeaderBytes <= s.used; {
		f, size, ours, err := readEvent(s.buf[o:s.used])
		if err != nil {
			return nil //nolint:nilerr // it is told when the buffer is read
		}
		if ours && f.kind == kind && f.number == 1 && !more(s.place(buffer, o), f.time) {
			return nil
		}
		o += (size + 7) &^ 7
	}
	return nil
}

// Samples is how many samples begin in a buffer.
func (s *Stream) Samples(buffer int64) (n int64, err error) {
	err = s.starts(buffer, KindSample, func(Place, int64) bool { n++; return true })
	return n, err
}

// First gives the first event of a kind that begins at a place or behind it, and before another,
// without its payload; ok is false if there is none.
func (s *Stream) First(place, before Place, kind Kind) (e Event, ok bool, err error) {
	for buffer, _ := s.Split(place); s.place(buffer, 0) < before && !ok && err == nil; buffer++ {
		err = s.starts(buffer, kind, func(at Place, time int64) bool {
			ok = at >= place && at < before
			e = Event{Kind: kind, Time: time, Place: at}
			return at < place
		})
	}
	return e, ok, err
}

// mostBuffers is how many buffers an event may be away: more than the longest takes.
const mostBuffers = 2 * mostSample / (64 << 10)

// Before gives the last event of a kind that begins before a place, without its payload; ok
// is false if there is none, or none near.
func (s *Stream) Before(place Place, kind Kind) (e Event, ok bool, err error) {
	from, _ := s.Split(place)
	for buffer := from; buffer >= max(from-mostBuffers, 0) && !ok; buffer-- {
		if err = s.starts(buffer, kind, func(at Place, time int64) bool {
			if at >= place {
				return false
			}
			e, ok = Event{Kind: kind, Time: time, Place: at}, true
			return true
		}); err != nil {
			return e, false, err
		}
	}
	return e, ok, nil
}

// End is the place behind the last event.
func (s *Stream) End() (Place, error) {
	n, err := s.Count()
	return s.place(n, 0), err
}
