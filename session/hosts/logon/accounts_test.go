package logon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"perfdeck/session/config"
	"perfdeck/session/system/failure"
)

// options are those of a run whose user cannot be asked, and which has a keyring
// of its own.
func options() Options {
	return Options{
		Getenv: os.Getenv,
		Prompt: func(string) ([]byte, error) { return nil, errAsked },
		Go:     func(f func()) { go f() },
		Keyring: func(service, account string) (string, error) {
			if service == "perfdeck" {
				return "of the keyring for " + account, nil
			}
			return "", keyring.ErrNotFound
		},
	}
}

var errAsked = errors.New("the user was asked")

// passwordIn writes a password file.
func passwordIn(t *testing.T, text string, mode fs.FileMode) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestOrderOfCredentials(t *testing.T) {
	own, given := passwordIn(t, "of the host\n", 0o600), passwordIn(t, "of the flag\n", 0o600)
	for _, c := range []struct {
		name               string
		own                config.Host
		user, file, env    string
		want, domain, logs string
		err                error
	}{
		{"own file", config.Host{Password: config.PasswordRef{File: own}}, "ana", given, "of the environment", "of the host", "", "ana", nil},
		{"own keyring", config.Host{User: `D\ina`, Password: config.PasswordRef{Keyring: "perfdeck"}}, "ana", given, "of the environment", `of the keyring for D\ina`, "D", "ina", nil},
		{"own keyring, account of the flag", config.Host{Password: config.PasswordRef{Keyring: "perfdeck"}}, "ana", "", "", "of the keyring for ana", "", "ana", nil},
		{"flag", config.Host{User: `D\ina`}, "ana", given, "of the environment", "of the flag", "D", "ina", nil},
		{"environment", config.Host{}, `E\ana`, "", "of the environment", "of the environment", "E", "ana", nil},
		{"prompt", config.Host{}, "ana", "", "", "", "", "", errAsked},
		{"own wins though it fails", config.Host{User: "ina", Password: config.PasswordRef{Keyring: "other"}}, "ana", given, "of the environment", "", "", "ina", keyring.ErrNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options()
			o.User, o.PasswordFile = c.user, c.file
			if c.env != "" {
				o.Password = []byte(c.env)
			}
			who, err := New(o).usual(t.Context(), Host{Name: "web", Own: c.own}, tickets{})
			var password []byte
			if err == nil {
				if who.domain != c.domain || who.user != c.logs {
					t.Errorf("logs on as %q %q", who.domain, who.user)
				}
				password, err = who.get(t.Context())
			}
			if !errors.Is(err, c.err) || string(password) != c.want {
				t.Errorf("password %q, %v, want %q, %v", password, err, c.want, c.err)
			}
		})
	}
}

func TestNoAccount(t *testing.T) {
	_, err := New(options()).Remote(t.Context(), Host{Name: "web"}, nil)
	if e, ok := errors.AsType[*NoAccountError](err); !ok || e.Account != "" || e.Hint() == "" || !strings.Contains(err.Error(), "web") {
		t.Errorf("error %v", err)
	}
}

// With Kerberos the cure for nobody's tickets is to get some; a password of no account hides
// no tickets that are there.
func TestNoTicket(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "none")
	for _, c := range []struct {
		tickets  Tickets
		own      config.Host
		password string
		cached   bool
		hint     string // empty: it has an account
	}{
		{Tickets{Use: true}, config.Host{}, "", false, "kinit -c FILE:"},
		{Tickets{Use: true, Require: true}, config.Host{}, "", false, "kinit -c FILE:"},
		{Tickets{}, config.Host{RequireKerberos: true}, "secret", false, "kinit -c FILE:"},
		{Tickets{}, config.Host{}, "secret", true, "--user"},
		{Tickets{Use: true}, config.Host{}, "secret", true, ""},
		{Tickets{Use: true}, config.Host{User: "ana"}, "secret", true, ""},
	} {
		o := options()
		o.Tickets = c.tickets
		if c.password != "" {
			o.Password = []byte(c.password)
		}
		if c.cached {
			o.Getenv = func(name string) string { return map[string]string{"KRB5CCNAME": cache}[name] }
		}
		a := New(o)
		if !c.cached && a.usualCCache() != "" {
			t.Skip("somebody has tickets here")
		}
		r, err := a.Remote(t.Context(), Host{Name: "web", Own: c.own}, nil)
		if (err == nil) != (c.hint == "") || c.hint != "" && !strings.Contains(failure.Hint(err), c.hint) {
			t.Errorf("%+v: %v, hint %q", c, err, failure.Hint(err))
		}
		if err == nil && r.NeedsPassword() != (c.own.User != "") {
			t.Errorf("%+v: as %s", c, r.As())
		}
	}
}

// A password is kept. One that was refused is fetched anew where that bothers
// nobody; what the user said stands.
func TestSecretsAreKept(t *testing.T) {
	errFetch := errors.New("not now")
	for _, again := range []bool{false, true} {
		fetched, fail := 0, false
		s := &secret{again: again, fetch: func(context.Context) ([]byte, error) {
			if fetched++; fail {
				return nil, errFetch
			}
			return []byte("x"), nil
		}}
		get := func(want string) {
			t.Helper()
			password, err := s.get(t.Context())
			if string(password) != want || (err != nil) != (want == "") {
				t.Errorf("again %v: %q, %v", again, password, err)
			}
			clear(password) // as those do who use it
		}
		get("x")
		get("x")
		s.refused()
		get("x")
		if want := map[bool]int{false: 1, true: 2}[again]; fetched != want {
			t.Errorf("again %v: fetched %d times", again, fetched)
		}
		s.password, fail = nil, true
		get("")
		before := fetched
		get("")
		if fetched > before != again {
			t.Errorf("again %v: after a failure fetched %d times more", again, fetched-before)
		}
	}
}

func TestPasswordFiles(t *testing.T) {
	for _, c := range []struct {
		text string
		mode fs.FileMode
		want string // empty: refused
	}{
		{"secret", 0o600, "secret"},
		{"secret\n", 0o400, "secret"},
		{"secret \r\nmore\n", 0o600, "secret "},
		{strings.Repeat("x", mostPassword) + "\r\n", 0o600, strings.Repeat("x", mostPassword)},
		{strings.Repeat("x", mostPassword+1), 0o600, ""},
		{strings.Repeat("x", mostPassword+1) + "\n", 0o600, ""},
		{"", 0o600, ""},
		{"\nsecret", 0o600, ""},
		{"secret", 0o640, ""},
		{"secret", 0o604, ""},
		{"secret", 0o620, ""},
	} {
		if runtime.GOOS == "windows" && c.mode != 0o600 {
			continue // mode bits say nothing about others there
		}
		got, err := readSecretFile(passwordIn(t, c.text, c.mode))
		if string(got) != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%.10q mode %o: %.10q, %v", c.text, c.mode, got, err)
		}
	}
	if _, err := readSecretFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// Nothing that goes wrong with a password tells it.
func TestNoSecretInErrors(t *testing.T) {
	const hidden = "hunter2"
	o := options()
	hung := make(chan struct{})
	defer close(hung)
	o.Keyring = func(service, _ string) (string, error) {
		switch service {
		case "none":
			return "", keyring.ErrNotFound
		case "platform":
			return "", keyring.ErrUnsupportedPlatform
		case "bus":
			return "", errNoKeyring
		case "hung":
			<-hung
		}
		return "", errors.New("the keyring is locked")
	}
	refs := []config.PasswordRef{
		{Keyring: "none"}, {Keyring: "platform"}, {Keyring: "bus"}, {Keyring: "locked"},
		{File: passwordIn(t, hidden+strings.Repeat("x", mostPassword), 0o600)},
		{File: passwordIn(t, "\n"+hidden, 0o600)},
		{Command: []string{hidden}},
		{Command: []string{filepath.Join(t.TempDir(), hidden), hidden}},
		{Command: []string{passwordIn(t, hidden, 0o600), hidden}},
	}
	if runtime.GOOS != "windows" {
		refs = append(refs, config.PasswordRef{File: passwordIn(t, hidden, 0o644)})
		for _, script := range commandFailures {
			refs = append(refs, config.PasswordRef{Command: []string{"sh", "-c", script, "sh", hidden}})
		}
	}
	accounts := New(o)
	for _, ref := range refs {
		who, err := accounts.usual(t.Context(), Host{Name: "web", Own: config.Host{User: "ana", Password: ref}}, tickets{})
		if err != nil {
			t.Fatal(err)
		}
		password, err := who.get(t.Context())
		if err == nil || password != nil {
			t.Errorf("%q: no error, %q", ref, password)
			continue
		}
		told := err.Error()
		var hint interface{ Hint() string }
		if errors.As(err, &hint) {
			told += hint.Hint()
		} else if ref.File == "" {
			t.Errorf("%q: no hint with %v", ref, err)
		}
		if strings.Contains(told, hidden) {
			t.Errorf("%q: %s", ref, told)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := accounts.keyringPassword(ctx, "web", "hung", "ana"); !errors.Is(err, context.Canceled) {
		t.Errorf("a keyring that hangs: %v", err)
	}
}

func TestKeyringText(t *testing.T) {
	for text, want := range map[string]string{
		"secret": "secret", "sécrét": "sécrét", "s\x00e\x00\xe9\x00": "seé", "abcd": "abcd", "": "",
	} {
		if got := string(keyringText(text)); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
