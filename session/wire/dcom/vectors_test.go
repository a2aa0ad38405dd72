package dcom

import (
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"perfdeck/session/wire/rpc"
)

// vectorsText has name, meaning, section and bytes of messages that were laid out by hand after
// the specifications.
//
//go:embed testdata/dcom.tsv
var vectorsText string

// vectors are the messages by their names.
func vectors(t testing.TB) map[string][]byte {
	t.Helper()
	v := map[string][]byte{}
	for _, line := range strings.Split(strings.TrimSpace(vectorsText), "\n")[1:] {
		f := strings.Split(line, "\t")
		b, err := hex.DecodeString(f[3])
		if err != nil {
			t.Fatal(err)
		}
		v[f[0]] = b
	}
	return v
}

// codedBy is a value that a function codes.
type codedBy func(n *NDR)

func (f codedBy) Code(n *NDR) { f(n) }

// The identities of the vectors.
const oxid, oid = 0x1122334455667788, 0x0102030405060708

var (
	ipid       = rpc.ParseUUID("a0b1c2d3-0001-0002-0304-05060708090a")
	remUnknown = rpc.ParseUUID("a0b1c2d3-ffff-0002-0304-05060708090a")
	setIID     = rpc.ParseUUID("03837520-098b-11d8-9414-505054503030")
	setsIID    = rpc.ParseUUID("03837524-098b-11d8-9414-505054503030")
	setsClass  = rpc.ParseUUID("03837532-098b-11d8-9414-505054503030")
	causality  = rpc.ParseUUID("00112233-4455-6677-8899-aabbccddeeff")
	resolver   = Bindings{Addresses: []Binding{{TowerTCP, "192.0.2.5"}}, Security: []Principal{{Service: 9}, {Service: 10}}}
	standard   = Standard{Public: 5, OXID: oxid, OID: oid, IPID: ipid}
)

func reference(iid GUID) *Reference {
	return &Reference{IID: iid, Standard: standard, Resolver: resolver}
}

func text(s string) *BSTR {
	b := Text(s)
	return &b
}

// whole reads all that is left.
func whole(n *NDR) (b []byte) {
	n.Raw(&b, len(n.Rest()))
	return b
}

// serialized is a value as type serialization.
type serialized struct{ v Coded }

func (s serialized) Code(n *NDR) {
	if n.Reading() {
		n.Keep(deserialize(whole(n), s.v))
	} else {
		b := serialize(s.v)
		n.Raw(&b, len(b))
	}
}

// object is the OBJREF of a reference as a value holds it.
func object(r Coded) []byte { return Encode(r) }

// meant is what each vector says. A value that is coded by several is a list.
func meant() map[string][]Coded {
	mode, running, fetched := uint16(3), uint16(1), uint32(2)
	ok, noInterface, fewer := Result(0), Result(0x80004002), Result(1)
	yes := true
	unset := BSTR(nil)
	words := []BSTR{Text("Disk"), Text("Web")}
	u16 := func(v *uint16) Coded { return codedBy(func(n *NDR) { n.U16(v) }) }
	u32 := func(v *uint32) Coded { return codedBy(func(n *NDR) { n.U32(v) }) }
	unique := func(v *BSTR) Coded { return codedBy(v.Unique) }
	setObject, dispatchObject := object(reference(setIID)), object(reference(comGUID(0x20400)))
	var none []byte
	iface := func(v *[]byte) Coded { return codedBy(func(n *NDR) { n.Interface(v) }) }
	array := func(double bool) Coded { return codedBy(func(n *NDR) { n.Strings(&words, double) }) }
	next := []Variant{{Type: Dispatch, Reference: dispatchObject}, {Type: I4, Bits: 42}}
	create := &Create{Version{5, 7}, setsClass, []GUID{setsIID}, []uint16{TowerTCP}}
	info, request := &instantiation{create, 0x58}, &scmRequest{create}
	created := &Created{OXID: oxid, RemUnknown: remUnknown, Hint: 6, Version: Version{5, 7},
		Exporter:   Bindings{[]Binding{{TowerTCP, "192.0.2.5[49700]"}}, resolver.Security},
		Interfaces: []Activated{{IID: setsIID, Reference: object(reference(setsIID))}}}
	answer := codedBy(func(n *NDR) {
		if n.Reading() {
			n.Keep(created.parse(whole(n)))
		} else {
			p := properties{{propertyInterfaces, serialize(&propsOut{created})}, {propertyReply, serialize(&scmReply{created})}}
			(&Custom{IID: interfaceOut, Class: classOut, Data: Encode(&p)}).Code(n)
		}
	})
	asked := func(full bool) Coded {
		return codedBy(func(n *NDR) {
			o := create.object()
			switch {
			case n.Reading():
				n.Keep(create.parse(whole(n)))
				return
			case !full:
				var p properties
				n.Keep(Decode(o.Data, &p))
				p = properties{p[0], p[3], p[2]}
				o.Data = Encode(&p)
			}
			o.Code(n)
		})
	}
	this := &This{Version: Version{5, 7}, Causality: causality}
	return map[string][]Coded{
		"orpcthis":                {this},
		"orpcthat":                {&That{}},
		"bstr":                    {text("Web")},
		"bstr_empty":              {text("")},
		"bstr_null":               {&unset},
		"bstr_pointer_null":       {unique(&unset)},
		"bstr_surrogates":         {text("\U0001f600")},
		"bstr_odd_bytes":          {(*BSTR)(&[]byte{'a', 'b', 'c'})},
		"query_arguments":         {text("Web"), unique(&unset)},
		"commit_arguments":        {text("Web"), unique(&unset), u16(&mode)},
		"start_arguments":         {codedBy(func(n *NDR) { n.Bool(&yes) })},
		"variant_i4":              {&Variant{Type: I4, Bits: 7}},
		"variant_ui4":             {&Variant{Type: UI4, Bits: 0x80300101}},
		"variant_error":           {&Variant{Type: ErrorCode, Bits: 0x80300101}},
		"variant_bool":            {&Variant{Type: Bool, Bits: 0xffff}},
		"variant_i8":              {&Variant{Type: I8, Bits: 1<<64 - 2}},
		"variant_date":            {&Variant{Type: Date, Bits: 0x40e6a245c71c71c7}},
		"variant_empty":           {&Variant{}},
		"variant_bstr":            {&Variant{Type: OfBSTR, Text: Text("Web")}},
		"variant_dispatch":        {&Variant{Type: Dispatch, Reference: dispatchObject}},
		"variant_array_bstr":      {&Variant{Type: OfArray | OfBSTR, Strings: words}},
		"dualstringarray":         {&resolver},
		"dualstringarray_least":   {&Bindings{}},
		"objref_standard":         {reference(setsIID)},
		"objref_noping":           {&Reference{setsIID, Standard{noPing, 0, oxid, oid, ipid}, resolver}},
		"interface_out":           {iface(&setObject), &ok},
		"interface_null":          {iface(&none), &noInterface},
		"safearray_bstr":          {codedBy(func(n *NDR) { n.safeArray(&words) })},
		"safearray_one_referent":  {array(false)},
		"safearray_two_referents": {array(true)},
		"instantiation_info":      {serialized{info}},
		"scm_request_info":        {serialized{request}},
		"location_info":           {serialized{zeros(4)}},
		"activation_context_info": {serialized{zeros(6)}},
		"activation_in":           {asked(false)},
		"activation_in_four":      {asked(true)},
		"props_out":               {serialized{&propsOut{created}}},
		"scm_reply":               {serialized{&scmReply{created}}},
		"activation_out":          {answer},
		"create_instance_reply":   {&That{}, created, &ok},
		"server_alive2_reply":     {&Alive{Version: Version{5, 7}, Resolver: resolver}},
		"resolve_oxid2_request":   {&Resolve{oxid, []uint16{TowerTCP}}},
		"complex_ping_request":    {&ComplexPing{Sequence: 1, Add: []uint64{oid, oid + 1}}},
		"simple_ping_request":     {&SimplePing{0x9001}},
		"remqi_request":           {&Query{ipid, 1, []GUID{comGUID(0x20404)}}},
		"remqi_reply":             {&QueryAnswer{{Standard: Standard{0, 1, oxid, oid, ipid}}}, &ok},
		"remrelease_request":      {&CountedList{{ipid, 5, 0}, {remUnknown, 1, 0}}},
		"enum_next_reply":         {codedBy(func(n *NDR) { n.Next(3, &next) }), u32(&fetched), &fewer},
		"status_reply":            {u16(&running), &ok},
	}
}

// sameBytes compares words, and takes referents, whose values mean nothing, for the same.
func sameBytes(t *testing.T, got, want []byte) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d bytes, %d wanted\n%x\n%x", len(got), len(want), got, want)
		return
	}
	isReferent := func(b []byte) bool {
		v := binary.LittleEndian.Uint32(b)
		return v>>16 == 0x20000>>16 || v == 0x72657355
	}
	for i := 0; i < len(want); i += 4 {
		g, w := got[i:min(i+4, len(want))], want[i:min(i+4, len(want))]
		if string(g) != string(w) && !(len(g) == 4 && isReferent(g) && isReferent(w)) {
			t.Errorf("byte %d: %x, %x wanted\n%x\n%x", i, g, w, got, want)
			return
		}
	}
}

func TestVectors(t *testing.T) {
	meaning := meant()
	for name, want := range vectors(t) {
		t.Run(name, func(t *testing.T) {
			switch name {
			case "request_pdu": // of package rpc
				return
			case "orpcthat_error", "create_instance_request": // see below
				return
			}
			values := meaning[name]
			if values == nil {
				t.Fatal("nothing codes it")
			}
			sameBytes(t, Encode(values...), want)
			n := Read(want)
			n.Values(values...)
			if err := n.End(); err != nil || len(n.Rest()) != 0 {
				t.Errorf("%d of %d bytes are left: %v", len(n.Rest()), len(want), err)
			}
			sameBytes(t, Encode(values...), want) // what was read
			if !reflect.DeepEqual(dataOf(values), dataOf(meant()[name])) {
				t.Errorf("read %+v, %+v wanted", dataOf(values), dataOf(meant()[name]))
			}
		})
	}
}

// dataOf leaves out functions, which cannot be compared.
func dataOf(values []Coded) (data []Coded) {
	for _, v := range values {
		if _, function := v.(codedBy); !function {
			data = append(data, v)
		}
	}
	return data
}

func TestErrorInformation(t *testing.T) {
	want := vectors(t)["orpcthat_error"]
	var that That
	if err := Decode(want, &that); err != nil {
		t.Fatal(err)
	}
	if len(that.Extents) != 1 || that.Extents[0].ID != comGUID(0x31c) {
		t.Fatalf("%+v", that)
	}
	var o Custom
	if err := Decode(that.Extents[0].Data, &o); err != nil || o.Class != comGUID(0x31b) {
		t.Errorf("%+v: %v", o, err)
	}
	sameBytes(t, Encode(&that), want)
}

func TestCreateInstanceRequest(t *testing.T) {
	// The vector holds the three properties that are required, a client sends four: so read it,
	// and read once more what is written.
	var first, second Create
	var this This
	n := Read(vectors(t)["create_instance_request"])
	n.Values(&this, &first)
	if err := n.End(); err != nil {
		t.Fatal(err)
	}
	if err := Decode(Encode(&this, &first), &this, &second); err != nil {
		t.Fatal(err)
	}
	want := Create{Version{5, 7}, setsClass, []GUID{setsIID}, []uint16{TowerTCP}}
	if !reflect.DeepEqual(first, want) || !reflect.DeepEqual(second, want) {
		t.Errorf("%+v, then %+v, %+v wanted", first, second, want)
	}
	if this.Causality != causality {
		t.Errorf("causality %x", this.Causality)
	}
}

func TestNothingCreated(t *testing.T) {
	b := Encode(&That{}, &Created{}, text(""))
	var created Created
	var mark BSTR
	if err := Decode(b, &That{}, &created, &mark); err != nil || mark == nil {
		t.Errorf("%+v, %v: %v", created, mark, err)
	}
}

// anything decodes bytes as everything that a peer can send.
func anything(b []byte) {
	var words []BSTR
	var next []Variant
	var ref []byte
	for _, v := range []Coded{&This{}, &That{}, new(BSTR), &Variant{}, &Bindings{}, &Reference{}, &Custom{}, &Create{}, &Created{},
		&Alive{}, &Resolve{}, &ComplexPing{}, &Query{}, &QueryAnswer{}, &CountedList{}, &Results{},
		codedBy(func(n *NDR) { n.Strings(&words, false) }), codedBy(func(n *NDR) { n.Next(0, &next) }), codedBy(func(n *NDR) { n.Interface(&ref) })} {
		if Decode(b, v) == nil {
			Encode(v)
		}
	}
	_ = (&Create{}).parse(b)
	_ = (&Created{}).parse(b)
	_ = deserialize(b, &instantiation{create: &Create{}})
	_ = deserialize(b, &scmRequest{&Create{}})
	_ = deserialize(b, &propsOut{&Created{}})
	_ = deserialize(b, &scmReply{&Created{}})
}

func FuzzDecode(f *testing.F) {
	for _, b := range vectors(f) {
		f.Add(b)
	}
	f.Fuzz(func(_ *testing.T, b []byte) { anything(b) })
}

// Whatever is cut off or changed is an error or another value, and what is announced and not
// there takes no memory.
func TestDamage(t *testing.T) {
	var before, after runtime.MemStats
	for name, b := range vectors(t) {
		for i := range b {
			runtime.ReadMemStats(&before)
			anything(b[:i])
			changed := append([]byte(nil), b...)
			for _, v := range []byte{0, 0x7f, 0xff} {
				changed[i] = v
				anything(changed)
			}
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
				t.Errorf("%s, byte %d: %d bytes of memory", name, i, took)
			}
		}
	}
}

// Messages that are laid out by hand, and that nobody here sends.

// Resolve asks where the process of an OXID listens: ResolveOxid2's arguments.
type Resolve struct {
	OXID   uint64
	Towers []uint16
}

// Code codes the arguments, MS-DCOM 3.1.2.5.1.5.
func (r *Resolve) Code(n *NDR) {
	n.U64(&r.OXID)
	n.towers(&r.Towers)
}

// towers are protocols: their number, and a conformant array.
func (n *NDR) towers(v *[]uint16) {
	count := uint16(len(*v))
	n.U16(&count)
	Array(n, v, 2, maxElements, n.U16)
	if len(*v) != int(count) {
		n.Fail("%d protocols, %d announced", len(*v), count)
	}
}

// SimplePing keeps the references of a set alive: its argument, MS-DCOM 3.1.2.5.1.2.
type SimplePing struct{ Set uint64 }

// Code codes the argument.
func (p *SimplePing) Code(n *NDR) { n.U64(&p.Set) }

// ComplexPing is the arguments of the ping that changes a set of references, MS-DCOM 3.1.2.5.1.3.
type ComplexPing struct {
	Set      uint64 // 0: a new one
	Sequence uint16
	Add, Del []uint64 // OIDs
}

// Code codes the arguments.
func (p *ComplexPing) Code(n *NDR) {
	n.U64(&p.Set)
	n.U16(&p.Sequence)
	lists := [...]*[]uint64{&p.Add, &p.Del}
	var counts [len(lists)]uint16
	for i, l := range lists {
		counts[i] = uint16(len(*l))
		n.U16(&counts[i])
	}
	for i, l := range lists {
		if !n.Pointer(len(*l) > 0) {
			*l = nil
		} else if Array(n, l, 8, maxElements, n.U64); len(*l) != int(counts[i]) {
			n.Fail("%d objects, %d announced", len(*l), counts[i])
		}
	}
}

// noPing is a flag of a reference that needs no pings, MS-DCOM 2.2.18.2.
const noPing = 0x1000

// Query is the arguments of RemQueryInterface, MS-DCOM 3.1.1.5.6.1.1.
type Query struct {
	IPID   GUID
	Public uint32
	IIDs   []GUID
}

// Code codes the arguments.
func (q *Query) Code(n *NDR) {
	n.GUID(&q.IPID)
	n.U32(&q.Public)
	count := uint16(len(q.IIDs))
	n.U16(&count)
	Array(n, &q.IIDs, 16, maxElements, n.GUID)
	if len(q.IIDs) != int(count) {
		n.Fail("%d interfaces, %d announced", len(q.IIDs), count)
	}
}

// Queried is REMQIRESULT.
type Queried struct {
	Result Result
	Standard
}

// QueryAnswer is what RemQueryInterface answers, without the result of the call.
type QueryAnswer []Queried

// Code codes a unique pointer to an array.
func (a *QueryAnswer) Code(n *NDR) {
	if !n.Pointer(*a != nil) {
		*a = nil
		return
	}
	Array(n, (*[]Queried)(a), 40, maxElements, func(q *Queried) {
		n.Align(8)
		q.Result.Code(n)
		n.Align(8)
		q.Standard.Code(n)
	})
}

// Next is the elements that IEnumVARIANT::Next answers, MS-OAUT 3.3.4.1: a conformant varying
// array for as many as were asked for.
func (n *NDR) Next(asked int, v *[]Variant) {
	if most := n.Count(asked, 0, maxElements); len(*v) > most {
		*v = (*v)[:most]
	}
	n.Same(0)
	count := n.Count(len(*v), 4, maxElements)
	pointed(n, v, count, (*Variant).body)
}
