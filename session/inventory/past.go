package inventory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"perfdeck/session"
	"perfdeck/session/engine/prom"
	"perfdeck/session/source/engine"
)

// errNotEngine says that hosts without a past were asked for theirs.
var errNotEngine = errors.New("it names no engine")

// Past reads what hosts of an engine had between two moments: the usual countersets, of a
// single host its processes too. See engine.Hub.Past.
func (v *Inventory) Past(ctx context.Context, name string, from, to time.Time, each func(host string, b *session.SetBatch) error, tick func(time.Time)) error {
	of, host, ok := v.engineOf(name)
	if !ok {
		return fmt.Errorf("%s: %w", session.Printable(name), errNotEngine)
	}
	h, err := v.hubOf(of)
	if err != nil {
		return err
	}
	span := engine.Span{From: from, To: to, Sets: prom.UsualSets()}
	if host != "" {
		one, err := h.NamedIn(ctx, host, from, to)
		if err != nil {
			return err
		}
		span.Hosts = []engine.Host{one}
	} else if span.Hosts, err = h.HostsIn(ctx, from, to); err != nil {
		return err
	}
	if len(span.Hosts) == 1 {
		span.Sets = append(span.Sets, "Process")
	}
	return h.Past(ctx, span, each, tick)
}
