package krb

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
)

// Why each of the KDCs was not reached is told in one line.
func TestNoKDC(t *testing.T) {
	c := &Client{conf: &Config{kdcs: map[string][]string{"CORP": {"one:88", "two:88"}}, domains: map[string]string{}}}
	c.o.Dial = func(_ context.Context, _, address string) (net.Conn, error) {
		return nil, errors.New("no way to " + address)
	}
	_, err := c.exchange(t.Context(), "CORP", nil)
	if !errors.Is(err, ErrUnreachable) || strings.ContainsAny(err.Error(), "\n") || !strings.Contains(err.Error(), "no way to one:88; no way to two:88") {
		t.Errorf("%q", err)
	}
}
