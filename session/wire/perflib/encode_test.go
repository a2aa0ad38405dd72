package perflib

import (
	"strings"
	"testing"
)

// encodeVector decodes a vector and encodes what it says.
func encodeVector(t *testing.T, v vector) []byte {
	t.Helper()
	kind, code, _ := strings.Cut(v.structure, ":")
	switch kind {
	case "data":
		return encodeData(t, v.bytes)
	case "instances":
		list, _ := DecodeInstances(v.bytes)
		return encodeInstances(list)
	case "identifiers", "identifiers_reply":
		list, _ := DecodeIdentifiers(v.bytes)
		return encodeIdentifiers(list)
	}
	switch code {
	case "1":
		set, _ := DecodeCounterset(v.bytes)
		return AppendCounterset([]byte{}, &set)
	case "2":
		c, _ := DecodeCounter(v.bytes)
		return AppendCounter([]byte{}, &c)
	case "8":
		g, _ := DecodeGUID(v.bytes)
		return AppendGUID([]byte{}, g)
	case "5", "6", "10":
		list, _ := DecodeStrings(v.bytes)
		return AppendStrings([]byte{}, list)
	}
	text, _ := DecodeString(v.bytes)
	return AppendString([]byte{}, text)
}

func encodeInstances(list []Instance) []byte {
	b := []byte{}
	for _, in := range list {
		b = AppendInstance(b, in.ID, in.Name)
	}
	return b
}

func encodeIdentifiers(list []Identifier) []byte {
	b := []byte{}
	for i := range list {
		b = AppendIdentifier(b, &list[i])
	}
	return b
}

// encodeData writes the whole blocks of a reply again. Kinds that are not known
// are left out.
func encodeData(t testing.TB, buf []byte) []byte {
	t.Helper()
	r := ReadData(buf)
	w := NewDataWriter([]byte{}, r.Header())
	for r.Next() {
		if r.Block().Err == nil {
			encodeBlock(&w, r.Block())
		}
	}
	b, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func encodeBlock(w *DataWriter, b *Block) {
	ids := make([]uint32, b.IDs.Len())
	for i := range ids {
		ids[i] = b.IDs.At(i)
	}
	switch b.Kind {
	case KindError:
		w.Failed(b.Status)
	case KindCounter:
		w.Counter()
	case KindCounters:
		w.Counters(ids)
	case KindInstances:
		w.Instances()
	case KindCounterset:
		w.Counterset(ids)
	}
	for v := b.Values(); v.Next(); {
		encodeValue(w, v.Value)
	}
	for it := b.Instances(); it.Next(); {
		w.Instance(it.ID, it.Name)
		for it.Values.Next() {
			encodeValue(w, it.Values.Value)
		}
	}
}

func encodeValue(w *DataWriter, v Value) {
	switch n, _ := v.Uint64(); len(v) {
	case 4:
		w.Uint32(uint32(n))
	case 8:
		w.Uint64(n)
	default:
		w.Bytes(v)
	}
}
