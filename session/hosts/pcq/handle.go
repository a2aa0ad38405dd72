package pcq

import (
	"context"
	"encoding/binary"
	"slices"
	"time"

	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// How long after a refusal an identifier is tried again: its provider may have
// started. A host that refuses wildcards while there is no instance (MS-PCQ
// 3.1.4.1.7) is asked more often.
const (
	retryRefused = 30 * time.Second
	retryAbsent  = 5 * time.Second
)

const statusOffset = 16 // of Status in a PERF_COUNTER_IDENTIFIER, bytes

// handle is a query handle on the host: what is read in one call.
type handle struct {
	conn  Conn
	id    rpc.Handle
	host  string
	now   func() time.Time
	wants []*want
	asked []*asked

	specs   map[specKey]*spec
	order   []*spec // by position of their blocks in a reply
	moved   bool    // the query has changed since order was learned
	refused bool    // some were not added
	retryAt time.Time

	infoSize, dataSize uint32
	data               []byte
}

// specKey identifies an identifier within a handle.
type specKey struct {
	guid    perflib.GUID
	counter uint32
}

// spec is one identifier of the query.
type spec struct {
	key   specKey
	asked *asked
	at    int // place of the counter in asked.ids, -1 for all
	named bool
	added bool
	code  rpc.Code // why it was not
	lost  rpc.Code // status of its block
}

func (s *spec) identifier() perflib.Identifier {
	id := perflib.Identifier{Counterset: s.key.guid, CounterID: s.key.counter, InstanceID: perflib.AnyInstance}
	if s.named {
		id.Name = perflib.EncodeText("*")
	}
	return id
}

// choose gives the handle its wants; what was asked before for the same set
// keeps its instances.
func (h *handle) choose(wants []*want) {
	h.wants = wants
	old := h.asked
	h.asked = nil
	for _, a := range old {
		a.wants = a.wants[:0]
	}
	for _, w := range wants {
		w.handle = h
		if w.err != nil {
			continue
		}
		same := func(a *asked) bool { return a.guid == w.guid }
		i := slices.IndexFunc(h.asked, same)
		if i < 0 {
			i = len(h.asked)
			a := newAsked(w)
			if o := slices.IndexFunc(old, same); o >= 0 && old[o].kind == a.kind && old[o].counters == a.counters {
				a = old[o]
			}
			h.asked = append(h.asked, a)
		}
		h.asked[i].wants = append(h.asked[i].wants, w)
	}
	for _, a := range h.asked {
		a.plan()
	}
}

// settle brings the query on the host to what is asked. The error is that of
// the connection.
func (h *handle) settle(ctx context.Context, now time.Time) error {
	for {
		if err := h.apply(ctx); err != nil {
			return err
		}
		adapted := false
		for _, a := range h.asked {
			adapted = a.adapt(h.codes(a)) || adapted
		}
		if !adapted {
			break
		}
	}
	h.refused = false
	pause := retryRefused
	for _, s := range h.specs {
		h.refused = h.refused || !s.added
		if !s.added && isAbsence(s.code) {
			pause = retryAbsent
		}
	}
	h.retryAt = now.Add(pause)
	if !h.moved {
		return nil
	}
	return h.learnOrder(ctx)
}

// adapt asks for single counters where the block of all counters failed, so that
// one that fails does not take the others with it.
func (h *handle) adapt(ctx context.Context, now time.Time) error {
	changed := false
	for _, a := range h.asked {
		if !a.all() {
			continue
		}
		s := h.specs[specKey{a.guid, perflib.AllCounters}]
		if s != nil && s.lost != rpc.CodeOK && !isAbsence(s.lost) && !s.lost.IsDenied() {
			a.singles, changed = true, true
		}
	}
	if !changed {
		return nil
	}
	return h.settle(ctx, now)
}

// retry adds again what was refused or taken out, after a while.
func (h *handle) retry(ctx context.Context, now time.Time) error {
	back, err := h.bringBack(ctx, now)
	if err != nil {
		return err
	}
	again := h.refused && !isAhead(h.retryAt, now)
	if !back && !again {
		return nil
	}
	for _, s := range h.specs {
		if again && !s.added {
			delete(h.specs, s.key)
		}
	}
	return h.settle(ctx, now)
}

// apply removes and adds identifiers.
func (h *handle) apply(ctx context.Context) error {
	remove, add := h.difference()
	h.moved = h.moved || len(remove)+len(add) > 0
	if len(remove) > 0 {
		if err := h.validate(ctx, remove, false); err != nil {
			return err
		}
	}
	if len(add) > 0 {
		return h.validate(ctx, add, true)
	}
	return nil
}

// difference compares what the query holds with what is asked.
func (h *handle) difference() (remove, add []*spec) {
	next := make(map[specKey]*spec, len(h.specs))
	for _, a := range h.asked {
		for _, counter := range a.identifiers() {
			key := specKey{a.guid, counter}
			s := h.specs[key]
			if s == nil || s.named != a.named {
				s = &spec{key: key, named: a.named}
				add = append(add, s)
			}
			s.asked, s.at = a, -1
			if counter != perflib.AllCounters {
				s.at = a.place(counter)
			}
			next[key] = s
		}
	}
	for key, s := range h.specs {
		if next[key] != s && s.added {
			remove = append(remove, s)
		}
	}
	h.specs = next
	return remove, add
}

// validate adds or removes and notes the statuses. Where the host refuses to add
// sets together each is added by itself.
func (h *handle) validate(ctx context.Context, list []*spec, add bool) error {
	code, err := h.validateTogether(ctx, list, add)
	if err != nil || code == rpc.CodeOK || !add {
		return err
	}
	for _, a := range h.asked {
		var of []*spec
		for _, s := range list {
			if s.asked == a {
				of = append(of, s)
			}
		}
		if len(of) == 0 || len(of) == len(list) {
			continue
		}
		if _, err := h.validateTogether(ctx, of, add); err != nil {
			return err
		}
	}
	return nil
}

// validateTogether does it by one call.
func (h *handle) validateTogether(ctx context.Context, list []*spec, add bool) (rpc.Code, error) {
	var buf []byte
	at := make([]int, len(list))
	for i, s := range list {
		at[i] = len(buf)
		id := s.identifier()
		buf = perflib.AppendIdentifier(buf, &id)
	}
	if len(buf) > rpc.MaxValidate {
		for _, s := range list {
			s.code = rpc.CodeOutOfMemory
		}
		return rpc.CodeOutOfMemory, nil
	}
	code, err := h.conn.ValidateCounters(ctx, h.id, buf, add)
	if err != nil {
		return code, err
	}
	for i, s := range list {
		s.code = code
		if code == rpc.CodeOK {
			s.code = rpc.Code(binary.LittleEndian.Uint32(buf[at[i]+statusOffset:]))
		}
		if s.code == rpc.CodeAlreadyExists {
			s.code = rpc.CodeOK
		}
		s.added = add && s.code == rpc.CodeOK
	}
	return code, nil
}

// codes are how the identifiers of a counterset fared.
func (h *handle) codes(a *asked) []rpc.Code {
	var codes []rpc.Code
	for _, counter := range a.identifiers() {
		if s := h.specs[specKey{a.guid, counter}]; s != nil {
			codes = append(codes, s.code)
		}
	}
	return codes
}

// learnOrder reads at which positions the blocks of a reply stand.
func (h *handle) learnOrder(ctx context.Context) error {
	h.order = nil
	a, err := grow(&h.infoSize, maxInfo, func(inSize uint32) (rpc.Array, error) {
		return h.conn.QueryCounterInfo(ctx, h.id, inSize)
	})
	if err != nil {
		return err
	}
	if a.Code != rpc.CodeOK {
		return &rpc.Error{Op: "query counter info", Host: h.host, Code: a.Code}
	}
	list, err := perflib.DecodeIdentifiers(a.Data)
	if err != nil {
		return err
	}
	h.order = make([]*spec, len(list))
	for i, at := range positions(list) {
		h.order[at] = h.specs[specKey{list[i].Counterset, list[i].CounterID}]
	}
	h.moved = false
	return nil
}

// positions are the blocks' positions: Index, which counts from 0 by MS-PCQ
// 3.1.4.1.5. Counting from 1 is taken as well; where the numbers make no
// order, that of the list is taken.
func positions(list []perflib.Identifier) []int {
	for _, first := range []int64{0, 1} {
		out := make([]int, len(list))
		taken := make([]bool, len(list))
		ok := true
		for i := range list {
			at := int64(list[i].Index) - first
			if ok = at >= 0 && at < int64(len(list)) && !taken[at]; !ok {
				break
			}
			taken[at], out[i] = true, int(at)
		}
		if ok {
			return out
		}
	}
	out := make([]int, len(list))
	for i := range out {
		out[i] = i
	}
	return out
}

// close gives the handle back.
func (h *handle) close(ctx context.Context) error {
	_, _, err := h.conn.CloseQueryHandle(ctx, h.id)
	return err
}
