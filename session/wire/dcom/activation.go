package dcom

import "slices"

// Identities of the activation's properties, MS-DCOM 2.2.22 and 1.9.
var (
	classIn, interfaceIn   = comGUID(0x338), comGUID(0x1a2)
	classOut, interfaceOut = comGUID(0x339), comGUID(0x1a3)

	propertyInstantiation = comGUID(0x1ab)
	propertyContext       = comGUID(0x1a5)
	propertyLocation      = comGUID(0x1a4)
	propertyRequest       = comGUID(0x1aa)
	propertyInterfaces    = comGUID(0x339)
	propertyReply         = comGUID(0x1b6)
)

// properties is an activation blob, MS-DCOM 2.2.22: serialized values by their classes.
type properties []property

type property struct {
	class GUID
	data  []byte
}

// maxProperties bounds them: the specification knows ten.
const maxProperties = 10

// Code codes the blob.
func (p *properties) Code(n *NDR) {
	if n.Reading() {
		p.read(n)
		return
	}
	h := customHeader{}
	for _, v := range *p {
		h.classes, h.sizes = append(h.classes, v.class), append(h.sizes, uint32(len(v.data)))
		h.total += uint32(len(v.data))
	}
	h.size = uint32(len(serialize(&h)))
	h.total += h.size
	n.Ignored(h.total, 0)
	head := serialize(&h)
	n.Raw(&head, len(head))
	for _, v := range *p {
		n.Raw(&v.data, len(v.data))
	}
}

func (p *properties) read(n *NDR) {
	var h customHeader
	n.Ignored(0, 0)
	if n.Err() != nil {
		return
	}
	rest := n.Rest()
	if err := deserialize(rest, &h); err != nil {
		n.Keep(err)
		return
	}
	if len(h.classes) != len(h.sizes) || uint64(h.size) > uint64(len(rest)) {
		n.Fail("%d properties with %d sizes after %d bytes", len(h.classes), len(h.sizes), h.size)
		return
	}
	n.Raw(&rest, int(h.size))
	for i, class := range h.classes {
		if left := len(n.Rest()); uint64(h.sizes[i]) > uint64(left) {
			n.Fail("property of %d bytes in %d", h.sizes[i], left)
			return
		}
		v := property{class: class}
		n.Raw(&v.data, int(h.sizes[i]))
		*p = append(*p, v)
	}
}

// customHeader is CustomHeader, MS-DCOM 2.2.22.1.
type customHeader struct {
	total, size uint32
	classes     []GUID
	sizes       []uint32
}

// otherMachine is where the activation takes place: MSHCTX_DIFFERENTMACHINE.
const otherMachine = 2

func (h *customHeader) Code(n *NDR) {
	n.U32(&h.total)
	n.U32(&h.size)
	n.Ignored(0, otherMachine, uint32(len(h.classes)))
	n.GUID(&GUID{})
	classes, sizes := n.Pointer(true), n.Pointer(true)
	n.Ignored(0)
	if classes {
		Array(n, &h.classes, 16, maxProperties, n.GUID)
	}
	if sizes {
		Array(n, &h.sizes, 4, maxProperties, n.U32)
	}
}

// decode gives each property to its value; those without one are skipped.
func (p *properties) decode(values func(class GUID) Coded) error {
	for _, v := range *p {
		if to := values(v.class); to != nil {
			if err := deserialize(v.data, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// Create is what a client asks RemoteCreateInstance for: interfaces of a new object of a class.
type Create struct {
	Version Version
	Class   GUID
	IIDs    []GUID
	Towers  []uint16 // protocols that the exporter is to be reached by
}

// maxInterfaces bounds the interfaces of an activation, MS-DCOM 2.2.22.2.1.
const maxInterfaces = 0x8000

// object is the OBJREF that travels, in the order in which clients of Windows hosts send it.
func (c *Create) object() *Custom {
	i := &instantiation{create: c}
	i.size = uint32(len(serialize(i)))
	p := properties{{propertyInstantiation, serialize(i)}, {propertyContext, serialize(zeros(6))},
		{propertyLocation, serialize(zeros(4))}, {propertyRequest, serialize(&scmRequest{c})}}
	return &Custom{IID: interfaceIn, Class: classIn, Data: Encode(&p)}
}

// Code codes the arguments that follow ORPCTHIS: no outer object, and the properties.
func (c *Create) Code(n *NDR) {
	n.Ignored(0)
	var b []byte
	if !n.Reading() {
		b = Encode(c.object())
	}
	if n.Interface(&b); n.Reading() && n.Err() == nil {
		n.Keep(c.parse(b))
	}
}

// parse reads the OBJREF that a client sent.
func (c *Create) parse(b []byte) error {
	p, err := parseProperties(b, classIn)
	if err != nil {
		return err
	}
	return p.decode(func(class GUID) Coded {
		switch class {
		case propertyInstantiation:
			return &instantiation{create: c}
		case propertyRequest:
			return &scmRequest{c}
		}
		return nil
	})
}

// parseProperties reads the OBJREF of an activation.
func parseProperties(b []byte, class GUID) (p properties, err error) {
	var o Custom
	n := Read(b)
	if o.Code(n); o.Class != class {
		n.Fail("no activation")
	}
	if n.Err() != nil {
		return nil, n.Err()
	}
	return p, Decode(o.Data, &p)
}

// instantiation is InstantiationInfoData, MS-DCOM 2.2.22.2.1.
type instantiation struct {
	create *Create
	size   uint32 // of the whole, serialized
}

func (i *instantiation) Code(n *NDR) {
	c := i.create
	n.GUID(&c.Class)
	n.Ignored(0, 0, 0, uint32(len(c.IIDs)), 0) // context, flags, no surrogate; number; instance's flag
	there := n.Pointer(true)
	n.U32(&i.size)
	c.Version.Code(n)
	if there {
		Array(n, &c.IIDs, 16, maxInterfaces, n.GUID)
	}
}

// scmRequest is ScmRequestInfoData, MS-DCOM 2.2.22.2.4.
type scmRequest struct{ *Create }

// impersonate is the level at which the host may act for the client.
const impersonate = 2

func (r *scmRequest) Code(n *NDR) {
	n.Ignored(0)
	if !n.Pointer(true) {
		return
	}
	n.Ignored(impersonate)
	count := uint16(len(r.Towers))
	n.U16(&count)
	if n.Pointer(true) {
		Array(n, &r.Towers, 2, maxElements, n.U16)
	}
}

// zeros are properties of which nothing is set: so many words.
type zeros int

func (z zeros) Code(n *NDR) { n.Ignored(make([]uint32, z)...) }

// Created is what RemoteCreateInstance answers before its result.
type Created struct {
	OXID       uint64
	Exporter   Bindings
	RemUnknown GUID
	Hint       uint32 // level of protection that the exporter asks for
	Version    Version
	Interfaces []Activated
}

// Activated is one interface of a new object.
type Activated struct {
	IID       GUID
	Result    Result
	Reference []byte // OBJREF; nil: none
}

// Code codes the answer that follows ORPCTHAT: a pointer to the properties, which is none where
// the call failed.
func (c *Created) Code(n *NDR) {
	var b []byte
	if !n.Reading() && !c.isNothing() {
		p := properties{{propertyInterfaces, serialize(&propsOut{c})}, {propertyReply, serialize(&scmReply{c})}}
		b = Encode(&Custom{IID: interfaceOut, Class: classOut, Data: Encode(&p)})
	}
	if n.Interface(&b); n.Reading() && n.Err() == nil && b != nil {
		n.Keep(c.parse(b))
	}
}

// isNothing tells whether nothing was created.
func (c *Created) isNothing() bool { return c.OXID == 0 && len(c.Interfaces) == 0 }

func (c *Created) parse(b []byte) error {
	p, err := parseProperties(b, classOut)
	if err != nil {
		return err
	}
	return p.decode(func(class GUID) Coded {
		switch class {
		case propertyInterfaces:
			return &propsOut{c}
		case propertyReply:
			return &scmReply{c}
		}
		return nil
	})
}

// propsOut is PropsOutInfo, MS-DCOM 2.2.22.2.9.
type propsOut struct{ *Created }

func (p *propsOut) Code(n *NDR) {
	var iids []GUID
	var results []Result
	var refs [][]byte
	for _, i := range p.Interfaces {
		iids, results, refs = append(iids, i.IID), append(results, i.Result), append(refs, i.Reference)
	}
	n.Ignored(uint32(len(iids)))
	named, resulted, referred := n.Pointer(true), n.Pointer(true), n.Pointer(true)
	if named {
		Array(n, &iids, 16, maxInterfaces, n.GUID)
	}
	if resulted {
		Array(n, &results, 4, maxInterfaces, func(r *Result) { r.Code(n) })
	}
	if referred {
		n.interfaces(&refs)
	}
	if len(results) != len(iids) || len(refs) != len(iids) {
		n.Fail("%d interfaces, %d results, %d references", len(iids), len(results), len(refs))
	}
	if !n.Reading() || n.Err() != nil {
		return
	}
	p.Interfaces = slices.Grow(p.Interfaces[:0], len(iids))
	for i := range iids {
		p.Interfaces = append(p.Interfaces, Activated{iids[i], results[i], refs[i]})
	}
}

// interfaces is a conformant array of unique pointers to MInterfacePointer.
func (n *NDR) interfaces(v *[][]byte) {
	var there []bool
	Array(n, v, 4, maxInterfaces, func(b *[]byte) { there = append(there, n.Pointer(*b != nil || n.Reading())) })
	for i, set := range there {
		if set && n.Err() == nil {
			n.interfaceBody(&(*v)[i])
		}
	}
}

// scmReply is ScmReplyInfoData, MS-DCOM 2.2.22.2.8.
type scmReply struct{ *Created }

func (r *scmReply) Code(n *NDR) {
	n.Ignored(0)
	if !n.Pointer(true) {
		return
	}
	n.U64(&r.OXID)
	there := n.Pointer(true)
	n.GUID(&r.RemUnknown)
	n.U32(&r.Hint)
	r.Version.Code(n)
	if there {
		r.Exporter.conformant(n)
	}
}
