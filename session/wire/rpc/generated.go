package rpc

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/oiweiwei/go-msrpc/ndr"
)

// Generated are the arguments of a method as go-msrpc's generator has them. Of what it generates
// only requests and replies are used, one by one: so what is not called is not linked. Its
// connection, its reader and its clients are not used.
type Generated interface {
	ndr.Marshaler
	OpNum() int
}

// Generated makes a call of arguments that are generated, whose reply is read into out. most is
// how long the stub of the reply may be, without what alignment adds. What the method results in
// is in out; the error says that there is no result.
func (c *Client) Generated(ctx context.Context, i Interface, name string, in Generated, out ndr.Unmarshaler, most int) error {
	args, err := ndr.Marshal(in)
	if err != nil {
		return &Error{Op: name, Host: c.o.Name, Err: err}
	}
	k := &Outgoing{
		Interface: i, Op: uint16(in.OpNum()), Name: name, Args: args, MaxReply: most + maxTrailing,
		Take: func(stub []byte) error { return ReadGenerated(stub, out) },
	}
	if err := c.Do(ctx, k); err != nil {
		return err
	}
	return k.Err
}

// ReadGenerated reads the stub of a whole reply.
func ReadGenerated(stub []byte, out ndr.Unmarshaler) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errDamaged, p)
		}
	}()
	r := &generatedReader{NDR: readStub(stub), left: 1000 + stepsOfByte*len(stub)}
	_ = r.Unmarshal(context.Background(), out)
	return r.replyEnd()
}

// generatedReader is a reader for what is generated (NDR 2.0, little-endian), in place of the
// library's: no size is believed that is larger than what is left of the reply, work and nesting
// are bounded, and two unique pointers of one number are two (C706 14.3.10 lets a host number them as it likes).
type generatedReader struct {
	*NDR

	deferred []ndr.Unmarshaler
	depth    int
	left     int // steps
}

const (
	mostNested  = 32
	stepsOfByte = 4
)

// SetErr implements ndr.Reader, as all that follows. It keeps the first error.
func (r *generatedReader) SetErr(err error) error {
	r.Keep(err)
	return r.err
}

// EOF tells whether all was read.
func (r *generatedReader) EOF() bool { return r.at == len(r.b) }

// Len is how many bytes are left.
func (r *generatedReader) Len() int { return len(r.Rest()) }

// Offset is how many were read.
func (r *generatedReader) Offset() int { return r.at }

// Bytes are those that are left.
func (r *generatedReader) Bytes() []byte { return r.Rest() }

// WithBytes is for stubs within stubs, which no reply that is read has.
func (r *generatedReader) WithBytes([]byte) ndr.NDR { panic("a stub within a stub") }

// Read reads bytes as they are.
func (r *generatedReader) Read(p []byte) (int, error) { return copy(p, r.take(len(p))), r.err }

// ReadAlign steps to a multiple of a size. Of the generator's numbers those that are no power of
// two stand for the size of a pointer.
func (r *generatedReader) ReadAlign(n int) error {
	switch n {
	case 1, 2, 4, 8:
	default:
		n = 4
	}
	r.Align(n)
	return r.err
}

// ReadUnionAlign is nothing in NDR 2.0.
func (r *generatedReader) ReadUnionAlign(int) error { return r.err }

// ReadTrailingGap is nothing in NDR 2.0.
func (r *generatedReader) ReadTrailingGap(int) error { return r.err }

// aligned is a number of so many bytes; zeros after a failure.
func (r *generatedReader) aligned(n int) []byte {
	if r.left--; r.left < 0 {
		r.Fail("too much to do")
	}
	r.Align(n)
	if b := r.take(n); b != nil {
		return b
	}
	return make([]byte, n)
}

// ReadData reads a number.
func (r *generatedReader) ReadData(to any) error {
	switch to := to.(type) {
	case *uint8: // one step for each of a buffer
		if r.err == nil && r.at < len(r.b) {
			*to = r.b[r.at]
			r.at++
			return nil
		}
		*to = r.aligned(1)[0]
	case *int8:
		*to = int8(r.aligned(1)[0])
	case *bool:
		*to = r.aligned(1)[0] != 0
	case *uint16:
		*to = binary.LittleEndian.Uint16(r.aligned(2))
	case *int16:
		*to = int16(binary.LittleEndian.Uint16(r.aligned(2)))
	case *uint32:
		*to = binary.LittleEndian.Uint32(r.aligned(4))
	case *int32:
		*to = int32(binary.LittleEndian.Uint32(r.aligned(4)))
	case *uint64:
		*to = binary.LittleEndian.Uint64(r.aligned(8))
	case *int64:
		*to = int64(binary.LittleEndian.Uint64(r.aligned(8)))
	default:
		return r.SetErr(fmt.Errorf("%w: type %T", errStub, to))
	}
	return r.err
}

// ReadSize reads how many elements follow, of a byte at least.
func (r *generatedReader) ReadSize(n *uint64) error {
	*n = uint64(binary.LittleEndian.Uint32(r.aligned(4)))
	if *n > uint64(r.Len()) {
		r.Fail("size %d, %d bytes left", *n, r.Len())
	}
	if r.err != nil {
		*n = 0
	}
	return r.err
}

// ReadSwitch reads which arm of a union follows.
func (r *generatedReader) ReadSwitch(to any) error {
	if e, ok := to.(ndr.EnumWrapper); ok {
		to = e.Value()
	}
	return r.ReadData(to)
}

// ReadEnum reads the number of an enumeration.
func (r *generatedReader) ReadEnum(to any) error { return r.ReadData(to) }

// ReadPointer reads a unique pointer: its number says only whether something follows.
func (r *generatedReader) ReadPointer(_ ndr.Pointer, _ func(any), then ...ndr.Unmarshaler) error {
	if binary.LittleEndian.Uint32(r.aligned(4)) != 0 {
		r.deferred = append(r.deferred, then...)
	}
	return r.err
}

var errNested = errors.New("nested too deep")

// ReadDeferred reads what pointers point to.
func (r *generatedReader) ReadDeferred() error {
	if r.depth++; r.depth > mostNested {
		return r.SetErr(errNested)
	}
	defer func() { r.depth-- }()
	next := r.deferred
	r.deferred = nil
	for _, u := range next {
		if err := r.Unmarshal(context.Background(), u); err != nil {
			return err
		}
	}
	return r.err
}

// Unmarshal reads a value and what it points to.
func (r *generatedReader) Unmarshal(ctx context.Context, u ndr.Unmarshaler) error {
	if r.err != nil {
		return r.err
	}
	if err := u.UnmarshalNDR(ctx, r); err != nil {
		return r.SetErr(err)
	}
	if err := r.ReadDeferred(); err != nil {
		return err
	}
	if hook, ok := u.(ndr.AfterUnmarshalNDR); ok {
		if err := hook.AfterUnmarshalNDR(ctx); err != nil {
			return r.SetErr(err)
		}
	}
	return r.err
}

var _ ndr.Reader = (*generatedReader)(nil)
