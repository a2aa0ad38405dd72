package blg_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/blg"
	"perfdeck/session/files/formats/blg/trace"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
)

// blgMaker makes a log of any size out of the events of a real one.
type blgMaker struct {
	out    *bufio.Writer
	head   []byte // first buffer, and the header of another
	buffer []byte
	number uint64
	event  []byte // header of an event
}

const madeBuffer = 65536

// flush writes the buffer, filled up.
func (m *blgMaker) flush() {
	binary.LittleEndian.PutUint32(m.buffer[48:], uint32(len(m.buffer)))
	binary.LittleEndian.PutUint64(m.buffer[24:], m.number)
	for len(m.buffer) < madeBuffer {
		m.buffer = append(m.buffer, 0xFF)
	}
	_, _ = m.out.Write(m.buffer)
	m.begin()
}

func (m *blgMaker) begin() {
	m.number++
	m.buffer = append(m.buffer[:0], m.head[:72]...)
	clear(m.buffer[16:24]) // times of writing are not always kept
}

// write writes an event in fragments.
func (m *blgMaker) write(kind trace.Kind, at int64, payload []byte) {
	of := max((len(payload)+7999)/8000, 1)
	for n := range of {
		part := payload[n*8000 : min((n+1)*8000, len(payload))]
		if len(m.buffer)+72+len(part) > madeBuffer {
			m.flush()
		}
		event := slices.Clone(m.event)
		binary.LittleEndian.PutUint16(event, uint16(72+len(part)))
		event[4] = byte(kind)
		binary.LittleEndian.PutUint64(event[16:], uint64(at))
		binary.LittleEndian.PutUint32(event[64:], uint32(n+1))
		binary.LittleEndian.PutUint32(event[68:], uint32(of))
		m.buffer = append(append(m.buffer, event...), part...)
		for len(m.buffer)%8 != 0 {
			m.buffer = append(m.buffer, 0)
		}
	}
}

// madeBLG writes a log of about so many bytes: the events of a real one, the samples again
// and again, a second apart, and an index at the end if it is to have one.
func madeBLG(t testing.TB, out io.Writer, form madeForm, size int64) (samples int64, first time.Time) {
	t.Helper()
	data := blgBytes(t, form.like)
	m := &blgMaker{out: bufio.NewWriterSize(out, 1<<20), head: data[:72]}
	m.event = data[madeBuffer+72 : madeBuffer+144]
	_, _ = m.out.Write(data[:madeBuffer])
	m.begin()
	s, err := trace.NewStream(bytes.NewReader(data), func() (int64, error) { return int64(len(data)), nil })
	if err != nil {
		t.Fatal(err)
	}
	s.Begin()
	var sample, index []byte
	var e trace.Event
	for s.Next(&e) == nil {
		if e.Kind == trace.KindSample && sample == nil {
			sample, first = slices.Clone(e.Payload), trace.Time(e.Time)
		} else if e.Kind == trace.KindList || e.Kind == trace.KindNames {
			m.write(e.Kind, e.Time, e.Payload)
		} else if e.Kind == trace.KindIndex {
			index = slices.Clone(e.Payload)
		}
	}
	for at := int64(cooker.FileTime(first)); int64(m.number)*madeBuffer < size; at += 1e7 {
		m.write(trace.KindSample, at, sample)
		samples++
		advance(sample)
	}
	if form.indexed {
		last := int64(cooker.FileTime(first)) + (samples-1)*1e7
		binary.LittleEndian.PutUint64(index, uint64(int64(cooker.FileTime(first))))
		binary.LittleEndian.PutUint64(index[8:], uint64(last))
		binary.LittleEndian.PutUint32(index[16:], uint32(samples))
		m.write(trace.KindIndex, last+30, index)
	}
	m.flush()
	if err := m.out.Flush(); err != nil {
		t.Fatal(err)
	}
	return samples, first
}

// advance lets the clocks and counters of a sample go on by a second.
func advance(sample []byte) {
	add := func(b []byte, by uint64) {
		binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)+by)
	}
	for r := trace.ReadSample(sample); r.Next(); {
		switch r.Kind {
		case trace.RecordRaw:
			add(r.Body[16:], 3_000_000)
			add(r.Body[24:], 10_000_000)
		case trace.RecordObject:
			add(r.Body[56:], 3_579_545)
			add(r.Body[72:], 10_000_000)
			add(r.Body[binary.LittleEndian.Uint32(r.Body[24:])+48:], 3_579_545)
		case trace.RecordItems:
		}
	}
}

// madeForm is a form of logs, after one of which there is a real one.
type madeForm struct {
	name, like string
	indexed    bool
}

var madeForms = []madeForm{{"list", badSamples, false}, {"objects", wholeObjects, false}, {"indexed", wholeObjects, true}}

// TestBLGLarge opens and scrolls logs that may be larger than memory; PERFDECK_LARGE_MIB
// says how large.
func TestBLGLarge(t *testing.T) {
	for _, form := range madeForms {
		name := filepath.Join(t.TempDir(), form.name+".blg")
		file, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		samples, _ := madeBLG(t, file, form, formatstest.LargeBytes(t))
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		began := time.Now()
		r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		span, err := r.Span()
		if err != nil || span.Rows < samples*9/10 || span.Rows > samples*11/10 {
			t.Errorf("%s: span %+v of %d samples, %v", form.name, span, samples, err)
		}
		opened := time.Since(began)
		began = time.Now()
		const jumps = 100
		var row logs.Row
		for i := range int64(jumps) {
			n := i * 37 % jumps * samples / jumps
			want := span.First.Add(time.Duration(n) * time.Second)
			if err := r.SeekTime(want); err != nil {
				t.Fatal(err)
			}
			if err := r.Next(&row); err != nil || !row.Time.Equal(want) {
				t.Fatalf("%s: at %v: %v, %v", form.name, want, row.Time, err)
			}
		}
		sought := time.Since(began)
		if err := r.SeekTime(span.First); err != nil {
			t.Fatal(err)
		}
		began = time.Now()
		n := int64(0)
		for ; err == nil; n++ {
			err = r.Next(&row)
		}
		if faults := r.Faults(); n-1 != samples || !errors.Is(err, io.EOF) || faults.Any() {
			t.Errorf("%s: %d of %d samples, %v, %+v", form.name, n-1, samples, err, faults)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > 40<<20 {
			t.Errorf("%s: %d MiB are in use", form.name, grown>>20)
		}
		t.Logf("%s: %d MiB, opened in %v, %d jumps in %v, read in %v, %d MiB allocated in all", form.name, span.Bytes>>20, opened,
			jumps, sought, time.Since(began), (after.TotalAlloc-before.TotalAlloc)>>20)
	}
}

// TestBLGAllocatesNothing: a sample that is read costs no memory, whatever it holds.
func TestBLGAllocatesNothing(t *testing.T) {
	for _, form := range madeForms[:2] {
		var made bytes.Buffer
		madeBLG(t, &made, form, 4<<20)
		data := made.Bytes()
		r, err := blg.NewReader(t.Context(), "x.blg", bytes.NewReader(data), func() (int64, error) { return int64(len(data)), nil }, logs.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var row logs.Row
		next := func() {
			if err := r.Next(&row); err != nil {
				t.Fatal(err)
			}
		}
		for range 10 {
			next()
		}
		if n := testing.AllocsPerRun(100, next); n >= 1 {
			t.Errorf("%s: %v allocations a sample of %d values", form.name, n, len(row.Values))
		}
	}
}

func BenchmarkBLG(b *testing.B) {
	for _, form := range madeForms[:2] {
		var made bytes.Buffer
		madeBLG(b, &made, form, 16<<20)
		data := made.Bytes()
		for _, only := range []bool{false, true} {
			name := form.name
			if only {
				name += "/one"
			}
			b.Run(name, func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					r, err := blg.NewReader(b.Context(), "x.blg", bytes.NewReader(data), func() (int64, error) { return int64(len(data)), nil }, logs.OpenOptions{})
					if err != nil {
						b.Fatal(err)
					}
					if only {
						r.Only([]int{0})
					}
					var row logs.Row
					for err == nil {
						err = r.Next(&row)
					}
				}
			})
		}
	}
}
