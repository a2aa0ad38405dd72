// Package logon is how perfdeck logs on to other hosts: whose account it takes,
// where the password or the Kerberos tickets come from, and how often it tries.
// Passwords never reach an error.
package logon

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"perfdeck/paths"
	"perfdeck/session/config"
	"perfdeck/session/wire/rpc"
)

var (
	// ErrNoAccount says that nothing tells whose account to take.
	ErrNoAccount = errors.New("no account")
	// ErrOnScreen is the answer of a Prompt while the screens have the terminal.
	// The user may type the password on them later: see Typed.
	ErrOnScreen = errors.New("no password was given, and it is asked for on the screens")
	// errNoTicket says that Kerberos was asked for and there is neither ticket nor account.
	errNoTicket = fmt.Errorf("%w, and no Kerberos ticket", ErrNoAccount)
)

// Options say where accounts, passwords and tickets come from.
type Options struct {
	User         string // account of hosts that have none of their own: [DOMAIN\]NAME
	Password     []byte // of it; nil: from the file or the prompt
	PasswordFile string // its first line is the password
	Tickets      Tickets
	Getenv       func(string) string
	// Prompt asks the user; what names what is wanted.
	Prompt func(what string) ([]byte, error)
	// Keyring is the keyring; nil: that of the system.
	Keyring func(service, account string) (string, error)
	// Tell is told once of a host that NTLM is used for because there is no ticket; nil:
	// nobody wants to know.
	Tell func(error)
	Go   func(func()) // starts a goroutine
}

// Accounts are the accounts of all hosts of a run. Hosts of one account share
// its password. It may be used from several goroutines.
type Accounts struct {
	o Options

	// A secret's lock may be taken under this one, never the other way round.
	mu       sync.Mutex
	secrets  map[string]*secret // from the usual places or typed, by Account.key
	own      map[string]*secret // that the config says of hosts, by Account.key and where it is
	logOns   map[victim]*logOns
	kerberos map[string]*rpc.Kerberos // sources of tickets
	instead  map[string]error         // by host: why NTLM is used though Kerberos was asked for
}

// New are accounts of which none is used so far.
func New(o Options) *Accounts {
	return &Accounts{o: o, secrets: map[string]*secret{}, own: map[string]*secret{}, logOns: map[victim]*logOns{}, kerberos: map[string]*rpc.Kerberos{}, instead: map[string]error{}}
}

// Account is who logs on to a host.
type Account struct {
	name         string // as it was given
	domain, user string
	*secret
}

// account takes the domain off a name.
func account(name string) *Account {
	a := &Account{name: name, user: name}
	if domain, user, ok := strings.Cut(name, `\`); ok {
		a.domain, a.user = domain, user
	}
	return a
}

// whole is the account whichever way it is written, as LAB\ana and ana@lab are.
func (a *Account) whole() (domain, user string) {
	domain, user = a.domain, a.user
	if name, realm, ok := strings.Cut(user, "@"); ok && domain == "" {
		domain, user = realm, name
	}
	return paths.Fold(domain), paths.Fold(user)
}

// plain is whole with the first part of the domain, which is its short name nearly everywhere:
// lab of ana@lab.example.com. Where it is not, two accounts wait for each other.
func (a *Account) plain() (domain, user string) {
	domain, user = a.whole()
	if first, _, ok := strings.Cut(domain, "."); ok && first != "" {
		domain = first
	}
	return domain, user
}

// key is a name of the account, for which every way to write it is the same. Accounts of
// domains that are called alike are two: what is typed for one is not sent as the other's.
func (a *Account) key() string { return keyOf(a.whole()) }

func keyOf(domain, user string) string {
	if domain == "" {
		return user
	}
	return domain + `\` + user
}

// victim is whom wrong passwords lock: an account of a domain, or of a host.
type victim struct {
	host, domain, user string
	secret             *secret
	password           [sha256.Size]byte // what the secret is, in place of it, once it is known
}

// now is the victim by what is known of its password.
func (v victim) now() victim {
	if v.secret != nil {
		if sum := v.secret.sum.Load(); sum != nil {
			v.secret, v.password = nil, *sum
		}
	}
	return v
}

// victimAt is whom a wrong password of the account locks at a host, which is known by
// some names. An account without a domain may be one of the host or of its domain: those
// with one password, wherever it is, are taken for one, others are not.
func (a *Account) victimAt(address string, realm bool, names ...string) victim {
	domain, user := a.plain()
	switch {
	case domain == "." || domain != "" && slices.ContainsFunc(names, func(name string) bool {
		first, _, _ := strings.Cut(name, ".")
		return paths.EqualFold(first, domain) && net.ParseIP(name) == nil
	}):
		return victim{host: paths.Fold(address), user: user}
	case domain == "" && !realm:
		return victim{user: user, secret: a.secret}
	}
	return victim{domain: domain, user: user}
}

// logOnsOf are those that count against somebody, from wherever the password is.
func (a *Accounts) logOnsOf(v victim) *logOns {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.logOns[v] == nil {
		a.logOns[v] = newLogOns(time.Now)
	}
	return a.logOns[v]
}

// usual is the account of a host: its own of the config, and what that does
// not say from the options. What the user has to be asked for is asked now,
// before the screens take the terminal. The host's own reference is followed
// when the host is reached: what fails there fails for this host alone.
//
// With tickets neither account nor password is needed: who has the tickets is
// who logs on.
func (a *Accounts) usual(ctx context.Context, h Host, k tickets) (*Account, error) {
	tickets := k.Use && !k.byPassword
	name := h.Own.User
	if name == "" {
		name = a.o.User
	}
	switch {
	case name == "" && k.Use && k.byPassword:
		return nil, &NoAccountError{Host: h.Name, Why: errNoTicket}
	case name == "" && !tickets:
		return nil, &NoAccountError{Host: h.Name, Why: ErrNoAccount}
	}
	who := account(name)
	if tickets {
		who.secret = newSecret(nil)
		return who, nil
	}
	if !h.Own.Password.IsZero() {
		who.secret = a.ownSecret(who, h.Own.Password)
		return who, nil
	}
	who.secret = a.shared(who)
	err := who.ready(ctx)
	if errors.Is(err, ErrOnScreen) {
		err = &NoAccountError{h.Name, name, err}
	}
	return who, err
}

// Typed is an account that the user typed on the screens. The hosts of one
// account share its password; no password means the one that is known.
func (a *Accounts) Typed(name string, password []byte) (*Account, error) {
	who := account(name)
	if who.user == "" {
		return nil, ErrNoAccount
	}
	if len(password) > mostPassword {
		return nil, fmt.Errorf("the password has more than %d bytes", mostPassword)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	known := a.secrets[who.key()]
	switch {
	case known != nil && known.holds(password):
		who.secret = known
		known.successor.Store(nil)
		return who, nil
	case len(password) == 0:
		return nil, fmt.Errorf("no password of %s is known", name)
	}
	who.secret = newSecret(func(context.Context) ([]byte, error) { return nil, ErrOnScreen })
	who.password = bytes.Clone(password)
	a.secrets[who.key()] = who.secret
	return who, nil
}

// Named is an account by its name, with the password that is known of it, or that
// of the usual places.
func (a *Accounts) Named(ctx context.Context, name string) (*Account, error) {
	who := account(name)
	who.secret = a.shared(who)
	return who, who.ready(ctx)
}

// ownSecret is the password of an account that is where the config says. Hosts share it, so
// that a program runs once for all of them. A keyring knows an account as it is written.
func (a *Accounts) ownSecret(who *Account, at config.PasswordRef) *secret {
	name := keyOf(who.plain())
	if at.Keyring != "" {
		name = who.name
	}
	key := strings.Join(append([]string{name, at.File, at.Keyring}, at.Command...), "\x00")
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.own[key] == nil {
		s := newSecret(func(ctx context.Context) ([]byte, error) {
			password, err := a.Follow(ctx, who.name, who.name, at)
			if err != nil && at.File != "" {
				err = fmt.Errorf("read the password: %w", err)
			}
			return password, err
		})
		s.again, s.watch = true, at.File != ""
		if !s.watch {
			s.rest = commandRest
		}
		a.own[key] = s
	}
	return a.own[key]
}

// Follow fetches the password or token that the config refers to; of says whose
// it is.
func (a *Accounts) Follow(ctx context.Context, of, account string, ref config.PasswordRef) ([]byte, error) {
	switch {
	case ref.File != "":
		name, err := config.BelowHome(ref.File)
		if err != nil {
			return nil, err
		}
		return readSecretFile(name)
	case ref.Keyring != "":
		return a.keyringPassword(ctx, of, ref.Keyring, account)
	}
	return a.commandPassword(ctx, of, ref.Command)
}

// shared is the password of an account from the usual places; hosts of one
// account share it.
func (a *Accounts) shared(who *Account) *secret {
	key := who.key()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.secrets[key] == nil {
		s := newSecret(func(context.Context) ([]byte, error) { return a.Ask(who.name) })
		s.again, s.watch = a.o.PasswordFile != "", a.o.PasswordFile != ""
		a.secrets[key] = s
	}
	return a.secrets[key]
}

// Ask finds the password of an account in the usual places: the file, the
// environment, the user.
func (a *Accounts) Ask(account string) ([]byte, error) {
	switch {
	case a.o.PasswordFile != "":
		return passwordOf(a.o.PasswordFile)
	case a.o.Password != nil:
		return bytes.Clone(a.o.Password), nil
	}
	return a.o.Prompt("password of " + account)
}

// Renew has the passwords fetched anew that are in files, keyrings or told by programs, as after a reload,
// and tries one of those that wait after a refusal.
func (a *Accounts) Renew() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, known := range []map[string]*secret{a.own, a.secrets} {
		for _, s := range known {
			s.renew()
		}
	}
	for _, l := range a.logOns {
		l.lift()
	}
}

// HandedOn are the passwords that were typed or came with the environment, by
// account; "" is for whoever has none. What the config refers to another process
// finds itself.
func (a *Accounts) HandedOn() map[string][]byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := map[string][]byte{}
	if a.o.Password != nil {
		out[""] = bytes.Clone(a.o.Password)
	}
	for account, s := range a.secrets {
		if password := s.known(); password != nil {
			out[account] = password
		}
	}
	return out
}

// SetHandedOn knows the HandedOn of another process, before any host is opened.
func (a *Accounts) SetHandedOn(passwords map[string][]byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for name, password := range passwords {
		if name == "" {
			a.o.Password = password
			continue
		}
		a.secrets[account(name).key()] = newSecret(func(context.Context) ([]byte, error) { return bytes.Clone(password), nil })
	}
}

// NoAccountError is a host that cannot be logged on to because nothing says as
// whom, or because the password of the account is missing.
type NoAccountError struct {
	Host    string
	Account string // empty: none; else its password is missing
	Why     error  // ErrNoAccount or ErrOnScreen
}

func (e *NoAccountError) Error() string { return fmt.Sprintf("log on to %s: %v", e.Host, e.Why) }
func (e *NoAccountError) Unwrap() error { return e.Why }

// Hint says where an account is named.
func (e *NoAccountError) Hint() string {
	if errors.Is(e.Why, errNoTicket) {
		return "get a ticket with kinit -c FILE:" + ccacheFile() + `, give a --keytab, or name an account with --user NAME@REALM`
	}
	return `name one with --user [DOMAIN\]NAME, or with user in the config's [[host]]`
}
