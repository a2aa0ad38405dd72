// Package httpclient is how perfdeck asks and sends by HTTP: which certificates are
// trusted, where a redirect may lead, and what is told of a request that failed. Addresses
// are never told, as they may hold secrets.
package httpclient

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"perfdeck/session/system/lazy"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// mostCertificates bounds the bytes of a file of them.
const mostCertificates = 4 << 20

// Options are what a client trusts, shows and follows.
type Options struct {
	CAFile       string            // certificates that are trusted instead of the system's; empty: the system's
	Certificates []tls.Certificate // what it shows of itself
	Handshake    time.Duration     // for TLS; 0: as long as the request may take
	Hops         int               // redirects that are followed: see redirects
}

// New makes a client. Its errors are of the file of certificates; the caller says what
// that is for.
func New(o Options) (*http.Client, error) {
	settings := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: o.Certificates}
	if o.CAFile != "" {
		pool, err := authorities(o.CAFile)
		if err != nil {
			return nil, err
		}
		settings.RootCAs = pool
	}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: settings, ForceAttemptHTTP2: true,
			MaxIdleConns: 2, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10,
			TLSHandshakeTimeout: o.Handshake,
		},
		CheckRedirect: redirects(o.Hops),
	}, nil
}

// AuthorityError says that a file of certificates holds none.
type AuthorityError struct{ File string }

func (e *AuthorityError) Error() string { return e.File + ": it holds no certificate" }

// Hint says what is expected.
func (*AuthorityError) Hint() string { return "a file of certificates is PEM" }

// authorities are the certificates of a file. The error is an *AuthorityError where it
// can be read and holds none.
func authorities(file string) (*x509.CertPool, error) {
	text, err := osfile.ReadPlain(file, mostCertificates)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, &AuthorityError{file}
	}
	return pool, nil
}

var errCircle = errors.New("it sends us around in a circle")

// redirects follows so many redirects as lead to the same server and repeat the request
// as it is: what is sent, and what proves who sends it, is for that server alone. Where it
// follows none the answer is the redirect.
func redirects(most int) func(*http.Request, []*http.Request) error {
	return func(next *http.Request, before []*http.Request) error {
		first := before[0]
		switch {
		case most == 0, next.Method != first.Method, next.URL.Scheme != first.URL.Scheme, next.URL.Host != first.URL.Host:
			return http.ErrUseLastResponse
		case len(before) > most:
			return errCircle
		}
		return nil
	}
}

// IsOwnHost tells whether an address is of this computer, where nobody listens in: what
// must not be read on the way may go there over http://.
func IsOwnHost(u *url.URL) bool {
	return strings.EqualFold(u.Hostname(), "localhost") || net.ParseIP(u.Hostname()).IsLoopback()
}

// ownEnd is this side's address and port, as net.OpError writes them before the other's.
// It may stand in the text of another error, as of a look-up that was refused.
var ownEnd = lazy.Regexp(`\S+:[0-9]+->`)

// Reason is what went wrong with a request that had so long, in a line without its
// address. It is the same each time for the same failure: this side's port, another one
// for each connection, is left out.
func Reason(err error, within time.Duration) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	var late net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &late) && late.Timeout() {
		return "no answer within " + english.Span(within)
	}
	return printable.Text(ownEnd().ReplaceAllString(err.Error(), ""))
}

// RetryAfter is the pause that a server asks for: seconds, or the time until a date
// (RFC 9110, 10.2.3). 0: it asks for none. It may be long.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // out of range it is the end of the range
		return 0
	}
	const longest = int64(1<<63-1) / int64(time.Second)
	return time.Duration(min(max(0, seconds), longest)) * time.Second
}

// IsPage tells a page for people, which a proxy or another service answers, from the
// answer of a program.
func IsPage(h http.Header, body []byte) bool {
	return strings.HasPrefix(h.Get("Content-Type"), "text/html") || bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
}
