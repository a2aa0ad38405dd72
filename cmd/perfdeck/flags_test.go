package main

import (
	"context"
	"net"
	"strings"
	"testing"

	"perfdeck/session/config"
)

// A label is given once.
func TestPushLabelTwice(t *testing.T) {
	var named config.Push
	p := &program{}
	if err := p.addLabels(&named, []string{"a=1", "b=2"}); err != nil {
		t.Error(err)
	}
	if err := p.addLabels(&named, []string{"a=3", "a=2"}); err == nil {
		t.Error("a label is taken twice")
	}
}

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
