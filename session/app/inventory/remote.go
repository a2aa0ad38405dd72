package inventory

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/hosts/eventlog"
	"perfdeck/session/hosts/hkpd"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/hosts/pcq"
	"perfdeck/session/hosts/pcq/server"
	"perfdeck/session/hosts/service"
	"perfdeck/session/hosts/winhost"
	"perfdeck/session/system/failure"
	"perfdeck/session/wire/rpc"
)

// Remote is a host with the account that logs on to it.
func (v *Inventory) Remote(t Target) (*logon.Remote, error) {
	at, err := parseAddress(t.Address)
	if err != nil {
		return nil, failure.Usage(err)
	}
	if v.o.SPN != "" && t.Own.SPN == "" && v.o.Named() > 1 {
		return nil, wrong("give each its spn in the config's [[host]]", "--spn is the name of one host, and there are several")
	}
	r, err := v.o.Accounts.Remote(context.Background(), logon.Host{
		Name: t.Name, Address: at.host, Port: at.port, TCP: at.tcp, Encrypt: v.o.Encrypt, Rate: v.rateOf(t), Own: t.Own,
	}, t.As)
	if errors.Is(err, logon.ErrNoAccount) {
		err = failure.Usage(err)
	}
	return r, err
}

// rates are the limits of hosts: all that a host is asked keeps to one.
type rates struct {
	mu sync.Mutex
	of map[limit]*rpc.Rate
}

// limit is what a host, by its address, keeps to, in bytes a second: another one is of a config that was read again.
type limit struct {
	address string
	most    int64
}

// rateOf is that of a host; nil: it has none.
func (v *Inventory) rateOf(t Target) *rpc.Rate {
	of := limit{t.Address, cmp.Or(t.Own.MaxRate, v.o.MaxRate)}
	v.rates.mu.Lock()
	defer v.rates.mu.Unlock()
	if v.rates.of == nil {
		v.rates.of = map[limit]*rpc.Rate{}
	}
	if v.rates.of[of] == nil {
		v.rates.of[of] = rpc.NewRate(of.most)
	}
	return v.rates.of[of]
}

// openTCP is the source of a host that serves MS-PCQ over TCP.
func openTCP(v *Inventory, t Target, m Mode) (session.Source, error) {
	r, err := v.Remote(t)
	if err != nil {
		return nil, err
	}
	source := &tcpSource{Remote: r}
	o := v.pcqOptions(t, m)
	o.Dial = func(ctx context.Context) (pcq.Conn, error) { return r.Dial(ctx, logon.Connection{}) }
	o.Extra, o.Refreshed = v.extraOf(r, nil), source.refreshed
	source.Source = pcq.New(o)
	return source, nil
}

// pcqOptions are what all ways that read MS-PCQ have in common.
func (v *Inventory) pcqOptions(t Target, m Mode) pcq.Options {
	lcid, _ := pcq.LCIDOf(v.locale())
	return pcq.Options{Reach: pcq.Reach{Host: t.Name, LCID: lcid, CacheDir: cacheDir(m), Shared: &v.shared, Go: v.o.Go}, First: firstOf(t.Name, m)}
}

// tcpSource is a source whose kept catalogue may turn out to be an old one.
type tcpSource struct {
	*pcq.Source
	*logon.Remote
	renew session.Latest[func(*session.Catalogue)]
}

// RenewTo names who hears of a newer catalogue.
func (s *tcpSource) RenewTo(renew func(*session.Catalogue)) { s.renew.Set(renew) }

func (s *tcpSource) refreshed(cat *session.Catalogue) {
	if renew, is := s.renew.Get(); is {
		renew(cat)
	}
}

// openSMB is the source of a Windows host, by SMB's named pipe.
func openSMB(v *Inventory, t Target, m Mode) (session.Source, error) {
	r, err := v.Remote(t)
	if err != nil {
		return nil, err
	}
	l := lineTo(r)
	l.extra = v.extraOf(r, l.traffic)
	return &smbSource{v.windows(t, l, m), r}, nil
}

// smbSource is a Windows host that may be logged on to by another account.
type smbSource struct {
	*winhost.Source
	*logon.Remote
}

// Warnings are those of the host, and of the log-on.
func (s *smbSource) Warnings() []error {
	out := s.Source.Warnings()
	if why := s.Instead(); why != nil {
		out = append(out, why)
	}
	return out
}

// windows is the source of a Windows host: its V2 countersets and its V1 objects, over one
// connection where the host allows it.
func (v *Inventory) windows(t Target, l *line, m Mode) *winhost.Source {
	shared := &rpc.Shared{LogOn: l.logOn, Dial: l.dial}
	aside := &rpc.Shared{Dial: l.dial} // for what is read in the background
	services := service.NewRemote(t.Name, func(ctx context.Context) (service.Conn, error) {
		c, err := shared.Connect(ctx, rpc.MSSCMR)
		if err != nil {
			return nil, err // not a nil *rpc.Lease
		}
		return c, nil
	}, func(err error) { shared.Refused(rpc.MSSCMR, err) })
	return winhost.New(winhost.Options{
		Host:     t.Name,
		Traffic:  l.traffic.Bytes,
		Hold:     func(ctx context.Context) (io.Closer, error) { return l.leased(shared.Hold(ctx)) },
		Services: services.Source(v.o.Go),
		Events: func(ctx context.Context, from session.EventsFrom, ahead func() (time.Duration, bool)) (session.EventReader, error) {
			return eventlog.New(ctx, eventlog.Options{
				Host: t.Name, Ahead: ahead, Right: eventlog.RemoteRight, Refused: func(err error) { shared.Refused(rpc.MSEVEN, err) },
				Dial: func(ctx context.Context) (eventlog.Conn, error) { return shared.Connect(ctx, rpc.MSEVEN) },
			}, from)
		},
		V2: func(refreshed func(*session.Catalogue)) winhost.Half {
			o := v.pcqOptions(t, m)
			o.Dial = func(ctx context.Context) (pcq.Conn, error) { return l.leased(shared.Connect(ctx, rpc.MSPCQ)) }
			o.Aside = func(ctx context.Context) (pcq.Conn, error) { return l.leased(aside.Connect(ctx, rpc.MSPCQ)) }
			o.Extra, o.Refreshed = l.extra, refreshed
			return pcq.New(o)
		},
		V1: func(refreshed func(*session.Catalogue)) winhost.Half {
			lcid, _ := pcq.LCIDOf(v.locale())
			return hkpd.New(hkpd.Options{
				Reach: hkpd.Reach{
					Host:      t.Name,
					LCID:      lcid,
					Dial:      func(ctx context.Context) (hkpd.Conn, error) { return l.leased(shared.Connect(ctx, rpc.MSRRP)) },
					Aside:     func(ctx context.Context) (hkpd.Conn, error) { return l.leased(aside.Connect(ctx, rpc.MSRRP)) },
					CacheDir:  cacheDir(m),
					Refreshed: refreshed,
					Shared:    &v.shared,
					Go:        v.o.Go,
				},
				Costly: t.Own.Costly,
			})
		},
	})
}

// Warned is a source that tells what it could not read.
type Warned interface {
	session.Source
	session.Warner
}

// Over reads a host over a connection that was made, and over new ones when that one is used
// up. Wrap stands around every connection; nil: nothing does.
func (v *Inventory) Over(t Target, r *logon.Remote, made *rpc.Client, wrap func(Conn) Conn) Warned {
	var first session.Latest[*rpc.Client]
	first.Set(made)
	l := lineTo(r)
	l.wrap = wrap
	dial := l.dial
	l.dial = func(ctx context.Context, on *rpc.Shares, interfaces ...rpc.Interface) (*rpc.Client, error) {
		if c, is := first.Take(); is && c != nil {
			return c, nil
		}
		return dial(ctx, on, interfaces...)
	}
	l.logOn = nil // made has one
	var m Mode    // what is captured is all of it, in order
	if wrap == nil {
		l.extra, m.Bare = v.extraOf(r, l.traffic), true
	}
	if !r.TCP() {
		return v.windows(t, l, m)
	}
	o := v.pcqOptions(t, m)
	o.Extra = l.extra
	o.Dial = func(ctx context.Context) (pcq.Conn, error) {
		c, err := l.dial(ctx, nil, rpc.MSPCQ)
		if err != nil {
			return nil, err
		}
		return l.wrapped(c), nil
	}
	return pcq.New(o)
}

// Conn is a connection for both protocols.
type Conn interface {
	rpc.PerflibV2
	rpc.WinReg
	Close() error
}

// line is how a host is dialled.
type line struct {
	extra   func(ctx context.Context) (pcq.Conn, error)    // nil: catalogues are read over one connection
	logOn   func(ctx context.Context) (*rpc.Shares, error) // nil: dial does
	dial    func(ctx context.Context, on *rpc.Shares, interfaces ...rpc.Interface) (*rpc.Client, error)
	traffic *rpc.Traffic
	wrap    func(Conn) Conn // around every connection; nil: nothing
}

// lineTo dials a host.
func lineTo(r *logon.Remote) *line {
	l := &line{traffic: &rpc.Traffic{}}
	l.logOn = func(ctx context.Context) (*rpc.Shares, error) { return r.Files(ctx, l.traffic) }
	l.dial = func(ctx context.Context, on *rpc.Shares, interfaces ...rpc.Interface) (*rpc.Client, error) {
		return r.Dial(ctx, logon.Connection{On: on, Interfaces: interfaces, Traffic: l.traffic})
	}
	return l
}

func (l *line) wrapped(c Conn) Conn {
	if l.wrap == nil {
		return c
	}
	return l.wrap(c)
}

// leased keeps a nil *rpc.Lease from becoming a connection that is not nil.
func (l *line) leased(c *rpc.Lease, err error) (Conn, error) {
	if err != nil {
		return nil, err
	}
	return l.wrapped(c), nil
}

// extraOf makes connections by which the catalogue of a host is read faster.
func (v *Inventory) extraOf(r *logon.Remote, traffic *rpc.Traffic) func(ctx context.Context) (pcq.Conn, error) {
	return func(ctx context.Context) (pcq.Conn, error) {
		c, err := v.extras.Dial(ctx, r, traffic)
		if err != nil {
			return nil, err // not a nil *logon.Extra
		}
		return c, nil
	}
}

// windowsSets are the GUIDs that Windows has for countersets, by their folded names.
var windowsSets = map[string]string{
	"processor information":    "{b4fc721a-0378-476f-89ba-a5a79f810b36}",
	"thermal zone information": "{52bc5412-dac2-449c-8bc2-96443888fe6b}",
	"dfs replicated folders":   "{bfe2736b-c79f-4f36-bd15-2897a1a91d4a}",
}

// firstOf are the countersets that the first catalogue of a host may have alone.
func firstOf(host string, m Mode) (f pcq.First) {
	add := func(name string) {
		name = paths.Fold(name)
		f.GUIDs = append(f.GUIDs, server.CountersetGUID(name).String())
		if guid := windowsSets[name]; guid != "" {
			f.GUIDs = append(f.GUIDs, guid)
		}
	}
	if f.All = m.Bare; f.All {
		return f
	}
	if m.Deck {
		for _, name := range session.DefaultSets() {
			add(name)
		}
		return f
	}
	asked := ofHost(m.Asked, &Host{Name: host, Aside: slices.Contains(m.Aside, host)})
	for i := range asked {
		q := &asked[i]
		q.Optional = false // what is not there yet is looked for
		name := q.Text
		if p, err := paths.Parse(q.Text); err == nil && !q.Whole {
			name = p.Object
		}
		if instance, _, ok := paths.OfServer(name); ok && instance == "" {
			return pcq.First{} // it means those of all named instances
		}
		add(name)
		f.Names = append(f.Names, name)
	}
	if len(asked) > 0 {
		f.Enough = func(cat *session.Catalogue) bool { return !slices.ContainsFunc(asked, lackedBy(cat)) }
	}
	return f
}

// locale is the language of the environment for messages.
func (v *Inventory) locale() string {
	for _, key := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if value := v.o.Getenv(key); value != "" {
			return value
		}
	}
	return ""
}

// cacheDir is where catalogues are kept between runs; empty where there is no place, or
// where only what the host says now will do.
func cacheDir(m Mode) string {
	dir, err := config.StateDir()
	if err != nil || !m.Kept {
		return ""
	}
	return filepath.Join(dir, "catalogues")
}
