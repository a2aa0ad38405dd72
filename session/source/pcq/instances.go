package pcq

import (
	"context"
	"fmt"

	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// Instances lists the active instances of a counterset without reading values.
func (s *Source) Instances(ctx context.Context, set *session.Counterset) ([]session.Instance, error) {
	g, err := perflib.ParseGUID(set.GUID)
	if err != nil {
		return nil, fmt.Errorf("list instances of %s: %w", set.Name, err)
	}
	conn, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	size := uint32(startSize)
	a, err := grow(&size, maxInfo, func(inSize uint32) (rpc.Array, error) {
		return conn.EnumerateCounterSetInstances(ctx, g, inSize)
	})
	if err != nil {
		s.drop(conn)
		return nil, s.failure("list instances", err)
	}
	switch a.Code {
	case rpc.CodeOK:
		return instancesOf(a.Data)
	case rpc.CodeInstanceNotFound:
		return nil, nil
	default:
		return nil, s.failure("list instances", s.refused("enumerate instances", a.Code))
	}
}

func instancesOf(data []byte) ([]session.Instance, error) {
	list, err := perflib.DecodeInstances(data)
	var t table
	t.begin()
	for i := range list {
		t.place(i, list[i].ID, list[i].Name)
	}
	t.finish()
	out := make([]session.Instance, len(t.rows))
	for i := range t.rows {
		out[i] = t.rows[i].Instance
	}
	if err != nil {
		err = fmt.Errorf("list instances: %w", err)
	}
	return out, err
}
