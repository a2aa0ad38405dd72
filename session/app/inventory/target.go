package inventory

import (
	"cmp"
	"net"
	"slices"
	"strconv"
	"strings"

	"perfdeck/paths"
	"perfdeck/session/config"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/hosts/ssh"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
)

// Target is a host that was asked for.
type Target struct {
	Name    string         // as screens and output call it
	Address string         // in one of the forms of the ways to reach hosts
	Given   string         // the name that it was asked for by
	Own     config.Host    // what the config says of it, if anything
	As      *logon.Account // typed by the user; nil: the usual ones
	Engine  string         // address of an engine that has it, too; empty: none
}

// IsOwn tells whether a target is this computer.
func (t *Target) IsOwn() bool { return isOwn(t.Address) }

// IsSSH tells whether a target is reached by ssh.
func (t *Target) IsSSH() bool { return strings.HasPrefix(t.Address, ssh.Scheme) }

// IsEngine tells whether a target is read out of an engine, or is one.
func (t *Target) IsEngine() bool { return isEngine(t.Address) }

// IsRPC tells whether a target is to be reached by DCE/RPC, over SMB or TCP: where nothing
// says how, it is, and what is wrong with its address is told then.
func (t *Target) IsRPC() bool {
	w := wayOf(t.Address)
	return w == nil || w.rpc
}

// isOwn tells whether an address is that of this computer.
func isOwn(address string) bool { return address == Local || address == "." }

// Target finds a host of the config by its name, or takes a host by its form.
func (v *Inventory) Target(name string) (Target, error) {
	h, ok := v.config().Host(name)
	if err := v.live(cmp.Or(h.Address, name)); err != nil {
		return Target{}, err
	}
	if ok {
		return Target{Name: h.Name, Address: h.Address, Given: name, Own: h}, nil
	}
	if address, ok := v.EngineAddress(name); ok && !isEngine(name) {
		return Target{Name: DisplayName(address), Address: address, Given: name}, nil
	}
	if w := wayOf(name); w != nil && w.check != nil { // before anybody names it
		if err := w.check(name); err != nil {
			return Target{}, failure.Usage(err)
		}
	}
	return Target{Name: DisplayName(name), Address: name, Given: name}, nil
}

// Targets are the hosts of names, each once: this computer where there are none. Hosts of ssh that differ in their users
// alone are called by them too.
func (v *Inventory) Targets(names []string) (out []Target, err error) {
	if len(names) == 0 {
		names = []string{Local}
	}
	if names, err = v.Expand(v.o.Context(), names); err != nil {
		return nil, err
	}
	once := onceEach{lookUp, map[string][]Target{}}
	for _, name := range names {
		t, err := v.Target(name)
		if err != nil {
			return nil, err
		}
		if once.add(t) {
			out = append(out, t)
		}
	}
	out = paired(out)
	count := map[string]int{}
	for i := range out {
		count[paths.Fold(out[i].Name)]++
	}
	for i := range out {
		if t := &out[i]; t.Own.Name == "" && t.IsSSH() && count[paths.Fold(t.Name)] > 1 {
			t.Name = strings.TrimPrefix(strings.TrimSuffix(t.Address, "/"), ssh.Scheme)
		}
	}
	return out, nil
}

// Check tells whether a text names a host.
func (v *Inventory) Check(text string) error {
	if v.o.Demo { // Open knows its hosts
		return nil
	}
	t, err := v.Target(text)
	if err != nil {
		return err
	}
	if wayOf(t.Address) != nil {
		return nil
	}
	return wrong(bareHint(t.Address), "%q is no host", printable.Text(text))
}

// Groups are the groups of a host in the config, by any of its names.
func (v *Inventory) Groups(t Target) []string {
	if v.config() == nil {
		return nil
	}
	names := []string{t.Name}
	if t.Address != "" {
		names = append(names, t.Address)
	}
	// A name of the config is no address.
	if at, err := parseAddress(t.Address); err == nil && t.Own.Name == "" && at.port == at.usualPort() {
		scheme := ""
		if at.tcp {
			scheme = paths.TCPScheme
		}
		names = append(names, scheme+at.host, scheme+net.JoinHostPort(at.host, strconv.Itoa(at.port)))
	}
	return v.config().GroupsOf(names...)
}

// onceEach finds hosts that were named before: comparing each with those before it would
// take long with thousands.
type onceEach struct {
	find lookup
	seen map[string][]Target // by what all ways to write one host have in common
}

// add tells whether a target is a new one.
func (o *onceEach) add(t Target) bool {
	key := t.Address
	if at, err := parseAddress(t.Address); err == nil {
		key, _, _ = strings.Cut(at.host, ".")
	}
	if d, err := ssh.Parse(t.Address); err == nil {
		key = d.Host
	}
	key = paths.Fold(key)
	if slices.ContainsFunc(o.seen[key], func(other Target) bool { return sameTarget(other, t, o.find) }) {
		return false
	}
	o.seen[key] = append(o.seen[key], t)
	return true
}

// sameTarget tells whether two targets are one host: however it is written, or by its short
// and its full name.
func sameTarget(a, b Target, find lookup) bool {
	if paths.EqualFold(a.Name, b.Name) && a.Address == b.Address {
		return true
	}
	if a.Own.Name != "" || b.Own.Name != "" || a.IsOwn() || b.IsOwn() {
		return false
	}
	w := wayOf(a.Address)
	return w != nil && w.same != nil && w.same(a.Address, b.Address, find)
}

// nameOfSSH is how a host of ssh is called; empty: it is written wrongly.
func nameOfSSH(address string) string {
	d, err := ssh.Parse(address)
	if err != nil {
		return ""
	}
	return d.Name()
}

// sameSSH tells whether two addresses are the same to ssh.
func sameSSH(a, b string, _ lookup) bool {
	at, err := ssh.Parse(a)
	other, err2 := ssh.Parse(b)
	return err == nil && err2 == nil && at == other
}
