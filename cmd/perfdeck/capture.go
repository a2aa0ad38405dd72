package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"time"

	"perfdeck/session"
	"perfdeck/session/inventory"
	"perfdeck/session/wire/rpc"
)

// capturing writes down every call of a connection and its answer.
type capturing struct {
	inventory.Conn

	out       io.Writer
	sizesOnly bool
}

// captured is one call as a line of a capture file. Request and Reply are
// hexadecimal.
type captured struct {
	Call        string  `json:"call"`
	Millisecond float64 `json:"ms"`
	Counterset  string  `json:"counterset,omitempty"` // GUID in wire order
	RequestCode uint32  `json:"request_code,omitempty"`
	LCID        uint32  `json:"lcid,omitempty"`
	Value       string  `json:"value,omitempty"` // of HKEY_PERFORMANCE_DATA
	InSize      uint32  `json:"in_size,omitempty"`
	Request     string  `json:"request,omitempty"`
	Code        uint32  `json:"code"`
	Needed      uint32  `json:"needed,omitempty"`
	Size        int     `json:"size,omitempty"`
	Reply       string  `json:"reply,omitempty"`
	Error       string  `json:"error,omitempty"`
}

// note completes a line with the answer and writes it.
func (c *capturing) note(began time.Time, line captured, a rpc.Array, err error) {
	line.Millisecond = float64(time.Since(began).Microseconds()) / 1000
	line.Code, line.Needed, line.Size = uint32(a.Code), a.Needed, len(a.Data)
	line.Reply = hex.EncodeToString(a.Data)
	if err != nil {
		line.Error = err.Error()
	}
	if c.sizesOnly {
		line.Request, line.Reply = "", ""
	}
	text, err := json.Marshal(line)
	if err == nil {
		_, _ = c.out.Write(append(session.EscapeJSON(text), '\n'))
	}
}

func (c *capturing) EnumerateCounterSet(ctx context.Context, inSize uint32) (rpc.Array, error) {
	began := time.Now()
	a, err := c.Conn.EnumerateCounterSet(ctx, inSize)
	c.note(began, captured{Call: "EnumerateCounterSet", InSize: inSize}, a, err)
	return a, err
}

func (c *capturing) QueryCounterSetRegistrationInfo(ctx context.Context, set [16]byte, code, lcid, inSize uint32) (rpc.Array, error) {
	began := time.Now()
	a, err := c.Conn.QueryCounterSetRegistrationInfo(ctx, set, code, lcid, inSize)
	c.note(began, captured{
		Call: "QueryCounterSetRegistrationInfo", Counterset: hex.EncodeToString(set[:]),
		RequestCode: code, LCID: lcid, InSize: inSize,
	}, a, err)
	return a, err
}

func (c *capturing) EnumerateCounterSetInstances(ctx context.Context, set [16]byte, inSize uint32) (rpc.Array, error) {
	began := time.Now()
	a, err := c.Conn.EnumerateCounterSetInstances(ctx, set, inSize)
	c.note(began, captured{Call: "EnumerateCounterSetInstances", Counterset: hex.EncodeToString(set[:]), InSize: inSize}, a, err)
	return a, err
}

func (c *capturing) OpenQueryHandle(ctx context.Context) (rpc.Handle, rpc.Code, error) {
	began := time.Now()
	h, code, err := c.Conn.OpenQueryHandle(ctx)
	c.note(began, captured{Call: "OpenQueryHandle"}, rpc.Array{Code: code}, err)
	return h, code, err
}

func (c *capturing) CloseQueryHandle(ctx context.Context, h rpc.Handle) (rpc.Handle, rpc.Code, error) {
	began := time.Now()
	after, code, err := c.Conn.CloseQueryHandle(ctx, h)
	c.note(began, captured{Call: "CloseQueryHandle"}, rpc.Array{Code: code}, err)
	return after, code, err
}

func (c *capturing) QueryCounterInfo(ctx context.Context, h rpc.Handle, inSize uint32) (rpc.Array, error) {
	began := time.Now()
	a, err := c.Conn.QueryCounterInfo(ctx, h, inSize)
	c.note(began, captured{Call: "QueryCounterInfo", InSize: inSize}, a, err)
	return a, err
}

func (c *capturing) QueryCounterData(ctx context.Context, h rpc.Handle, inSize uint32, dst []byte) (rpc.Array, error) {
	began := time.Now()
	a, err := c.Conn.QueryCounterData(ctx, h, inSize, dst)
	c.note(began, captured{Call: "QueryCounterData", InSize: inSize}, a, err)
	return a, err
}

func (c *capturing) ValidateCounters(ctx context.Context, h rpc.Handle, identifiers []byte, add bool) (rpc.Code, error) {
	line := captured{Call: "ValidateCounters", Request: hex.EncodeToString(identifiers)}
	began := time.Now()
	code, err := c.Conn.ValidateCounters(ctx, h, identifiers, add)
	c.note(began, line, rpc.Array{Code: code, Data: identifiers}, err)
	return code, err
}

func (c *capturing) OpenPerformanceData(ctx context.Context) (rpc.Handle, rpc.Code, error) {
	began := time.Now()
	h, code, err := c.Conn.OpenPerformanceData(ctx)
	c.note(began, captured{Call: "OpenPerformanceData"}, rpc.Array{Code: code}, err)
	return h, code, err
}

func (c *capturing) OpenPerformanceText(ctx context.Context) (rpc.Handle, rpc.Code, error) {
	began := time.Now()
	h, code, err := c.Conn.OpenPerformanceText(ctx)
	c.note(began, captured{Call: "OpenPerformanceText"}, rpc.Array{Code: code}, err)
	return h, code, err
}

func (c *capturing) OpenPerformanceNLSText(ctx context.Context) (rpc.Handle, rpc.Code, error) {
	began := time.Now()
	h, code, err := c.Conn.OpenPerformanceNLSText(ctx)
	c.note(began, captured{Call: "OpenPerformanceNLSText"}, rpc.Array{Code: code}, err)
	return h, code, err
}

func (c *capturing) QueryValue(ctx context.Context, key rpc.Handle, name string, inSize uint32, dst []byte) (rpc.Value, error) {
	began := time.Now()
	v, err := c.Conn.QueryValue(ctx, key, name, inSize, dst)
	c.note(began, captured{Call: "BaseRegQueryValue", Value: name, InSize: inSize}, rpc.Array{Code: v.Code, Needed: v.Needed, Data: v.Data}, err)
	return v, err
}

func (c *capturing) CloseKey(ctx context.Context, key rpc.Handle) (rpc.Handle, rpc.Code, error) {
	began := time.Now()
	after, code, err := c.Conn.CloseKey(ctx, key)
	c.note(began, captured{Call: "BaseRegCloseKey"}, rpc.Array{Code: code}, err)
	return after, code, err
}
