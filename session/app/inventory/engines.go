package inventory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/engine/query"
	"perfdeck/session/files/past"
	"perfdeck/session/hosts/engine"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// engines are those that hosts are read out of, each with its hosts.
type engines struct {
	mu   sync.Mutex
	hubs map[string]*hub // by address
}

// hub is an engine and the hosts that it had when it was asked.
type hub struct {
	*engine.Hub

	way Reached

	mu    sync.Mutex
	hosts []engine.Host
	named map[string]*engine.Host // by their folded names
	at    time.Time
	told  map[string]bool // names of hosts that Expand or NewHosts gave; nil: they were not asked for
}

// news are the names of hosts that were not told before.
func (h *hub) news(hosts []engine.Host) (out []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.told == nil {
		h.told = map[string]bool{}
	}
	for _, one := range hosts {
		if key := paths.Fold(one.Name); !h.told[key] {
			h.told[key] = true
			out = append(out, one.Name)
		}
	}
	return out
}

// isShown tells whether all hosts of the engine were asked for.
func (h *hub) isShown() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.told != nil
}

// NewHosts are hosts that came to engines since all hosts of them were asked for, each told once.
// Of an engine that does not answer there are none.
func (v *Inventory) NewHosts(ctx context.Context) (out []string) {
	v.engines.mu.Lock()
	hubs := maps.Clone(v.engines.hubs)
	v.engines.mu.Unlock()
	for url, h := range hubs {
		if !h.isShown() {
			continue
		}
		within, cancel := context.WithTimeout(ctx, expandWithin)
		hosts, err := h.all(within)
		cancel()
		if err != nil {
			continue
		}
		for _, name := range h.news(hosts) {
			out = append(out, url+hostMark+name)
		}
	}
	slices.Sort(out)
	return out
}

// isEngine tells whether an address is that of an engine, or of a host of one.
func isEngine(address string) bool { return strings.HasPrefix(address, past.EnginePrefix) }

// hostMark stands between an engine and the name of a host of it.
const hostMark = "#"

// engineOf is the engine that a name or an address means; host is empty for all of its hosts.
func (v *Inventory) engineOf(name string) (of config.Engine, host string, ok bool) {
	at, host, _ := strings.Cut(name, hostMark)
	if of, ok = v.config().Engine(at); ok {
		return of, host, true
	}
	if isEngine(at) {
		return config.Engine{Name: at, URL: at}, host, true
	}
	return of, "", false
}

// EngineAddress puts the address of an [[engine]] of the config in the place of its name, which
// begins a text as NAME, NAME#HOST or NAME@MOMENT.
func (v *Inventory) EngineAddress(text string) (address string, ok bool) {
	name, rest := text, ""
	if i := strings.IndexAny(text, hostMark+past.Mark); i >= 0 {
		name, rest = text[:i], text[i:]
	}
	if v.config() == nil || name == "" {
		return "", false
	}
	of, ok := v.config().Engine(name)
	return strings.TrimSuffix(of.URL, "/") + rest, ok
}

// hubOf is the hub of an engine.
func (v *Inventory) hubOf(of config.Engine) (*hub, error) {
	key := strings.TrimSuffix(of.URL, "/")
	v.engines.mu.Lock()
	defer v.engines.mu.Unlock()
	if h := v.engines.hubs[key]; h != nil {
		return h, nil
	}
	address := strings.TrimPrefix(of.URL, past.EnginePrefix)
	l, err := v.askedEngine(address, of.Name, of.EngineAccount)
	if err != nil {
		return nil, fmt.Errorf("engine %s: %w", printable.Address(of.URL), err)
	}
	e, err := query.New(l, query.Limits{AtOnce: of.AtOnce, Apart: of.Apart, Within: of.Timeout, Bytes: of.MaxBytes, Series: of.MaxSeries})
	if err != nil {
		return nil, failure.Usage(fmt.Errorf("engine %s: %w", printable.Address(of.URL), err))
	}
	way := v.Fed()
	way.engine = of
	h := &hub{Hub: engine.NewHub(e, v.o.Go, v.fedSets()...), way: way}
	if v.engines.hubs == nil {
		v.engines.hubs = map[string]*hub{}
	}
	v.engines.hubs[key] = h
	return h, nil
}

// hostsFor is how long the hosts of an engine are taken as they were.
const hostsFor = time.Minute

// all asks an engine for its hosts.
func (h *hub) all(ctx context.Context) ([]engine.Host, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hosts != nil && time.Since(h.at) < hostsFor {
		return h.hosts, nil
	}
	hosts, err := h.Hosts(ctx)
	if err != nil {
		return nil, err
	}
	h.hosts, h.at, h.named = hosts, time.Now(), make(map[string]*engine.Host, len(hosts))
	for i := range hosts {
		h.named[paths.Fold(hosts[i].Name)] = &hosts[i]
	}
	return hosts, nil
}

// one is one of the hosts that are listed, or one that is not.
func (h *hub) one(ctx context.Context, name string) (engine.Host, error) {
	h.mu.Lock()
	known := h.named[paths.Fold(name)]
	h.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	return h.Named(ctx, name)
}

// expandWithin is how long an engine may take to say which hosts it has.
const expandWithin = 30 * time.Second

var errLate = fmt.Errorf("no answer within %s", english.Span(expandWithin))

// Expand puts the hosts of engines in the place of the engines.
func (v *Inventory) Expand(ctx context.Context, names []string) (out []string, err error) {
	for _, name := range names {
		if err := v.live(name); err != nil {
			return nil, err
		}
		of, host, ok := v.engineOf(name)
		if !ok || host != "" {
			if ok && !isEngine(name) { // by the engine's address
				name = of.URL + hostMark + host
			}
			out = append(out, name)
			continue
		}
		h, err := v.hubOf(of)
		if err != nil {
			return nil, err
		}
		hosts, err := v.awaitHosts(ctx, h, name)
		if err != nil {
			return nil, fmt.Errorf("list the hosts of %s: %w", name, err)
		}
		h.news(hosts)
		for _, one := range hosts {
			out = append(out, strings.TrimSuffix(of.URL, "/")+hostMark+one.Name)
		}
	}
	return out, nil
}

// awaitHosts asks an engine for its hosts, and tells when that takes long.
func (v *Inventory) awaitHosts(ctx context.Context, h *hub, name string) ([]engine.Host, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, expandWithin, errLate)
	defer cancel()
	if v.o.Tell != nil {
		began := time.Now()
		late := time.AfterFunc(tellAfter, func() { v.o.Tell(waiting("the hosts of "+printable.Address(name), began)) })
		defer late.Stop()
	}
	return h.all(ctx)
}

// EngineHosts are the hosts of the engine of a name, which may be that of a host of it.
func (v *Inventory) EngineHosts(ctx context.Context, name string) ([]engine.Host, error) {
	h, _, err := v.hubNamed(name)
	if err != nil {
		return nil, err
	}
	return h.all(ctx)
}

// EngineHost is the source of the host of a name, or of the first of an engine.
func (v *Inventory) EngineHost(ctx context.Context, name string) (*engine.Source, error) {
	h, host, err := v.hubNamed(name)
	if err != nil {
		return nil, err
	}
	hosts, err := h.all(ctx)
	if err != nil {
		return nil, err
	}
	one := hosts[0]
	if host != "" {
		if one, err = h.one(ctx, host); err != nil {
			return nil, err
		}
	}
	return h.Open(one), nil
}

// openEngine is the source of a host of an engine.
func openEngine(v *Inventory, t Target, _ Mode) (session.Source, error) {
	of, name, ok := v.engineOf(t.Address)
	if !ok || name == "" {
		return nil, wrong("write "+past.EnginePrefix+"http://ENGINE#HOST, or the engine alone for all of its hosts", "host %q: it names no host of an engine", t.Address)
	}
	h, err := v.hubOf(of)
	if err != nil {
		return nil, err
	}
	return h.Source(name), nil
}

// Source is the source of a host by its name. The engine is asked for what it knows of it when
// the host is.
func (h *hub) Source(name string) session.Source {
	return h.OpenNamed(name, func(ctx context.Context) (engine.Host, error) {
		if _, err := h.all(ctx); err != nil {
			return engine.Host{}, err
		}
		return h.one(ctx, name)
	})
}

// engineName is the name of a host of an engine; empty: the address is none.
func engineName(address string) string {
	if !isEngine(address) {
		return ""
	}
	at, host, _ := strings.Cut(address, hostMark)
	if host == "" {
		return strings.TrimPrefix(at, past.EnginePrefix)
	}
	return host
}
