package perflib_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	. "perfdeck/session/wire/perflib"
	"perfdeck/session/wire/perflib/perflibtest"
)

// FuzzV1Data: whatever comes, reading ends, stays within the bytes, allocates
// nothing by what the bytes announce, and what was read is read again after it
// was written.
func FuzzV1Data(f *testing.F) {
	whole := v1Answer(f)
	f.Add(whole)
	for _, n := range []int{0, 87, 88, 104, 170, 400, len(whole) - 1} {
		f.Add(whole[:n])
	}
	for at := 0; at+4 <= len(whole); at += 4 {
		b := bytes.Clone(whole)
		PutU32(b, at, U32(b, at)+1)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		before := bytes.Clone(b)
		var w perflibtest.V1Writer
		r := ReadV1(b)
		w = perflibtest.NewV1Writer(r.Header())
		var want []v1Table
		for r.Next() {
			o := r.Object()
			if o.Offset < V1HeaderSize || o.Offset+V1ObjectSize > len(b) || o.Counters() > len(b)/V1DefinitionSize {
				t.Fatalf("object at %d of %d with %d counters", o.Offset, len(b), o.Counters())
			}
			if table, ok := copyV1(&w, o); ok {
				want = append(want, table)
			}
		}
		var damage *DamageError
		if errors.As(r.Err(), &damage) && (damage.Offset < 0 || damage.Offset > len(b)) {
			t.Fatalf("damage outside: %v", damage)
		}
		if !bytes.Equal(before, b) {
			t.Fatal("reading wrote")
		}
		again, err := w.Finish()
		if err != nil {
			t.Fatal(err)
		}
		got, err := readV1(again)
		for i := range got {
			for k := range got[i].Counters {
				got[i].Counters[k].Offset = 0
			}
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\nread    %+v\nwritten %+v", err, want, got)
		}
	})
}

// copyV1 writes what can be read of an object: its whole instances and their
// numbers. Objects of great width are left out, since a block of every instance
// may be empty in the reading and would be written in full.
func copyV1(w *perflibtest.V1Writer, o *V1Object) (table v1Table, ok bool) {
	list := o.AppendCounters(nil)
	if len(list) > 8 {
		list = list[:8]
	}
	for i := range list {
		if list[i].Size != 8 {
			list[i].Size = 4
		}
	}
	read := make([]V1Counter, len(list))
	copy(read, list)
	if o.NumInstances < V1NoInstances { // described alone
		return table, false
	}
	kept := *o
	kept.CodePage = 0
	w.Object(&kept, list, o.Multiple())
	table = v1Table{Index: o.NameIndex, Multiple: o.Multiple(), PerfTime: o.PerfTime, PerfFreqHz: o.PerfFreqHz}
	rows := 0
	for it := o.Instances(); it.Next(); rows++ {
		if len(it.Data) > len(o.Buffer()) || len(it.Name) > len(o.Buffer()) {
			panic("an instance larger than its object")
		}
		row := v1Row{Name: o.Text(it.Name), ID: it.UniqueID}
		if o.Multiple() {
			in := it.V1Instance
			in.ParentObject, in.Name = 0, EncodeText(row.Name)
			row.Name = Text(in.Name).String()
			w.Instance(&in, 0)
		}
		for i := range read {
			v, _ := read[i].Value(it.Data)
			w.Uint(v)
			row.Values = append(row.Values, v1Value{v, uint8(list[i].Size)})
		}
		table.Rows = append(table.Rows, row)
	}
	if rows == 0 && !o.Multiple() { // its one block was cut off
		for range list {
			w.Uint(0)
		}
		row := v1Row{ID: V1NoUniqueID}
		for i := range list {
			row.Values = append(row.Values, v1Value{0, uint8(list[i].Size)})
		}
		table.Rows = []v1Row{row}
	}
	for i := range list {
		list[i].Offset = 0
	}
	if len(list) > 0 {
		table.Counters = list
	}
	return table, true
}

func FuzzV1Names(f *testing.F) {
	whole := v1NameTable(5)
	f.Add(whole)
	for n := range 30 {
		f.Add(whole[:n])
	}
	f.Add(AppendV1NamesEnd(AppendV1Name(AppendV1Name(nil, 2, nil), 4294967295, EncodeText("größe "))))
	f.Fuzz(func(t *testing.T, b []byte) {
		var again []byte
		list, err := readV1Names(b)
		n := ReadV1Names(b)
		for n.Next() {
			again = AppendV1Name(again, n.Index, n.Text)
		}
		if len(list) > len(b)/4+1 {
			t.Fatalf("%d entries in %d bytes", len(list), len(b))
		}
		back, err2 := readV1Names(AppendV1NamesEnd(again))
		if err2 != nil || !reflect.DeepEqual(list, back) {
			t.Fatalf("%v, %v\nread    %v\nwritten %v", err, err2, list, back)
		}
	})
}
