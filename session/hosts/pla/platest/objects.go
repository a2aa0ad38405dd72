package platest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"perfdeck/session/wire/dcom"
	"perfdeck/session/wire/rpc"
)

// Results of COM.
const (
	notImplemented dcom.Result = 0x80004001
	noInterface    dcom.Result = 0x80004002
	invalidHeader  rpc.Fault   = 0x80010111
	invalidObject  rpc.Fault   = 0x80010114
	notRegistered  dcom.Result = 0x80040154
	invalid        dcom.Result = 0x80070057
	otherVersion   dcom.Result = 0x80010110
	notHere        dcom.Result = 0x800401FB // CO_E_OBJNOTREG
	gone           rpc.Fault   = 0x80010108 // RPC_E_DISCONNECTED
)

// object is an interface of what a client has made, or was given.
type object struct {
	oid       uint64
	iid, ipid dcom.GUID
	value     any
	public    int // references that clients have
}

func newID() (g dcom.GUID) { rand.Read(g[:]); return g }

// perReference is how many references come with an OBJREF.
const perReference = 5

// object makes an object; h.mu is held.
func (h *Host) object(value any, of rpc.Interface) *object {
	h.last++
	return &object{oid: 0x4000 + h.last, iid: of.ID(), ipid: newID(), value: value}
}

// release gives references back; h.mu is held.
func (h *Host) release(ipid dcom.GUID, count int) {
	o := h.objects[ipid]
	if o == nil {
		return // it went with the process
	}
	h.excess += max(0, count-o.public)
	if o.public = max(0, o.public-count); o.public == 0 {
		delete(h.objects, ipid)
	}
}

// reference makes an OBJREF; h.mu is held.
func (h *Host) reference(o *object) []byte {
	h.objects[o.ipid], h.known[o.iid] = o, true
	r := &dcom.Reference{IID: o.iid, Standard: dcom.Standard{Public: perReference, OXID: h.oxid, OID: o.oid, IPID: o.ipid}, Resolver: h.bindings(0)}
	if h.o.Reference != nil {
		h.o.Reference(r)
	}
	o.public += int(r.Public)
	return dcom.Encode(r)
}

// bindings are those of the resolver, or of a port.
func (h *Host) bindings(port int) dcom.Bindings {
	b := dcom.Binding{Tower: dcom.TowerTCP, Address: h.o.Address}
	if port != 0 {
		b.Address = fmt.Sprintf("%s[%d]", h.o.Address, port)
	}
	return dcom.Bindings{Addresses: []dcom.Binding{b}, Security: []dcom.Principal{{Service: 9}, {Service: 10}}}
}

// call is a call of a method.
type call struct {
	host *Host
	ctx  context.Context
	n    *dcom.NDR // of the arguments
	of   *object   // of methods of objects of the exporter
}

// method is one: how its arguments are read, and what it does with h.mu held. Of what it
// returns shape writes what stands before the result, also where it is nil.
type method struct {
	name  string
	run   func(k *call) (any, error)
	shape func(n *dcom.NDR, v any)
}

// answer answers a call of an object's interface.
func (h *Host) answer(name string, iid dcom.GUID, methods map[uint16]method) rpc.Handler {
	return func(ctx context.Context, c *rpc.Call) ([]byte, error) {
		m, is := methods[c.Op]
		if !is {
			return nil, rpc.Fault(rpc.FaultOpRange)
		}
		k := &call{host: h, ctx: ctx, n: dcom.Read(c.Stub)}
		var this dcom.This
		this.Code(k.n)
		about := h.called(name + "." + m.name)
		var v any
		err := h.allowed(c, iid, &this)
		if err == nil && h.o.Before != nil {
			err = h.o.Before(ctx, about)
		}
		if err == nil {
			v, err = h.run(k, c, iid, m)
		}
		return h.replied(about, &dcom.That{}, m, v, err)
	}
}

// called counts a call.
func (h *Host) called(name string) Method {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls[name]++
	return Method{Name: name, N: h.calls[name]}
}

// allowed looks at what a call of an object begins with.
func (h *Host) allowed(c *rpc.Call, iid dcom.GUID, this *dcom.This) error {
	switch v := this.Version; {
	case c.Account == "":
		return rpc.Fault(rpc.CodeAccessDenied)
	case v.Major != h.o.Version.Major || v.Minor > h.o.Version.Minor:
		return otherVersion
	case this.Flags != 0 && iid != dcom.IRemoteActivator: // of an activation they say nothing
		return invalidHeader
	}
	return nil
}

func (h *Host) run(k *call, c *rpc.Call, iid dcom.GUID, m method) (any, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch o := h.objects[c.Object]; {
	case iid == dcom.IRemoteActivator:
	case iid == dcom.IRemUnknown || iid == dcom.IRemUnknown2:
		if c.Object != h.remUnknown {
			return nil, gone
		}
	case o == nil:
		return nil, gone
	case o.iid != iid:
		return nil, invalidObject
	default:
		k.of = o
	}
	return m.run(k)
}

// replied makes the stub of a reply.
func (h *Host) replied(about Method, that *dcom.That, m method, v any, err error) ([]byte, error) {
	result, is := errors.AsType[dcom.Result](err)
	if err != nil && !is {
		return nil, err
	}
	n := dcom.Write()
	that.Code(n)
	if m.shape != nil {
		m.shape(n, v)
	}
	result.Code(n)
	stub := n.Bytes()
	if h.o.After != nil {
		stub = h.o.After(about, stub)
	}
	return stub, nil
}

// end is that arguments are damaged, if they are.
func (k *call) end() error {
	if k.n.End() != nil {
		return rpc.Fault(rpc.CodeBadStubData)
	}
	return nil
}

// sleep passes time while others are answered.
func (k *call) sleep(d time.Duration) {
	k.host.mu.Unlock()
	defer k.host.mu.Lock()
	select {
	case <-time.After(d):
	case <-k.ctx.Done():
	}
}

// ofResolver finds the interfaces of the resolver.
func (h *Host) ofResolver(id [16]byte, version uint32) rpc.Handler {
	switch {
	case version != 0:
	case id == dcom.IObjectExporter:
		return h.alive
	case id == dcom.IRemoteActivator:
		return h.answer("IRemoteSCMActivator", id, map[uint16]method{dcom.OpRemoteCreateInstance: {"RemoteCreateInstance", create, func(n *dcom.NDR, v any) {
			c, is := v.(*dcom.Created)
			if !is {
				c = &dcom.Created{}
			}
			c.Code(n)
		}}})
	}
	return nil
}

// alive answers ServerAlive2, which has no object.
func (h *Host) alive(ctx context.Context, c *rpc.Call) ([]byte, error) {
	if c.Op != dcom.OpServerAlive2 {
		return nil, rpc.Fault(rpc.FaultOpRange)
	}
	about := h.called("IObjectExporter.ServerAlive2")
	if h.o.Before != nil {
		if err := h.o.Before(ctx, about); err != nil {
			return nil, err
		}
	}
	stub := dcom.Encode(&dcom.Alive{Version: h.o.Version, Resolver: h.bindings(0)})
	if h.o.After != nil {
		stub = h.o.After(about, stub)
	}
	return stub, nil
}

// create makes an object of a class.
func create(k *call) (any, error) {
	var c dcom.Create
	if c.Code(k.n); k.end() != nil {
		return nil, k.end()
	}
	h := k.host
	o := h.instance(c.Class)
	if o == nil {
		return nil, notRegistered
	}
	out := &dcom.Created{OXID: h.oxid, Exporter: h.bindings(h.port), RemUnknown: h.remUnknown, Hint: 6, Version: h.o.Version}
	for _, iid := range c.IIDs {
		a := dcom.Activated{IID: iid, Result: noInterface}
		if iid == o.iid {
			a.Result, a.Reference = 0, h.reference(o)
		}
		out.Interfaces = append(out.Interfaces, a)
	}
	if h.o.Created != nil {
		h.o.Created(out)
	}
	return out, nil
}

// ofExporter finds the interfaces of the process with the sets.
func (h *Host) ofExporter(id [16]byte, version uint32) rpc.Handler {
	if version != 0 {
		return nil
	}
	if id == dcom.IRemUnknown || id == dcom.IRemUnknown2 {
		return h.answer("IRemUnknown", id, ofUnknown)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, of := range served {
		if of.ID() == id && (!h.o.LateBinding || h.known[id]) {
			return h.answer(of.String(), id, of.methods)
		}
	}
	return nil
}

// ofUnknown are the methods of IRemUnknown.
var ofUnknown = map[uint16]method{
	dcom.OpRemAddRef: {"RemAddRef", addReferences, func(n *dcom.NDR, v any) {
		r, _ := v.(dcom.Results)
		r.Code(n)
	}},
	dcom.OpRemRelease: {"RemRelease", giveBack, nil},
}

func addReferences(k *call) (any, error) {
	var list dcom.CountedList
	if list.Code(k.n); k.end() != nil {
		return nil, k.end()
	}
	results := dcom.Results{}
	for _, c := range list {
		o, r := k.host.objects[c.IPID], dcom.Result(0)
		if o == nil {
			r = notHere
		} else {
			o.public += int(c.Public)
		}
		results = append(results, r)
	}
	return results, nil
}

func giveBack(k *call) (any, error) {
	var list dcom.CountedList
	if list.Code(k.n); k.end() != nil {
		return nil, k.end()
	}
	for _, c := range list {
		k.host.release(c.IPID, int(c.Public))
	}
	return nil, nil
}
