package krb

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/oiweiwei/gokrb5.fork/v9/messages"
)

// maxReply bounds the answer of a KDC, in bytes. A ticket with many groups has
// some ten thousand.
const maxReply = 1 << 20

// perKDC is how long each of several KDCs is tried.
const perKDC = 5 * time.Second

// ErrUnreachable says that no KDC of a realm could be asked at all.
var ErrUnreachable = errors.New("no domain controller answers")

// exchange sends a request to a KDC of the realm and returns its answer. A
// KRB-ERROR is a *refusal.
func (c *Client) exchange(ctx context.Context, realm string, request []byte) ([]byte, error) {
	var failed error
	for _, address := range c.conf.addresses(ctx, realm) {
		reply, err := c.exchangeWith(ctx, address, request)
		if err == nil {
			return reply, refusalIn(reply)
		}
		if failed == nil {
			failed = err
		} else {
			failed = fmt.Errorf("%w; %w", failed, err) // in one line
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, fmt.Errorf("%w of %s: %w", ErrUnreachable, realm, failed)
}

// exchangeWith asks one KDC over TCP, RFC 4120 7.2.2.
func (c *Client) exchangeWith(ctx context.Context, address string, request []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, perKDC)
	defer cancel()
	nc, err := c.o.Dial(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = nc.Close() }()
	defer context.AfterFunc(ctx, func() { _ = nc.Close() })()
	reply, err := roundTrip(nc, request)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%s: no answer in time: %w", address, context.Cause(ctx))
	}
	return reply, err
}

func roundTrip(nc net.Conn, request []byte) ([]byte, error) {
	if _, err := nc.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(request))), request...)); err != nil {
		return nil, err
	}
	var length [4]byte
	if _, err := io.ReadFull(nc, length[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(length[:])
	if n == 0 || n > maxReply {
		return nil, fmt.Errorf("%w: %d bytes", errAnswer, n)
	}
	reply := make([]byte, n)
	_, err := io.ReadFull(nc, reply)
	return reply, err
}

var errAnswer = errors.New("the domain controller's answer is damaged")

// refusal is a KRB-ERROR.
type refusal struct{ messages.KRBError }

func (r *refusal) Error() string { return fmt.Sprintf("Kerberos error %d", r.ErrorCode) }

// refusalIn finds a KRB-ERROR in an answer.
func refusalIn(reply []byte) error {
	const krbError = 0x60 | 30 // its tag, RFC 4120 5.9.1
	if reply[0] != krbError {
		return nil
	}
	r := &refusal{}
	if err := r.Unmarshal(reply); err != nil {
		return errAnswer
	}
	return r
}

// failure is the error of a step.
func (c *Client) failure(op string, err error) *Error {
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		return &Error{Op: op, Err: err}
	}
	e := &Error{Op: op, Code: r.ErrorCode}
	if r.ErrorCode == codeSkew {
		e.Skew = r.STime.Sub(c.o.Now())
	}
	return e
}
