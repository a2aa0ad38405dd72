package main

import (
	"context"
	"path/filepath"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/logon"
	"perfdeck/session/source/pcq"
	"perfdeck/session/source/winhost"
)

// openTCP is the source of a host that serves MS-PCQ over TCP.
func openTCP(p *program, t target) (session.Source, error) {
	r, err := p.remote(t)
	if err != nil {
		return nil, err
	}
	lcid, _ := pcq.LCIDOf(p.locale())
	source := &tcpSource{Remote: r}
	source.Source = pcq.New(pcq.Options{
		Host:      t.name,
		LCID:      lcid,
		Dial:      func(ctx context.Context) (pcq.Conn, error) { return r.Dial(ctx, logon.Connection{}) },
		Extra:     p.extraOf(r, nil),
		First:     p.firstSets(),
		CacheDir:  p.cacheDir(),
		Refreshed: source.refreshed,
		Shared:    &p.shared,
		Go:        p.guard.Go,
	})
	return source, nil
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
func openSMB(p *program, t target) (session.Source, error) {
	r, err := p.remote(t)
	if err != nil {
		return nil, err
	}
	l := lineTo(r)
	l.extra = p.extraOf(r, l.traffic)
	return &smbSource{p.windowsSource(t, l), r}, nil
}

// smbSource is a Windows host that may be logged on to by another account.
type smbSource struct {
	*winhost.Source
	*logon.Remote
}

// locale is the language of the environment for messages.
func (p *program) locale() string {
	for _, key := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := p.getenv(key); v != "" {
			return v
		}
	}
	return ""
}

// cacheDir is where catalogues are kept between runs; empty where there is no
// place, or where only what the host says now will do.
func (p *program) cacheDir() string {
	dir, err := config.StateDir()
	if err != nil || !p.keptWillDo {
		return ""
	}
	return filepath.Join(dir, "catalogues")
}
