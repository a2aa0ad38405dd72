package action

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/system/httpclient"
)

// The limits of webhooks.
const (
	usualHeader    = "Authorization"
	usualPerMinute = 30               // requests
	callTime       = 30 * time.Second // of one request: some receivers take long
	mostReply      = 4 << 10          // bytes of an answer that are read
	mostHops       = 3                // redirects that are followed
)

// tokenMark stands in a URL for the token.
const tokenMark = "{token}"

// eventHeader names the notice for receivers, so that they can drop one that comes again
// (draft-ietf-httpapi-idempotency-key-header).
const eventHeader = "Idempotency-Key"

// caller sends to one webhook.
type caller struct {
	config.Webhook
	// fetch gets what proves who we are; nil: nothing does. It is sent in Header, or stands
	// for {token} in the URL.
	fetch  func(context.Context) ([]byte, error)
	round  int          // of the config that the webhook is from
	client *http.Client // nil until it is first needed
	token  string
	sent   []time.Time   // in the last minute
	limit  time.Duration // of one request
	outage outage        // since it last took something
	// check looks closer at an answer and what was made of it; nil: nobody does.
	check func(answer *http.Response, reply []byte, err error) error
}

// follow gives a caller its webhook anew.
func (c *caller) follow(h config.Webhook, fetch func(context.Context) ([]byte, error)) {
	h.Header, h.PerMinute = cmp.Or(h.Header, usualHeader), cmp.Or(h.PerMinute, usualPerMinute)
	c.Webhook, c.fetch, c.client, c.token, c.limit = h, fetch, nil, "", callTime
}

// renew gives a caller what the config says of its webhook now. It is false if that says
// nothing any more.
func (r *Runner) renew(c *caller, name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	h, known := r.targets.Webhooks[name]
	if known && c.round != r.round {
		c.round = r.round
		c.follow(h, r.targets.Fetch.secret("webhook "+name, name, h.Token))
	}
	return known
}

// callError is an answer or a failure. It never shows the address, which may hold
// a secret, but its host.
type callError struct {
	host      string
	reason    string
	advice    string
	permanent bool          // trying again would not help
	after     time.Duration // the server wants a pause
	err       error
}

func (e *callError) Error() string { return "send to " + e.host + ": " + e.reason }

func (e *callError) Unwrap() error { return e.err }

// Hint says what to look at.
func (e *callError) Hint() string { return e.advice }

const (
	reachAdvice  = "does something listen there, and may this computer reach it? the config has its address"
	absentAdvice = "the config says where the token comes from; perfdeck alerts check looks for its file"
	answerAdvice = "what that server logs tells more"
)

// callHook sends a notice, again and again if need be: one request at a time, and each
// with the same ID.
func (r *Runner) callHook(c *caller, j job) {
	body, err := json.Marshal(MessageOf(&j.notice, j.lost))
	if err != nil {
		r.finish(j, err)
		return
	}
	r.keepAt(j, &c.outage, func() error {
		if !r.renew(c, j.action.Name) {
			return errUnknown
		}
		if !c.waitTurn(r.ctx) {
			return r.ctx.Err()
		}
		return c.call(r.ctx, j.notice.Key(), body)
	})
}

// waitTurn waits until another request is allowed; it is false when the program
// ends.
func (c *caller) waitTurn(ctx context.Context) bool {
	now := time.Now()
	for len(c.sent) > 0 && now.Sub(c.sent[0]) >= time.Minute {
		c.sent = c.sent[1:]
	}
	if len(c.sent) >= c.PerMinute && !session.Sleep(ctx, time.Minute-now.Sub(c.sent[0])) {
		return false
	}
	c.sent = append(c.sent, time.Now())
	return ctx.Err() == nil
}

// call sends once.
func (c *caller) call(ctx context.Context, key string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	host := hostOf(c.URL)
	if c.client == nil {
		client, err := c.newClient()
		if err != nil {
			return &callError{host: host, reason: err.Error(), permanent: true, err: err}
		}
		c.client = client
	}
	if err := c.fetchToken(ctx); err != nil {
		return &callError{host: host, reason: "get its token: " + err.Error(), advice: absentAdvice, err: err}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.ReplaceAll(c.URL, tokenMark, c.token), bytes.NewReader(body))
	if err != nil {
		return &callError{host: host, reason: "the address cannot be used", permanent: true}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "perfdeck")
	if key != "" {
		request.Header.Set(eventHeader, `"`+key+`"`) // a string of RFC 8941
	}
	if c.token != "" && !strings.Contains(c.URL, tokenMark) {
		request.Header.Set(c.Header, bearer(c.Header, c.token))
	}
	answer, err := c.client.Do(request)
	if err != nil {
		e := &callError{host: host, reason: httpclient.Reason(err, c.limit), advice: reachAdvice}
		if _, e.permanent = errors.AsType[*tls.CertificateVerificationError](err); e.permanent {
			e.advice = "ca_file names the certificates of an authority of your own"
		}
		return e
	}
	defer answer.Body.Close()                                      //nolint:errcheck // nothing is lost
	reply, _ := io.ReadAll(io.LimitReader(answer.Body, mostReply)) // so that the connection can be used again
	err = c.judge(host, answer)
	if c.check != nil {
		err = c.check(answer, reply, err)
	}
	return err
}

// judge tells whether an answer means that the notice arrived.
func (c *caller) judge(host string, answer *http.Response) error {
	code := answer.StatusCode
	e := &callError{host: host, reason: "it answered " + strconv.Itoa(code) + " " + http.StatusText(code), advice: answerAdvice}
	switch {
	case code >= 200 && code < 300:
		return nil
	case code >= 300 && code < 400:
		e.permanent, e.reason = true, "it redirects to "+hostOf(answer.Header.Get("Location"))+", which is not followed"
	case code == http.StatusTooManyRequests, code == http.StatusServiceUnavailable, code == http.StatusRequestTimeout, code == http.StatusTooEarly, code >= 500:
		e.after = httpclient.RetryAfter(answer.Header, time.Now())
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		c.token = "" // it may have been changed: the next notice fetches it anew
		e.permanent = true
	default:
		e.permanent = true
	}
	return e
}

// hostOf is the part of an address that may be shown.
func hostOf(address string) string {
	u, err := url.Parse(strings.ReplaceAll(address, tokenMark, ""))
	if err != nil || u.Host == "" {
		return "another address"
	}
	return u.Host
}

var errToken = errors.New("it holds characters that cannot be sent")

// fetchToken makes sure that the token is at hand.
func (c *caller) fetchToken(ctx context.Context) error {
	if c.fetch == nil || c.token != "" {
		return nil
	}
	token, err := c.fetch(ctx)
	if err != nil {
		return err
	}
	defer clear(token)
	if strings.ContainsFunc(string(token), func(r rune) bool { return r <= ' ' && r != ' ' || r >= 0x7F }) {
		return errToken
	}
	c.token = string(token)
	return nil
}

func bearer(header, token string) string {
	if strings.EqualFold(header, usualHeader) && !strings.Contains(token, " ") {
		return "Bearer " + token
	}
	return token
}

// newClient makes a client that trusts what the config says.
func (c *caller) newClient() (*http.Client, error) {
	file := ""
	if c.CAFile != "" {
		var err error
		if file, err = config.Obeyed(c.CAFile); err != nil {
			return nil, err
		}
	}
	client, err := httpclient.New(httpclient.Options{CAFile: file, Hops: mostHops})
	if err != nil {
		return nil, fmt.Errorf("read its certificates: %w", err)
	}
	return client, nil
}
