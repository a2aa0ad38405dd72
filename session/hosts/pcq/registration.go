package pcq

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

var errNoSuchSet = errors.New("the host has no such counterset")

// english is the LCID of English (United States).
const english = 0x409

// registration asks for one item. why tells why the host did not give it; the
// error is that of the connection. A host that answers an item by a fault is
// asked the others over a new connection.
func (r *catalogueReader) registration(ctx context.Context, g perflib.GUID, code perflib.RequestCode, lcid uint32) (data []byte, why, err error) {
	size, left := r.room()
	if left <= 0 {
		return nil, errBudget, nil
	}
	var oversized *sizeError
	a, err := r.lines.call(ctx, func(conn Conn) (rpc.Array, error) {
		a, err := grow(&size, maxRegistration, func(inSize uint32) (rpc.Array, error) {
			return conn.QueryCounterSetRegistrationInfo(ctx, g, uint32(code), lcid, inSize)
		})
		if errors.As(err, &oversized) { // the connection is well
			err = nil
		}
		return a, err
	})
	switch {
	case oversized != nil:
		return nil, oversized, nil
	case err != nil:
		return nil, err, r.redial(ctx, err)
	case a.Code != rpc.CodeOK:
		return nil, &rpc.Error{Op: "query registration info", Host: r.o.Host, Code: a.Code}, nil
	}
	r.took(size, len(a.Data))
	return a.Data, nil, nil
}

// room is how large buffers are, and how many bytes may still be read.
func (r *reading) room() (size uint32, left int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.size, r.budget
}

func (r *reading) took(size uint32, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.size = max(r.size, size)
	r.budget -= n
}

// redial goes on after a fault that concerns one item only: over a new connection
// where none is left.
func (r *reading) redial(ctx context.Context, err error) error {
	if code := rpc.CodeOf(err); code == 0 || code.IsDenied() {
		return err
	}
	r.mu.Lock()
	r.faults++
	many := r.faults > maxFaults
	r.mu.Unlock()
	if many {
		return err
	}
	if r.lines.len() > 0 {
		return nil
	}
	conn, dialled := r.o.Dial(ctx)
	if dialled != nil {
		return dialled
	}
	r.lines.add(conn)
	return nil
}

// structure reads the set and its counters.
func (r *catalogueReader) structure(ctx context.Context, g perflib.GUID) (info perflib.CountersetInfo, why, err error) {
	data, why, err := r.registration(ctx, g, perflib.CountersetStruct, 0)
	if isResourceError(why) && err == nil {
		// Windows tries to load texts for a structure that has none, and fails
		// where they are not in the language that was asked for: this one is most likely there.
		data, why, err = r.registration(ctx, g, perflib.CountersetStruct, cmp.Or(r.o.LCID, english))
	}
	if why != nil || err != nil {
		if rpc.CodeOf(why) == rpc.CodeGUIDNotFound {
			why = errNoSuchSet
		}
		return info, why, err
	}
	info, damage := perflib.DecodeCounterset(data)
	if damage == nil {
		return info, nil, nil
	}
	if len(info.Counters) == 0 {
		return info, damage, nil
	}
	r.warnf("describe counterset %v: %w", g, damage)
	return info, nil, r.repair(ctx, g, &info)
}

// repair reads the counters one by one that have a name but were lost with a
// damaged list.
func (r *catalogueReader) repair(ctx context.Context, g perflib.GUID, info *perflib.CountersetInfo) error {
	const most = 1000
	named, _, err := r.strings(ctx, g, perflib.EnglishCounterNames, 0)
	if err != nil || len(named) > most {
		return err
	}
	var lost []uint32
	for id := range named {
		if !slices.ContainsFunc(info.Counters, func(c perflib.CounterInfo) bool { return c.ID == id }) {
			lost = append(lost, id)
		}
	}
	slices.Sort(lost)
	for _, id := range lost {
		data, why, err := r.registration(ctx, g, perflib.CounterStruct, id)
		if err != nil {
			return err
		}
		c, damage := perflib.DecodeCounter(data)
		if why != nil || damage != nil || c.ID != id {
			continue
		}
		info.Counters = append(info.Counters, c)
	}
	return nil
}

// text reads a bare string.
func (r *catalogueReader) text(ctx context.Context, g perflib.GUID, code perflib.RequestCode, lcid uint32) (s string, why, err error) {
	data, why, err := r.registration(ctx, g, code, lcid)
	if why != nil || err != nil {
		return "", why, err
	}
	t, why := perflib.DecodeString(data)
	if why == nil && len(t) == 0 {
		why = errEmpty
	}
	return t.String(), why, nil
}

var errEmpty = errors.New("the text is empty")

// strings reads a table of texts by counter. Of a damaged table the texts that
// can be read are given together with the damage.
func (r *catalogueReader) strings(ctx context.Context, g perflib.GUID, code perflib.RequestCode, lcid uint32) (table map[uint32]string, why, err error) {
	data, why, err := r.registration(ctx, g, code, lcid)
	if why != nil || err != nil {
		return nil, why, err
	}
	list, why := perflib.DecodeStrings(data)
	table = make(map[uint32]string, len(list))
	for _, s := range list {
		if _, twice := table[s.ID]; !twice && len(s.Text) > 0 {
			table[s.ID] = s.Text.String()
		}
	}
	return table, why, nil
}

// providerGUID reads the identity of the provider as text.
func (r *catalogueReader) providerGUID(ctx context.Context, g perflib.GUID) (string, error) {
	data, why, err := r.registration(ctx, g, perflib.ProviderGUID, 0)
	if why != nil || err != nil {
		return "", err
	}
	if p, damage := perflib.DecodeGUID(data); damage == nil {
		return p.String(), nil
	}
	return "", nil
}

// isResourceError tells of the errors of loading texts (winerror.h 1812 to
// 1815, and 15100 to 15106 of the multilingual interface).
func isResourceError(err error) bool {
	code := rpc.CodeOf(err)
	return code >= 1812 && code <= 1815 || code >= 15100 && code <= 15106
}

// reason is why a text is not there, in few words.
func reason(err error) string {
	if code := rpc.CodeOf(err); code != 0 {
		return code.Text()
	}
	return fmt.Sprint(err)
}
