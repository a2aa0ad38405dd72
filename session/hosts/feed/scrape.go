package feed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"perfdeck/session/system/httpclient"
	"perfdeck/session/text/english"
)

var (
	errNotHere = errors.New("it is not of this computer")
	errScrape  = fmt.Errorf("it answers more than %s", english.Size(maxScrape))
)

// CheckURL tells whether an address can be asked: http, of this computer.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if err != nil {
		return err
	}
	switch {
	case u.Scheme != "http":
		return errors.New("it is no http:// address")
	case u.User != nil:
		return errors.New("an account has no place in it")
	case !httpclient.IsOwnHost(u):
		return errNotHere
	}
	return nil
}

// client asks addresses of this computer only, whatever their names say, and goes where
// it was sent and nowhere else.
func client() *http.Client {
	d := &net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil || !at.Addr().IsLoopback() {
			return errNotHere
		}
		return nil
	}}
	return &http.Client{
		Transport:     &http.Transport{DialContext: d.DialContext, DisableKeepAlives: true, MaxResponseHeaderBytes: MaxLine},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// scrape asks an address once. What it does not answer any more is gone.
func (in *inlet) scrape(ctx context.Context) error {
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errSlow)
	defer cancel()
	if err := CheckURL(in.spec.URL); err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, in.spec.URL, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "text/plain;version=0.0.4, */*;q=0.1")
	answer, err := client().Do(request)
	if err != nil {
		if fault, ok := errors.AsType[*url.Error](err); ok {
			err = fault.Err
		}
		return err
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("it answers %s", answer.Status)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxScrape+1))
	switch {
	case err != nil:
		return err
	case len(body) > maxScrape:
		return errScrape
	}
	l := in.newLines()
	for line := range bytes.Lines(body) {
		l.parse(line)
	}
	l.apply(true)
	return nil
}

var errSlow = errors.New("it does not answer in time")
