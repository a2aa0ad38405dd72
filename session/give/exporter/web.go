package exporter

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// Web is a file of a WebConfig. It and its certificates are read again by whatever connection or question comes after it changed,
// as Prometheus' exporters do; one that is wrong changes nothing, and is reported. The nil Web protects nothing.
type Web struct {
	name   string
	obeyed Obeyed
	report func(error)

	mu    sync.Mutex
	at    [4]time.Time // when the file and those of certificates were written
	now   *protection
	next  http.Handler // what is protected
	where net.Addr     // nil: it is not served so far
}

// protection is what a file says, made ready.
type protection struct {
	*WebConfig

	door *door       // nil: nobody has to be somebody
	tls  *tls.Config // nil: nothing is encrypted
}

// OpenWeb reads a file that is obeyed. report hears what is wrong with it later, from any goroutine.
func OpenWeb(name string, obeyed Obeyed, report func(error)) (*Web, error) {
	w := &Web{name: name, obeyed: obeyed, report: report}
	return w, w.Reload()
}

// Config is what the file says.
func (w *Web) Config() *WebConfig {
	if w == nil {
		return nil
	}
	return w.current().WebConfig
}

// errEncrypts says that a server that listens cannot begin to encrypt, or end that.
var errEncrypts = errors.New("with tls_server_config or without it: that takes a restart")

// Reload reads the file now. With an error all stays as it was.
func (w *Web) Reload() error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = w.now.written(w.name)
	return w.read()
}

// read reads the file. w.mu is held.
func (w *Web) read() (err error) {
	p, begun := &protection{}, written(w.name)
	if p.WebConfig, err = ReadWebConfig(context.Background(), w.name, w.obeyed); err != nil {
		return err
	}
	at := p.written(w.name)
	at[0] = begun[0]
	if p.HasTLS() {
		if p.tls, err = p.TLS(); err != nil {
			return err
		}
	}
	if w.where != nil {
		if err := CheckListener(w.where, p.WebConfig); err != nil {
			return err
		}
		if p.HasTLS() != w.now.HasTLS() {
			return errEncrypts
		}
	}
	if len(p.Users) > 0 {
		p.door = newDoor(p.Users, http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) { w.next.ServeHTTP(to, r) }))
	}
	w.now, w.at = p, at
	return nil
}

// written is when a file and those of certificates were written.
func (p *protection) written(name string) [4]time.Time {
	if p == nil {
		return written(name)
	}
	return written(name, p.ClientCAFile, p.CertFile, p.KeyFile)
}

func written(names ...string) (at [4]time.Time) {
	for i, name := range names {
		if name == "" {
			continue
		}
		if info, err := os.Stat(name); err == nil {
			at[i] = info.ModTime()
		}
	}
	return at
}

// current is what the file says by now.
func (w *Web) current() *protection {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at := w.now.written(w.name); at != w.at {
		w.at = at
		if err := w.read(); err != nil {
			w.report(err)
		}
	}
	return w.now
}

// serves begins to protect something at an address.
func (w *Web) serves(at net.Addr, h http.Handler) error {
	if err := CheckListener(at, w.Config()); err != nil || w == nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next, w.where = h, at
	return nil
}

// tls is the configuration of a connection.
func (w *Web) tls(*tls.ClientHelloInfo) (*tls.Config, error) { return w.current().tls, nil }

// ServeHTTP lets in who may.
func (w *Web) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	if door := w.current().door; door != nil {
		door.ServeHTTP(to, r)
		return
	}
	w.next.ServeHTTP(to, r)
}
