package blg_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/blg"
	"perfdeck/session/files/formats/blg/trace"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/sharedtest"
)

var realBLGs = []string{counterSamples, badSamples, wholeObjects}

// blgBytes is a real log.
func blgBytes(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(sharedtest.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// readBLG reads all of a log out of memory. Without rows it could not be opened.
func readBLG(t testing.TB, data []byte) (header *logs.Header, rows []formatstest.Kept, faults logs.Faults, err error) {
	t.Helper()
	r, err := blg.NewReader(context.Background(), "x.blg", bytes.NewReader(data), func() (int64, error) { return int64(len(data)), nil }, logs.OpenOptions{})
	if err != nil {
		return nil, nil, faults, err
	}
	for {
		var row logs.Row
		if err := r.Next(&row); err != nil {
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			return r.Header(), rows, r.Faults(), nil
		}
		rows = append(rows, formatstest.Kept{Time: row.Time, Values: row.Values, Raw: row.Raw})
	}
}

// TestBLGReaders holds real logs to the contract of readers.
func TestBLGReaders(t *testing.T) {
	for _, name := range realBLGs {
		r, err := formats.Open(t.Context(), sharedtest.Path(t, name), logs.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if err := r.Complete(t.Context()); err != nil {
			t.Fatal(err)
		}
		all := formatstest.Rest(t, r)
		formatstest.SeekAndBack(t, r, all)
		formatstest.OnlySome(t, r, all)
		span, err := r.Span()
		if err != nil || !span.First.Equal(all[0].Time) || !span.Last.Equal(all[len(all)-1].Time) {
			t.Errorf("%s: span %+v, %v", name, span, err)
		}
		fresh, err := formats.Open(t.Context(), sharedtest.Path(t, name), logs.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer fresh.Close()
		if span, err := fresh.Span(); err != nil || span.Rows < int64(len(all))*8/10 || span.Rows > int64(len(all))*12/10 || name == wholeObjects && !span.Exact {
			t.Errorf("%s: guessed span %+v of %d, %v", name, span, len(all), err)
		}
	}
}

// TestBLGMissing: the computers of a log that could not be reached have no values.
func TestBLGMissing(t *testing.T) {
	_, rows, faults, err := readBLG(t, blgBytes(t, badSamples))
	if err != nil || faults.Any() || faults.Torn {
		t.Fatalf("%+v, %v", faults, err)
	}
	missing := 0
	for i := range rows {
		for c := range rows[i].Raw {
			if !rows[i].Raw[c].Known {
				missing++
				if rows[i].Values[c].Valid() {
					t.Errorf("row %d, column %d: %v without a raw value", i, c, rows[i].Values[c])
				}
			}
		}
	}
	if missing != 52 {
		t.Errorf("%d values are missing, want 52", missing)
	}
}

// TestBLGFollows reads logs while they are written, in pieces of all sizes.
func TestBLGFollows(t *testing.T) {
	for _, name := range realBLGs {
		data := blgBytes(t, name)
		_, want, _, err := readBLG(t, data)
		if err != nil {
			t.Fatal(err)
		}
		source := rand.New(rand.NewPCG(1, 2))
		file := &bytes.Buffer{}
		size := min(0x32000, len(data))
		for len(data[size-1:]) > 1 && bytes.Count(data[:size], []byte("BL\x03\x00")) == 0 {
			size += 1000
		}
		file.Write(data[:size])
		r, err := blg.NewReader(t.Context(), "x.blg", reading(func() []byte { return file.Bytes() }), func() (int64, error) { return int64(file.Len()), nil }, logs.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for {
			for _, got := range formatstest.Rest(t, r) {
				if !got.Time.Equal(want[n].Time) {
					t.Fatalf("%s: row %d at %v, want %v", name, n, got.Time, want[n].Time)
				}
				n++
			}
			if size == len(data) {
				break
			}
			step := min(1+source.IntN(30000), len(data)-size)
			file.Write(data[size : size+step])
			size += step
		}
		if f := r.Faults(); n != len(want) || f.Any() || f.Torn {
			t.Errorf("%s: %d of %d rows, %+v", name, n, len(want), f)
		}
	}
}

// reading reads what is there by now.
type reading func() []byte

func (r reading) ReadAt(b []byte, at int64) (int, error) { return bytes.NewReader(r()).ReadAt(b, at) }

// TestBLGCuts cuts logs: what is whole is read, in its order, and that there was more is
// told.
func TestBLGCuts(t *testing.T) {
	step := 97
	if testing.Short() {
		step = 97 * 101
	}
	for _, name := range realBLGs {
		data := blgBytes(t, name)
		_, want, _, err := readBLG(t, data)
		if err != nil {
			t.Fatal(err)
		}
		most := 0
		for size := 0; size < len(data); size += step {
			_, rows, faults, err := readBLG(t, data[:size])
			if err != nil {
				if most > 0 {
					t.Fatalf("%s cut at %d: %v", name, size, err)
				}
				continue
			}
			if len(rows) < most {
				t.Fatalf("%s cut at %d: %d rows, before %d", name, size, len(rows), most)
			}
			most = len(rows)
			for i := range rows {
				if !rows[i].Time.Equal(want[i].Time) || len(rows[i].Raw) == 0 {
					t.Fatalf("%s cut at %d: row %d at %v, want %v", name, size, i, rows[i].Time, want[i].Time)
				}
			}
			if len(rows) < len(want) && size%65536 > 72 && size%65536 < 0xA000 && !faults.Torn {
				t.Fatalf("%s cut at %d: nothing tells that it is torn", name, size)
			}
		}
		if most < len(want)-1 {
			t.Errorf("%s: %d of %d rows at most", name, most, len(want))
		}
	}
}

// TestBLGFlips damages logs: they are read to their end, nothing is made up out of a
// damaged length, and nothing takes more memory than the bytes warrant. Without -short, as
// in the whole run, it is 100,000 times:
//
//	go test -run 'BLGFlips|BLGCuts' -timeout 60m ./session/files/logs
func TestBLGFlips(t *testing.T) {
	flips := 100_000
	if testing.Short() {
		flips = 100
	}
	source := rand.New(rand.NewPCG(7, 8))
	for _, name := range realBLGs {
		data := blgBytes(t, name)
		for range (flips + len(realBLGs) - 1) / len(realBLGs) {
			damaged := slices.Clone(data)
			for range 1 + source.IntN(4) {
				at := source.IntN(len(damaged))
				if source.IntN(3) == 0 { // where the structure is
					at = source.IntN(len(damaged)/65536)*65536 + source.IntN(0x500)
				}
				damaged[at] = byte(source.IntN(256))
			}
			var rows []formatstest.Kept
			if took := formatstest.Allocated(func() { _, rows, _, _ = readBLG(t, damaged) }); took > 600<<20 {
				t.Fatalf("%s: %d MiB were allocated", name, took>>20)
			}
			if len(rows) > 300 {
				t.Fatalf("%s: %d rows", name, len(rows))
			}
		}
	}
}

// TestBLGShuffled: buffers that stand in another order, as in a circular log, are read in
// the order of time, and so are those whose neighbours are gone.
func TestBLGShuffled(t *testing.T) {
	const size = 65536
	for _, name := range realBLGs[1:] {
		data := blgBytes(t, name)
		_, want, _, err := readBLG(t, data)
		if err != nil {
			t.Fatal(err)
		}
		n := len(data)/size - 1
		source := rand.New(rand.NewPCG(3, 1))
		for _, order := range [][]int{{3, 4, 5, 0, 1, 2}, source.Perm(n), source.Perm(n)} {
			shuffled := slices.Clone(data[:size])
			for _, b := range order {
				shuffled = append(shuffled, data[(1+b)*size:(2+b)*size]...)
			}
			_, rows, faults, err := readBLG(t, shuffled)
			if err != nil || len(rows) != len(want) || faults.Any() {
				t.Fatalf("%s %v: %d rows of %d, %+v, %v", name, order, len(rows), len(want), faults, err)
			}
			for i := range rows {
				if !formatstest.SameValues(rows[i].Values, want[i].Values) {
					t.Fatalf("%s %v: row %d differs", name, order, i)
				}
			}
		}
		hole := slices.Concat(data[:4*size], make([]byte, size), data[5*size:])
		_, rows, faults, err := readBLG(t, hole)
		if err != nil || len(rows) == 0 || len(rows) >= len(want) || faults.Rows == 0 || faults.First[0].Offset == 0 {
			t.Errorf("%s with a hole: %d rows of %d, %+v, %v", name, len(rows), len(want), faults, err)
		}
	}
}

// TestBLGAppended: a second list of counters, with or without a header before it, begins
// anew; that this is how logs are appended to is inferred, and said.
func TestBLGAppended(t *testing.T) {
	first, second := blgBytes(t, badSamples), blgBytes(t, counterSamples)
	_, a, _, err := readBLG(t, first)
	if err != nil {
		t.Fatal(err)
	}
	_, b, _, err := readBLG(t, second)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"bare": slices.Concat(first, second[65536:]), "with a header": slices.Concat(first, second)} {
		r, err := blg.NewReader(t.Context(), "x.blg", bytes.NewReader(data), func() (int64, error) { return int64(len(data)), nil }, logs.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Complete(t.Context()); err != nil {
			t.Fatal(err)
		}
		all := formatstest.Rest(t, r)
		span, err := r.Span()
		if faults := r.Faults(); err != nil || faults.Any() || faults.Torn || len(all) != len(a)+len(b) || span.Inferred != logs.InferredAppend || len(span.Inferred.Words()) != 1 {
			t.Fatalf("%s: %d rows, %+v, %+v, %v", name, len(all), span, faults, err)
		}
		width := len(a[0].Values)
		for n := range all {
			want := slices.Clone(all[n].Values)
			for c := range want {
				want[c] = cooker.Absent(cooker.Gone)
			}
			if n < len(a) {
				copy(want, a[n].Values)
			} else {
				copy(want[width:], b[n-len(a)].Values)
			}
			if !formatstest.SameValues(all[n].Values, want) {
				t.Errorf("%s: row %d: %v, want %v", name, n, all[n].Values, want)
			}
		}
		formatstest.SeekAndBack(t, logs.NewReader(t.Context(), r, func() (logs.FileRows, error) { return nil, io.EOF }, logs.OpenOptions{}, false), all)
	}
	if span := spanOfBLG(t, first); span.Inferred != 0 || len(span.Inferred.Words()) != 0 {
		t.Errorf("a log as it was seen: %+v", span)
	}
	shuffled := slices.Concat(first[:65536], first[3*65536:], first[65536:3*65536])
	if span := spanOfBLG(t, shuffled); span.Inferred != logs.InferredOrder {
		t.Errorf("shuffled buffers: %+v", span)
	}
}

func spanOfBLG(t *testing.T, data []byte) logs.Span {
	t.Helper()
	r, err := blg.NewReader(t.Context(), "x.blg", bytes.NewReader(data), func() (int64, error) { return int64(len(data)), nil }, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	span, err := r.Span()
	if err != nil {
		t.Fatal(err)
	}
	return span
}

// TestBLGContentDecides: what a file is its content tells, not its name.
func TestBLGContentDecides(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile(sharedtest.Path(t, "data/pdhtext/PowerShell_PowerShell__CounterSamples.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"text.blg": text, "log.csv": blgBytes(t, counterSamples)} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, rows, _ := formatstest.ReadAll(t, file, logs.OpenOptions{}); len(rows) != 25 {
			t.Errorf("%s: %d rows", name, len(rows))
		}
	}
	bare := blgBytes(t, counterSamples)[:65536]
	_, _, _, err = readBLG(t, bare)
	if e, ok := errors.AsType[*logs.FileError](err); !ok || !errors.Is(err, trace.ErrOtherTrace) || e.Advice == "" {
		t.Errorf("a trace without counters: %v", err)
	}
}

func FuzzBLG(f *testing.F) {
	for _, name := range realBLGs {
		f.Add(blgBytes(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "x.blg")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		formatstest.Exercise(t, file, logs.OpenOptions{})
	})
}
