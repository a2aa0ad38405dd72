package main

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"perfdeck/session/config"
)

// Files of tokens and passwords that cannot be read are found before they are needed, and
// called what they are.
func TestLackingSecrets(t *testing.T) {
	none := config.PasswordRef{File: filepath.Join(t.TempDir(), "none")}
	file := &config.Config{}
	file.Alerts.Webhooks = map[string]config.Webhook{"w": {Token: none}, "well": {}}
	file.Alerts.Alertmanagers = []config.Alertmanager{{Name: "a", User: "u", Secret: none}}
	var said []string
	for _, err := range lackingSecrets(file) {
		said = append(said, err.Error())
	}
	if len(said) != 2 || !strings.Contains(said[0], "webhook w: read its token") || !strings.Contains(said[1], "Alertmanager a: read its password") {
		t.Errorf("found %q", said)
	}
}

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
