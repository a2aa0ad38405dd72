// Package link is how engines that speak Prometheus' protocols are reached: the address, who
// perfdeck is to them, and what their answers say in words.
package link

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/httpclient"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/printable"
)

// Engine is where an engine is, and how perfdeck proves who it is. Secrets are fetched when
// they are needed, and again when they are refused.
type Engine struct {
	URL    string
	Bearer func(context.Context) ([]byte, error) // a token; nil: none
	User   string                                // of basic authentication, with Password
	// Password is fetched as Bearer.
	Password func(context.Context) ([]byte, error)
	Tenant   string // X-Scope-OrgID of Mimir and Cortex; empty: none
	// CAFile has the certificates that are trusted instead of the system's; CertFile and
	// KeyFile what this client shows.
	CAFile, CertFile, KeyFile string
	Agent                     string // User-Agent

	Transport http.RoundTripper // of tests; nil: the network
}

const (
	handshakeTime    = 10 * time.Second
	mostCertificates = 4 << 20
	mostShownWords   = 300 // characters of an answer
)

// Error says what is wrong with how an engine is named.
type Error struct {
	Why, Advice string
}

func (e *Error) Error() string { return e.Why }

// Hint says what to do.
func (e *Error) Hint() string { return e.Advice }

// Parse reads the address of an engine, which is written as like.
func Parse(text, like, account string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil, printable.Text(text) != text, strings.ContainsAny(text, " "):
		return nil, &Error{"that is no address", "write it as " + like}
	case u.User != nil:
		return nil, &Error{"a password must not stand in the address", account}
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, &Error{"that is no address of http:// or https://", "write it as " + like}
	}
	return u, nil
}

// Client asks one engine. It is used by one goroutine at a time but for Do.
type Client struct {
	Engine

	At   *url.URL
	http *http.Client
	auth session.Latest[string] // the header Authorization; none: not fetched yet
}

// New makes a client. Its errors are of what it was given.
func New(e Engine, at *url.URL) (*Client, error) {
	hasSecret := e.Bearer != nil || e.Password != nil
	if hasSecret && at.Scheme == "http" && !httpclient.IsOwnHost(at) {
		return nil, &Error{"a token or password over http:// could be read on the way", "write https://, with --ca-file where its certificate is of your own authority"}
	}
	o := httpclient.Options{CAFile: e.CAFile, Handshake: handshakeTime}
	if e.CertFile != "" || e.KeyFile != "" {
		pair, err := clientPair(e.CertFile, e.KeyFile)
		if err != nil {
			return nil, err
		}
		o.Certificates = []tls.Certificate{pair}
	}
	sends, err := httpclient.New(o)
	if none, ok := errors.AsType[*httpclient.AuthorityError](err); ok {
		return nil, &Error{none.Error(), none.Hint()}
	} else if err != nil {
		return nil, fmt.Errorf("read the certificates that are trusted: %w", err)
	}
	if e.Transport != nil {
		sends.Transport = e.Transport
	}
	return &Client{Engine: e, At: at, http: sends}, nil
}

// clientPair reads what this client shows. Its key is for the user's eyes alone.
func clientPair(cert, key string) (tls.Certificate, error) {
	if cert == "" || key == "" {
		return tls.Certificate{}, &Error{"a client certificate needs its key, and a key its certificate", "--cert-file and --key-file"}
	}
	shown, err := osfile.ReadPlain(cert, mostCertificates)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("read the client certificate: %w", err)
	}
	secret, err := osfile.ReadSecret(key, mostCertificates)
	defer clear(secret)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("read the key of the client certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(shown, secret)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("read the client certificate: %w", err)
	}
	return pair, nil
}

// Words are the words of an engine that got a request, as they are told: one line, that can be
// printed, not long, and without what the request proved who we are by. A web page has none.
func Words(to *http.Request, words []byte) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(hushed(to, string(words)), "?")), " ")
	if strings.HasPrefix(text, "<") {
		return ""
	}
	return printable.Shorten(printable.Text(text), mostShownWords)
}

// Reason is why a request failed, in words that can be printed: what came is in some of them.
func Reason(to *http.Request, err error, within time.Duration) string {
	return hushed(to, httpclient.Reason(err, within))
}

// hushed takes what a request proved who we are by out of what is said of it: some engines say
// it again.
func hushed(to *http.Request, text string) string {
	if to == nil {
		return text
	}
	_, secret, _ := strings.Cut(to.Header.Get("Authorization"), " ")
	_, password, _ := to.BasicAuth()
	for _, one := range []string{secret, password} {
		if one != "" {
			quoted := strconv.Quote(one)
			text = strings.NewReplacer(quoted[1:len(quoted)-1], "***", one, "***").Replace(text)
		}
	}
	return text
}

// LocationOf is where an answer redirects to, in words.
func LocationOf(reply *http.Response) string {
	u, err := reply.Location()
	if err != nil || u.Host == "" {
		return "another address"
	}
	return printable.Text(printable.Shorten(u.Scheme+"://"+u.Host, 100))
}

// ErrSecret says that what proves who we are could not be fetched.
var ErrSecret = errors.New("get what it wants to know us by")

var errSecret = errors.New("it holds characters that cannot be sent")

// Do sends a request with what the engine is to know of us. What proves who we are is fetched
// first, where that was not done yet; an error of that is ErrSecret.
func (c *Client) Do(request *http.Request) (*http.Response, error) {
	if err := c.fetch(request.Context()); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSecret, err)
	}
	h := request.Header
	h.Set("User-Agent", c.Agent)
	if c.Tenant != "" {
		h.Set("X-Scope-Orgid", c.Tenant) // headers have no case
	}
	if auth, is := c.auth.Get(); is {
		h.Set("Authorization", auth)
	}
	reply, err := c.http.Do(request) //nolint:gosec // the address is the user's
	if err == nil && (reply.StatusCode == http.StatusUnauthorized || reply.StatusCode == http.StatusForbidden) {
		c.auth.Take() // it may have been changed
	}
	return reply, err
}

// Renews tells that what proves who we are is fetched anew for the next request.
func (c *Client) Renews() bool {
	_, is := c.auth.Get()
	return !is && (c.Bearer != nil || c.Password != nil)
}

// fetch makes sure that what proves who we are is at hand.
func (c *Client) fetch(ctx context.Context) error {
	get := c.Bearer
	if get == nil {
		get = c.Password
	}
	if _, is := c.auth.Get(); is || get == nil {
		return nil
	}
	secret, err := get(ctx)
	if err != nil {
		return err
	}
	defer clear(secret)
	if bytes.ContainsFunc(secret, func(r rune) bool { return r < ' ' || r == 0x7F || r > 0x7F && c.Bearer != nil }) {
		return errSecret
	}
	if c.Bearer != nil {
		c.auth.Set("Bearer " + string(secret))
		return nil
	}
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(c.User, string(secret))
	c.auth.Set(r.Header.Get("Authorization"))
	return nil
}
