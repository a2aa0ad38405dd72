package query

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session/engine/link"
)

// What an engine is to know us by arrives, and no secret is in an error, though the engine says
// it again.
func TestWhoWeAre(t *testing.T) {
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "asker"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		got := r.Header.Get("Authorization")
		if !strings.HasPrefix(got, "Bearer ") {
			got = user + ":" + password
		}
		if r.TLS.PeerCertificates[0].Subject.CommonName == "asker" && r.Header.Get("X-Scope-Orgid") == "team" && (got == "Bearer s3cret-token" || got == "ana:s3cret-word") {
			fmt.Fprint(w, `{"status":"success","data":{"resultType":"vector","result":[]}}`)
			return
		}
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, "%s %s not for %s", r.Header.Get("Authorization"), password, r.Header.Get("X-Scope-Orgid"))
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	defer server.Close()
	is := func(text string) func(context.Context) ([]byte, error) {
		return func(context.Context) ([]byte, error) { return []byte(text), nil }
	}
	good := link.Engine{
		URL: server.URL, CAFile: write("ca.pem", "CERTIFICATE", server.Certificate().Raw), Tenant: "team",
		CertFile: write("own.pem", "CERTIFICATE", cert), KeyFile: write("own.key", "PRIVATE KEY", der),
	}
	for _, c := range []struct {
		name  string
		works bool
		set   func(*link.Engine)
	}{
		{"a token", true, func(e *link.Engine) { e.Bearer = is("s3cret-token") }},
		{"a password", true, func(e *link.Engine) { e.User, e.Password = "ana", is("s3cret-word") }},
		{"another token", false, func(e *link.Engine) { e.Bearer = is("s3cret-other") }},
		{"another password", false, func(e *link.Engine) { e.User, e.Password = "ana", is("s3cret-other") }},
		{"another tenant", false, func(e *link.Engine) { e.Bearer, e.Tenant = is("s3cret-token"), "other" }},
		{"no client certificate", false, func(e *link.Engine) { e.Bearer, e.CertFile, e.KeyFile = is("s3cret-token"), "", "" }},
		{"no authority", false, func(e *link.Engine) { e.Bearer, e.CAFile = is("s3cret-token"), "" }},
	} {
		e := good
		c.set(&e)
		engine, err := New(e, Limits{Apart: time.Nanosecond})
		if err == nil {
			_, err = engine.Instant(t.Context(), "up", time.Time{}, func(Series) error { return nil })
		}
		if (err == nil) != c.works {
			t.Errorf("%s: %v", c.name, err)
		}
		if text := fmt.Sprintf("%v %+v", err, err); strings.Contains(text, "s3cret") {
			t.Errorf("%s: %s", c.name, text)
		}
	}
}
