package rpc

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// Outgoing is a call whose arguments and results are mere bytes to this package.
type Outgoing struct {
	Interface Interface
	Object    [objectSize]byte // that the method is of; zero: of none
	Op        uint16
	Name      string // what errors call it
	Args      []byte
	MaxReply  int           // bytes
	Timeout   time.Duration // 0: that of the connection's calls
	// Take parses the reply and copies what it wants: the stub is valid only until it returns.
	// Its error breaks the connection.
	Take func(stub []byte) error

	Err error // the fault that this call was answered by while the connection is whole
}

// MostUnderWay is how many calls are under way at a time.
const MostUnderWay = 64

// Do makes calls that do not depend on each other: side by side where the host takes that,
// else one after the other. Faults are in their calls. An error ends all that have no answer
// yet.
func (c *Client) Do(ctx context.Context, calls ...*Outgoing) error {
	for _, k := range calls {
		if err := c.served(k); err != nil {
			return err
		}
	}
	if len(calls) > 1 && c.sideBySide {
		return c.inTurn(ctx, calls[0].Name, c.longest(calls), func(ctx context.Context) error { return c.manage(ctx, calls) })
	}
	for _, k := range calls {
		k.Err = nil
		err := c.alone(ctx, k)
		if err != nil && c.Err() == nil && CodeOf(err) != 0 { // the host answered it
			k.Err, err = err, nil
			c.o.Heard.called(k, nil, k.Err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *Client) timeout(k *Outgoing) time.Duration { return orDefault(k.Timeout, c.o.CallTimeout) }

// longest is after when none of the calls can be under way any more: each ends in its own
// time from when it was sent, which it is when there is room.
func (c *Client) longest(calls []*Outgoing) (total time.Duration) {
	for i := 0; i < len(calls); i += MostUnderWay {
		longest := time.Duration(0)
		for _, k := range calls[i:min(i+MostUnderWay, len(calls))] {
			longest = max(longest, c.timeout(k))
		}
		total += longest
	}
	return total
}

// underWay are calls under way side by side: a goroutine sends them, and their answers are
// read meanwhile, so that neither end waits for the other to read.
type underWay struct {
	*Client

	calls []*Outgoing
	first uint32 // call's number
	sent  atomic.Int32
	state []answering // by call
	free  chan struct{}
	end   context.CancelCauseFunc
}

// answering is what has come of an answer.
type answering struct {
	timer *time.Timer // the call's deadline
	stub  []byte
	done  bool
}

func (c *Client) manage(ctx context.Context, calls []*Outgoing) error {
	c.o.Traffic.waited((len(calls) + MostUnderWay - 1) / MostUnderWay)
	ctx, end := context.WithCancelCause(ctx)
	u := &underWay{Client: c, calls: calls, first: c.callID + 1, state: make([]answering, len(calls)), free: make(chan struct{}, MostUnderWay), end: end}
	c.callID += uint32(len(calls))
	stop := c.watch(ctx)
	sent := make(chan error, 1)
	c.o.Go(func() { sent <- u.send(ctx) })
	err := u.receive()
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		err = contextError(ctx, err)
		_ = c.nc.Close() // so that nothing is sent any more
	}
	end(nil)
	if failed := <-sent; err == nil {
		err = failed
	}
	for i := range u.state {
		if t := u.state[i].timer; t != nil {
			t.Stop()
		}
	}
	return err
}

// send sends the calls, as long as there is room for one more.
func (u *underWay) send(ctx context.Context) error {
	for i, k := range u.calls {
		select {
		case u.free <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		k.Err = nil
		u.state[i].timer = time.AfterFunc(u.timeout(k), func() { u.end(context.DeadlineExceeded) })
		u.sent.Store(int32(i + 1))
		if err := u.Client.send(k, u.first+uint32(i)); err != nil {
			u.end(err)
			return err
		}
	}
	return nil
}

// receive reads the answers, in whatever order they come.
func (u *underWay) receive() error {
	for range u.calls {
		if err := u.answer(); err != nil {
			return err
		}
		<-u.free
	}
	return nil
}

// answer reads until a call is answered.
func (u *underWay) answer() error {
	for {
		h, pdu, err := u.readAnswer()
		at := h.callID - u.first
		if err != nil && !leavesWhole(err) {
			return err
		}
		if at >= uint32(u.sent.Load()) || u.state[at].done {
			return fmt.Errorf("%w: it answers call %d, which is not under way", errDamaged, h.callID)
		}
		k, s := u.calls[at], &u.state[at]
		last := true
		if err != nil {
			k.Err = u.failure(context.Background(), k.Name, err)
			u.o.Heard.called(k, nil, k.Err)
		} else if last, err = u.add(&s.stub, k.MaxReply, h, pdu); err != nil {
			return err
		} else if last {
			u.o.Heard.called(k, s.stub, nil)
			if err = k.Take(s.stub); err != nil {
				return err
			}
		}
		if last {
			s.timer.Stop()
			*s = answering{done: true}
			return nil
		}
	}
}

// leavesWhole tells whether an error is a fault that says nothing against the connection
// (C706 12.6.4.7): a call that there is not or whose arguments are not taken, or one that COM
// refuses by a result of its own.
func leavesWhole(err error) bool {
	f, ok := err.(Fault) //nolint:errorlint // what wraps one says that there is more to it
	if !ok {
		return false
	}
	switch code := Code(f); code {
	case FaultOpRange, FaultUnknownInterface, CodeBadStubData:
		return true
	default:
		return code&^0xffff == facilityRPC
	}
}

// facilityRPC is where results of COM itself begin: FACILITY_RPC, as RPC_E_DISCONNECTED is of.
const facilityRPC Code = 0x80010000
