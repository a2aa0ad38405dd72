// Package capture writes down every call of a connection to a Windows host with its answer, a
// JSON object a line, from which a test can be made.
package capture

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"time"

	"perfdeck/session/text/printable"
	"perfdeck/session/wire/rpc"
)

// Conn is a connection for both protocols of counters.
type Conn interface {
	rpc.PerflibV2
	rpc.WinReg
	Close() error
}

// Call is one call as a line has it. Request and Reply are hexadecimal.
type Call struct {
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

// Of is a connection whose calls are written to out, each by one Write. What cannot be written
// is left out. With sizesOnly no bytes are kept, so no names.
func Of(c Conn, out io.Writer, sizesOnly bool) Conn { return &capturing{c, out, sizesOnly} }

type capturing struct {
	Conn

	out       io.Writer
	sizesOnly bool
}

// begin takes the time of a call, until end is told its answer.
func (c *capturing) begin(line Call) (end func(rpc.Array, error)) {
	began := time.Now()
	return func(a rpc.Array, err error) {
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
			_, _ = c.out.Write(append(printable.EscapeJSON(text), '\n'))
		}
	}
}

// array makes a call whose answer are bytes.
func (c *capturing) array(line Call, do func() (rpc.Array, error)) (rpc.Array, error) {
	end := c.begin(line)
	a, err := do()
	end(a, err)
	return a, err
}

// handle makes a call whose answer is a handle, which tells nothing.
func (c *capturing) handle(ctx context.Context, name string, do func(context.Context) (rpc.Handle, rpc.Code, error)) (rpc.Handle, rpc.Code, error) {
	end := c.begin(Call{Call: name})
	h, code, err := do(ctx)
	end(rpc.Array{Code: code}, err)
	return h, code, err
}

func (c *capturing) EnumerateCounterSet(ctx context.Context, inSize uint32) (rpc.Array, error) {
	return c.array(Call{Call: "EnumerateCounterSet", InSize: inSize}, func() (rpc.Array, error) {
		return c.Conn.EnumerateCounterSet(ctx, inSize)
	})
}

func (c *capturing) QueryCounterSetRegistrationInfo(ctx context.Context, set [16]byte, code, lcid, inSize uint32) (rpc.Array, error) {
	line := Call{Call: "QueryCounterSetRegistrationInfo", Counterset: hex.EncodeToString(set[:]), RequestCode: code, LCID: lcid, InSize: inSize}
	return c.array(line, func() (rpc.Array, error) {
		return c.Conn.QueryCounterSetRegistrationInfo(ctx, set, code, lcid, inSize)
	})
}

func (c *capturing) EnumerateCounterSetInstances(ctx context.Context, set [16]byte, inSize uint32) (rpc.Array, error) {
	return c.array(Call{Call: "EnumerateCounterSetInstances", Counterset: hex.EncodeToString(set[:]), InSize: inSize}, func() (rpc.Array, error) {
		return c.Conn.EnumerateCounterSetInstances(ctx, set, inSize)
	})
}

func (c *capturing) OpenQueryHandle(ctx context.Context) (rpc.Handle, rpc.Code, error) {
	return c.handle(ctx, "OpenQueryHandle", c.Conn.OpenQueryHandle)
}

func (c *capturing) CloseQueryHandle(ctx context.Context, h rpc.Handle) (rpc.Handle, rpc.Code, error) {
	return c.handle(ctx, "CloseQueryHandle", func(ctx context.Context) (rpc.Handle, rpc.Code, error) { return c.Conn.CloseQueryHandle(ctx, h) })
}

func (c *capturing) QueryCounterInfo(ctx context.Context, h rpc.Handle, inSize uint32) (rpc.Array, error) {
	return c.array(Call{Call: "QueryCounterInfo", InSize: inSize}, func() (rpc.Array, error) {
		return c.Conn.QueryCounterInfo(ctx, h, inSize)
	})
}

func (c *capturing) QueryCounterData(ctx context.Context, h rpc.Handle, inSize uint32, dst []byte) (rpc.Array, error) {
	return c.array(Call{Call: "QueryCounterData", InSize: inSize}, func() (rpc.Array, error) {
		return c.Conn.QueryCounterData(ctx, h, inSize, dst)
	})
}

// ValidateCounters answers in the bytes of the request.
func (c *capturing) ValidateCounters(ctx context.Context, h rpc.Handle, identifiers []byte, add bool) (rpc.Code, error) {
	end := c.begin(Call{Call: "ValidateCounters", Request: hex.EncodeToString(identifiers)})
	code, err := c.Conn.ValidateCounters(ctx, h, identifiers, add)
	end(rpc.Array{Code: code, Data: identifiers}, err)
	return code, err
}

func (c *capturing) OpenPerformanceData(ctx context.Context) (rpc.Handle, rpc.Code, error) {
	return c.handle(ctx, "OpenPerformanceData", c.Conn.OpenPerformanceData)
}

func (c *capturing) OpenPerformanceText(ctx context.Context) (rpc.Handle, rpc.Code, error) {
	return c.handle(ctx, "OpenPerformanceText", c.Conn.OpenPerformanceText)
}

func (c *capturing) OpenPerformanceNLSText(ctx context.Context) (rpc.Handle, rpc.Code, error) {
	return c.handle(ctx, "OpenPerformanceNLSText", c.Conn.OpenPerformanceNLSText)
}

func (c *capturing) QueryValue(ctx context.Context, key rpc.Handle, name string, inSize uint32, dst []byte) (rpc.Value, error) {
	end := c.begin(Call{Call: "BaseRegQueryValue", Value: name, InSize: inSize})
	v, err := c.Conn.QueryValue(ctx, key, name, inSize, dst)
	end(rpc.Array{Code: v.Code, Needed: v.Needed, Data: v.Data}, err)
	return v, err
}

func (c *capturing) CloseKey(ctx context.Context, key rpc.Handle) (rpc.Handle, rpc.Code, error) {
	return c.handle(ctx, "BaseRegCloseKey", func(ctx context.Context) (rpc.Handle, rpc.Code, error) { return c.Conn.CloseKey(ctx, key) })
}
