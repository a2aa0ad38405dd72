package inventory

import (
	"cmp"
	"fmt"
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/past"
	"perfdeck/session/hosts/ssh"
	"perfdeck/session/system/failure"
)

// way is a way to reach a host. A new source is a row in ways.
type way struct {
	scheme  string                   // begins its hosts; empty: they have none
	forms   string                   // how its hosts are written, for messages; empty: as is usual behind the scheme
	matches func(name string) bool   // nil: whatever has the scheme
	rpc     bool                     // by DCE/RPC
	check   func(name string) error  // that it is written well; nil: matches is enough
	display func(name string) string // how it is called: see DisplayName
	// same tells whether two addresses that are written otherwise lead to one host; nil: never.
	same func(a, b string, find lookup) bool
	open func(v *Inventory, t Target, m Mode) (session.Source, error)
}

// ways are tried in this order.
var ways = []way{
	{
		forms:   "local or .",
		matches: isOwn,
		display: func(string) string { return LocalName() },
		open:    func(v *Inventory, _ Target, m Mode) (session.Source, error) { return v.openOwn(m) },
	},
	{
		scheme:  paths.TCPScheme,
		rpc:     true,
		display: nameOfAddress,
		same:    sameAddress,
		open:    openTCP,
	},
	{
		scheme:  past.EnginePrefix,
		forms:   past.EnginePrefix + "https://ENGINE",
		display: engineName,
		open:    openEngine,
	},
	{
		scheme: paths.SSHScheme,
		check: func(name string) error {
			_, err := ssh.Parse(name)
			return err
		},
		display: nameOfSSH,
		same:    sameSSH,
		open:    openSSH,
	},
	{
		forms:   "NAME, NAME:PORT or [ADDRESS]:PORT",
		matches: isAddress,
		rpc:     true,
		display: nameOfAddress,
		same:    sameAddress,
		open:    openSMB,
	},
}

// wayOf is the way that an address asks for; nil: there is none.
func wayOf(address string) *way {
	for i := range ways {
		w := &ways[i]
		if w.matches != nil && w.matches(address) || w.matches == nil && strings.HasPrefix(address, w.scheme) {
			return w
		}
	}
	return nil
}

// written is how its hosts are written.
func (w *way) written() string {
	if s, _, ok := paths.SchemeOf(w.scheme); ok {
		return cmp.Or(w.forms, s.String())
	}
	return w.forms
}

// DisplayName is how a host is called on screens and in output: by its name,
// with the port where it is not the usual one.
func DisplayName(name string) string {
	if w := wayOf(name); w != nil {
		return cmp.Or(w.display(name), name)
	}
	return name
}

// Source opens a target.
func (v *Inventory) Source(t Target, m Mode) (session.Source, error) {
	if w := wayOf(t.Address); w != nil {
		if t.Own.MaxRate > 0 && !w.rpc && !t.IsSSH() {
			return nil, wrong("it is for hosts by SMB, TCP and ssh", "open %s: max_rate cannot be kept to", t.Name)
		}
		source, err := w.open(v, t, m)
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", t.Name, err)
		}
		return source, nil
	}
	if hint := bareHint(t.Address); hint != "" {
		return nil, wrong(hint, "host %q: no way to reach it", t.Address)
	}
	forms := make([]string, len(ways))
	for i := range ways {
		forms[i] = ways[i].written()
	}
	return nil, wrong("hosts are written "+strings.Join(forms, ", ")+", or as a [[host]] of the config is named", "host %q: no way to reach it", t.Address)
}

// bareHint is for who writes a host as a share, \\sql01 or smb://sql01; else it is empty.
func bareHint(address string) string {
	for _, lead := range []string{`\\`, "smb://"} {
		if len(address) > len(lead) && strings.EqualFold(address[:len(lead)], lead) {
			bare, _, _ := strings.Cut(address[len(lead):], lead[len(lead)-1:])
			return "leave out " + lead + ": " + bare
		}
	}
	return ""
}

// openOwn opens this computer, with what the config feeds beside it.
func (v *Inventory) openOwn(m Mode) (session.Source, error) {
	open := v.o.Own
	if open == nil {
		open = v.ownBySystem
	}
	own, err := open()
	if err != nil {
		return nil, err
	}
	report := v.o.Tell
	if m.Quiet {
		report = nil
	}
	return v.WithFeeds(own, report), nil
}

// wrong is a host that was named wrongly, with what can be done; empty: nothing is known.
func wrong(hint, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if hint != "" {
		err = failure.WithHint(err, hint)
	}
	return failure.Usage(err)
}
