package logon

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"perfdeck/session/wire/rpc"
)

// Extras are connections by which catalogues are read faster, of all hosts: so many at
// most. With a hundred hosts they help nobody, and descriptors are few. The zero value has
// none, and any goroutine may use it.
type Extras struct{ open atomic.Int32 }

const mostExtras = 56

var errManyExtras = errors.New("other hosts' catalogues are being read")

// Dial makes one, if there is room.
func (e *Extras) Dial(ctx context.Context, r *Remote, traffic *rpc.Traffic) (*Extra, error) {
	if e.open.Add(1) > mostExtras {
		e.open.Add(-1)
		return nil, errManyExtras
	}
	c, err := r.Dial(ctx, Connection{Interfaces: []rpc.Interface{rpc.MSPCQ}, Traffic: traffic, Once: true})
	if err != nil {
		e.open.Add(-1)
		return nil, err
	}
	return &Extra{Client: c, of: e}, nil
}

// Extra makes room when it is closed.
type Extra struct {
	*rpc.Client

	of   *Extras
	once sync.Once
}

// Close ends the connection.
func (c *Extra) Close() error {
	c.once.Do(func() { c.of.open.Add(-1) })
	return c.Client.Close()
}
