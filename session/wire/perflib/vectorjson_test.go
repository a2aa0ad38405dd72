package perflib

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// What was decoded, in the JSON of testdata/INDEX.tsv.
type object = map[string]any

// named sets a text, and its bytes where it is not well-formed UTF-16.
func named(o object, key string, text Text) object {
	if o[key] = text.String(); text == nil {
		o[key] = nil
	}
	if illFormed(text) {
		o[key+"_u16"] = hex.EncodeToString(text)
	}
	return o
}

func illFormed(text Text) bool {
	units := make([]uint16, len(text)/2)
	for i := range units {
		units[i] = u16(text, 2*i)
	}
	return slices.Contains(utf16.Decode(units), '\uFFFD')
}

func guidJSON(g GUID) string { return strings.Trim(g.String(), "{}") }

func instancesJSON(list []Instance) []object {
	out := []object{}
	for _, in := range list {
		out = append(out, named(object{"id": in.ID}, "name", in.Name))
	}
	return out
}

func identifiersJSON(list []Identifier, end int) []object {
	out := []object{}
	for i, id := range list {
		next := end
		if i+1 < len(list) {
			next = list[i+1].Offset
		}
		out = append(out, named(object{
			"guid": guidJSON(id.Counterset), "status": id.Status, "size": next - id.Offset,
			"counter": id.CounterID, "instance": id.InstanceID, "index": id.Index,
		}, "name", id.Name))
	}
	return out
}

func counterJSON(c *CounterInfo) object {
	return object{
		"id": c.ID, "type": uint32(c.Type), "attrib": uint64(c.Attributes), "detail": uint32(c.Detail),
		"scale": c.DefaultScale, "base": c.BaseID, "time": c.PerfTimeID, "freq": c.PerfFreqID,
		"multi": c.MultiID, "agg": uint32(c.Aggregate),
	}
}

func countersetJSON(set *CountersetInfo) object {
	counters := []object{}
	for i := range set.Counters {
		counters = append(counters, counterJSON(&set.Counters[i]))
	}
	return object{
		"guid": guidJSON(set.GUID), "detail": uint32(set.Detail), "n": len(counters),
		"instanceType": uint32(set.Instances), "counters": counters,
	}
}

func decodeRegInfo(t testing.TB, code string, buf []byte) (any, error) {
	n, err := strconv.Atoi(code)
	if err != nil {
		t.Fatal(err)
	}
	switch RequestCode(n) {
	case CountersetStruct:
		set, err := DecodeCounterset(buf)
		return countersetJSON(&set), err
	case CounterStruct:
		c, err := DecodeCounter(buf)
		return counterJSON(&c), err
	case ProviderGUID:
		g, err := DecodeGUID(buf)
		return object{"guid": guidJSON(g)}, err
	case CountersetName, CountersetHelp, ProviderName, EnglishName:
		text, err := DecodeString(buf)
		return named(object{}, "text", text), err
	case CounterNames, CounterHelps, EnglishCounterNames:
		return decodeStringsJSON(buf)
	}
	t.Fatalf("code %d is not known", n)
	return nil, nil
}

func decodeStringsJSON(buf []byte) (any, error) {
	list, err := DecodeStrings(buf)
	out := []object{}
	for _, s := range list {
		out = append(out, named(object{"id": s.ID}, "text", s.Text))
	}
	if err != nil {
		return out, err
	}
	table := stringTable{buf: buf, count: len(list)}
	rel := "headers_end"
	if table.offsetBase() == 0 {
		rel = "block_start"
	}
	return object{"size": u32(buf, 0), "rel": rel, "strings": out}, nil
}

func decodeData(buf []byte) (any, error) {
	r := ReadData(buf)
	blocks := []object{}
	for r.Next() {
		blocks = append(blocks, blockJSON(r.Block()))
	}
	h, s := r.Header(), r.Header().System
	return object{
		"total": h.TotalSize, "n": h.NumCounters, "stamp": h.PerfTime, "t100": h.Time100ns, "freq": h.PerfFreqHz,
		"sys": []uint16{s.Year, s.Month, s.DayOfWeek, s.Day, s.Hour, s.Minute, s.Second, s.Milliseconds}, "blocks": blocks,
	}, r.Err()
}

func blockJSON(b *Block) object {
	o := object{"status": b.Status, "type": uint32(b.Kind)}
	if b.Kind == KindCounters || b.Kind == KindCounterset {
		ids := []uint32{}
		for i := range b.IDs.Len() {
			ids = append(ids, b.IDs.At(i))
		}
		o["ids"] = ids
	}
	switch b.Kind {
	case KindError:
	case KindCounter:
		v := b.Values()
		if v.Next() {
			o["v"] = valueJSON(v.Value)
		}
	case KindCounters:
		v := b.Values()
		o["v"] = valuesJSON(v)
	case KindInstances, KindCounterset:
		list := []object{}
		for it := b.Instances(); it.Next(); {
			list = append(list, named(object{"id": it.ID, "v": valuesJSON(&it.Values)}, "name", it.Name))
		}
		o["inst"] = list
	default:
		o["hex"] = hex.EncodeToString(b.Content())
	}
	return o
}

func valuesJSON(v *Values) []object {
	out := []object{}
	for v.Next() {
		out = append(out, valueJSON(v.Value))
	}
	return out
}

func valueJSON(v Value) object {
	if n, ok := v.Uint64(); ok {
		return object{"len": len(v), "u": n}
	}
	return object{"len": len(v), "hex": hex.EncodeToString(v)}
}
