package winhost

import (
	"context"
	"encoding/binary"
	"errors"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"perfdeck/session"
	"perfdeck/session/hosts/eventlog"
	"perfdeck/session/wire/rpc"
)

// ownLogs reads event logs of this computer by functions of advapi32.dll, which take and give the
// same as the calls of MS-EVEN.
type ownLogs struct{ calls *calls }

const adviceEvents = "run perfdeck as an administrator, or as a member of Event Log Readers who signed in after joining it"

// ownEvents begins to read the event logs of this computer.
func ownEvents(ctx context.Context, host string, start func(func()), from session.EventsFrom) (session.EventReader, error) {
	return eventlog.New(ctx, eventlog.Options{
		Host: host, Right: adviceEvents, Ahead: func() (time.Duration, bool) { return 0, true },
		Dial: func(context.Context) (eventlog.Conn, error) { return &ownLogs{&calls{start: start}}, nil },
	}, from)
}

// call runs a function. What its arguments point at must stay the call's own.
func (o *ownLogs) call(ctx context.Context, name string, do func(f *windows.LazyProc) (uintptr, uintptr, error)) (rpc.Code, error) {
	if err := o.calls.ready(); err != nil {
		return 0, err
	}
	f := windows.NewLazySystemDLL("advapi32.dll").NewProc(name)
	if err := f.Find(); err != nil {
		return 0, err
	}
	return o.calls.call(ctx, name, func() rpc.Code {
		done, _, err := do(f)
		code, isCode := errors.AsType[windows.Errno](err)
		switch {
		case done != 0:
			return rpc.CodeOK
		case !isCode || code == 0:
			return rpc.CodeInvalidParameter
		}
		return rpc.Code(code)
	})
}

func logOf(log rpc.Handle) uintptr { return uintptr(binary.LittleEndian.Uint64(log[:])) }

// OpenLog implements eventlog.Conn, as all that follows.
func (o *ownLogs) OpenLog(ctx context.Context, name string) (log rpc.Handle, code rpc.Code, err error) {
	text, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return log, 0, err
	}
	opened := new(uintptr)
	code, err = o.call(ctx, "OpenEventLogW", func(f *windows.LazyProc) (done uintptr, _ uintptr, err error) {
		done, _, err = f.Call(0, uintptr(unsafe.Pointer(text)))
		*opened = done
		return done, 0, err
	})
	if err == nil {
		binary.LittleEndian.PutUint64(log[:], uint64(*opened))
	}
	return log, code, err
}

// LogNumber is how many records there are.
func (o *ownLogs) LogNumber(ctx context.Context, log rpc.Handle) (uint32, rpc.Code, error) {
	return o.number(ctx, "GetNumberOfEventLogRecords", log)
}

// LogOldest is the number of the first one.
func (o *ownLogs) LogOldest(ctx context.Context, log rpc.Handle) (uint32, rpc.Code, error) {
	return o.number(ctx, "GetOldestEventLogRecord", log)
}

func (o *ownLogs) number(ctx context.Context, name string, log rpc.Handle) (uint32, rpc.Code, error) {
	n := new(uint32)
	code, err := o.call(ctx, name, func(f *windows.LazyProc) (uintptr, uintptr, error) {
		return f.Call(logOf(log), uintptr(unsafe.Pointer(n)))
	})
	if err != nil {
		return 0, code, err
	}
	return *n, code, nil
}

// ReadLog reads records.
func (o *ownLogs) ReadLog(ctx context.Context, log rpc.Handle, how rpc.LogRead, number, size uint32) (rpc.LogPart, error) {
	buffer := make([]byte, size)
	sizes := new([2]uint32) // read, needed
	code, err := o.call(ctx, "ReadEventLogW", func(f *windows.LazyProc) (uintptr, uintptr, error) {
		return f.Call(logOf(log), uintptr(how), uintptr(number), uintptr(unsafe.Pointer(unsafe.SliceData(buffer))), uintptr(size),
			uintptr(unsafe.Pointer(&sizes[0])), uintptr(unsafe.Pointer(&sizes[1])))
	})
	if err != nil {
		return rpc.LogPart{}, err
	}
	if code != rpc.CodeOK {
		return rpc.LogPart{Code: code, Needed: sizes[1]}, nil
	}
	return rpc.LogPart{Data: buffer[:min(sizes[0], size)]}, nil
}

// CloseLog closes a log.
func (o *ownLogs) CloseLog(ctx context.Context, log rpc.Handle) error {
	_, err := o.call(ctx, "CloseEventLog", func(f *windows.LazyProc) (uintptr, uintptr, error) { return f.Call(logOf(log)) })
	return err
}

// Close implements eventlog.Conn: there is nothing but its logs.
func (o *ownLogs) Close() error { return nil }
