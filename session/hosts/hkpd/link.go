package hkpd

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

const (
	startNames = 512 << 10 // bytes; the names of most hosts fit
	startData  = 64 << 10
	maxAnswer  = 64 << 20 // bytes; none that is meant well comes near
	maxGrowth  = 12       // calls until an answer fits

	closeTimeout = 2 * time.Second // for giving the key back
)

// link is a connection with HKEY_PERFORMANCE_DATA open.
type link struct {
	conn    Conn
	host    string
	traffic *atomic.Uint64
	key     rpc.Handle
	opened  bool
	sizes   map[string]uint32 // of buffers, by value name
	buf     []byte
}

func newLink(conn Conn, host string, traffic *atomic.Uint64) *link {
	return &link{conn: conn, host: host, traffic: traffic, sizes: map[string]uint32{}}
}

// open opens the key, if that is not done.
func (l *link) open(ctx context.Context) error {
	if l.opened {
		return nil
	}
	key, code, err := l.conn.OpenPerformanceData(ctx)
	if err != nil {
		return err
	}
	if code != rpc.CodeOK {
		return l.refused("open HKEY_PERFORMANCE_DATA", code)
	}
	l.key, l.opened = key, true
	return nil
}

// close gives the key back: the host lets go of its providers then.
func (l *link) close() {
	if l.opened {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		_, _, _ = l.conn.CloseKey(ctx, l.key)
	}
	_ = l.conn.Close()
}

// refused is the error of a call that the host answered with a code.
func (l *link) refused(op string, code rpc.Code) error {
	return &rpc.Error{Op: op, Host: l.host, Code: code}
}

// read reads a value into a buffer that grows until the answer fits; size is
// where it starts the first time. cut tells of a full answer that it is not all
// of it. The data are valid until the next call.
//
// Hosts do not say how much they need: they answer the size that they were
// given, or cut the answer off and call that a success.
func (l *link) read(ctx context.Context, key rpc.Handle, name string, size uint32, cut func([]byte) bool) ([]byte, rpc.Code, error) {
	size = max(l.sizes[name], size)
	for range maxGrowth {
		v, err := l.conn.QueryValue(ctx, key, name, size, l.buf)
		if err != nil {
			return nil, 0, err
		}
		if cap(v.Data) > cap(l.buf) {
			l.buf = v.Data[:0]
		}
		l.traffic.Add(uint64(2*len(name) + len(v.Data)))
		roomy := uint32(len(v.Data))+8 <= size
		switch {
		case v.Code == rpc.CodeOK && (roomy || !cut(v.Data)):
			l.sizes[name] = uint32(min(len(v.Data)+len(v.Data)/4+4<<10, maxAnswer))
			return v.Data, v.Code, nil
		case v.Code != rpc.CodeOK && v.Code != rpc.CodeMoreData:
			return nil, v.Code, nil
		case size >= maxAnswer:
			return nil, 0, fmt.Errorf("the answer to %q is larger than the %d bytes that are taken", name, size)
		}
		needed := min(v.Needed, maxAnswer)
		size = min(max(2*size, needed+needed/8), maxAnswer)
	}
	return nil, 0, fmt.Errorf("the answer to %q does not fit, however large the buffer: %d bytes at last", name, size)
}

// cutData tells whether performance data, which fill their buffer, may be cut
// off. Samba leaves zeros where the objects that do not fit should be.
func cutData(data []byte) bool {
	r := perflib.ReadV1(data)
	for r.Next() {
	}
	return r.Err() != nil
}

// cutNames tells the same of a name table.
func cutNames(data []byte) bool {
	n := perflib.ReadV1Names(data)
	for n.Next() {
	}
	return n.Err() != nil || len(data) < 4 || data[len(data)-1]|data[len(data)-2]|data[len(data)-3]|data[len(data)-4] != 0
}
