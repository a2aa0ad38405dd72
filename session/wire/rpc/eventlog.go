package rpc

import (
	"context"

	"github.com/oiweiwei/go-msrpc/msrpc/dtyp"
	even "github.com/oiweiwei/go-msrpc/msrpc/even/eventlog/v0"
	"github.com/oiweiwei/go-msrpc/ndr"

	"perfdeck/session/wire/perflib"
)

// LogPart is the answer of ReadLog.
type LogPart struct {
	Code   Code // CodeOK, or that there is nothing, or that the buffer is too small
	Needed uint32
	Data   []byte // records, never more than were asked for
}

// MaxLogPart is the range of NumberOfBytesToRead in MS-EVEN's IDL.
const MaxLogPart = 0x7ffff

// LogRead is in which order records are read from one on, as flags of MS-EVEN 3.1.4.7.
type LogRead uint32

// The orders.
const (
	LogForwards  LogRead = 2 | 4
	LogBackwards LogRead = 2 | 8
)

// What the replies of a log are at most, besides the buffer of a read.
const (
	handleReply   = len(Handle{}) + 4
	logPartBeside = 4 + 3 + 3*4 // its size, padding, what was read, what is needed, the result
)

// logOf is a handle as the generated arguments have it, handleOf one of a reply.
func logOf(h Handle) *even.Handle {
	out := &even.Handle{}
	_ = ReadGenerated(h[:], out)
	return out
}

func handleOf(in *even.Handle) (h Handle) {
	if in != nil {
		b, _ := ndr.Marshal(in)
		copy(h[:], b)
	}
	return h
}

// OpenLog (ElfrOpenELW, opnum 7) opens a classic event log for reading. One that is not known
// opens Application instead, on Windows.
func (c *Client) OpenLog(ctx context.Context, name string) (log Handle, code Code, err error) {
	size := uint16(len(perflib.UTF16(name)))
	var out even.OpenEventLogWResponse
	err = c.Generated(ctx, MSEVEN, "open event log "+name, &even.OpenEventLogWRequest{
		ModuleName:    &dtyp.UnicodeString{Length: size, MaximumLength: size, Buffer: name},
		RegModuleName: &dtyp.UnicodeString{}, MajorVersion: 1, MinorVersion: 1,
	}, &out, handleReply)
	return handleOf(out.Log), Code(out.Return), err
}

// LogNumber (ElfrNumberOfRecords, opnum 4) is how many records a log has.
func (c *Client) LogNumber(ctx context.Context, log Handle) (uint32, Code, error) {
	var out even.NumberOfRecordsResponse
	err := c.Generated(ctx, MSEVEN, "count event log", &even.NumberOfRecordsRequest{Log: logOf(log)}, &out, 8)
	return out.NumberOfRecords, Code(out.Return), err
}

// LogOldest (ElfrOldestRecord, opnum 5) is the number of the first record of a log.
func (c *Client) LogOldest(ctx context.Context, log Handle) (uint32, Code, error) {
	var out even.OldestRecordResponse
	err := c.Generated(ctx, MSEVEN, "find begin of event log", &even.OldestRecordRequest{Log: logOf(log)}, &out, 8)
	return out.OldestRecordNumber, Code(out.Return), err
}

// ReadLog (ElfrReadELW, opnum 10) reads records from that number on into a buffer of size bytes,
// at most MaxLogPart.
func (c *Client) ReadLog(ctx context.Context, log Handle, how LogRead, number, size uint32) (p LogPart, err error) {
	const name = "read event log"
	if size > MaxLogPart {
		return p, c.tooLarge(name, MaxLogPart)
	}
	var out even.ReadEventLogWResponse
	err = c.Generated(ctx, MSEVEN, name, &even.ReadEventLogWRequest{Log: logOf(log), ReadFlags: uint32(how), RecordOffset: number, NumberOfBytesToRead: size}, &out, int(size)+logPartBeside)
	if err != nil {
		return p, err
	}
	p = LogPart{Code: Code(out.Return), Needed: out.MinNumberOfBytesNeeded}
	if p.Code == CodeOK {
		p.Data = out.Buffer[:min(uint64(out.NumberOfBytesRead), uint64(size), uint64(len(out.Buffer)))]
	}
	return p, nil
}

// CloseLog (ElfrCloseEL, opnum 2) closes a log.
func (c *Client) CloseLog(ctx context.Context, log Handle) error {
	return c.Generated(ctx, MSEVEN, "close event log", &even.CloseEventLogRequest{Log: logOf(log)}, &even.CloseEventLogResponse{}, handleReply)
}
