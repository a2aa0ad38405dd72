package httpclient

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The same failure reads the same at each try: what ends a connection that stood has
// another port of this side each time.
func TestReasonHasNoPortOfThisSide(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 1)) // what is left unread makes a reset of the end
			_ = c.Close()
		}
	}()
	client, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 3 {
		answer, err := client.Post("http://"+l.Addr().String()+"/secret", "text/plain", strings.NewReader("much to read"))
		if err == nil {
			_ = answer.Body.Close()
			t.Fatal("it answered")
		}
		seen[Reason(err, time.Second)] = true
	}
	lookup := &url.Error{Op: "Post", URL: "http://h/secret", Err: &net.DNSError{Name: "h", Server: "127.0.0.53:53", Err: "read udp 127.0.0.1:41234->127.0.0.53:53: read: connection refused"}}
	seen[Reason(lookup, time.Second)] = true
	if len(seen) != 2 {
		t.Errorf("%d reasons of two failures: %v", len(seen), seen)
	}
	for reason := range seen {
		if strings.Contains(reason, "->") || strings.Contains(reason, "secret") || strings.Contains(reason, "41234") {
			t.Errorf("%q", reason)
		}
	}
}

func TestReasonOfLateAnswers(t *testing.T) {
	if why := Reason(&url.Error{Err: os.ErrDeadlineExceeded}, time.Minute); !strings.Contains(why, "1 min") {
		t.Error(why)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "soon": 0, "-5": 0, "120": 2 * time.Minute,
		"Sun, 01 Mar 2026 12:01:00 GMT": time.Minute, "Sun, 01 Mar 2026 11:00:00 GMT": 0,
	} {
		if d := RetryAfter(http.Header{"Retry-After": {text}}, now); d != want {
			t.Errorf("%q is %v", text, d)
		}
	}
	for _, text := range []string{"9223372036854775807", "99999999999999999999999"} {
		if d := RetryAfter(http.Header{"Retry-After": {text}}, now); d < 24*time.Hour {
			t.Errorf("%q is %v", text, d)
		}
	}
}

func TestIsOwnHost(t *testing.T) {
	for text, want := range map[string]bool{
		"http://localhost:1": true, "http://LocalHost": true, "http://127.8.0.1": true, "http://[::1]:9": true,
		"http://localhost.example.com": false, "http://10.0.0.1": false, "http://0.0.0.0": false, "http://": false,
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if IsOwnHost(u) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
}

func TestAuthorities(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{CAFile: file}); err == nil {
		t.Error("a file without certificates is taken")
	} else if none, ok := errors.AsType[*AuthorityError](err); !ok || none.File != file {
		t.Error(err)
	}
	if _, err := New(Options{CAFile: file + "s"}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// Redirects are followed on the same server alone, and not for ever.
func TestRedirects(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another server was asked") }))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/here":
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
		case "/away":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		case "/around":
			http.Redirect(w, r, "/around", http.StatusTemporaryRedirect)
		case "/changed":
			http.Redirect(w, r, "/there", http.StatusSeeOther)
		}
	}))
	defer server.Close()
	for _, c := range []struct {
		path string
		hops int
		code int // 0: it fails
	}{
		{"/here", 0, http.StatusTemporaryRedirect},
		{"/here", 1, http.StatusOK},
		{"/away", 3, http.StatusTemporaryRedirect},
		{"/changed", 3, http.StatusSeeOther},
		{"/around", 3, 0},
	} {
		client, err := New(Options{Hops: c.hops})
		if err != nil {
			t.Fatal(err)
		}
		code := 0
		if answer, err := client.Post(server.URL+c.path, "text/plain", strings.NewReader("x")); err == nil {
			code = answer.StatusCode
			_ = answer.Body.Close()
		}
		if code != c.code {
			t.Errorf("%s with %d hops: %d", c.path, c.hops, code)
		}
	}
}
