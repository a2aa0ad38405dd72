package main

import (
	"context"
	"net"
	"strings"
	"testing"
)

// A bad address to listen on is not said to be in use.
func TestListenHint(t *testing.T) {
	for _, address := range []string{"127.0.0.1:abc", "127.0.0.1", "127.0.0.1:99999"} {
		l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", address)
		if err == nil {
			_ = l.Close()
			t.Errorf("%s is listened on", address)
			continue
		}
		if strings.Contains(listenHint(err), "running") {
			t.Errorf("%s: %v, hint %s", address, err, listenHint(err))
		}
	}
}
