package winhost

import (
	"context"
	"encoding/binary"
	"errors"
	"unsafe"

	"golang.org/x/sys/windows"

	"perfdeck/session/hosts/hkpd"
	"perfdeck/session/wire/rpc"
)

// The predefined keys of winreg.h. They are 32 bits with a sign.
const (
	keyPerformanceData    uint32 = 0x80000004 // HKEY_PERFORMANCE_DATA
	keyPerformanceText    uint32 = 0x80000050 // HKEY_PERFORMANCE_TEXT
	keyPerformanceNLSText uint32 = 0x80000060 // HKEY_PERFORMANCE_NLSTEXT
)

// registry reads HKEY_PERFORMANCE_DATA of this process.
type registry struct {
	calls *calls
	buf   []byte
	lost  error // why no more calls are made
}

func dialRegistry(c *calls) (hkpd.Conn, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	return &registry{calls: c}, nil
}

// predefined is a predefined key as a handle, which needs no opening.
func predefined(key uint32) rpc.Handle {
	var h rpc.Handle
	binary.LittleEndian.PutUint32(h[4:], key)
	return h
}

func keyOf(h rpc.Handle) windows.Handle {
	return windows.Handle(int32(binary.LittleEndian.Uint32(h[4:])))
}

// OpenPerformanceData implements rpc.WinReg.
func (r *registry) OpenPerformanceData(context.Context) (rpc.Handle, rpc.Code, error) {
	return predefined(keyPerformanceData), rpc.CodeOK, r.lost
}

// OpenPerformanceText implements rpc.WinReg.
func (r *registry) OpenPerformanceText(context.Context) (rpc.Handle, rpc.Code, error) {
	return predefined(keyPerformanceText), rpc.CodeOK, r.lost
}

// OpenPerformanceNLSText implements rpc.WinReg.
func (r *registry) OpenPerformanceNLSText(context.Context) (rpc.Handle, rpc.Code, error) {
	return predefined(keyPerformanceNLSText), rpc.CodeOK, r.lost
}

// QueryValue implements rpc.WinReg.
func (r *registry) QueryValue(ctx context.Context, key rpc.Handle, name string, inSize uint32, dst []byte) (rpc.Value, error) {
	if r.lost != nil {
		return rpc.Value{}, r.lost
	}
	text, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return rpc.Value{}, err
	}
	if uint32(len(r.buf)) < inSize {
		r.buf = make([]byte, inSize)
	}
	answer := struct {
		buf          []byte
		kind, length uint32
	}{buf: r.buf, length: inSize} // of the call alone, should it hang
	code, err := r.calls.call(ctx, "query registry value "+name, func() rpc.Code {
		return codeOf(windows.RegQueryValueEx(keyOf(key), text, nil, &answer.kind, unsafe.SliceData(answer.buf), &answer.length))
	})
	if err != nil {
		r.lost = err
		return rpc.Value{}, err
	}
	if code.IsDenied() {
		return rpc.Value{}, refusal("query registry value "+name, code)
	}
	v := rpc.Value{Code: code, Type: answer.kind}
	if code == rpc.CodeOK {
		v.Needed = min(answer.length, inSize)
		v.Data = append(dst[:0], answer.buf[:v.Needed]...)
	} // of ERROR_MORE_DATA the length is undefined with these keys (RegQueryValueExW, Remarks)
	return v, nil
}

// CloseKey implements rpc.WinReg: the providers are closed with
// HKEY_PERFORMANCE_DATA (RegQueryValueExW, Remarks).
func (r *registry) CloseKey(ctx context.Context, key rpc.Handle) (rpc.Handle, rpc.Code, error) {
	if r.lost != nil {
		return key, 0, r.lost
	}
	code, err := r.calls.call(ctx, "close registry key", func() rpc.Code { return codeOf(windows.RegCloseKey(keyOf(key))) })
	if err != nil {
		r.lost = err
	}
	return rpc.Handle{}, code, err
}

// Close has nothing to give back: the key belongs to the process.
func (r *registry) Close() error { return nil }

// codeOf is the result of a function of Windows.
func codeOf(err error) rpc.Code {
	if err == nil {
		return rpc.CodeOK
	}
	if n, ok := errors.AsType[windows.Errno](err); ok {
		return rpc.Code(n)
	}
	return rpc.CodeInvalidParameter
}
