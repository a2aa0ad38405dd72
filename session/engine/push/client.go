package push

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/httpclient"
	"perfdeck/session/system/osfile"
)

// Engine is where samples go, and how perfdeck proves who it is. Secrets are fetched when
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

	transport http.RoundTripper // of tests; nil: the network
}

// Limits of requests.
const (
	requestTime      = 30 * time.Second
	handshakeTime    = 10 * time.Second
	mostWords        = 4 << 10 // bytes of an answer that are read
	mostShownWords   = 300     // characters of it
	mostCertificates = 4 << 20
	mostRetryAfter   = 10 * time.Minute
	writePath        = "/api/v1/write"
)

// EngineError says what is wrong with how an engine is named.
type EngineError struct {
	Why, Advice string
}

func (e *EngineError) Error() string { return e.Why }

// Hint says what to do.
func (e *EngineError) Hint() string { return e.Advice }

// ParseURL reads the address of an engine. Without a path it is that of Prometheus and
// VictoriaMetrics.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil, session.Printable(text) != text, strings.ContainsAny(text, " "):
		return nil, &EngineError{"that is no address", "write it as http://127.0.0.1:9090/api/v1/write"}
	case u.User != nil:
		return nil, &EngineError{"a password must not stand in the address", "--to-user and --to-password-file, or password_file of a [[push]] in the config"}
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, &EngineError{"that is no address of http:// or https://", "write it as http://127.0.0.1:9090/api/v1/write"}
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = writePath
	}
	return u, nil
}

// client sends to one engine.
type client struct {
	Engine

	url   *url.URL
	http  *http.Client
	auth  string // the header Authorization; empty: not fetched yet, or none
	limit time.Duration
}

// newClient makes one. Its errors are of what it was given.
func newClient(e Engine) (*client, error) {
	u, err := ParseURL(e.URL)
	if err != nil {
		return nil, err
	}
	hasSecret := e.Bearer != nil || e.Password != nil
	if hasSecret && u.Scheme == "http" && !httpclient.IsOwnHost(u) {
		return nil, &EngineError{"a token or password over http:// could be read on the way", "write https://, with --ca-file where its certificate is of your own authority"}
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
		return nil, &EngineError{none.Error(), none.Hint()}
	} else if err != nil {
		return nil, fmt.Errorf("read the certificates that are trusted: %w", err)
	}
	if e.transport != nil {
		sends.Transport = e.transport
	}
	return &client{Engine: e, url: u, limit: requestTime, http: sends}, nil
}

// clientPair reads what this client shows. Its key is for the user's eyes alone.
func clientPair(cert, key string) (tls.Certificate, error) {
	if cert == "" || key == "" {
		return tls.Certificate{}, &EngineError{"a client certificate needs its key, and a key its certificate", "--cert-file and --key-file"}
	}
	shown, err := osfile.ReadPlain(cert, mostCertificates)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("read the client certificate: %w", err)
	}
	f, err := osfile.OpenSecret(key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("read the key of the client certificate: %w", err)
	}
	defer f.Close()
	secret, err := io.ReadAll(io.LimitReader(f, mostCertificates))
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

// answer is what became of a request.
type answer struct {
	err    error // nil: the samples arrived
	refuse bool  // it is not to be sent again
	data   bool  // it is refused for what is in it, not for who sends it or where to
	large  bool  // it is refused for its size
	after  time.Duration
	words  string // the engine's own
}

// sendError is why samples did not arrive. It shows the host of the address alone.
type sendError struct {
	host, why string
	err       error
}

func (e *sendError) Error() string { return "push to " + e.host + ": " + e.why }

func (e *sendError) Unwrap() error { return e.err }

// post sends a block once.
func (c *client) post(ctx context.Context, body []byte) answer {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	fail := func(why string, err error) answer { return answer{err: &sendError{c.url.Host, why, err}} }
	if err := c.fetch(ctx); err != nil {
		return fail("get what it wants to know us by: "+err.Error(), err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url.String(), bytes.NewReader(body))
	if err != nil {
		return fail("the address cannot be used", nil)
	}
	h := request.Header
	h.Set("Content-Type", "application/x-protobuf")
	h.Set("Content-Encoding", "snappy")
	h.Set("X-Prometheus-Remote-Write-Version", "0.1.0")
	h.Set("User-Agent", c.Agent)
	if c.Tenant != "" {
		h.Set("X-Scope-Orgid", c.Tenant) // headers have no case
	}
	if c.auth != "" {
		h.Set("Authorization", c.auth)
	}
	reply, err := c.http.Do(request)
	if err != nil {
		return fail(httpclient.Reason(err, c.limit), err)
	}
	defer reply.Body.Close() //nolint:errcheck // nothing is lost
	words, err := io.ReadAll(io.LimitReader(reply.Body, mostWords))
	if err != nil && reply.StatusCode < 300 {
		return fail("its answer breaks off: "+httpclient.Reason(err, c.limit), err)
	}
	return c.judge(reply, words)
}

// judge tells what an answer means.
func (c *client) judge(reply *http.Response, words []byte) answer {
	code := reply.StatusCode
	a := answer{words: shown(words)}
	why := "it answered " + strconv.Itoa(code) + " " + http.StatusText(code)
	switch {
	case code >= 200 && code < 300:
		if httpclient.IsPage(reply.Header, words) {
			why += " with a web page: that is no address for remote write"
			break
		}
		return a
	case code >= 300 && code < 400:
		why = "it redirects to " + locationOf(reply) + ", which is not followed"
	case code == http.StatusTooManyRequests, code >= 500:
		a.after = min(httpclient.RetryAfter(reply.Header, time.Now()), mostRetryAfter)
	default:
		a.refuse = true
		a.data = code == http.StatusBadRequest || code == http.StatusUnprocessableEntity || code == http.StatusConflict
		a.large = code == http.StatusRequestEntityTooLarge
		if code == http.StatusUnauthorized || code == http.StatusForbidden {
			c.auth = "" // it may have been changed
		}
	}
	if a.words != "" && code >= 400 {
		why += ": " + a.words
	}
	a.err = &sendError{host: c.url.Host, why: why}
	return a
}

// shown are an engine's words as they are told: one line, that can be printed, and not
// long. A web page has none.
func shown(words []byte) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(words), "?")), " ")
	if strings.HasPrefix(text, "<") {
		return ""
	}
	return session.Shorten(session.Printable(text), mostShownWords)
}

func locationOf(reply *http.Response) string {
	u, err := reply.Location()
	if err != nil || u.Host == "" {
		return "another address"
	}
	return session.Printable(session.Shorten(u.Scheme+"://"+u.Host, 100))
}

var errSecret = errors.New("it holds characters that cannot be sent")

// fetch makes sure that what proves who we are is at hand.
func (c *client) fetch(ctx context.Context) error {
	get := c.Bearer
	if get == nil {
		get = c.Password
	}
	if get == nil || c.auth != "" {
		return nil
	}
	secret, err := get(ctx)
	if err != nil {
		return err
	}
	defer clear(secret)
	if bytes.ContainsFunc(secret, func(r rune) bool { return r < ' ' || r == 0x7F }) || c.Bearer != nil && !isASCII(secret) {
		return errSecret
	}
	if c.Bearer != nil {
		c.auth = "Bearer " + string(secret)
		return nil
	}
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(c.User, string(secret))
	c.auth = r.Header.Get("Authorization")
	return nil
}

func isASCII(b []byte) bool {
	return !bytes.ContainsFunc(b, func(r rune) bool { return r >= 0x80 })
}

// hintOf says what may be wrong when an engine refuses samples. Its words are those of
// Prometheus (tsdb/errors, storage/interface.go), which others took over.
func hintOf(a answer) string {
	words := strings.ToLower(a.words)
	switch {
	case strings.Contains(words, "duplicate sample"):
		return "do two perfdecks push the same hosts, as two with one --shard? a pair for availability needs --replica"
	case strings.Contains(words, "out of order"):
		return "do two perfdecks push the same hosts, or did a clock step back? Prometheus takes late samples with out_of_order_time_window"
	case strings.Contains(words, "out of bounds"), strings.Contains(words, "too old"), strings.Contains(words, "too far"):
		return "Prometheus takes samples of about the last hour, later ones with out_of_order_time_window; is the clock right?"
	case a.data || a.large:
		return ""
	}
	return "is that the address for remote write, and has this account the right to write?"
}
