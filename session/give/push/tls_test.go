package push

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"

	"perfdeck/session/engine/enginetest"
	"perfdeck/session/engine/link"
)

// The engine is known by its authority, and perfdeck by its certificate and its account.
func TestTLS(t *testing.T) {
	good := enginetest.Secure(t, "pusher", func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if r.TLS.PeerCertificates[0].Subject.CommonName != "pusher" || user != "ana" || password != "geh\"eim" {
			w.WriteHeader(http.StatusForbidden)
		}
	})
	good.User, good.Password = "ana", func(context.Context) ([]byte, error) { return []byte("geh\"eim"), nil }
	key, err := os.ReadFile(good.KeyFile)
	if err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(t.TempDir(), "open.key")
	if err := os.WriteFile(open, key, 0o644); err != nil {
		t.Fatal(err)
	}
	body := snappy.Encode(nil, nil)
	send := func(e link.Engine) answer {
		t.Helper()
		c, err := newClient(e)
		if err != nil {
			return answer{err: err}
		}
		return c.post(t.Context(), body)
	}
	if a := send(good); a.err != nil {
		t.Errorf("all is well: %v", a.err)
	}
	for name, spoil := range map[string]func(*link.Engine){
		"an authority that is not known": func(e *link.Engine) { e.CAFile = "" },
		"no certificate in the file":     func(e *link.Engine) { e.CAFile = e.KeyFile },
		"no file":                        func(e *link.Engine) { e.CAFile = "/none" },
		"no client certificate":          func(e *link.Engine) { e.CertFile, e.KeyFile = "", "" },
		"a certificate without its key":  func(e *link.Engine) { e.KeyFile = "" },
		"a key of another":               func(e *link.Engine) { e.CertFile = e.CAFile },
		"a key that others may read":     func(e *link.Engine) { e.KeyFile = open },
		"another password":               func(e *link.Engine) { e.Password = func(context.Context) ([]byte, error) { return []byte("no"), nil } },
		"a password with a line end": func(e *link.Engine) {
			e.Password = func(context.Context) ([]byte, error) { return []byte("a\nb"), nil }
		},
	} {
		e := good
		spoil(&e)
		if a := send(e); a.err == nil || strings.Contains(a.err.Error(), "geh") {
			t.Errorf("%s: %v", name, a.err)
		} else if a.refuse != (name == "another password") {
			t.Errorf("%s: refused %v: %v", name, a.refuse, a.err)
		}
	}
}

// What ends a connection that stood reads the same at each try, so that it is told once.
func TestFailuresReadTheSame(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = c.(*net.TCPConn).SetLinger(0)
			_ = c.Close()
		}
	}))
	defer server.Close()
	c, err := newClient(link.Engine{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	first, second := c.post(t.Context(), []byte("x")), c.post(t.Context(), []byte("x"))
	if first.err == nil || second.err == nil || first.err.Error() != second.err.Error() {
		t.Errorf("%v, then %v", first.err, second.err)
	}
}
