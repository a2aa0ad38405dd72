package inventory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/engine/prom"
	"perfdeck/session/files/past"
	"perfdeck/session/hosts/engine"
	"perfdeck/session/system/failure"
)

// IsPast tells a part of the past of hosts of an engine from a host, in whose name that mark may
// stand, too.
func (v *Inventory) IsPast(name string) bool {
	hosts, span, said := strings.Cut(name, past.Mark)
	if _, ok := v.EngineAddress(name); !said || !ok && !isEngine(name) {
		return false
	}
	begin, _, _ := strings.Cut(span, past.For)
	_, err := session.ParseMoment(begin, time.Now())
	return err == nil || !isEngine(name) && !strings.Contains(hosts, hostMark)
}

// live refuses what is the past of hosts.
func (v *Inventory) live(name string) error {
	if !v.IsPast(name) {
		return nil
	}
	return wrong("perfdeck '"+name+"' plays it; relog, report and compare take it as they take files", "host %q: it is a part of the past, and hosts are watched as they are now", name)
}

// PastHosts are those of names that are hosts of engines with a moment, which are played as recordings
// are: either all are, or none.
func (v *Inventory) PastHosts(names []string) (past []string, err error) {
	live := ""
	for _, name := range names {
		if v.IsPast(name) {
			past = append(past, name)
		} else {
			live = name
		}
	}
	if len(past) > 0 && live != "" {
		return nil, failure.Usage(fmt.Errorf("--host %s and --host %s: the past and what is now are not shown together", past[0], live), "name both with a moment, or none; on the screens @ goes to a moment")
	}
	return past, nil
}

// errNotEngine says that hosts without a past were asked for theirs.
var errNotEngine = errors.New("it names no engine")

// hubNamed is the engine of a name, which may be that of a host of it.
func (v *Inventory) hubNamed(name string) (h *hub, host string, err error) {
	of, host, ok := v.engineOf(name)
	if !ok {
		return nil, "", fmt.Errorf("%s: %w", name, errNotEngine)
	}
	h, err = v.hubOf(of)
	return h, host, err
}

// EngineAhead is what the clock of an engine is ahead of this computer's: see engine.Hub.AskAhead.
func (v *Inventory) EngineAhead(ctx context.Context, name string) (time.Duration, error) {
	h, _, err := v.hubNamed(name)
	if err != nil {
		return 0, err
	}
	return h.AskAhead(ctx), nil
}

// Past reads what hosts of an engine had between two moments: the usual countersets, of a
// single host its processes too. See engine.Hub.Past.
func (v *Inventory) Past(ctx context.Context, name string, from, to time.Time, each func(host string, b *session.SetBatch) error, tick func(time.Time)) error {
	h, host, err := v.hubNamed(name)
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
