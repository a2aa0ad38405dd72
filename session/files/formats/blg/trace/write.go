package trace

import (
	"cmp"
	"errors"
	"io"
	"os"
	"slices"

	"perfdeck/session/wire/perflib"
)

// A log is written as a sample of Windows 10 has it. Nobody has opened one on Windows: what
// is inferred of the format is inferred here.
const (
	writtenBuffer  = 64 << 10
	fragmentBytes  = 8000 // of the payload of an event, which is cut there
	eventVersion   = 60
	listVersion    = 0x0002_0008
	oneCounterFlag = 0x2000_0000 // of an entry of the list
	mostNameBytes  = 1 << 10     // of the name in the header
	bufferOfEvents = 0           // type of a buffer
	bufferOfHeader = 4
	edgeBuffer     = 1 // flag of the first buffer and of the last
)

// offsets of what is known when a log ends, in TRACE_LOGFILE_HEADER of the first buffer.
const (
	traceHeader     = bufferHeaderBytes + systemHeaderBytes
	endTimeAt       = traceHeader + 16
	bufferCountAt   = traceHeader + 36
	writtenPointers = 16 // bytes of both
)

// ErrTooLong says that a sample, or the list of counters, is longer than readers take.
var ErrTooLong = errors.New("a sample, or the list of counters, is too long for a binary log")

// Start is what the header of a log says.
type Start struct {
	Time       int64  // UTC, FILETIME
	Session    string // a GUID in text
	Name       string // of the file
	PerfFreqHz uint64
	Zone       Zone
}

// Writer writes a log, buffer by buffer. A buffer is in the file as a whole from its
// beginning on, and its head counts an event once that is there: whenever the writing ends,
// what is in the file is whole. Errors stay.
type Writer struct {
	file    io.WriterAt
	session [16]byte
	buffer  []byte // with its head, as far as it is used
	number  int64  // of the buffer
	clean   int    // bytes of it that are in the file
	time    int64  // UTC, of the newest event
	lazy    bool   // buffers are written when they are full
	err     error
}

// NewWriter begins a log in an empty file. lazy lets it write buffers that are full only,
// else all events at once.
func NewWriter(file io.WriterAt, s *Start, lazy bool) (*Writer, error) {
	w := &Writer{file: file, lazy: lazy, time: s.Time}
	w.session, _ = perflib.ParseGUID(s.Session)
	w.begin(bufferOfHeader)
	w.buffer = appendHeaderEvent(w.buffer, s)
	if w.err = w.place(); w.err == nil {
		w.next()
	}
	return w, w.err
}

// ContinueWriter goes on behind the event that ends at a place of a file of so many bytes.
// What is behind is cut off: so many bytes of events.
func ContinueWriter(file *os.File, end Place, size int64, lazy bool) (w *Writer, cut int64, err error) {
	number := int64(end-1) / writtenBuffer
	offset := int64(end) - number*writtenBuffer // a full buffer ends where the next one would begin
	w = &Writer{file: file, lazy: lazy, number: number, buffer: make([]byte, writtenBuffer)}
	if _, err = file.ReadAt(w.buffer, number*writtenBuffer); IgnoreEOF(err) != nil {
		return nil, 0, err
	}
	w.time = int64(order.Uint64(w.buffer[16:]))
	copy(w.session[:], w.buffer[bufferHeaderBytes+48:]) // of the first event that begins there
	cut = max(int64(order.Uint32(w.buffer[48:]))-offset, 0) + max(size-w.Bytes(), 0)
	w.buffer = w.buffer[:offset]
	order.PutUint16(w.buffer[52:], edgeBuffer)
	return w, cut, cmp.Or(file.Truncate(w.Bytes()), w.place())
}

// appendHeaderEvent appends the first event: TRACE_LOGFILE_HEADER of 64 bits, and two texts.
func appendHeaderEvent(b []byte, s *Start) []byte {
	begin := len(b)
	b = append(b, make([]byte, systemHeaderBytes+traceHeaderBytes+writtenPointers)...)
	e := b[begin:]
	e[0], e[2], e[3] = 2, 2, 0xC0
	order.PutUint64(e[16:], uint64(s.Time))
	h := e[systemHeaderBytes:]
	order.PutUint32(h, writtenBuffer)
	copy(h[4:], []byte{10, 0, 1, 5}) // the version that the sample is of
	order.PutUint32(h[8:], 14393)
	order.PutUint32(h[12:], 1) // processors
	order.PutUint64(h[16:], uint64(s.Time))
	order.PutUint32(h[24:], 156_250) // ticks of its timer
	order.PutUint32(h[32:], 1)       // EVENT_TRACE_FILE_MODE_SEQUENTIAL
	order.PutUint32(h[36:], 1)
	order.PutUint32(h[40:], 1) // buffers at the start
	order.PutUint32(h[44:], 8) // bytes of a pointer
	b = s.Zone.appendTo(b)
	b = pad8(b)
	b = order.AppendUint64(b, uint64(s.Time)) // of boot, which nobody told
	b = order.AppendUint64(b, s.PerfFreqHz)
	b = order.AppendUint64(b, uint64(s.Time))
	b = order.AppendUint64(b, 2) // times are those of the system
	b = appendText(b, s.Session)
	b = appendText(b, s.Name[:min(len(s.Name), mostNameBytes)])
	order.PutUint16(b[begin+4:], uint16(len(b)-begin))
	return pad8(b)
}

func pad8(b []byte) []byte {
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	return b
}

// appendText appends a text with its NUL. One within ends it.
func appendText(b []byte, text string) []byte {
	return perflib.AppendString(b, perflib.EncodeText(text))
}

// begin begins a buffer in memory.
func (w *Writer) begin(kind uint16) {
	w.buffer = append(w.buffer[:0], make([]byte, bufferHeaderBytes)...)
	order.PutUint32(w.buffer, writtenBuffer)
	order.PutUint16(w.buffer[52:], edgeBuffer)
	order.PutUint16(w.buffer[54:], kind)
}

// next begins a buffer behind the one that is written.
func (w *Writer) next() {
	before := slices.Clone(w.buffer[:bufferHeaderBytes])
	w.number++
	w.begin(bufferOfEvents)
	order.PutUint64(w.buffer[24:], uint64(w.number))
	if w.clean = len(w.buffer); !w.lazy {
		w.err = w.place()
	}
	if w.err == nil && order.Uint16(before[54:]) == bufferOfEvents { // that one is not the last any more
		order.PutUint16(before[52:], 0)
		_, w.err = w.file.WriteAt(before, (w.number-1)*writtenBuffer)
	}
	if w.err == nil {
		w.err = w.count()
	}
}

// count keeps in the header how many buffers there are, and when the last event was.
func (w *Writer) count() error {
	_, err := w.file.WriteAt(order.AppendUint64(nil, uint64(w.time)), endTimeAt)
	if err == nil {
		_, err = w.file.WriteAt(order.AppendUint32(nil, uint32(w.number+1)), bufferCountAt)
	}
	return err
}

// place writes the buffer as a whole, filled up, to its place in the file.
func (w *Writer) place() error {
	w.head()
	used := len(w.buffer)
	whole := append(w.buffer, make([]byte, writtenBuffer-used)...)
	for i := used; i < writtenBuffer; i++ { // what stands behind the events
		whole[i] = 0xFF
	}
	w.buffer, w.clean = whole[:used], used
	_, err := w.file.WriteAt(whole, w.number*writtenBuffer)
	return err
}

// head brings the head of the buffer up to date.
func (w *Writer) head() {
	used := uint32(len(w.buffer))
	order.PutUint32(w.buffer[4:], used)
	order.PutUint32(w.buffer[8:], used)
	order.PutUint32(w.buffer[48:], used)
	if order.Uint16(w.buffer[54:]) == bufferOfEvents {
		order.PutUint64(w.buffer[16:], uint64(w.time))
	}
}

// Write writes an event of a local time, in fragments where it is long. utc is its time by
// the clock of the buffers, which never goes back.
func (w *Writer) Write(kind Kind, local, utc int64, payload []byte) error {
	if len(payload) > mostSample {
		return ErrTooLong // nothing of it is written
	}
	w.time = max(w.time, utc)
	of := max((len(payload)+fragmentBytes-1)/fragmentBytes, 1)
	for n := range of {
		part := payload[n*fragmentBytes : min((n+1)*fragmentBytes, len(payload))]
		if w.err == nil && len(w.buffer)+eventHeaderBytes+len(part)+8 > writtenBuffer {
			if w.err = w.flush(); w.err == nil {
				w.next()
			}
		}
		if w.err != nil {
			return w.err
		}
		begin := len(w.buffer)
		w.buffer = append(w.buffer, make([]byte, eventHeaderBytes)...)
		e := w.buffer[begin:]
		order.PutUint16(e, uint16(eventHeaderBytes+len(part)))
		e[2], e[3], e[4] = 0x14, 0xC0, byte(kind)
		order.PutUint16(e[6:], eventVersion)
		order.PutUint64(e[16:], uint64(local))
		copy(e[24:], providerGUID)
		copy(e[48:], w.session[:])
		order.PutUint32(e[64:], uint32(n+1))
		order.PutUint32(e[68:], uint32(of))
		w.buffer = pad8(append(w.buffer, part...))
	}
	if !w.lazy {
		w.err = w.flush()
	}
	return w.err
}

// flush writes what is new of the buffer, and then its head, which counts it.
func (w *Writer) flush() error {
	if w.clean == len(w.buffer) {
		return nil
	}
	if w.lazy {
		return w.place()
	}
	at := w.number * writtenBuffer
	if _, err := w.file.WriteAt(w.buffer[w.clean:], at+int64(w.clean)); err != nil {
		return err
	}
	w.head()
	if _, err := w.file.WriteAt(w.buffer[:bufferHeaderBytes], at); err != nil {
		return err
	}
	w.clean = len(w.buffer)
	return nil
}

// Flush lets the file have all that was written.
func (w *Writer) Flush() error {
	if w.err == nil {
		if w.err = w.flush(); w.err == nil {
			w.err = w.count()
		}
	}
	return w.err
}

// Bytes is how many the file has.
func (w *Writer) Bytes() int64 { return (w.number + 1) * writtenBuffer }

// appendTo appends TIME_ZONE_INFORMATION.
func (z *Zone) appendTo(b []byte) []byte {
	b = order.AppendUint32(b, uint32(int32(z.Bias)))
	for _, s := range []*Season{&z.Standard, &z.Daylight} {
		var name [64]byte
		copy(name[:len(name)-2], appendText(nil, s.Name))
		b = append(b, name[:]...)
		for _, n := range s.Start {
			b = order.AppendUint16(b, n)
		}
		b = order.AppendUint32(b, uint32(int32(s.Bias)))
	}
	return b
}

// AppendList appends the list of counters: the inverse of ReadList.
func AppendList(b []byte, list []Counter) []byte {
	b = order.AppendUint32(b, listMark)
	b = order.AppendUint32(b, listVersion)
	for i := range list {
		b = list[i].appendTo(b, i)
	}
	return b
}

func (c *Counter) appendTo(b []byte, number int) []byte {
	begin := len(b)
	b = append(b, make([]byte, counterBytes)...)
	text := func(at int, text string, has bool) {
		offset := uint32(absent)
		if has {
			offset = uint32(len(b) - begin - counterBytes)
			b = appendText(b, text)
		}
		order.PutUint32(b[begin+at:], offset)
	}
	text(28, c.Machine, true)
	text(32, c.Object, true)
	text(36, c.Instance, c.HasInstance)
	text(40, c.Parent, c.HasParent)
	text(48, c.Counter, true)
	b = pad8(b)
	e := b[begin:]
	order.PutUint32(e, uint32(len(e)))
	order.PutUint32(e[4:], oneCounterFlag)
	order.PutUint32(e[8:], uint32(number))
	order.PutUint32(e[12:], uint32(c.Type))
	order.PutUint64(e[16:], c.FreqHz)
	order.PutUint32(e[24:], uint32(int32(c.Scale)))
	order.PutUint32(e[44:], c.Index)
	return b
}

// BeginSample begins a sample, to which AppendRaw adds records and which EndSample ends.
func BeginSample(b []byte) []byte { return append(b, 'B', 'L', 3, 0, 0, 0, 0, 0) }

// AppendRaw appends a record of RecordRaw.
func AppendRaw(b []byte, local int64, r *Raw) []byte {
	b = append(b, 'B', 'L', 3, byte(RecordRaw), recordHeadBytes+rawBytes, 0, 0, 0)
	b = order.AppendUint32(b, r.Status)
	b = order.AppendUint64(b, uint64(local))
	b = order.AppendUint32(b, 0)
	b = order.AppendUint64(b, r.First)
	b = order.AppendUint64(b, r.Second)
	return order.AppendUint64(b, uint64(r.Multi))
}

// EndSample puts the length of a sample into its head.
func EndSample(b []byte) []byte {
	order.PutUint32(b[4:], uint32(len(b)))
	return b
}
