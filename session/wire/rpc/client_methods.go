package rpc

import (
	"context"
	"fmt"
)

// EnumerateCounterSet implements PerflibV2.
func (c *Client) EnumerateCounterSet(ctx context.Context, inSize uint32) (Array, error) {
	return c.array(ctx, &request{op: opEnumerateCounterSet, inSize: inSize}, nil)
}

// QueryCounterSetRegistrationInfo implements PerflibV2.
func (c *Client) QueryCounterSetRegistrationInfo(ctx context.Context, set [16]byte, requestCode, lcid, inSize uint32) (Array, error) {
	return c.array(ctx, &request{op: opQueryCounterSetRegistrationInfo, set: set, requestCode: requestCode, lcid: lcid, inSize: inSize}, nil)
}

// EnumerateCounterSetInstances implements PerflibV2.
func (c *Client) EnumerateCounterSetInstances(ctx context.Context, set [16]byte, inSize uint32) (Array, error) {
	return c.array(ctx, &request{op: opEnumerateCounterSetInstances, set: set, inSize: inSize}, nil)
}

// OpenQueryHandle implements PerflibV2.
func (c *Client) OpenQueryHandle(ctx context.Context) (Handle, Code, error) {
	return c.handle(ctx, &request{op: opOpenQueryHandle})
}

// CloseQueryHandle implements PerflibV2.
func (c *Client) CloseQueryHandle(ctx context.Context, h Handle) (Handle, Code, error) {
	return c.handle(ctx, &request{op: opCloseQueryHandle, handle: h})
}

// QueryCounterInfo implements PerflibV2.
func (c *Client) QueryCounterInfo(ctx context.Context, h Handle, inSize uint32) (Array, error) {
	return c.array(ctx, &request{op: opQueryCounterInfo, handle: h, inSize: inSize}, nil)
}

// QueryCounterData implements PerflibV2.
func (c *Client) QueryCounterData(ctx context.Context, h Handle, inSize uint32, dst []byte) (Array, error) {
	return c.array(ctx, &request{op: opQueryCounterData, handle: h, inSize: inSize}, dst)
}

// ValidateCounters implements PerflibV2.
func (c *Client) ValidateCounters(ctx context.Context, h Handle, identifiers []byte, add bool) (code Code, err error) {
	r := &request{op: opValidateCounters, handle: h, inSize: uint32(min(len(identifiers), MaxValidate+1)), identifiers: identifiers, add: add}
	err = c.perflib(ctx, r, func(p *reply) {
		copy(identifiers, p.identifiers)
		code = p.code
	})
	return code, err
}

// perflib makes a call of PerflibV2.
func (c *Client) perflib(ctx context.Context, r *request, take func(*reply)) error {
	if limit := r.op.maxInSize(); r.inSize > limit || len(r.identifiers) > MaxValidate {
		return &Error{Op: r.name(), Host: c.o.Host, Code: CodeInvalidParameter, Err: fmt.Errorf("size is over %d", limit)}
	}
	return c.call(ctx, r, func(stub []byte) error {
		p, err := parseReply(r, stub)
		if err == nil {
			take(p)
		}
		return err
	})
}

func (c *Client) array(ctx context.Context, r *request, dst []byte) (a Array, err error) {
	err = c.perflib(ctx, r, func(p *reply) {
		a = p.array
		a.Data = append(dst[:0], p.array.Data...)
	})
	return a, err
}

func (c *Client) handle(ctx context.Context, r *request) (h Handle, code Code, err error) {
	err = c.perflib(ctx, r, func(p *reply) { h, code = p.handle, p.code })
	return h, code, err
}

var _ PerflibV2 = (*Client)(nil)
