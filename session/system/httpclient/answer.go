package httpclient

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
)

// ownEnd is this side's address and port, as net.OpError writes them before the other's.
// It may stand in the text of another error, as of a look-up that was refused.
var ownEnd = regexp.MustCompile(`\S+:[0-9]+->`)

// Reason is what went wrong with a request that had so long, in a line without its
// address. It is the same each time for the same failure: this side's port, another one
// for each connection, is left out.
func Reason(err error, within time.Duration) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	var late net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &late) && late.Timeout() {
		return "no answer within " + within.String()
	}
	return session.Printable(ownEnd.ReplaceAllString(err.Error(), ""))
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
