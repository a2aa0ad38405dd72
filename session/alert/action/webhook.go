package action

import (
	"bytes"
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
	"perfdeck/session/alert"
	"perfdeck/session/config"
	"perfdeck/session/system/httpclient"
)

// Webhook is where notices are sent to.
type Webhook struct {
	URL string
	// Token fetches what proves who we are; nil: nothing does. It is sent in
	// Header, or stands for {token} in the URL.
	Token     func(context.Context) ([]byte, error)
	Header    string
	CAFile    string // certificates that are trusted instead of the system's
	PerMinute int    // requests
}

// The limits of webhooks.
const (
	callTime   = 30 * time.Second // of one request: some receivers take long
	firstPause = time.Second      // before the second try; doubled up to mostPause
	mostPause  = time.Minute
	giveUp     = 24 * time.Hour // after which a notice is not sent any more
	tellEvery  = time.Hour      // that nothing can be sent is told again
	tellAfter  = time.Minute    // after which another reason is told
	mostReply  = 4 << 10        // bytes of an answer that are read
	mostHops   = 3              // redirects that are followed
	mostListed = 500            // events of a storm that are sent
)

// tokenMark stands in a URL for the token.
const tokenMark = "{token}"

// eventHeader names the notice for receivers, so that they can drop one that comes again
// (draft-ietf-httpapi-idempotency-key-header).
const eventHeader = "Idempotency-Key"

// caller sends to one webhook.
type caller struct {
	Webhook
	round  int          // of the config that the webhook is from
	client *http.Client // nil until it is first needed
	token  string
	sent   []time.Time   // in the last minute
	limit  time.Duration // of one request
	outage outage        // since it last took something
	// check looks closer at an answer and what was made of it; nil: nobody does.
	check func(answer *http.Response, reply []byte, err error) error
}

func newCaller(h Webhook) *caller {
	c := &caller{}
	c.follow(h)
	return c
}

// follow gives a caller its webhook anew.
func (c *caller) follow(h Webhook) {
	if h.Header == "" {
		h.Header = "Authorization"
	}
	if h.PerMinute <= 0 {
		h.PerMinute = 30
	}
	c.Webhook, c.client, c.token, c.limit = h, nil, "", callTime
}

// renew gives a caller what the config says of its webhook now. It is false if that says
// nothing any more.
func (r *Runner) renew(c *caller, name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	h, known := r.targets.Webhooks[name]
	if known && c.round != r.round {
		c.round = r.round
		c.follow(h)
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

// outage is that a target takes nothing, and what was told of it.
type outage struct {
	reason string    // empty: nothing was told
	at     time.Time // when it was
}

// isNews tells whether a failure is to be told: the first one is, then another reason, and
// the same one rarely.
func (o *outage) isNews(err error, now time.Time) bool {
	reason, passed := err.Error(), now.Sub(o.at)
	if o.reason != "" && passed < tellEvery && (reason == o.reason || passed < tellAfter) {
		return false
	}
	o.reason, o.at = reason, now
	return true
}

// over ends an outage of a target. It is told if the outage was.
func (r *Runner) over(o *outage, a alert.Action) {
	if o.reason != "" && r.o.Tell != nil {
		r.o.Tell(session.Printable(fmt.Sprintf("alert action %s works again", a)))
	}
	*o = outage{}
}

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

// keepAt tries to do a job until that works, cannot, or takes too long.
func (r *Runner) keepAt(j job, o *outage, try func() error) {
	began := time.Now()
	waited := max(0, began.Sub(j.notice.Time)) // in an earlier run
	failed := errClosed                        // the last try
	for pause := firstPause; ; pause = min(pause*2, mostPause) {
		err := try()
		if err == nil {
			r.over(o, j.action)
			r.done(j)
			return
		}
		if errors.Is(err, errUnknown) {
			r.finish(j, errUnknown)
			return
		}
		if r.ctx.Err() != nil {
			break
		}
		failed = err
		wait := pause
		if answer, ok := errors.AsType[*callError](err); ok {
			wait = max(wait, min(answer.after, mostPause))
			if answer.permanent {
				r.finish(j, err)
				return
			}
		}
		if now := time.Now(); now.Sub(began)+wait+waited > giveUp {
			r.finish(j, fmt.Errorf("given up after %v: %w", giveUp, err))
			return
		} else if o.isNews(err, now) {
			r.fail(j.action, fmt.Errorf("%w; it is tried again for %v", err, giveUp))
		}
		if !sleep(r.ctx, wait) {
			break
		}
	}
	r.leave(j.action, 1, fmt.Errorf("not sent: %w", failed))
}

// waitTurn waits until another request is allowed; it is false when the program
// ends.
func (c *caller) waitTurn(ctx context.Context) bool {
	now := time.Now()
	for len(c.sent) > 0 && now.Sub(c.sent[0]) >= time.Minute {
		c.sent = c.sent[1:]
	}
	if len(c.sent) >= c.PerMinute && !sleep(ctx, time.Minute-now.Sub(c.sent[0])) {
		return false
	}
	c.sent = append(c.sent, time.Now())
	return ctx.Err() == nil
}

// sleep is false when the context ended before d was over.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
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
		_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
		return &callError{host: host, reason: httpclient.Reason(err, c.limit), advice: adviceOf(untrusted), permanent: untrusted}
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

func adviceOf(untrusted bool) string {
	if untrusted {
		return "ca_file names the certificates of an authority of your own"
	}
	return reachAdvice
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
	if c.Token == nil || c.token != "" {
		return nil
	}
	token, err := c.Token(ctx)
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
	if strings.EqualFold(header, "Authorization") && !strings.Contains(token, " ") {
		return "Bearer " + token
	}
	return token
}

// newClient makes a client that trusts what the config says.
func (c *caller) newClient() (*http.Client, error) {
	file := ""
	if c.CAFile != "" {
		var err error
		if file, err = config.BelowHome(c.CAFile); err != nil {
			return nil, err
		}
	}
	client, err := httpclient.New(httpclient.Options{CAFile: file, Hops: mostHops})
	if err != nil {
		return nil, fmt.Errorf("read its certificates: %w", err)
	}
	return client, nil
}

// Message is a notice for programs: what a webhook gets. Its names are a contract
// with receivers; "text" is what chat services show.
type Message struct {
	Text      string    `json:"text"`
	Event     string    `json:"event"`
	Time      time.Time `json:"time"`
	Rule      string    `json:"rule"`
	Severity  string    `json:"severity"`
	Host      string    `json:"host"`
	Path      string    `json:"path,omitempty"`
	Instance  string    `json:"instance,omitempty"`
	Value     *float64  `json:"value"`
	Op        string    `json:"op,omitempty"`
	Threshold *float64  `json:"threshold,omitempty"`
	Why       string    `json:"why,omitempty"`
	Held      string    `json:"held,omitempty"` // why nobody is told now
	By        string    `json:"by,omitempty"`   // who did it, of what users do
	UserText  string    `json:"usertext,omitempty"`
	ID        string    `json:"id"` // the same if it is sent again
	Count     int       `json:"count"`
	More      []Another `json:"more,omitempty"`
	Passed    int       `json:"passed,omitempty"` // events of alerts that came and went, not told one by one
	Lost      int       `json:"lost,omitempty"`   // notices that could not be sent before
}

// Another is an event that is told together with others.
type Another struct {
	ID       string   `json:"id"`
	Host     string   `json:"host"`
	Path     string   `json:"path,omitempty"`
	Instance string   `json:"instance,omitempty"`
	Value    *float64 `json:"value"`
}

// MessageOf is a notice for programs. lost is how many could not be sent before.
func MessageOf(n *alert.Notice, lost int) Message {
	p := Message{
		Text: fit(n.Line()), Event: n.Kind.String(), Time: n.Time, Rule: fit(n.ID.Rule), Severity: n.Severity.String(),
		Host: fit(n.ID.Host), Path: fit(n.Path), Instance: fit(n.Instance), Value: valueOf(&n.Event), Why: fit(n.Why), Held: n.Held, By: fit(n.By), UserText: fit(n.UserText),
		ID: n.Key(), Passed: len(n.Passed), Count: n.Count(), Lost: lost,
	}
	if n.Op != 0 {
		p.Op, p.Threshold = n.Op.String(), &n.Limit
	}
	for i := range n.More[:min(len(n.More), mostListed)] {
		ev := &n.More[i]
		p.More = append(p.More, Another{ev.Key(), fit(ev.ID.Host), fit(ev.Path), fit(ev.Instance), valueOf(ev)})
	}
	return p
}

func valueOf(ev *alert.Event) *float64 {
	if !ev.HasValue {
		return nil
	}
	return &ev.Value
}
