package rpc

import (
	"context"
	"encoding/binary"
	"fmt"
)

// SideChannel is perfdeck's own interface beside PerflibV2, on streams alone: what that
// has no room for. Questions and answers are bytes that this package does not look
// into. A Session that implements it answers it; a Client bound to OwnBeside asks.
type SideChannel interface {
	// Describe (opnum 0) tells what the other side is.
	Describe(ctx context.Context, inSize uint32) (Array, error)
	// AskRows (opnum 1) asks about instances.
	AskRows(ctx context.Context, question []byte, inSize uint32) (Array, error)
	// CollectChange (opnum 2) is QueryCounterData, its question and the data told in
	// another way. The data are appended to dst[:0].
	CollectChange(ctx context.Context, question []byte, inSize uint32, dst []byte) (Array, error)
	// ReadEvents (opnum 3) asks what the host wrote down of itself.
	ReadEvents(ctx context.Context, question []byte, inSize uint32) (Array, error)
}

// Limits of the interface, in bytes.
const (
	MaxDescription = 1 << 20
	MaxQuestion    = 1 << 20
	MaxRows        = 8 << 20
	MaxChange      = MaxCounterData
	MaxEvents      = 16 << 10 // counters wait for no more
)

const (
	opDescribe opnum = iota
	opAskRows
	opCollectChange
	opReadEvents
)

// besideNames and besideLimits are by opnum.
var (
	besideNames  = [...]string{opDescribe: "describe", opAskRows: "ask about rows", opCollectChange: "collect changes", opReadEvents: "read events"}
	besideLimits = [...]uint32{opDescribe: MaxDescription, opAskRows: MaxRows, opCollectChange: MaxChange, opReadEvents: MaxEvents}
)

// sideRequest is the arguments of either method.
type sideRequest struct {
	op       opnum
	inSize   uint32
	question []byte // in the stub's memory
}

func (r *sideRequest) code(n *NDR) {
	n.U32(&r.inSize)
	size := uint32(len(r.question))
	if n.U32(&size); r.inSize > besideLimits[r.op] || size > MaxQuestion {
		n.Fail("size %d or %d is over its limit", r.inSize, size)
	}
	n.Raw(&r.question, int(size))
	n.Align(4)
}

func (r *sideRequest) args() []byte {
	var n NDR
	r.code(&n)
	return n.b
}

func (r *sideRequest) maxReplyStub() int {
	return besidePrefixSize + int(r.inSize) + arraySuffixSize
}

const besidePrefixSize = 12 // bytes

// parseBesideRequest reads the stub of a request, strictly.
func parseBesideRequest(op opnum, stub []byte) (*sideRequest, error) {
	if int(op) >= len(besideLimits) {
		return nil, Fault(FaultOpRange)
	}
	n, r := readStub(stub), &sideRequest{op: op}
	if r.code(n); n.err != nil || n.at != len(stub) {
		return nil, Fault(CodeBadStubData)
	}
	return r, nil
}

func appendBesideReply(b []byte, a Array) []byte {
	n := NDR{b: b}
	n.Ignored(uint32(a.Code), a.Needed, uint32(len(a.Data)))
	return append(n.b, a.Data...)
}

// parseBesideReply reads the stub of a reply; the data are in the stub's memory.
func parseBesideReply(r *sideRequest, stub []byte) (Array, error) {
	if len(stub) < besidePrefixSize {
		return Array{}, fmt.Errorf("%w: reply of %d bytes", errDamaged, len(stub))
	}
	a := Array{Code: Code(binary.LittleEndian.Uint32(stub)), Needed: binary.LittleEndian.Uint32(stub[4:]), Data: stub[besidePrefixSize:]}
	if n := binary.LittleEndian.Uint32(stub[8:]); int64(n) != int64(len(a.Data)) || n > r.inSize {
		return Array{}, fmt.Errorf("%w: %d bytes of %d, %d asked for", errDamaged, len(a.Data), n, r.inSize)
	}
	return a, nil
}

// resultBeside runs a call of the interface.
func (c *serverConn) resultBeside(k *call) ([]byte, error) {
	req, err := parseBesideRequest(k.op, k.stub)
	if err != nil {
		return nil, err
	}
	s, ok := c.begun().(SideChannel)
	if !ok {
		return nil, Fault(FaultUnknownInterface)
	}
	var a Array
	switch req.op {
	case opDescribe:
		a, err = s.Describe(c.ctx, req.inSize)
	case opAskRows:
		a, err = s.AskRows(c.ctx, req.question, req.inSize)
	case opCollectChange:
		a, err = s.CollectChange(c.ctx, req.question, req.inSize, c.data)
		c.keepData(a.Data)
	case opReadEvents:
		a, err = s.ReadEvents(c.ctx, req.question, req.inSize)
	}
	if err == nil && len(a.Data) > int(req.inSize) {
		err = fmt.Errorf("%w: %d bytes for %d", errReply, len(a.Data), req.inSize)
	}
	if err != nil {
		return nil, err
	}
	return c.keepStub(appendBesideReply(c.stub, a)), nil
}

// Describe implements Beside.
func (c *Client) Describe(ctx context.Context, inSize uint32) (Array, error) {
	return c.beside(ctx, &sideRequest{op: opDescribe, inSize: inSize}, nil)
}

// AskRows implements Beside.
func (c *Client) AskRows(ctx context.Context, question []byte, inSize uint32) (Array, error) {
	return c.beside(ctx, &sideRequest{op: opAskRows, inSize: inSize, question: question}, nil)
}

// CollectChange implements Beside.
func (c *Client) CollectChange(ctx context.Context, question []byte, inSize uint32, dst []byte) (Array, error) {
	return c.beside(ctx, &sideRequest{op: opCollectChange, inSize: inSize, question: question}, dst)
}

// ReadEvents implements Beside.
func (c *Client) ReadEvents(ctx context.Context, question []byte, inSize uint32) (Array, error) {
	return c.beside(ctx, &sideRequest{op: opReadEvents, inSize: inSize, question: question}, nil)
}

func (c *Client) beside(ctx context.Context, r *sideRequest, dst []byte) (a Array, err error) {
	name, limit := besideNames[r.op], besideLimits[r.op]
	if r.inSize > limit || len(r.question) > MaxQuestion {
		return a, c.tooLarge(name, limit)
	}
	err = c.call(ctx, &Outgoing{
		Interface: OwnSideChannel, Op: uint16(r.op), Name: name, Args: r.args(), MaxReply: r.maxReplyStub(),
		Take: func(stub []byte) error {
			got, err := parseBesideReply(r, stub)
			if err == nil {
				a = got
				a.Data = append(dst[:0], got.Data...)
			}
			return err
		},
	})
	return a, err
}

var _ SideChannel = (*Client)(nil)
