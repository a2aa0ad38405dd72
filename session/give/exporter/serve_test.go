package exporter_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"perfdeck/session/give/exporter"
	"perfdeck/session/system/guard"
	"perfdeck/session/system/osfile"
)

// certify writes a certificate for 127.0.0.1 and its key into a folder.
func certify(t *testing.T, dir, name string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<60))
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	for file, block := range map[string]*pem.Block{name + ".crt": {Type: "CERTIFICATE", Bytes: cert}, name + ".key": {Type: "EC PRIVATE KEY", Bytes: secret}} {
		text := pem.EncodeToMemory(block)
		pool.AppendCertsFromPEM(text)
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return pool
}

// serving runs an exporter on loopback and tells where.
func serving(t *testing.T, h http.Handler, config string) (address string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var web *exporter.Web
	if config != "" {
		if web, err = exporter.OpenWeb(config, obeyed, func(err error) { t.Log(err) }); err != nil {
			t.Fatal(err)
		}
	}
	guarded := guard.New(func(e *guard.PanicError) { panic(e) })
	ctx, cancel := context.WithCancel(t.Context())
	wait := guard.Beside(func() {
		if err := exporter.Serve(ctx, l, h, web, guarded.Go); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); wait() })
	return l.Addr().String()
}

func obeyed(name string) (string, error) { return name, nil }

// What says who may ask, and the key of the server, are refused where others may change the one or
// read the other.
func TestFilesOfOthers(t *testing.T) {
	dir := t.TempDir()
	certify(t, dir, "server")
	certify(t, dir, "client")
	file := filepath.Join(dir, "web.yml")
	text := "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: client.crt\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, refused := range []string{"", "web.yml", "client.crt"} {
		_, err := exporter.OpenWeb(file, func(name string) (string, error) {
			if filepath.Base(name) == refused {
				return "", errors.ErrUnsupported
			}
			return name, nil
		}, nil)
		if errors.Is(err, errors.ErrUnsupported) != (refused != "") || refused == "" && err != nil {
			t.Errorf("%q is refused: %v", refused, err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "server.key"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := exporter.OpenWeb(file, obeyed, nil)
	if _, is := errors.AsType[*osfile.SecretError](err); !is && runtime.GOOS != "windows" {
		t.Errorf("a key that others can read: %v", err)
	}
}

// With a web configuration it talks TLS to whoever has an account and the certificate that
// it asks for, and to nobody else.
func TestTLSAndAccounts(t *testing.T) {
	dir := t.TempDir()
	servers, clients := certify(t, dir, "server"), certify(t, dir, "client")
	_ = clients
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "web.yml")
	text := "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: client.crt\nbasic_auth_users:\n  ana: " + string(hash) + "\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := serving(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "in") }), config)
	own, err := tls.LoadX509KeyPair(filepath.Join(dir, "client.crt"), filepath.Join(dir, "client.key"))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(scheme, user, password string, certs ...tls.Certificate) (int, error) {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: servers, Certificates: certs, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, scheme+"://"+at+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		if user != "" {
			req.SetBasicAuth(user, password)
		}
		answer, err := (&http.Client{Transport: transport}).Do(req)
		if err != nil {
			return 0, err
		}
		return answer.StatusCode, answer.Body.Close()
	}
	for _, c := range []struct {
		scheme, user, password string
		certs                  []tls.Certificate
		want                   int
	}{
		{"https", "ana", "secret", []tls.Certificate{own}, 200}, {"https", "ana", "secret", []tls.Certificate{own}, 200},
		{"https", "ana", "wrong", []tls.Certificate{own}, 401}, {"https", "bob", "secret", []tls.Certificate{own}, 401}, {"https", "", "", []tls.Certificate{own}, 401},
		{"https", "ana", "secret", nil, 0}, {"http", "ana", "secret", nil, 400},
	} {
		if code, err := ask(c.scheme, c.user, c.password, c.certs...); code != c.want || c.want == 0 && err == nil {
			t.Errorf("%s %s:%s with %d certificates: %d %v, want %d", c.scheme, c.user, c.password, len(c.certs), code, err, c.want)
		}
	}
	// What the file says by now is what goes, for the connections that come; one that is wrong changes nothing.
	other, err := bcrypt.GenerateFromPassword([]byte("another"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct{ text, password string }{
		{strings.Replace(text, string(hash), string(other), 1), "another"}, {"nonsense", "another"}, {strings.Replace(text, "tls_server_config", "#", 1), "another"}, {text, "secret"},
	} {
		if err := os.WriteFile(config, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(int64(1000+i), 0) // a file system may not tell two moments apart
		if err := os.Chtimes(config, at, at); err != nil {
			t.Fatal(err)
		}
		for password, want := range map[string]int{"secret": 401, "another": 401, c.password: 200} {
			if code, err := ask("https", "ana", password, own); code != want {
				t.Errorf("file %d, %s: %d %v, want %d", i, password, code, err, want)
			}
		}
	}
	servers = certify(t, dir, "server") // of another key, in the same files
	if code, err := ask("https", "ana", "secret", own); code != 200 {
		t.Errorf("a new certificate: %d %v", code, err)
	}
}

// Beyond loopback nobody is told anything without TLS and authentication.
func TestNotOpen(t *testing.T) {
	users := map[string][]byte{"ana": nil}
	for _, c := range []struct {
		at   string
		web  *exporter.WebConfig
		open bool
	}{
		{"127.0.0.1", nil, true}, {"::1", nil, true}, {"::ffff:127.0.0.1", nil, true}, {"0.0.0.0", nil, false}, {"::", nil, false}, {"10.1.2.3", nil, false},
		{"0.0.0.0", &exporter.WebConfig{Users: users}, false}, {"0.0.0.0", &exporter.WebConfig{CertFile: "a"}, false},
		{"0.0.0.0", &exporter.WebConfig{CertFile: "a", Users: users}, true}, {"::", &exporter.WebConfig{CertFile: "a", ClientAuth: tls.RequireAndVerifyClientCert}, true},
		{"::", &exporter.WebConfig{CertFile: "a", ClientAuth: tls.RequireAnyClientCert}, false},
	} {
		if err := exporter.CheckListener(&net.TCPAddr{IP: net.ParseIP(c.at)}, c.web); (err == nil) != c.open || err != nil && !errors.Is(err, exporter.ErrOpen) {
			t.Errorf("%s %+v: %v", c.at, c.web, err)
		}
	}
}

// A request whose header does not end, or is large, does not hold the others up.
func TestBadRequests(t *testing.T) {
	at := serving(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "in") }), "")
	slow, err := new(net.Dialer).DialContext(t.Context(), "tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	_, _ = io.WriteString(slow, "GET /metrics HTTP/1.1\r\nHost: x\r\nX: ")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X", string(make([]byte, 0)))
	answer, err := http.DefaultClient.Do(req)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%v %v", answer, err)
	}
	_ = answer.Body.Close()
	large := make([]byte, 64<<10)
	for i := range large {
		large[i] = 'x'
	}
	req.Header.Set("X", string(large))
	if answer, err := http.DefaultClient.Do(req); err == nil {
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("%s", answer.Status)
		}
	}
}

// The file is read once before it changes, so that accounts and certificates are of one moment.
func TestWebConfigIsReadOnce(t *testing.T) {
	dir := t.TempDir()
	certify(t, dir, "server")
	file := filepath.Join(dir, "web.yml")
	if err := os.WriteFile(file, []byte("tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	reads := 0
	web, err := exporter.OpenWeb(file, func(name string) (string, error) { reads++; return name, nil }, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := exporter.Serve(ctx, l, http.NotFoundHandler(), web, func(f func()) { go f() }); err != nil || !web.Config().HasTLS() || reads != 1 {
		t.Errorf("read %d times, %v", reads, err)
	}
}
