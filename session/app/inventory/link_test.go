package inventory

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"perfdeck/session/config"
	"perfdeck/session/engine/link"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/system/failure"
)

// An engine is told who we are as the config says; without a password the user is asked for it.
func TestLink(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	secret := filepath.Join(home, "secret")
	if err := os.WriteFile(secret, []byte("from the file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := ""
	v := New(Options{
		Config: &config.Config{}, Accounts: logon.New(logon.Options{Getenv: func(string) string { return "" }}), Agent: "perfdeck/x",
		Prompt: func(what string) ([]byte, error) { asked = what; return []byte("typed"), nil },
	})
	u := &url.URL{Scheme: "http", Host: "127.0.0.1:9090"}
	of := func(a config.EngineAccount) link.Engine {
		t.Helper()
		e, err := v.Link(u, "ask", "here", a)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if e := of(config.EngineAccount{Tenant: "ops", CAFile: "~/ca"}); e.Bearer != nil || e.Password != nil || e.Tenant != "ops" || e.CAFile != filepath.Join(home, "ca") || e.Agent != "perfdeck/x" {
		t.Errorf("%+v", e)
	}
	if token, err := of(config.EngineAccount{Token: config.PasswordRef{File: secret}}).Bearer(t.Context()); err != nil || string(token) != "from the file" {
		t.Errorf("%q, %v", token, err)
	}
	if password, err := of(config.EngineAccount{User: "ana", Password: config.PasswordRef{File: secret}}).Password(t.Context()); err != nil || string(password) != "from the file" || asked != "" {
		t.Errorf("%q, %v, asked for %q", password, err, asked)
	}
	if password, err := of(config.EngineAccount{User: "ana"}).Password(t.Context()); err != nil || string(password) != "typed" || asked != "password of ana at 127.0.0.1:9090" {
		t.Errorf("%q, %v, asked for %q", password, err, asked)
	}
	_, err := v.Link(u, "ask", "here", config.EngineAccount{Token: config.PasswordRef{File: filepath.Join(home, "none")}})
	if _, is := errors.AsType[*failure.UsageError](err); !is {
		t.Errorf("a secret that is not there: %v", err)
	}
}
