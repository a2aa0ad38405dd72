package inventory

import (
	"fmt"
	"strings"

	"perfdeck/session"
)

// way is a way to reach a host. A new source is a row in ways.
type way struct {
	forms   string // how its hosts are written, for messages
	matches func(name string) bool
	open    func(v *Inventory, t Target, m Mode) (session.Source, error)
}

// ways are tried in this order.
var ways = []way{
	{
		forms:   "local or .",
		matches: isOwn,
		open:    func(v *Inventory, _ Target, _ Mode) (session.Source, error) { return v.openOwn() },
	},
	{
		forms:   "tcp://NAME:PORT",
		matches: func(name string) bool { return strings.HasPrefix(name, tcpScheme) },
		open:    openTCP,
	},
	{
		forms:   "prom+https://ENGINE",
		matches: isEngine,
		open:    openEngine,
	},
	{
		forms:   "ssh://NAME",
		matches: isSSH,
		open:    openSSH,
	},
	{
		forms: "NAME, NAME:PORT or [ADDRESS]:PORT",
		matches: func(name string) bool {
			_, err := parseAddress(name)
			return err == nil
		},
		open: openSMB,
	},
}

// Source opens a target.
func (v *Inventory) Source(t Target, m Mode) (session.Source, error) {
	forms := make([]string, len(ways))
	for i, w := range ways {
		forms[i] = w.forms
		if !w.matches(t.Address) {
			continue
		}
		source, err := w.open(v, t, m)
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", t.Name, err)
		}
		return source, nil
	}
	return nil, wrong("hosts are written "+strings.Join(forms, ", ")+", or as a [[host]] of the config is named", "host %q: no way to reach it", t.Address)
}

// openOwn opens this computer, with what the config feeds beside it.
func (v *Inventory) openOwn() (session.Source, error) {
	open := v.o.Own
	if open == nil {
		open = v.ownBySystem
	}
	own, err := open()
	if err != nil {
		return nil, err
	}
	return v.withFeeds(own), nil
}

// Error is a host, or a list of hosts, that was named wrongly.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// wrong is such an error, with what can be done; empty: nothing is known.
func wrong(hint, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if hint != "" {
		err = session.WithHint(err, hint)
	}
	return &Error{err}
}
