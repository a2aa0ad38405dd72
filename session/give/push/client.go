package push

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"perfdeck/session/engine/link"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/httpclient"
)

// Limits of requests.
const (
	requestTime    = 30 * time.Second
	mostWords      = 4 << 10 // bytes of an answer that are read
	mostRetryAfter = 10 * time.Minute
	writePath      = "/api/v1/write"
)

// ParseURL reads the address of an engine. Without a path it is that of Prometheus and
// VictoriaMetrics.
func ParseURL(text string) (*url.URL, error) {
	u, err := link.Parse(text, "http://127.0.0.1:9090/api/v1/write", "--to-user and --to-password-file, or password_file of a [[push]] in the config")
	if err == nil && (u.Path == "" || u.Path == "/") {
		u.Path = writePath
	}
	return u, err
}

// client sends to one engine.
type client struct {
	*link.Client

	limit time.Duration
}

// newClient makes one. Its errors are of what it was given.
func newClient(e link.Engine) (*client, error) {
	u, err := ParseURL(e.URL)
	if err != nil {
		return nil, err
	}
	c, err := link.New(e, u)
	if err != nil {
		return nil, err
	}
	return &client{c, requestTime}, nil
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

// failed is why samples did not arrive. It shows the host of the address alone.
func (c *client) failed(why string, err error) error {
	return failure.Worded("push to "+c.At.Host+": "+why, err)
}

// post sends a block once.
func (c *client) post(ctx context.Context, body []byte) answer {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	fail := func(why string, err error) answer { return answer{err: c.failed(why, err)} }
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.At.String(), bytes.NewReader(body))
	if err != nil {
		return fail("the address cannot be used", nil)
	}
	h := request.Header
	h.Set("Content-Type", "application/x-protobuf")
	h.Set("Content-Encoding", "snappy")
	h.Set("X-Prometheus-Remote-Write-Version", "0.1.0")
	reply, err := c.Do(request)
	if errors.Is(err, link.ErrSecret) {
		return fail(err.Error(), err)
	}
	if err != nil {
		return fail(link.Reason(request, err, c.limit), err)
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
	a := answer{words: link.Words(reply.Request, words)}
	why := "it answered " + strconv.Itoa(code) + " " + http.StatusText(code)
	switch {
	case code >= 200 && code < 300:
		if httpclient.IsPage(reply.Header, words) {
			why += " with a web page: that is no address for remote write"
			break
		}
		return a
	case code >= 300 && code < 400:
		why = "it redirects to " + link.LocationOf(reply) + ", which is not followed"
	case code == http.StatusTooManyRequests, code >= 500:
		a.after = min(httpclient.RetryAfter(reply.Header, time.Now()), mostRetryAfter)
	default:
		a.refuse = true
		a.data = code == http.StatusBadRequest || code == http.StatusUnprocessableEntity || code == http.StatusConflict
		a.large = code == http.StatusRequestEntityTooLarge
	}
	if a.words != "" && code >= 400 {
		why += ": " + a.words
	}
	a.err = c.failed(why, nil)
	return a
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
