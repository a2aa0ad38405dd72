package inventory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/config"
	"perfdeck/session/engine/query"
	"perfdeck/session/files/past"
	"perfdeck/session/give/push"
	"perfdeck/session/hosts/feed"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/hosts/pcq"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/system/failure"
)

var errNoSuchHost = errors.New("no [[host]] has that name: it is taken for a Windows host")

// CheckConfig tells what is wrong with the hosts, groups, engines, feeds, pushes, actions on sets and files of secrets of the
// config, or of those with some keys, and what may be meant otherwise. No host is asked, and no password is
// fetched.
func (v *Inventory) CheckConfig(keys ...string) (wrong, doubtful []error) {
	c := v.config()
	if len(keys) > 0 {
		c = c.Only(keys)
	}
	note := func(where string, err error) {
		if err != nil {
			wrong = append(wrong, failure.WithHint(fmt.Errorf("%s: %w", where, err), failure.Hint(err)))
		}
	}
	for i := range c.Hosts {
		h := &c.Hosts[i]
		note("host "+h.Name, v.written(h.Name))
		note("host "+h.Name, logon.CheckSecret("log on", "password", h.Password))
	}
	refer := func(where string, names []string) {
		for _, name := range names {
			if _, ok := v.config().Host(name); ok || isOwn(name) {
				continue
			}
			if strings.ContainsAny(name, ":.#[") { // written, not named
				note(where, v.written(name))
				continue
			}
			hint := "write tcp://NAME, ssh://NAME or the name with its domain if it is no [[host]]"
			if near := config.Nearest(name, v.Configured()); near != "" {
				hint = "did you mean " + near + "?"
			}
			doubtful = append(doubtful, failure.WithHint(fmt.Errorf("%s: %s: %w", where, name, errNoSuchHost), hint))
		}
	}
	for _, g := range c.Groups {
		refer("group "+g.Name, g.Hosts)
	}
	for _, r := range c.Records {
		refer("record "+r.Name, r.Hosts)
	}
	account := func(where string, a config.EngineAccount) {
		note(where, errors.Join(logon.CheckSecret("log on", "token", a.Token), logon.CheckSecret("log on", "password", a.Password)))
		for _, name := range []string{a.CAFile, a.CertFile, a.KeyFile} {
			_, err := config.Obeyed(name)
			note(where, err)
		}
	}
	for _, p := range c.Pushes {
		refer("push "+p.Name, p.Hosts)
		_, err := push.ParseURL(p.URL)
		note("push "+p.Name, err)
		account("push "+p.Name, p.EngineAccount)
	}
	for _, e := range c.Engines {
		_, err := query.Parse(strings.TrimPrefix(e.URL, past.EnginePrefix))
		note("engine "+e.Name, err)
		account("engine "+e.Name, e.EngineAccount)
	}
	v.checkSets(c, note)
	for _, f := range v.feedsOf(c.Feeds) {
		if f.Err != nil {
			wrong = append(wrong, &feed.Error{Feed: f.Name, Err: f.Err})
		}
	}
	return append(wrong, logon.Lacking(c)...), append(doubtful, c.Unbounded()...)
}

// checkSets tells what is wrong with the collector sets of hosts, and with actions on them.
func (v *Inventory) checkSets(c *config.Config, note func(where string, err error)) {
	for i := range c.Hosts {
		if t, err := v.Target(c.Hosts[i].Name); err == nil && len(c.Hosts[i].Sets) > 0 {
			note("host "+t.Name+": sets", setless(t))
		}
	}
	for i := range c.Alerts.Rules {
		r := &c.Alerts.Rules[i]
		for _, a := range slices.Concat(r.Actions, r.OnClear) {
			note("alert "+r.Name, settable(a, c))
		}
	}
}

// settable tells why an action can never start or stop a set.
func settable(a alert.Action, c *config.Config) error {
	set, ok := c.Alerts.Set(a.Name)
	op := map[alert.Do]string{alert.StartSet: pla.OpStart, alert.StopSet: pla.OpStop}[a.Do]
	if !ok || op == "" { // the config says what is not there
		return nil
	}
	name, err := pla.ParseName(set.Name)
	if err == nil {
		err = name.May(op)
	}
	return err
}

// written tells what is wrong with how a host is written.
func (v *Inventory) written(name string) error {
	if err := v.Check(name); err != nil {
		return err
	}
	t, err := v.Target(name)
	if w := wayOf(t.Address); err == nil && w != nil && w.rpc {
		_, err = parseAddress(t.Address)
	}
	return err
}

// Catalogues are those that are known without asking anybody: of this computer, and of hosts of the config
// as they were kept.
func (v *Inventory) Catalogues() (out []Host) {
	for _, name := range append([]string{Local}, v.Configured()...) {
		t, err := v.Target(name)
		if err != nil {
			continue
		}
		h := Host{Name: t.Name}
		switch at, notRPC := parseAddress(t.Address); {
		case t.IsOwn():
			if name != Local {
				continue
			}
			h.Name = LocalName()
			if h.Source, err = v.Source(t, Mode{}); err != nil {
				continue
			}
		case t.IsEngine():
			continue
		case t.IsSSH() || notRPC == nil && at.tcp:
			h.Source = kept{cat: pcq.New(v.pcqOptions(t, Mode{Kept: true})).Kept()}
		default:
			h.Source = kept{cat: v.windows(t, &line{}, Mode{Kept: true}).Kept()}
		}
		if h.Source != (kept{}) {
			out = append(out, h)
		}
	}
	return out
}

// kept is a host that only has a catalogue; zero: it has none.
type kept struct {
	barredSource
	cat *session.Catalogue
}

func (k kept) Catalogue(context.Context) (*session.Catalogue, error) { return k.cat, nil }
