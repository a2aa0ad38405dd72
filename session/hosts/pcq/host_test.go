package pcq

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// host is a scripted host in memory. The zero value of each script field means
// what a healthy host does.
type host struct {
	mu      sync.Mutex // of calls, dials and closed
	sets    []*hostSet
	german  bool // it has texts in German (0x407)
	clock   uint64
	handles map[rpc.Handle]*hostQuery
	most    int // handles; 0: any number
	dials   int
	calls   map[string]int
	closed  int // connections

	fail   func(op string) error // of a call
	reg    func(set perflib.GUID, code perflib.RequestCode, lcid uint32) (rpc.Array, bool)
	list   *rpc.Array // of EnumerateCounterSet
	status func(id *perflib.Identifier) uint32
	block  func(w *perflib.DataWriter, id *perflib.Identifier) bool
	data   func(whole []byte) rpc.Array
	info   func(list []perflib.Identifier)
	// Of the whole call, by what is in the query or to be added; nil and CodeOK: as
	// a healthy host.
	spoil    func(ids []perflib.Identifier) *rpc.Array
	validate func(ids []perflib.Identifier) rpc.Code

	infoData []byte // of QueryCounterInfo
}

type hostSet struct {
	info      perflib.CountersetInfo
	name      string
	counters  map[uint32]string
	instances []perflib.Instance
	value     func(counter uint32, instance int) any
}

type hostQuery struct{ ids []perflib.Identifier }

// conn is a connection to a host.
type conn struct{ *host }

func (c conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed++
	return nil
}

func (h *host) dial(context.Context) (Conn, error) {
	if err := h.call("dial"); err != nil {
		return nil, err
	}
	return conn{h}, nil
}

func (h *host) call(op string) error {
	h.mu.Lock()
	if h.calls == nil {
		h.calls, h.handles = map[string]int{}, map[rpc.Handle]*hostQuery{}
	}
	h.calls[op]++
	if op == "dial" {
		h.dials++
	}
	h.mu.Unlock()
	if h.fail != nil {
		return h.fail(op)
	}
	return nil
}

func (h *host) set(g perflib.GUID) *hostSet {
	i := slices.IndexFunc(h.sets, func(s *hostSet) bool { return s.info.GUID == g })
	if i < 0 {
		return nil
	}
	return h.sets[i]
}

func answer(data []byte, inSize uint32) rpc.Array {
	if len(data) > int(inSize) {
		return rpc.Array{Code: rpc.CodeNotEnoughMemory, Needed: uint32(len(data))}
	}
	return rpc.Array{Needed: uint32(len(data)), Data: data}
}

func (h *host) EnumerateCounterSet(_ context.Context, inSize uint32) (rpc.Array, error) {
	if err := h.call("enumerate"); err != nil {
		return rpc.Array{}, err
	}
	if h.list != nil {
		return *h.list, nil
	}
	if len(h.sets) > int(inSize) {
		return rpc.Array{Code: rpc.CodeNotEnoughMemory, Needed: uint32(len(h.sets))}, nil
	}
	var b []byte
	for _, s := range h.sets {
		b = perflib.AppendGUID(b, s.info.GUID)
	}
	return rpc.Array{Needed: uint32(len(h.sets)), Data: b}, nil
}

func (h *host) QueryCounterSetRegistrationInfo(_ context.Context, g [16]byte, code, lcid, inSize uint32) (rpc.Array, error) {
	if err := h.call(fmt.Sprintf("reg %d", code)); err != nil {
		return rpc.Array{}, err
	}
	if h.reg != nil {
		if a, ok := h.reg(g, perflib.RequestCode(code), lcid); ok {
			return a, nil
		}
	}
	s := h.set(g)
	if s == nil {
		return rpc.Array{Code: rpc.CodeGUIDNotFound}, nil
	}
	local := lcid == 0x407
	if c := perflib.RequestCode(code); c >= perflib.CountersetName && c <= perflib.CounterHelps && lcid != 0 && lcid != english && (!local || !h.german) {
		return rpc.Array{Code: rpc.CodeLanguageNotFound}, nil
	}
	data, c := s.registration(perflib.RequestCode(code), lcid, local)
	if c != rpc.CodeOK {
		return rpc.Array{Code: c}, nil
	}
	return answer(data, inSize), nil
}

func (s *hostSet) registration(code perflib.RequestCode, lcid uint32, german bool) ([]byte, rpc.Code) {
	in := func(text string) perflib.Text {
		if german {
			text += " (de)"
		}
		return perflib.EncodeText(text)
	}
	table := func(prefix string) []byte {
		var list []perflib.CounterString
		for _, c := range s.info.Counters {
			if name := s.counters[c.ID]; name != "" {
				list = append(list, perflib.CounterString{ID: c.ID, Text: in(prefix + name)})
			} else {
				list = append(list, perflib.CounterString{ID: c.ID})
			}
		}
		return perflib.AppendStrings(nil, list)
	}
	switch code {
	case perflib.CountersetStruct:
		return perflib.AppendCounterset(nil, &s.info), 0
	case perflib.CounterStruct:
		for i := range s.info.Counters {
			if s.info.Counters[i].ID == lcid {
				return perflib.AppendCounter(nil, &s.info.Counters[i]), 0
			}
		}
		return nil, rpc.CodeItemNotFound
	case perflib.CountersetName:
		return perflib.AppendString(nil, in(s.name)), 0
	case perflib.CountersetHelp:
		return perflib.AppendString(nil, in("About "+s.name)), 0
	case perflib.CounterNames, perflib.EnglishCounterNames:
		return table(""), 0
	case perflib.CounterHelps:
		return table("About "), 0
	case perflib.ProviderName:
		return perflib.AppendString(nil, perflib.EncodeText("Provider of "+s.name)), 0
	case perflib.ProviderGUID:
		return perflib.AppendGUID(nil, s.info.GUID), 0
	case perflib.EnglishName:
		return perflib.AppendString(nil, perflib.EncodeText(s.name)), 0
	}
	return nil, rpc.CodeInvalidParameter
}

func (h *host) EnumerateCounterSetInstances(_ context.Context, g [16]byte, inSize uint32) (rpc.Array, error) {
	if err := h.call("instances"); err != nil {
		return rpc.Array{}, err
	}
	s := h.set(g)
	if s == nil || len(s.instances) == 0 {
		return rpc.Array{Code: rpc.CodeInstanceNotFound}, nil
	}
	var b []byte
	for _, in := range s.instances {
		b = perflib.AppendInstance(b, in.ID, in.Name)
	}
	return answer(b, inSize), nil
}

func (h *host) OpenQueryHandle(context.Context) (rpc.Handle, rpc.Code, error) {
	if err := h.call("open"); err != nil {
		return rpc.Handle{}, 0, err
	}
	if h.most > 0 && len(h.handles) >= h.most {
		return rpc.Handle{}, rpc.CodeNoSystemResources, nil
	}
	id := rpc.NewHandle()
	h.handles[id] = &hostQuery{}
	return id, 0, nil
}

func (h *host) CloseQueryHandle(_ context.Context, id rpc.Handle) (rpc.Handle, rpc.Code, error) {
	if err := h.call("close"); err != nil {
		return id, 0, err
	}
	delete(h.handles, id)
	return rpc.Handle{}, 0, nil
}

// QueryCounterInfo lists the identifiers from the last to the first, as their
// blocks come.
func (h *host) QueryCounterInfo(_ context.Context, id rpc.Handle, inSize uint32) (rpc.Array, error) {
	if err := h.call("info"); err != nil {
		return rpc.Array{}, err
	}
	if h.infoData != nil {
		return rpc.Array{Data: h.infoData}, nil
	}
	list := slices.Clone(h.handles[id].ids)
	for i := range list {
		list[i].Index = uint32(len(list) - 1 - i)
	}
	if h.info != nil {
		h.info(list)
	}
	var b []byte
	for i := range list {
		b = perflib.AppendIdentifier(b, &list[i])
	}
	return answer(b, inSize), nil
}

func (h *host) QueryCounterData(_ context.Context, id rpc.Handle, inSize uint32, dst []byte) (rpc.Array, error) {
	if err := h.call("data"); err != nil {
		return rpc.Array{}, err
	}
	if h.spoil != nil {
		if a := h.spoil(h.handles[id].ids); a != nil {
			return *a, nil
		}
	}
	h.clock += 1000
	header := perflib.NewDataHeader(time.Unix(1_700_000_000, 0), h.clock, 1_000_000)
	if h.data != nil {
		dst = nil // what data returns may be kept
	}
	w := perflib.NewDataWriter(dst[:0], &header)
	for _, identifier := range slices.Backward(h.handles[id].ids) {
		if h.block != nil && h.block(&w, &identifier) {
			continue
		}
		h.set(identifier.Counterset).write(&w, &identifier)
	}
	whole, err := w.Finish()
	if err != nil {
		return rpc.Array{}, err
	}
	if h.data != nil {
		a := h.data(whole)
		a.Data = slices.Clone(a.Data)
		return a, nil
	}
	return answer(whole, inSize), nil
}

// write writes the block of an identifier, in the kind that belongs to it.
func (s *hostSet) write(w *perflib.DataWriter, id *perflib.Identifier) {
	ids := []uint32{id.CounterID}
	if id.CounterID == perflib.AllCounters {
		ids = nil
		for _, c := range s.info.Counters {
			ids = append(ids, c.ID)
		}
	}
	values := func(instance int) {
		for _, c := range ids {
			switch v := s.value(c, instance).(type) {
			case int:
				w.Uint64(uint64(v))
			case uint64:
				w.Uint64(v)
			case uint32:
				w.Uint32(v)
			case string:
				w.Text(perflib.EncodeText(v))
			case []byte:
				w.Bytes(v)
			}
		}
	}
	switch id.Kind() {
	case perflib.KindCounter:
		w.Counter()
		values(0)
	case perflib.KindCounters:
		w.Counters(ids)
		values(0)
	case perflib.KindInstances:
		w.Instances()
	case perflib.KindCounterset:
		w.Counterset(ids)
	}
	if id.Wild() {
		for i, in := range s.instances {
			w.Instance(in.ID, in.Name)
			values(i)
		}
	}
}

func (h *host) ValidateCounters(_ context.Context, id rpc.Handle, buf []byte, add bool) (rpc.Code, error) {
	op := "remove"
	if add {
		op = "add"
	}
	if err := h.call(op); err != nil {
		return 0, err
	}
	list, err := perflib.DecodeIdentifierRequest(buf)
	if err != nil {
		return 0, err
	}
	if add && h.validate != nil {
		if code := h.validate(list); code != rpc.CodeOK {
			return code, nil
		}
	}
	q := h.handles[id]
	for i := range list {
		one := &list[i]
		same := func(o perflib.Identifier) bool {
			return o.Counterset == one.Counterset && o.CounterID == one.CounterID && string(o.Name) == string(one.Name)
		}
		status := uint32(0)
		switch {
		case !add:
			q.ids = slices.DeleteFunc(q.ids, same)
		case h.status != nil && h.status(one) != 0:
			status = h.status(one)
		case slices.ContainsFunc(q.ids, same):
			status = uint32(rpc.CodeAlreadyExists)
		default:
			status = h.check(one)
			if status == 0 {
				kept := *one
				kept.Name = slices.Clone(one.Name)
				q.ids = append(q.ids, kept)
			}
		}
		one.SetStatus(buf, status)
	}
	return 0, nil
}

func (h *host) check(id *perflib.Identifier) uint32 {
	s := h.set(id.Counterset)
	switch {
	case s == nil:
		return uint32(rpc.CodeGUIDNotFound)
	case (len(id.Name) > 0) != (s.info.Instances&2 != 0):
		return uint32(rpc.CodeInvalidParameter)
	case id.CounterID != perflib.AllCounters && !slices.ContainsFunc(s.info.Counters, func(c perflib.CounterInfo) bool { return c.ID == id.CounterID }):
		return uint32(rpc.CodeItemNotFound)
	}
	return 0
}
