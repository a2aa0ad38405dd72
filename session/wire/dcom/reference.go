package dcom

import (
	"encoding/binary"
	"fmt"
	"unicode/utf16"

	"perfdeck/session/wire/perflib"
)

// Forms of OBJREF, MS-DCOM 2.2.18.
const (
	referenceMark = 0x574f454d // MEOW
	formStandard  = 1
	formHandler   = 2
	formCustom    = 4
	formExtended  = 8
)

// Standard is STDOBJREF: a counted reference to an interface of an object.
type Standard struct {
	Flags  uint32
	Public uint32 // references counted for who has it
	OXID   uint64
	OID    uint64
	IPID   GUID
}

// Code codes STDOBJREF, MS-DCOM 2.2.18.1.
func (s *Standard) Code(n *NDR) {
	n.U32(&s.Flags)
	n.U32(&s.Public)
	n.U64(&s.OXID)
	n.U64(&s.OID)
	n.GUID(&s.IPID)
}

// Reference is OBJREF_STANDARD. Of the forms that hold more the same is read.
type Reference struct {
	IID GUID
	Standard
	Resolver Bindings
}

// Code codes OBJREF, MS-DCOM 2.2.18.
func (r *Reference) Code(n *NDR) {
	form := uint32(formStandard)
	n.Same(referenceMark)
	n.U32(&form)
	n.GUID(&r.IID)
	r.Standard.Code(n)
	switch form {
	case formStandard:
	case formHandler:
		n.GUID(&GUID{})
	case formExtended:
		n.Ignored(0)
	default:
		n.Fail("reference of form %d", form)
	}
	r.Resolver.Code(n)
}

// Custom is OBJREF_CUSTOM: an object that is sent as it is.
type Custom struct {
	IID, Class GUID
	Data       []byte
}

// Code codes OBJREF, MS-DCOM 2.2.18.6.
func (c *Custom) Code(n *NDR) {
	n.Same(referenceMark, formCustom)
	n.GUID(&c.IID)
	n.GUID(&c.Class)
	n.Same(0)
	n.Ignored(uint32(len(c.Data)) + 8) // reserved
	size := len(c.Data)
	if n.Reading() {
		size = len(n.Rest())
	}
	n.Raw(&c.Data, size)
}

// Interface is a unique pointer to MInterfacePointer, MS-DCOM 2.2.14: an OBJREF; nil: none.
func (n *NDR) Interface(v *[]byte) {
	if n.Pointer(*v != nil) {
		n.interfaceBody(v)
	} else {
		*v = nil
	}
}

func (n *NDR) interfaceBody(v *[]byte) {
	size := n.Count(len(*v), 1, maxMessage)
	n.Same(uint32(size))
	n.Raw(v, size)
}

// TowerTCP is RPC over TCP in bindings.
const TowerTCP = 7

// Bindings is DUALSTRINGARRAY, MS-DCOM 2.2.19: where a process listens, and how it takes log-ons.
type Bindings struct {
	Addresses []Binding
	Security  []Principal
}

// Binding is an address in the form of a protocol.
type Binding struct {
	Tower   uint16
	Address string
}

// Principal is how one logs on.
type Principal struct {
	Service uint16
	Name    string
}

// anyAuthorization is the authorization service of all principals.
const anyAuthorization = 0xffff

// Code codes the array as OBJREF has it, without conformance.
func (b *Bindings) Code(n *NDR) {
	addresses, security := b.units()
	count, split := uint16(len(addresses)+len(security)), uint16(len(addresses))
	n.U16(&count)
	n.U16(&split)
	var raw []byte
	for _, u := range append(addresses, security...) {
		raw = binary.LittleEndian.AppendUint16(raw, u)
	}
	if n.Raw(&raw, 2*int(count)); !n.Reading() || n.Err() != nil {
		return
	}
	if split > count {
		n.Fail("%d addresses in bindings of %d", split, count)
		return
	}
	b.parse(n, raw[:2*split], raw[2*split:])
}

// conformant codes the array as arguments have it.
func (b *Bindings) conformant(n *NDR) {
	addresses, security := b.units()
	count := n.Count(len(addresses)+len(security), 2, 1<<16-1)
	before := len(n.Rest())
	if b.Code(n); n.Reading() && n.Err() == nil && before-len(n.Rest()) != 4+2*count {
		n.Fail("bindings of %d, %d announced", (before-len(n.Rest())-4)/2, count)
	}
}

// units are both parts, each of which ends with a 0 of its own: one of nothing with two.
func (b *Bindings) units() (addresses, security []uint16) {
	for _, a := range b.Addresses {
		addresses = append(append(append(addresses, a.Tower), utf16.Encode([]rune(a.Address))...), 0)
	}
	for _, p := range b.Security {
		security = append(append(append(security, p.Service, anyAuthorization), utf16.Encode([]rune(p.Name))...), 0)
	}
	for _, part := range []*[]uint16{&addresses, &security} {
		if *part = append(*part, 0); len(*part) == 1 {
			*part = append(*part, 0)
		}
	}
	return addresses, security
}

func (b *Bindings) parse(n *NDR, addresses, security []byte) {
	*b = Bindings{}
	for len(addresses) > 0 && !isZero(addresses) {
		var a Binding
		a.Tower, a.Address, addresses = binding(addresses)
		b.Addresses = append(b.Addresses, a)
	}
	for len(security) > 0 && !isZero(security) {
		var p Principal
		if len(security) < 4 {
			n.Fail("security bindings are cut off")
			return
		}
		p.Service = binary.LittleEndian.Uint16(security)
		_, p.Name, security = binding(security[2:])
		b.Security = append(b.Security, p)
	}
}

// isZero tells whether a list of at least one unit ends here.
func isZero(b []byte) bool { return b[0] == 0 && b[1] == 0 }

// binding cuts a number and a text that ends with a 0, or with the units.
func binding(units []byte) (number uint16, text string, rest []byte) {
	number, units = binary.LittleEndian.Uint16(units), units[2:]
	end := 0
	for end < len(units) && !isZero(units[end:]) {
		end += 2
	}
	return number, perflib.Text(units[:end]).String(), units[min(len(units), end+2):]
}

// Version is COM's, MS-DCOM 2.2.11.
type Version struct{ Major, Minor uint16 } //nolint:recvcheck // Code reads into it

// Code codes COMVERSION.
func (v *Version) Code(n *NDR) {
	n.U16(&v.Major)
	n.U16(&v.Minor)
}

func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }
