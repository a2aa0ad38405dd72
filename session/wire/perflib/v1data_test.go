package perflib_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session/system/sharedtest"
	. "perfdeck/session/wire/perflib"
)

func readShared(t testing.TB, name string) []byte {
	t.Helper()
	return []byte(sharedtest.Read(t, name))
}

// TestV1RealData reads what real Windows hosts answered, without loss.
func TestV1RealData(t *testing.T) {
	for _, c := range []struct {
		file      string
		object    uint32
		counters  int
		instances []string
	}{
		{"pal_samplelog_00.bin", 236, 34, []string{"HarddiskVolume1", "C:", "_Total"}},
		{"pal_samplelog_01.bin", 638, 9, []string{""}},
		{"pal_samplelog_02.bin", 4, 36, []string{""}},
		{"pal_samplelog_03.bin", 510, 17, []string{"VIA Rhine II Fast Ethernet Adapter", "Atheros AR5005G Wireless Network Adapter"}},
		{"pal_samplelog_04.bin", 234, 31, []string{"0 C:", "_Total"}},
		{"pal_samplelog_05.bin", 238, 15, []string{"0", "_Total"}},
		{"pal_samplelog_06.bin", 2, 18, []string{""}},
		{"winxp_object238_processor.bin", 238, 15, []string{"0", "_Total"}},
	} {
		t.Run(c.file, func(t *testing.T) {
			b := readShared(t, "data/rawperf/"+c.file)
			tables, err := readV1(b)
			if err != nil || len(tables) != 1 {
				t.Fatalf("%d objects: %v", len(tables), err)
			}
			o := tables[0]
			if o.Index != c.object || len(o.Counters) != c.counters || len(o.Rows) != len(c.instances) {
				t.Fatalf("object %d with %d counters and %d instances", o.Index, len(o.Counters), len(o.Rows))
			}
			for i, row := range o.Rows {
				if row.Name != c.instances[i] {
					t.Errorf("instance %d is %q", i, row.Name)
				}
				for k, v := range row.Values {
					if v.Size == 0 {
						t.Errorf("instance %q: no value of counter %d", row.Name, o.Counters[k].NameIndex)
					}
				}
			}
			r := ReadV1(b)
			if h := r.Header(); h.NumObjects == 0 || h.PerfFreqHz == 0 || h.Time100ns == 0 {
				t.Errorf("header %+v", h)
			}
		})
	}
}

// Of every counter type with a base, the definition after it is one, in all the
// real data.
func TestV1RealBases(t *testing.T) {
	bases := 0
	for _, file := range []string{"00", "01", "02", "03", "04", "05", "06"} {
		tables, err := readV1(readShared(t, "data/rawperf/pal_samplelog_"+file+".bin"))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range tables {
			for i := range o.Counters {
				info, known := o.Counters[i].Type.Info()
				at := V1Base(o.Counters, i)
				if !known || (info.Base != cooker.BaseNone) != (at >= 0) {
					t.Errorf("object %d, counter %d of type %v: base at %d", o.Index, o.Counters[i].NameIndex, o.Counters[i].Type, at)
				}
				if at >= 0 {
					bases++
				}
			}
		}
	}
	if bases < 20 {
		t.Errorf("%d bases", bases)
	}
}

// titles are the title indexes of the names in cooking.tsv; those below
// 1848 are the same on every Windows.
var titles = map[string]uint32{
	"PhysicalDisk": 234, "LogicalDisk": 236, "Processor": 238, "System": 2, "Process": 230,
	"% Disk Time": 200, "% Idle Time": 1482, "Avg. Disk Bytes/Read": 226, "Avg. Disk Queue Length": 1400,
	"Avg. Disk sec/Read": 208, "Disk Bytes/sec": 218, "Disk Reads/sec": 214, "Free Megabytes": 410,
	"% Processor Time": 6, "% User Time": 142, "Interrupts/sec": 148, "System Up Time": 674,
}

// carved are the PERF_DATA_BLOCKs of a log that stand in one piece, by object
// and time.
type carved map[[2]uint64][]byte

func carve(t *testing.T, log []byte) carved {
	found := carved{}
	for at := 0; ; {
		i := bytes.Index(log[at:], V1Signature)
		if i < 0 {
			break
		}
		at += i
		if rest := log[at:]; len(rest) >= V1HeaderSize && uint64(U32(rest, 20)) <= uint64(len(rest)) {
			block := rest[:U32(rest, 20)]
			if tables, err := readV1(block); err == nil && len(tables) == 1 {
				r := ReadV1(block)
				found[[2]uint64{uint64(tables[0].Index), r.Header().PerfTime}] = block
			}
		}
		at += len(V1Signature)
	}
	if len(found) < 20 {
		t.Fatalf("%d blocks in the log", len(found))
	}
	return found
}

// sample finds a counter's raw values and clocks in a block.
func (c carved) sample(object uint32, perfTime uint64, counter uint32, instance string) (*cooker.Reading, *cooker.Clocks) {
	r := ReadV1(c[[2]uint64{uint64(object), perfTime}])
	for r.Next() {
		o := r.Object()
		list := o.AppendCounters(nil)
		for it := o.Instances(); it.Next(); {
			if o.Text(it.Name) != instance {
				continue
			}
			for i := range list {
				if list[i].NameIndex != counter {
					continue
				}
				reading := &cooker.Reading{}
				reading.Raw, reading.Size = list[i].Value(it.Data)
				if b := V1Base(list, i); b >= 0 {
					reading.Base, reading.BaseSize = list[b].Value(it.Data)
				}
				clocks := r.Header().Clocks()
				clocks.ObjTime, clocks.ObjFreqHz = o.PerfTime, o.PerfFreqHz
				return reading, &clocks
			}
		}
	}
	return nil, nil
}

// TestV1SampleLog reads the log that the vectors of cooking were taken from:
// raw values, bases and clocks are those of the vectors, and cook to their
// values.
func TestV1SampleLog(t *testing.T) {
	log := carve(t, readShared(t, "data/blg/clinthuffman_PAL__SampleLog.blg"))
	for i := range 7 {
		b := readShared(t, "data/rawperf/pal_samplelog_0"+strconv.Itoa(i)+".bin")
		r := ReadV1(b)
		r.Next()
		log[[2]uint64{uint64(r.Object().NameIndex), r.Header().PerfTime}] = b
	}
	checked, times := 0, map[string]uint64{}
	var rows [][]string
	vectors, err := os.ReadFile("../../../cooker/testdata/cooking.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(vectors)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if _, from, ok := strings.Cut(f[len(f)-1], "SampleLog.blg (MIT), samples "); ok {
			rows = append(rows, append(f[:len(f)-1:len(f)-1], from))
			if f[9] != "" && f[0] != "PERF_ELAPSED_TIME" { // elapsed time has the object's clock there
				times[f[9]], times[f[10]] = number(t, f[6]), number(t, f[7])
			}
		}
	}
	for _, f := range rows {
		_, path, _ := strings.Cut(f[13], `, \`)
		path, _, _ = strings.Cut(path, ";")
		object, counter, _ := strings.Cut(path, `\`)
		object, instance, _ := strings.Cut(strings.TrimSuffix(object, ")"), "(")
		t0, t1 := times[f[9]], times[f[10]]
		older, clocks0 := log.sample(titles[object], t0, titles[counter], instance)
		newer, clocks1 := log.sample(titles[object], t1, titles[counter], instance)
		if newer == nil || older == nil {
			t.Logf(`\%s: not in one piece in the log`, path)
			continue
		}
		checked++
		if older.Raw != number(t, f[2]) || newer.Raw != number(t, f[3]) || older.Base != number(t, f[4]) || newer.Base != number(t, f[5]) {
			t.Errorf(`\%s: read %+v and %+v, want %v`, path, older, newer, f[2:6])
		}
		code, err := strconv.ParseUint(f[1], 0, 32)
		if err != nil {
			t.Fatal(err)
		}
		value := cooker.Cook(cooker.CounterType(code), older, newer, clocks0, clocks1, nil)
		want, err := strconv.ParseFloat(f[11], 64)
		if got, ok := value.Float(); err != nil || !ok || math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf(`\%s: %v, want %v (%v)`, path, got, want, err)
		}
	}
	if checked < 10 {
		t.Errorf("only %d of %d vectors are in the log", checked, len(rows))
	}
	t.Logf("%d of %d vectors", checked, len(rows))
}

func number(t *testing.T, s string) uint64 {
	t.Helper()
	if s == "" {
		return 0
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestV1WindowsXP: its last block states 64 bytes and holds 120.
func TestV1WindowsXP(t *testing.T) {
	b := readShared(t, "data/rawperf/winxp_object238_processor.bin")
	tables, err := readV1(b)
	if err != nil {
		t.Fatal(err)
	}
	last := tables[0].Rows[1]
	if stated := binary.LittleEndian.Uint32(b[936+40:]); stated != 64 || last.Values[14].Size != 8 {
		t.Errorf("stated %d bytes, last value %+v", stated, last.Values[14])
	}
	if got, want := last.Values[0], tables[0].Rows[0].Values[0]; got != want { // one processor is all there is
		t.Errorf("total %d, processor %d", got, want)
	}
}
