package push

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
	"perfdeck/session/system/store"
)

// A queue is a folder: numbered segments of blocks, the position up to which they were
// delivered, and a lock. A block is a header and its body, which goes over the wire as it
// is. All numbers are little-endian.
//
//	segment  0000000000000001.queue: "perfdeck queue 1" and blocks
//	block    size uint32, check uint32, samples uint32, reserved uint32, newest int64, body
//	position segment uint64, offset uint64, check uint32
//
// check is CRC-32C of what is behind it: of a block samples to the end of the body. newest
// is the newest sample in milliseconds since 1970.
const (
	segmentMagic    = "perfdeck queue 1"
	segmentVersion  = len("perfdeck queue ")
	segmentSuffix   = ".queue"
	blockHeader     = 24
	positionName    = "position"
	positionSize    = 20
	lockName        = "lock"
	mostBlock       = 16 << 20 // bytes of a body
	mostHeld        = 32 << 20 // bytes that wait in memory when the disk takes none
	usualSegment    = 8 << 20
	segmentsOfLimit = 8 // so much goes at once when the queue is full
	mostSegments    = 100_000
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Block is what waits.
type Block struct {
	Samples int
	Newest  int64 // milliseconds since 1970
	Body    []byte
}

// QueueOptions bound a queue.
type QueueOptions struct {
	Bytes int64         // of what waits; at least 1 MiB
	Age   time.Duration // of what waits; 0: any
	Clock session.Clock
}

// QueueStatus is how a queue is.
type QueueStatus struct {
	Samples, Blocks int64 // that wait
	Bytes           int64
	Full, Old       int64 // samples that went because the queue was full, or they were too old
	Unwritten       int64 // that were in memory at the end: the disk took none
	Damaged         int64 // bytes that could not be read
	Held            int64 // of Bytes, those in memory: the disk took none
	Err             error // why the disk takes none
}

// Queue keeps blocks until they are delivered, in order. Append is called by one
// goroutine, Next and Done by another; the rest by any.
type Queue struct {
	dir   string
	o     QueueOptions
	limit int64 // bytes of a segment
	lock  *os.File
	wake  chan struct{} // gets something when a block was appended

	mu       sync.Mutex
	segments []*segment // oldest first; the last one is written, if tail is open
	tail     *os.File
	head     *os.File // reads segments[0]
	position *os.File
	at       int64 // offset in segments[0] of the first block that is not delivered
	held     []Block
	dirty    bool
	closed   bool
	status   QueueStatus
	out, in  []byte // what is written, what was read
}

// segment is a file of blocks. Of it wait samples and blocks that are not delivered.
type segment struct {
	number          uint64
	size            int64 // up to the last whole block
	samples, blocks int64
	newest          int64         // milliseconds since 1970
	born, written   time.Duration // monotonic; written 0: by an earlier process
}

var (
	errBusy  = errors.New("another perfdeck uses it")
	errSmall = errors.New("less than 1 MB holds too little")
	errMany  = errors.New("it has too many files")
)

// LeastQueue is the smallest limit of a queue, in bytes.
const LeastQueue = 1 << 20

// OpenQueue opens the queue in a folder, which is made if need be. What an earlier process
// left waits again; the last block, torn by its end, is cut off.
func OpenQueue(dir string, o QueueOptions) (*Queue, error) {
	q := &Queue{dir: dir, o: o, limit: min(usualSegment, o.Bytes/segmentsOfLimit), wake: make(chan struct{}, 1)}
	if o.Bytes < LeastQueue {
		return nil, q.fail("open", errSmall)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, q.fail("make", err)
	}
	lock, err := osfile.Take(filepath.Join(dir, lockName), 0)
	if errors.Is(err, osfile.ErrLocked) {
		return nil, failure.WithHint(q.fail("open", errBusy), "two that push to one engine need a queue each: --queue DIR; do both push the same hosts?")
	}
	if err != nil {
		return nil, q.fail("lock", err)
	}
	q.lock = lock
	if err := q.load(); err != nil {
		q.release()
		return nil, err
	}
	return q, nil
}

func (q *Queue) fail(op string, err error) error {
	return fmt.Errorf("%s the queue in %s: %w", op, q.dir, failure.Bare(err))
}

// load finds what waits.
func (q *Queue) load() error {
	entries, err := os.ReadDir(q.dir)
	if err != nil {
		return q.fail("read", err)
	}
	for _, e := range entries {
		if number, ok := segmentNumber(e.Name()); ok && e.Type().IsRegular() {
			q.segments = append(q.segments, &segment{number: number})
		}
	}
	if len(q.segments) > mostSegments {
		return q.fail("read", errMany)
	}
	slices.SortFunc(q.segments, func(a, b *segment) int { return cmp.Compare(a.number, b.number) })
	if q.position, err = os.OpenFile(filepath.Join(q.dir, positionName), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return q.fail("open", err)
	}
	if number, at, ok := q.delivered(); ok {
		for len(q.segments) > 0 && q.segments[0].number < number { // delivered; the end came before its removal
			_ = os.Remove(q.name(q.segments[0]))
			q.segments = q.segments[1:]
		}
		if len(q.segments) > 0 && q.segments[0].number == number {
			q.at = at
		}
	}
	return q.count()
}

// count counts what waits in the segments. Those of which nothing can be read go.
func (q *Queue) count() error {
	kept := q.segments[:0]
	for i, s := range q.segments {
		from := int64(len(segmentMagic))
		if i == 0 {
			from = max(q.at, from)
		}
		damaged, err := q.measure(s, from)
		if err != nil {
			return q.fail("read", err)
		}
		q.status.Damaged += damaged
		if s.blocks == 0 { // delivered, or nothing in it can be read
			_ = os.Remove(q.name(s))
			continue
		}
		if len(kept) == 0 {
			q.at = from
		}
		kept = append(kept, s)
		q.add(s.samples, s.blocks, s.size-from)
	}
	q.segments = kept
	return nil
}

// measure goes from header to header of a segment. What is behind the last whole block is
// damaged.
func (q *Queue) measure(s *segment, from int64) (damaged int64, err error) {
	f, err := os.Open(q.name(s))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	magic := make([]byte, len(segmentMagic))
	if _, err := f.ReadAt(magic, 0); err != nil || string(magic) != segmentMagic {
		if err == nil && string(magic[:segmentVersion]) == segmentMagic[:segmentVersion] {
			return 0, store.ErrForm
		}
		return info.Size(), nil // it is none, or torn at its beginning
	}
	s.size = from
	var head [blockHeader]byte
	for {
		if _, err := f.ReadAt(head[:], s.size); err != nil {
			break
		}
		h := parseHeader(head[:])
		end := s.size + blockHeader + int64(h.size)
		if h.size > mostBlock || end > info.Size() {
			break
		}
		s.size = end
		s.samples, s.blocks, s.newest = s.samples+int64(h.samples), s.blocks+1, max(s.newest, h.newest)
	}
	return max(info.Size()-s.size, 0), nil
}

func segmentNumber(name string) (uint64, bool) {
	digits, ok := strings.CutSuffix(name, segmentSuffix)
	n, err := strconv.ParseUint(digits, 16, 63)
	return n, ok && err == nil && len(digits) == 16
}

func (q *Queue) name(s *segment) string {
	return filepath.Join(q.dir, fmt.Sprintf("%016x%s", s.number, segmentSuffix))
}

// header is that of a block.
type header struct {
	size, check, samples uint32
	newest               int64
}

func parseHeader(b []byte) header {
	return header{
		size: binary.LittleEndian.Uint32(b), check: binary.LittleEndian.Uint32(b[4:]),
		samples: binary.LittleEndian.Uint32(b[8:]), newest: int64(binary.LittleEndian.Uint64(b[16:])),
	}
}

// appendBlock writes a block.
func appendBlock(out []byte, b *Block) []byte {
	at := len(out)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(b.Body)))
	out = binary.LittleEndian.AppendUint32(out, 0)
	out = binary.LittleEndian.AppendUint32(out, uint32(min(b.Samples, math.MaxInt32)))
	out = binary.LittleEndian.AppendUint32(out, 0)
	out = binary.LittleEndian.AppendUint64(out, uint64(b.Newest))
	out = append(out, b.Body...)
	binary.LittleEndian.PutUint32(out[at+4:], crc32.Checksum(out[at+8:], castagnoli))
	return out
}

var errDamaged = errors.New("a block is damaged")

// readBlock reads the block at an offset of a segment that has so many bytes. Its body is
// read into buf, as far as that has room.
func readBlock(r io.ReaderAt, at, size int64, buf []byte) (b Block, whole []byte, err error) {
	var head [blockHeader]byte
	if _, err := r.ReadAt(head[:], at); err != nil {
		return b, buf, err
	}
	h := parseHeader(head[:])
	if h.size > mostBlock || at+blockHeader+int64(h.size) > size {
		return b, buf, errDamaged
	}
	buf = slices.Grow(buf[:0], blockHeader+int(h.size))[:blockHeader+int(h.size)]
	if _, err := r.ReadAt(buf, at); err != nil {
		return b, buf, err
	}
	if crc32.Checksum(buf[8:], castagnoli) != h.check {
		return b, buf, errDamaged
	}
	return Block{Samples: int(h.samples), Newest: h.newest, Body: buf[blockHeader:]}, buf, nil
}

func appendPosition(out []byte, number uint64, at int64) []byte {
	out = binary.LittleEndian.AppendUint64(out, number)
	out = binary.LittleEndian.AppendUint64(out, uint64(at))
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out[len(out)-16:], castagnoli))
}

func parsePosition(b []byte) (number uint64, at int64, ok bool) {
	if len(b) != positionSize || crc32.Checksum(b[:16], castagnoli) != binary.LittleEndian.Uint32(b[16:]) {
		return 0, 0, false
	}
	number, offset := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	return number, int64(offset), offset <= math.MaxInt64
}

// add counts what waits.
func (q *Queue) add(samples, blocks, bytes int64) {
	q.status.Samples += samples
	q.status.Blocks += blocks
	q.status.Bytes += bytes
}

// Append takes a block. Its body may be used again. The error says why the disk did not
// take it: it waits in memory then, as long as there is room.
func (q *Queue) Append(b Block) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return os.ErrClosed
	}
	q.makeRoom(int64(len(b.Body)) + blockHeader)
	err := q.writeHeld()
	if err == nil {
		err = q.write(&b)
	}
	if err != nil {
		b.Body = slices.Clone(b.Body)
		q.hold(b)
	}
	q.status.Err = err
	session.Wake(q.wake)
	return err
}

// hold keeps a block in memory.
func (q *Queue) hold(b Block) {
	size := int64(len(b.Body)) + blockHeader
	for len(q.held) > 0 && q.status.Held+size > min(mostHeld, q.o.Bytes) {
		q.unhold(&q.status.Full)
	}
	q.held = append(q.held, b)
	q.status.Held += size
	q.add(int64(b.Samples), 1, size)
}

// unhold lets the oldest block in memory go.
func (q *Queue) unhold(counted *int64) {
	b := q.held[0]
	q.held[0] = Block{}
	q.held = q.held[1:]
	size := int64(len(b.Body)) + blockHeader
	q.status.Held -= size
	q.add(-int64(b.Samples), -1, -size)
	if counted != nil {
		*counted += int64(b.Samples)
	}
}

// writeHeld writes what waits in memory.
func (q *Queue) writeHeld() error {
	for len(q.held) > 0 {
		if err := q.write(&q.held[0]); err != nil {
			return err
		}
		q.unhold(nil)
	}
	return nil
}

// write writes a block behind the others: all of it or nothing.
func (q *Queue) write(b *Block) error {
	now := q.o.Clock.Now().Mono
	if q.tail != nil && q.isDone(q.last(), now) {
		q.seal()
	}
	if q.tail == nil {
		if err := q.begin(now); err != nil {
			return err
		}
	}
	s := q.last()
	q.out = appendBlock(q.out[:0], b)
	if _, err := q.tail.WriteAt(q.out, s.size); err != nil {
		_ = q.tail.Truncate(s.size)
		return q.fail("write", err)
	}
	s.size += int64(len(q.out))
	s.samples, s.blocks, s.newest, s.written = s.samples+int64(b.Samples), s.blocks+1, max(s.newest, b.Newest), max(now, 1)
	q.add(int64(b.Samples), 1, int64(len(q.out)))
	q.dirty = true
	return nil
}

func (q *Queue) last() *segment { return q.segments[len(q.segments)-1] }

// isDone tells that a segment is large enough, or covers enough time.
func (q *Queue) isDone(s *segment, now time.Duration) bool {
	return s.size >= q.limit || q.o.Age > 0 && now-s.born > q.o.Age/segmentsOfLimit
}

// begin begins a segment.
func (q *Queue) begin(now time.Duration) error {
	s := &segment{number: 1, size: int64(len(segmentMagic)), born: now, written: max(now, 1)}
	if len(q.segments) > 0 {
		s.number = q.last().number + 1
	} else if number, _, ok := q.delivered(); ok { // one that is removed is not numbered again
		s.number = number + 1
	}
	f, err := os.OpenFile(q.name(s), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return q.fail("write", err)
	}
	if _, err := f.WriteAt([]byte(segmentMagic), 0); err != nil {
		_ = f.Close()
		_ = os.Remove(q.name(s))
		return q.fail("write", err)
	}
	if len(q.segments) == 0 {
		q.at = s.size
	}
	q.tail, q.segments = f, append(q.segments, s)
	return nil
}

// delivered is the position on the disk.
func (q *Queue) delivered() (number uint64, at int64, ok bool) {
	var text [positionSize]byte
	if n, _ := q.position.ReadAt(text[:], 0); n != positionSize {
		return 0, 0, false
	}
	return parsePosition(text[:])
}

// seal ends the segment that is written.
func (q *Queue) seal() {
	if q.tail != nil {
		_ = q.tail.Sync()
		_ = q.tail.Close()
		q.tail, q.dirty = nil, false
	}
}

// makeRoom lets the oldest segments go when the queue is full or they are too old.
func (q *Queue) makeRoom(more int64) {
	for len(q.segments) > 0 && q.status.Bytes-q.status.Held+more > q.o.Bytes {
		q.drop(&q.status.Full)
	}
	if q.o.Age <= 0 {
		return
	}
	now := q.o.Clock.Now()
	for len(q.segments) > 0 {
		s := q.segments[0]
		age := now.Mono - s.written
		if s.written == 0 {
			age = now.Wall.Sub(time.UnixMilli(s.newest))
		}
		if age <= q.o.Age {
			break
		}
		q.drop(&q.status.Old)
	}
}

// drop lets the oldest segment go.
func (q *Queue) drop(counted *int64) {
	s := q.segments[0]
	*counted += s.samples
	q.add(-s.samples, -s.blocks, -(s.size - q.at))
	q.forget()
}

// forget removes the oldest segment.
func (q *Queue) forget() {
	s := q.segments[0]
	if q.head != nil {
		_ = q.head.Close()
		q.head = nil
	}
	if len(q.segments) == 1 && q.tail != nil {
		_ = q.tail.Close()
		q.tail, q.dirty = nil, false
	}
	q.segments = q.segments[1:]
	q.at = int64(len(segmentMagic))
	q.note(s.number, math.MaxInt64)
	_ = os.Remove(q.name(s))
}

// note writes the position down. A lost one has blocks delivered twice.
func (q *Queue) note(number uint64, at int64) {
	if number == 0 {
		return
	}
	_, _ = q.position.WriteAt(appendPosition(nil, number, at), 0)
}

// Ticket names the block that Next gave.
type Ticket struct {
	number uint64 // of the segment; 0: it is in memory
	at     int64
	end    int64
	header int64 // samples
}

// Next is the oldest block that waits; ok is false when none does. Its body holds until
// Next is called again. What cannot be read is passed over, and counted.
func (q *Queue) Next() (b Block, ticket Ticket, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.makeRoom(0)
	for len(q.segments) > 0 && !q.closed {
		s := q.segments[0]
		if q.at >= s.size {
			if len(q.segments) == 1 && q.tail != nil && len(q.held) == 0 && !q.isDone(s, q.o.Clock.Now().Mono) {
				return Block{}, Ticket{}, false
			}
			q.forget()
			continue
		}
		var err error
		if q.head == nil {
			q.head, err = os.Open(q.name(s))
		}
		if err == nil {
			b, q.in, err = readBlock(q.head, q.at, s.size, q.in)
		}
		if err == nil {
			return b, Ticket{s.number, q.at, q.at + int64(len(q.in)), int64(b.Samples)}, true
		}
		q.status.Damaged += s.size - q.at
		q.add(-s.samples, -s.blocks, -(s.size - q.at))
		s.samples, s.blocks = 0, 0
		q.forget()
	}
	if len(q.held) > 0 && !q.closed {
		b = q.held[0]
		return b, Ticket{header: int64(b.Samples), at: b.Newest}, true
	}
	return Block{}, Ticket{}, false
}

// Done marks the block of a ticket as delivered, or not to be.
func (q *Queue) Done(t Ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.number == 0 {
		if len(q.held) > 0 && q.held[0].Newest == t.at && int64(q.held[0].Samples) == t.header {
			q.unhold(nil)
		}
		return
	}
	if len(q.segments) == 0 || q.segments[0].number != t.number || q.at != t.at {
		return // it went meanwhile
	}
	s := q.segments[0]
	s.samples, s.blocks = s.samples-t.header, s.blocks-1
	q.add(-t.header, -1, -(t.end - t.at))
	q.at = t.end
	q.note(s.number, q.at)
}

// Status is how the queue is.
func (q *Queue) Status() QueueStatus {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.status
}

// Sync forces onto the disk what was written since the last time. It may take long.
func (q *Queue) Sync() {
	q.mu.Lock()
	f, dirty := q.tail, q.dirty
	q.dirty = false
	q.mu.Unlock()
	if f != nil && dirty {
		_ = f.Sync() // one that was closed meanwhile was synced
	}
}

// Close ends the use of the queue. What waits on the disk stays, what waits in memory is
// written, or lost where that cannot be.
func (q *Queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil
	}
	err := q.writeHeld()
	for len(q.held) > 0 {
		q.unhold(&q.status.Unwritten)
	}
	q.closed = true
	q.seal()
	q.release()
	return err
}

func (q *Queue) release() {
	for _, f := range []*os.File{q.head, q.position, q.lock} {
		if f != nil {
			_ = f.Close()
		}
	}
	q.head = nil
}

// QueueName is the folder of the queue of an engine: one for each part of the hosts, and
// for each of a pair.
func QueueName(engine *url.URL, tenant, replica string, shard Shard) string {
	host := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, engine.Host)
	sum := fnv.New32a()
	fmt.Fprintf(sum, "%s %q %q", engine, tenant, replica)
	name := fmt.Sprintf("%.100s-%08x", host, sum.Sum32())
	if !shard.IsWhole() {
		name += fmt.Sprintf("-%dof%d", shard.Number, shard.Of)
	}
	return name
}
