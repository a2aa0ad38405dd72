// Package query asks engines that speak Prometheus' HTTP API: Prometheus, VictoriaMetrics,
// Mimir, Thanos. Answers are read as they come, within bounds.
package query

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"perfdeck/session"
	"perfdeck/session/engine/link"
	"perfdeck/session/engine/prom"
	"perfdeck/session/system/httpclient"
	"perfdeck/session/text/english"
)

// Limits bound what is asked and what is read of an answer. Zero fields are the usual ones.
type Limits struct {
	AtOnce int           // queries under way
	Apart  time.Duration // at least, from the start of one to that of the next
	Within time.Duration // a query may take so long
	Bytes  int64         // of an answer
	Series int           // of an answer
	Points int           // of an answer
}

func (l *Limits) fill() {
	l.AtOnce = cmp.Or(l.AtOnce, 4)
	l.Apart = cmp.Or(l.Apart, 20*time.Millisecond)
	l.Within = cmp.Or(l.Within, 30*time.Second)
	l.Bytes = cmp.Or(l.Bytes, 128<<20)
	l.Series = cmp.Or(l.Series, 200_000)
	l.Points = cmp.Or(l.Points, 5_000_000)
}

// Engine is one that is asked. It may be used by any goroutine.
type Engine struct {
	client  *link.Client
	limits  Limits
	turns   chan struct{}
	gate    chan time.Time // when the last query began; holding it is the right to begin one
	traffic atomic.Uint64  // bytes
	rest    rest
}

// rest is how long an engine asked to be left alone, and in what words.
type rest struct {
	mu    sync.Mutex
	until time.Time
	why   error
	now   func() time.Time
}

// mostRest bounds what an engine may ask for.
const mostRest = 5 * time.Minute

// begin notes that an answer asks for a pause, and says in its error until when that is.
func (r *rest) begin(e *Error, reply *http.Response) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	pause := httpclient.RetryAfter(reply.Header, now)
	if pause <= 0 {
		return
	}
	e.advice = "it asks to be left alone for " + english.Span(pause.Truncate(time.Second)) + ": it is asked again " + now.Add(min(pause, mostRest)).Format("at 15:04:05")
	if pause > mostRest {
		e.advice += ", as after " + english.Span(mostRest) + " at the latest"
	}
	r.until, r.why = now.Add(min(pause, mostRest)), e
}

// left is the error of an engine that is to be left alone; nil: it may be asked.
func (r *rest) left() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why != nil && !r.now().Before(r.until) {
		r.why = nil
	}
	return r.why
}

// Parse reads the address of an engine: what stands before /api/v1.
func Parse(text string) (*url.URL, error) {
	u, err := link.Parse(text, "prom+http://127.0.0.1:9090 or prom+https://metrics.example.com/select/0/prometheus", "user and password_file of an [[engine]] in the config")
	if err != nil {
		return nil, err
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, &link.Error{Why: "an engine's address has no ? and no #", Advice: "labels that every query asks for are those of an [[engine]] in the config"}
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/api/v1")
	return u, nil
}

// New is an engine at an address.
func New(e link.Engine, l Limits) (*Engine, error) {
	u, err := Parse(e.URL)
	if err != nil {
		return nil, err
	}
	c, err := link.New(e, u)
	if err != nil {
		return nil, err
	}
	l.fill()
	out := &Engine{client: c, limits: l, turns: make(chan struct{}, l.AtOnce), gate: make(chan time.Time, 1), rest: rest{now: time.Now}}
	out.gate <- time.Time{}
	return out, nil
}

// Host is where the engine is, for people.
func (e *Engine) Host() string { return e.client.At.Host }

// Traffic is how many bytes came.
func (e *Engine) Traffic() uint64 { return e.traffic.Load() }

// Answer is what is known of an answer besides its series.
type Answer struct {
	Series     int
	Points     int
	Histograms int      // series of native histograms, which have no one value
	LeftOut    int      // series with labels beyond all bounds; Warnings say it
	Partial    bool     // the engine says that some of it is lacking
	Warnings   []string // in the engine's words, printable
}

// Series is one of an answer. It is only read during the call that gets it.
type Series struct {
	Labels Labels
	Points []Point // in the order of time
	Seen   int     // which of those that were seen before it is; -1: another one
}

// Seen are the labels of the series of an answer, in its order.
type Seen []Labels

// Point is a sample.
type Point struct {
	At    int64 // milliseconds since 1970
	Value float64
}

// Time is when the sample was.
func (p Point) Time() time.Time { return time.UnixMilli(p.At) }

// Labels are those of a series, in the order of the answer.
type Labels []prom.Label

// Get is the value of a label; empty: there is none.
func (l Labels) Get(name string) string {
	for i := range l {
		if l[i].Name == name {
			return l[i].Value
		}
	}
	return ""
}

// NameLabel is the label that has the name of the metric.
const NameLabel = "__name__"

// Instant evaluates an expression at a moment, by the engine's clock now where that is zero; a
// range selector gives the samples themselves.
func (e *Engine) Instant(ctx context.Context, expression string, at time.Time, each func(Series) error) (Answer, error) {
	return e.InstantLike(ctx, expression, at, nil, each)
}

// InstantLike is Instant for who asks the same again and again: series that were seen before, most
// of them in the same order, are told by their places in it, and keep their labels.
func (e *Engine) InstantLike(ctx context.Context, expression string, at time.Time, before Seen, each func(Series) error) (Answer, error) {
	form := url.Values{"query": {expression}}
	if !at.IsZero() {
		form.Set("time", unix(at))
	}
	return e.series(ctx, "query", form, before, each)
}

// Range evaluates an expression from a moment to another, each step.
func (e *Engine) Range(ctx context.Context, expression string, from, to time.Time, step time.Duration, each func(Series) error) (Answer, error) {
	return e.series(ctx, "query_range", url.Values{
		"query": {expression}, "start": {unix(from)}, "end": {unix(to)}, "step": {strconv.FormatFloat(step.Seconds(), 'f', -1, 64)},
	}, nil, each)
}

// Values are the values that a label has in series that a selector matches, so many at most; 0:
// all. Engines that do not know of such a bound tell more.
func (e *Engine) Values(ctx context.Context, label, selector string, from, to time.Time, most int, each func(string) error) (Answer, error) {
	form := url.Values{"start": {unix(from)}, "end": {unix(to)}}
	if most > 0 {
		form.Set("limit", strconv.Itoa(most))
	}
	if selector != "" {
		form.Set("match[]", selector)
	}
	return e.ask(ctx, http.MethodGet, "label/"+label+"/values", form, func(d *decoder) (Answer, error) { return d.values(each) })
}

func (e *Engine) series(ctx context.Context, path string, form url.Values, before Seen, each func(Series) error) (Answer, error) {
	form.Set("timeout", strconv.FormatFloat(e.limits.Within.Seconds(), 'f', -1, 64)+"s")
	return e.ask(ctx, http.MethodPost, path, form, func(d *decoder) (Answer, error) {
		d.before = before
		return d.series(each)
	})
}

func unix(t time.Time) string { return strconv.FormatFloat(float64(t.UnixMilli())/1000, 'f', 3, 64) }

// begin waits for the turn of a query.
func (e *Engine) begin(ctx context.Context) error {
	select {
	case e.turns <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case last := <-e.gate:
		if wait := e.limits.Apart - time.Since(last); wait > 0 && !session.Sleep(ctx, wait) {
			e.gate <- last
			<-e.turns
			return ctx.Err()
		}
		e.gate <- time.Now()
		return nil
	case <-ctx.Done():
		<-e.turns
		return ctx.Err()
	}
}

// mostWords bounds an answer that is an error, in bytes: some say our query again.
const mostWords = 64 << 10

// ask waits for the turn of a query, sends it, and has its answer read. Who gives up is told so,
// whatever became of the answer.
func (e *Engine) ask(ctx context.Context, method, path string, form url.Values, read func(*decoder) (Answer, error)) (Answer, error) {
	if err := e.begin(ctx); err != nil {
		return Answer{}, err
	}
	defer func() { <-e.turns }()
	if err := e.rest.left(); err != nil {
		return Answer{}, err
	}
	within, cancel := context.WithTimeout(ctx, e.limits.Within+time.Second) // the engine's own limit first
	defer cancel()
	answer, err := e.answer(within, method, path, form, read)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return answer, err
}

// answer sends one query, and has its answer read.
func (e *Engine) answer(ctx context.Context, method, path string, form url.Values, read func(*decoder) (Answer, error)) (Answer, error) {
	request, err := e.request(ctx, method, path, form)
	if err != nil {
		return Answer{}, &Error{Host: e.Host(), Why: "the address cannot be used", advice: addressAdvice}
	}
	body, err := e.send(request)
	if err != nil {
		return Answer{}, err
	}
	defer body.Close() //nolint:errcheck // nothing is lost
	d := newDecoder(&counted{body, &e.traffic}, &e.limits)
	d.to = request
	answer, err := read(d)
	switch {
	case d.own != nil:
		err = d.own
	case err != nil:
		err = e.unread(ctx, err)
	}
	return answer, err
}

func (e *Engine) request(ctx context.Context, method, path string, form url.Values) (*http.Request, error) {
	at := *e.client.At
	at.Path += "/api/v1/" + path
	var body io.Reader
	if method == http.MethodGet {
		at.RawQuery = form.Encode()
	} else {
		body = strings.NewReader(form.Encode())
	}
	request, err := http.NewRequestWithContext(ctx, method, at.String(), body)
	if err == nil && body != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return request, err
}

// send has a query answered. An answer that is none is an error.
func (e *Engine) send(request *http.Request) (body io.ReadCloser, err error) {
	reply, err := e.client.Do(request)
	if err != nil {
		return nil, &Error{Host: e.Host(), Why: link.Reason(request, err, e.limits.Within), Err: err, advice: reachAdvice(err)}
	}
	switch {
	case reply.StatusCode != http.StatusOK:
		words, _ := io.ReadAll(io.LimitReader(reply.Body, mostWords))
		why := refused(e.Host(), reply, words)
		if reply.StatusCode == http.StatusTooManyRequests || reply.StatusCode == http.StatusServiceUnavailable {
			e.rest.begin(why, reply)
		}
		err = why
	case httpclient.IsPage(reply.Header, nil):
		err = &Error{Host: e.Host(), Why: "it answered with a web page: that is no address of an engine", advice: addressAdvice}
	default:
		return reply.Body, nil
	}
	_ = reply.Body.Close()
	return nil, err
}

// unread is why an answer that began cannot be used.
func (e *Engine) unread(ctx context.Context, err error) error {
	out := &Error{Host: e.Host()}
	if broken, is := errors.AsType[*decodeError](err); is {
		out.Why, out.Err = broken.why, broken
		out.advice = cmp.Or(broken.advice, "another program than an engine, or a proxy before it, may answer there: perfdeck doctor tries each step")
		return out
	}
	if ctx.Err() != nil { // whatever reading says of it
		err = context.Cause(ctx)
	}
	out.Err, out.advice = err, "the engine, or a proxy before it, ended the answer: its log may say why"
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		out.Why = "its answer ends in the middle"
	case errors.Is(err, context.DeadlineExceeded):
		out.Why = "it began an answer: " + httpclient.Reason(err, e.limits.Within)
		out.advice = "timeout of an [[engine]] in the config gives it longer; fewer hosts, named as #NAME, are less to ask for"
	default:
		out.Why = "its answer breaks off: " + httpclient.Reason(err, e.limits.Within)
	}
	return out
}

// reachAdvice is what can be done where no answer began.
func reachAdvice(err error) string {
	if _, is := errors.AsType[*tls.CertificateVerificationError](err); is {
		return "name the certificate of who signed it: ca_file of an [[engine]] in the config, or --ca-file"
	}
	if _, is := errors.AsType[tls.RecordHeaderError](err); is || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
		return "it does not speak TLS: write prom+http://"
	}
	return "is the engine there, and that its address? perfdeck doctor tries each step"
}

const addressAdvice = "name what stands before /api/v1: prom+http://127.0.0.1:9090 for Prometheus, prom+http://127.0.0.1:8428 for VictoriaMetrics"

// refused is the error of an answer that is none.
func refused(host string, reply *http.Response, words []byte) *Error {
	e := &Error{Host: host, brief: strings.TrimSpace(strconv.Itoa(reply.StatusCode) + " " + http.StatusText(reply.StatusCode))}
	e.Why = "it answered " + e.brief
	said, ofAPI := errorWords(reply.Request, words)
	switch code := reply.StatusCode; {
	case code >= 300 && code < 400:
		e.Why = "it redirects to " + link.LocationOf(reply) + ", which is not followed"
		e.advice = "name the address that it redirects to, if you trust it"
		e.brief = "it redirects elsewhere"
		return e
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		e.Err, e.advice = session.ErrDenied, "token_file, or user and password_file, of an [[engine]] in the config"
	case code == http.StatusNotFound, code == http.StatusBadRequest && !ofAPI:
		e.advice = addressAdvice
	case code == http.StatusUnprocessableEntity, code == http.StatusBadRequest:
		e.isTooMuch = code == http.StatusUnprocessableEntity
		e.advice = "where that is a limit of the engine, raise it there, or name fewer hosts as #NAME"
	case code == http.StatusTooManyRequests, code >= 500:
		e.advice = "the engine is asked again later; its log may say more"
	}
	if said != "" {
		e.Why += ": " + said
	}
	return e
}

// errorWords are the words of an error of the API, or, where they are few, of anything else.
func errorWords(to *http.Request, words []byte) (said string, ofAPI bool) {
	var api struct {
		Status string `json:"status"`
		Error  string `json:"error"`
	}
	if json.Unmarshal(words, &api) == nil && api.Status == "error" {
		return link.Words(to, []byte(api.Error)), true
	}
	const few = 120 // bytes: others say our own query again
	if words = bytes.TrimSpace(words); len(words) > few {
		return "", false
	}
	return link.Words(to, words), false
}

// Error is why an engine gave no answer that could be used.
type Error struct {
	Host   string
	Why    string // in words that can be printed
	Err    error
	advice string
	brief  string

	isTooMuch bool
}

// IsTooMuch tells that an engine did not work out what it was asked for, as of more series than it
// looks at for one query.
func IsTooMuch(err error) bool {
	e, is := errors.AsType[*Error](err)
	return is && e.isTooMuch
}

// Brief is what it is in a few words; empty: the last words of its text say it.
func (e *Error) Brief() string { return e.brief }

func (e *Error) Error() string { return fmt.Sprintf("ask the engine at %s: %s", e.Host, e.Why) }
func (e *Error) Unwrap() error { return e.Err }

// Is makes an engine that nobody could be connected to match session.ErrNotThere.
func (e *Error) Is(target error) bool {
	op, is := errors.AsType[*net.OpError](e.Err)
	return target == session.ErrNotThere && is && op.Op == "dial" && !op.Timeout()
}

// Hint says what can be done.
func (e *Error) Hint() string { return e.advice }
