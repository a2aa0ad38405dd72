package server

import (
	"context"
	"errors"

	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// connection answers the calls of one client. Its query handles are its own:
// nothing of it is known elsewhere, and nothing is left when it closes.
type connection struct {
	handler *Handler
	queries map[rpc.Handle]*query
}

// answer fills a buffer of inSize elements, or says how large it must be.
func answer(data []byte, unit int, inSize uint32) rpc.Array {
	need := len(data) / unit
	switch {
	case len(data) > maxReply:
		return rpc.Array{Code: rpc.CodeOutOfMemory}
	case need > int(inSize):
		return rpc.Array{Code: rpc.CodeNotEnoughMemory, Needed: uint32(need)}
	}
	return rpc.Array{Needed: uint32(need), Data: data}
}

// EnumerateCounterSet implements rpc.PerflibV2.
func (c *connection) EnumerateCounterSet(_ context.Context, inSize uint32) (rpc.Array, error) {
	var list []byte
	for _, s := range c.handler.sets {
		list = append(list, s.info.GUID[:]...)
	}
	return answer(list, len(perflib.GUID{}), inSize), nil
}

// QueryCounterSetRegistrationInfo implements rpc.PerflibV2.
func (c *connection) QueryCounterSetRegistrationInfo(_ context.Context, set [16]byte, requestCode, lcid, inSize uint32) (rpc.Array, error) {
	code := perflib.RequestCode(requestCode)
	if code < perflib.CountersetStruct || code > perflib.EnglishCounterNames {
		return rpc.Array{Code: rpc.CodeInvalidParameter}, nil
	}
	s, ok := c.handler.byGUID[set]
	if !ok {
		return rpc.Array{Code: rpc.CodeGUIDNotFound}, nil
	}
	data, result := s.register(code, lcid)
	if result != rpc.CodeOK {
		return rpc.Array{Code: result}, nil
	}
	return answer(data, 1, inSize), nil
}

// EnumerateCounterSetInstances implements rpc.PerflibV2.
func (c *connection) EnumerateCounterSetInstances(ctx context.Context, set [16]byte, inSize uint32) (rpc.Array, error) {
	s, ok := c.handler.byGUID[set]
	if !ok {
		return rpc.Array{Code: rpc.CodeGUIDNotFound}, nil
	}
	var r reading
	r.begin(s)
	r.use(0)
	if err := c.handler.readOnce(ctx, &r); err != nil {
		return rpc.Array{Code: codeOf(err, rpc.CodeNoData)}, nil
	}
	switch {
	case len(r.rows) == 0:
		return rpc.Array{Code: rpc.CodeInstanceNotFound}, nil
	case !s.named() && len(r.rows) > 1:
		return rpc.Array{Code: rpc.CodeInvalidRegInfo}, nil
	}
	var list []byte
	for i := range r.rows {
		if len(list) > maxReply {
			break
		}
		list = perflib.AppendInstance(list, r.rows[i].id, r.rows[i].text)
	}
	return answer(list, 1, inSize), nil
}

// codeOf is the code of a failure of the source.
func codeOf(err error, otherwise rpc.Code) rpc.Code {
	if errors.Is(err, session.ErrDenied) {
		return rpc.CodeAccessDenied
	}
	return otherwise
}

// readOnce reads one counterset with a query of its own.
func (h *Handler) readOnce(ctx context.Context, r *reading) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	q, err := h.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = q.Close() }() // of reading only: nothing can be lost
	b, err := readSet(ctx, q, r.want(), new(session.Batch))
	if err == nil {
		r.copyRows(b)
	}
	return err
}

// readSet reads what is wanted of one counterset into a batch.
func readSet(ctx context.Context, q session.Query, want session.Want, b *session.Batch) (*session.SetBatch, error) {
	if err := q.Select(ctx, []session.Want{want}); err != nil {
		return nil, err
	}
	if err := q.Collect(ctx, b); err != nil {
		return nil, err
	}
	return &b.Sets[0], b.Sets[0].Err
}

// OpenQueryHandle implements rpc.PerflibV2.
func (c *connection) OpenQueryHandle(ctx context.Context) (rpc.Handle, rpc.Code, error) {
	if len(c.queries) >= maxHandles {
		return rpc.Handle{}, rpc.CodeNoSystemResources, nil
	}
	source, err := c.handler.open(ctx)
	if err != nil {
		return rpc.Handle{}, codeOf(err, rpc.CodeNoSystemResources), nil
	}
	h := rpc.NewHandle()
	c.queries[h] = newQuery(c.handler, source)
	return h, rpc.CodeOK, nil
}

// CloseQueryHandle implements rpc.PerflibV2.
func (c *connection) CloseQueryHandle(_ context.Context, h rpc.Handle) (rpc.Handle, rpc.Code, error) {
	q, err := c.query(h)
	if err != nil {
		return h, 0, err
	}
	delete(c.queries, h)
	_ = q.source.Close() // of reading only: nothing can be lost
	return rpc.Handle{}, rpc.CodeOK, nil
}

// query finds a handle of this connection.
func (c *connection) query(h rpc.Handle) (*query, error) {
	if q, ok := c.queries[h]; ok {
		return q, nil
	}
	return nil, rpc.Fault(rpc.FaultContextMismatch)
}

// QueryCounterInfo implements rpc.PerflibV2.
func (c *connection) QueryCounterInfo(_ context.Context, h rpc.Handle, inSize uint32) (rpc.Array, error) {
	q, err := c.query(h)
	if err != nil {
		return rpc.Array{}, err
	}
	return answer(q.list(), 1, inSize), nil
}

// QueryCounterData implements rpc.PerflibV2.
func (c *connection) QueryCounterData(ctx context.Context, h rpc.Handle, inSize uint32, dst []byte) (rpc.Array, error) {
	q, err := c.query(h)
	if err != nil {
		return rpc.Array{}, err
	}
	data, code := q.collect(ctx, dst[:0])
	if code != rpc.CodeOK {
		return rpc.Array{Code: code}, nil
	}
	return answer(data, 1, inSize), nil
}

// ValidateCounters implements rpc.PerflibV2.
func (c *connection) ValidateCounters(_ context.Context, h rpc.Handle, identifiers []byte, add bool) (rpc.Code, error) {
	q, err := c.query(h)
	if err != nil {
		return 0, err
	}
	return q.validate(identifiers, add), nil
}

// Close implements rpc.Session.
func (c *connection) Close() {
	for h, q := range c.queries {
		delete(c.queries, h)
		_ = q.source.Close() // of reading only: nothing can be lost
	}
}
