package perflib_test

import (
	"bytes"
	"errors"
	"reflect"
	"strconv"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	. "perfdeck/session/wire/perflib"
	"perfdeck/session/wire/perflib/perflibtest"
)

// v1Value is one value as read.
type v1Value struct {
	Value uint64
	Size  uint8
}

// v1Row is one instance as read.
type v1Row struct {
	Name, Parent string // Parent is "object/position"
	ID           uint32
	Values       []v1Value
}

// v1Table is one object as read.
type v1Table struct {
	Index      uint32
	Multiple   bool
	PerfTime   uint64
	PerfFreqHz uint64
	Counters   []V1Counter
	Rows       []v1Row
	Err        bool
}

// readV1 reads all of an answer.
func readV1(b []byte) (tables []v1Table, err error) {
	r := ReadV1(b)
	for r.Next() {
		o := r.Object()
		t := v1Table{Index: o.NameIndex, Multiple: o.Multiple(), PerfTime: o.PerfTime, PerfFreqHz: o.PerfFreqHz, Counters: o.AppendCounters(nil)}
		for it := o.Instances(); it.Next(); {
			row := v1Row{Name: o.Text(it.Name), ID: it.UniqueID}
			if it.ParentObject != 0 {
				row.Parent = strconv.Itoa(int(it.ParentObject)) + "/" + strconv.Itoa(int(it.ParentIndex))
			}
			for i := range t.Counters {
				v, size := t.Counters[i].Value(it.Data)
				row.Values = append(row.Values, v1Value{v, size})
			}
			t.Rows = append(t.Rows, row)
		}
		t.Err = o.Err() != nil
		tables = append(tables, t)
	}
	return tables, r.Err()
}

var v1TestHeader = V1Header{
	PerfTime: 123456789, PerfFreqHz: 10_000_000, Time100ns: 133_000_000_000_000_000,
}

func v1Counters() []V1Counter {
	return []V1Counter{
		{NameIndex: 6, HelpIndex: 7, Type: cooker.Timer100ns, Size: 8, Detail: session.DetailNovice},
		{NameIndex: 148, HelpIndex: 149, Type: cooker.CounterCounter, Size: 4, DefaultScale: -2},
		{NameIndex: 206, Type: cooker.AverageTimer, Size: 8}, // a DWORD type of 8 bytes
		{NameIndex: 206, Type: cooker.AverageBase, Size: 4},
	}
}

// v1Answer writes an object with instances, one without, and one that has none
// now.
func v1Answer(t testing.TB) []byte {
	t.Helper()
	w := perflibtest.NewV1Writer(&v1TestHeader)
	w.Object(&V1Object{NameIndex: 238, HelpIndex: 239, Detail: session.DetailNovice}, v1Counters(), true)
	for i, name := range []string{"0", "größer", "_Total"} {
		w.Instance(&V1Instance{UniqueID: V1NoUniqueID, Name: EncodeText(name), ParentObject: 230 * uint32(i%2), ParentIndex: uint32(i)}, 0)
		for v := range uint64(4) {
			w.Uint(1<<33*v + uint64(i))
		}
	}
	w.Object(&V1Object{NameIndex: 2, PerfTime: 77, PerfFreqHz: 10}, v1Counters()[:2], false)
	w.Uint(9)
	w.Uint(10)
	w.Object(&V1Object{NameIndex: 700}, v1Counters()[:1], true)
	b, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestV1RoundTrip(t *testing.T) {
	tables, err := readV1(v1Answer(t))
	if err != nil || len(tables) != 3 {
		t.Fatalf("%v, %d objects", err, len(tables))
	}
	r := ReadV1(v1Answer(t))
	h := *r.Header()
	if h.Clocks() != v1TestHeader.Clocks() || h.NumObjects != 3 {
		t.Errorf("header %+v", h)
	}
	cpu := tables[0]
	want := []v1Row{
		{"0", "", V1NoUniqueID, []v1Value{{0, 8}, {0, 4}, {2 << 33, 8}, {0, 4}}},
		{"größer", "230/1", V1NoUniqueID, []v1Value{{1, 8}, {1, 4}, {2<<33 + 1, 8}, {1, 4}}},
		{"_Total", "", V1NoUniqueID, []v1Value{{2, 8}, {2, 4}, {2<<33 + 2, 8}, {2, 4}}},
	}
	if !reflect.DeepEqual(cpu.Rows, want) || !cpu.Multiple || cpu.Index != 238 {
		t.Errorf("read  %+v\nwrote %+v", cpu.Rows, want)
	}
	if one := tables[1]; one.Multiple || len(one.Rows) != 1 || one.Rows[0].Values[1] != (v1Value{10, 4}) || one.PerfTime != 77 || one.PerfFreqHz != 10 {
		t.Errorf("without instances: %+v", one)
	}
	if none := tables[2]; !none.Multiple || len(none.Rows) != 0 || none.Err {
		t.Errorf("without instances now: %+v", none)
	}
}

func TestV1Base(t *testing.T) {
	list := v1Counters()
	for i, want := range []int{-1, -1, 3, -1} {
		if got := V1Base(list, i); got != want {
			t.Errorf("base of counter %d: %d, not %d", i, got, want)
		}
	}
	if V1Base(list[:3], 2) != -1 {
		t.Error("a base behind the last counter")
	}
	if V1Base([]V1Counter{list[2], list[1]}, 0) != -1 {
		t.Error("a counter that is no base was taken for one")
	}
}

// Offsets in v1Answer: its objects, and in the first the instances.
func v1Places(t *testing.T, b []byte) (objects []int, instances []int) {
	r := ReadV1(b)
	for r.Next() {
		objects = append(objects, r.Object().Offset)
		if len(objects) > 1 {
			continue
		}
		for it := r.Object().Instances(); it.Next(); {
			instances = append(instances, r.Object().Offset+it.NextOffset())
		}
	}
	if len(objects) != 3 || len(instances) != 3 {
		t.Fatal("the answer is another")
	}
	o := objects[0]
	first := o + int(U32(b, o+4))
	return objects, append([]int{first}, instances[:2]...)
}

// TestV1Oddities are what hosts do that is odd and can be read all the same, and
// what is damage.
func TestV1Oddities(t *testing.T) {
	whole := v1Answer(t)
	objects, instances := v1Places(t, whole)
	set := func(at int, v uint32) func([]byte) []byte {
		return func(b []byte) []byte { PutU32(b, at, v); return b }
	}
	lastBlock := instances[2] + int(U32(whole, instances[2]))
	firstBlock := instances[0] + int(U32(whole, instances[0]))
	for _, c := range []struct {
		name   string
		change func([]byte) []byte
		err    error
		rows   []int // of the objects
	}{
		{"total leaves the header out", set(20, uint32(len(whole)-104)), nil, []int{3, 1, 0}},
		{"total is 0", set(20, 0), nil, []int{3, 1, 0}},
		{"last block states less than it holds", set(lastBlock, 8), nil, []int{3, 1, 0}},
		{"last block states nothing", set(lastBlock, 0), nil, []int{3, 1, 0}},
		{"bytes after the last object", func(b []byte) []byte { return append(b, 1, 2, 3, 4, 5, 6, 7, 8, 9) }, nil, []int{3, 1, 0}},
		{"no objects: the buffer was too small", set(28, 0), nil, nil},
		{"fewer objects announced", set(28, 1), nil, []int{3}},
		{"more objects announced", set(28, 4), Truncated, []int{3, 1, 0}},
		{"a description without data", set(objects[0]+40, 0xFFFFFFFE), nil, []int{0, 1, 0}},
		{"fewer instances", set(objects[0]+40, 2), nil, []int{2, 1, 0}},
		{"more instances", set(objects[0]+40, 4), CountExceedsSize, []int{3, 1, 0}},
		{"instances beyond count", set(objects[0]+40, 0x7FFFFFFF), CountExceedsSize, []int{3, 1, 0}},
		{"block of a middle instance too small", set(firstBlock, 3), SizeTooSmall, []int{0, 1, 0}},
		{"block of a middle instance too large", set(firstBlock, 1<<30), SizeExceedsParent, []int{0, 1, 0}},
		{"instance without size", set(instances[1], 0), SizeTooSmall, []int{1, 1, 0}},
		{"name out of bounds", set(instances[1]+20, 1<<31), OffsetOutOfRange, []int{3, 1, 0}},
		{"name over the header", set(instances[1]+16, 4), OffsetOutOfRange, []int{3, 1, 0}},
		{"object without size", set(objects[1], 0), SizeTooSmall, []int{3}},
		{"object beyond the end", set(objects[2], 1<<20), SizeExceedsBuffer, []int{3, 1, 0}},
		{"definitions beyond the object", set(objects[1]+4, 1<<20), SizeExceedsParent, []int{3, 0, 0}},
		{"header beyond the definitions", set(objects[1]+8, 1<<20), SizeExceedsParent, []int{3, 1, 0}},
		{"definition without size", set(objects[0]+64, 0), SizeTooSmall, []int{3, 1, 0}},
		{"more counters than there is room for", set(objects[0]+32, 1<<30), CountExceedsSize, []int{3, 1, 0}},
		{"header length over the end", set(24, 1<<20), SizeExceedsBuffer, nil},
		{"no performance data", set(0, 1), BadSignature, nil},
		{"big-endian", set(8, 0), BadByteOrder, nil},
		{"cut in the header", func(b []byte) []byte { return b[:87] }, Truncated, nil},
		{"cut in the definitions", func(b []byte) []byte { return b[:objects[0]+70] }, SizeExceedsBuffer, []int{0}},
		{"cut in an instance", func(b []byte) []byte { return b[:instances[1]+10] }, SizeExceedsBuffer, []int{1}},
		{"cut between objects", func(b []byte) []byte { return b[:objects[1]] }, Truncated, []int{3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tables, err := readV1(c.change(bytes.Clone(whole)))
			if !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v", err, c.err)
			}
			var rows []int
			for _, o := range tables {
				rows = append(rows, len(o.Rows))
			}
			if !reflect.DeepEqual(rows, c.rows) {
				t.Errorf("%v instances, want %v", rows, c.rows)
			}
		})
	}
}

// The values of a last block that states less than it holds are read, up to the
// end of the object.
func TestV1LastBlockBoundByObject(t *testing.T) {
	b := v1Answer(t)
	_, instances := v1Places(t, b)
	whole, _ := readV1(b)
	PutU32(b, instances[2]+int(U32(b, instances[2])), 8)
	short, err := readV1(b)
	if err != nil || !reflect.DeepEqual(whole, short) {
		t.Errorf("%v\nwhole %+v\nshort %+v", err, whole, short)
	}
}

func cutOff(err error) bool { return errors.Is(err, Truncated) || errors.Is(err, SizeExceedsBuffer) }

// A cut answer is told from one that is wrong.
func TestV1CutOff(t *testing.T) {
	whole := v1Answer(t)
	for n := range whole {
		r := ReadV1(whole[:n])
		for r.Next() {
			for it := r.Object().Instances(); it.Next(); {
			}
		}
		if !cutOff(r.Err()) {
			t.Fatalf("%d of %d bytes: %v", n, len(whole), r.Err())
		}
	}
	for count, problem := range map[uint32]error{0: nil, 9: CountExceedsSize} { // more instances than there are is no cut
		objects, _ := v1Places(t, whole)
		b := bytes.Clone(whole)
		PutU32(b, objects[2]+40, count)
		r := ReadV1(b)
		for r.Next() {
			for it := r.Object().Instances(); it.Next(); {
			}
		}
		if cutOff(r.Err()) || !errors.Is(r.Err(), problem) {
			t.Errorf("%d instances announced: %v", count, r.Err())
		}
	}
}

func TestV1Text(t *testing.T) {
	for _, c := range []struct {
		page uint32
		wire string
		want string
	}{
		{0, "g\x00r\x00\xf6\x00\xdf\x00", "größ"},
		{1252, "gr\xf6\xdf", "größ"},
		{850, "gr\x94\xe1", "größ"},
		{1251, "\xef\xf0\xee\xf6\xe5\xf1\xf1", "процесс"},
		{932, "\x83\x76\x83\x8d", "プロ"},
		{936, "\xbd\xf8\xb3\xcc", "进程"},
		{949, "\xc7\xc1\xb7\xce", "프로"},
		{950, "\xb5\x7b\xa7\xc7", "程序"},
		{65001, "gr\xc3\xb6\xff", "grö\uFFFD"},
		{20127, "gr\xf6", "gr\uFFFD"},
		{4711, "plain", "plain"},
		{4711, "gr\xf6", "gr\uFFFD"},
	} {
		o := V1Object{CodePage: c.page}
		if got := o.Text([]byte(c.wire)); got != c.want {
			t.Errorf("code page %d: %q, want %q", c.page, got, c.want)
		}
	}
}

// Instances of another code page end with one zero byte, and texts among the
// values are read as their type says.
func TestV1CodePages(t *testing.T) {
	w := perflibtest.NewV1Writer(&v1TestHeader)
	counters := []V1Counter{
		{NameIndex: 10, Type: cooker.CounterText, Size: 16},
		{NameIndex: 12, Type: cooker.CounterText | 0x10000, Size: 5},
		{NameIndex: 14, Type: cooker.CounterRawCount, Size: 2},
	}
	w.Object(&V1Object{NameIndex: 4, CodePage: 1252}, counters, true)
	w.Instance(&V1Instance{UniqueID: 7, Name: []byte("gr\xf6\xdfer")}, 1252)
	w.Bytes(append(EncodeText("öl"), 0, 0, 'x'))
	w.Bytes([]byte("\xf6l\x00xy"))
	w.Bytes([]byte{1, 2})
	b, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	r := ReadV1(b)
	if !r.Next() {
		t.Fatal(r.Err())
	}
	o := r.Object()
	list := o.AppendCounters(nil)
	it := o.Instances()
	if !it.Next() || o.Text(it.Name) != "größer" || it.UniqueID != 7 {
		t.Fatalf("%q, id %d: %v", o.Text(it.Name), it.UniqueID, r.Err())
	}
	var texts CounterTexts
	for i := range 2 {
		if got, ok := texts.V1(o, &list[i], it.Data); !ok || got.String() != "öl" {
			t.Errorf("text %d: %q", i, got)
		}
	}
	if v, size := list[2].Value(it.Data); size != 0 {
		t.Errorf("a value of 2 bytes is no number: %d of %d bytes", v, size)
	}
	if got := list[2].Bytes(it.Data); !bytes.Equal(got, []byte{1, 2}) {
		t.Errorf("bytes % x", got)
	}
	list[2].Offset = 1 << 31
	list[0].Offset = 1 << 31
	if _, ok := texts.V1(o, &list[0], it.Data); ok || list[2].Bytes(it.Data) != nil {
		t.Error("a value beyond its block")
	}
}
