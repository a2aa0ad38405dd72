package main

import (
	"context"
	"errors"
	"sync"

	"perfdeck/session"
	"perfdeck/session/logon"
	"perfdeck/session/source/pcq"
	"perfdeck/session/source/pcq/server"
	"perfdeck/session/wire/rpc"
)

// processorInformation is the GUID that Windows has for the counterset of that name.
const processorInformation = "{b4fc721a-0378-476f-89ba-a5a79f810b36}"

// firstSets are the GUIDs of the countersets that a first catalogue begins with, as
// Windows or perfdeck serve have them; none where all are wanted at once.
func (p *program) firstSets() []string {
	if !p.deckFirst {
		return nil
	}
	guids := []string{processorInformation}
	for _, name := range session.DefaultSets() {
		guids = append(guids, server.CountersetGUID(name).String())
	}
	return guids
}

// mostExtra bounds the connections by which catalogues are read faster, of all hosts:
// with a hundred hosts they help nobody, and descriptors are few.
const mostExtra = 56

var errManyExtra = errors.New("other hosts' catalogues are being read")

// extra makes one of them, if there is room.
func (p *program) extra(ctx context.Context, r *logon.Remote, traffic *rpc.Traffic) (*extraConn, error) {
	if p.extras.Add(1) > mostExtra {
		p.extras.Add(-1)
		return nil, errManyExtra
	}
	c, err := r.Dial(ctx, logon.Connection{Interfaces: []rpc.Interface{rpc.MSPCQ}, Traffic: traffic, Once: true})
	if err != nil {
		p.extras.Add(-1)
		return nil, err
	}
	return &extraConn{Client: c, of: p}, nil
}

// extraConn makes room when it is closed.
type extraConn struct {
	*rpc.Client

	of   *program
	once sync.Once
}

// Close ends the connection.
func (c *extraConn) Close() error {
	c.once.Do(func() { c.of.extras.Add(-1) })
	return c.Client.Close()
}

// extraOf is extra as a source wants it.
func (p *program) extraOf(r *logon.Remote, traffic *rpc.Traffic) func(ctx context.Context) (pcq.Conn, error) {
	return func(ctx context.Context) (pcq.Conn, error) {
		c, err := p.extra(ctx, r, traffic)
		if err != nil {
			return nil, err // not a nil *extraConn
		}
		return c, nil
	}
}
