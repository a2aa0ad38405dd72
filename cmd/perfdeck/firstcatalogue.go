package main

import (
	"context"

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

// extraOf makes connections by which the catalogue of a host is read faster.
func (p *program) extraOf(r *logon.Remote, traffic *rpc.Traffic) func(ctx context.Context) (pcq.Conn, error) {
	return func(ctx context.Context) (pcq.Conn, error) {
		c, err := p.extras.Dial(ctx, r, traffic)
		if err != nil {
			return nil, err // not a nil *logon.Extra
		}
		return c, nil
	}
}
