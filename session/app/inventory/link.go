package inventory

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"perfdeck/session/config"
	"perfdeck/session/engine/link"
	"perfdeck/session/engine/query"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/system/failure"
)

// Link is how an engine is reached, and who we are to it: an account without a password
// is asked for one. what is done there stands in errors.
func (v *Inventory) Link(u *url.URL, what, name string, a config.EngineAccount) (link.Engine, error) {
	e := link.Engine{URL: u.String(), User: a.User, Tenant: a.Tenant, Agent: v.o.Agent}
	var err error
	for _, t := range []struct {
		from string
		to   *string
	}{{a.CAFile, &e.CAFile}, {a.CertFile, &e.CertFile}, {a.KeyFile, &e.KeyFile}} {
		if *t.to, err = config.Obeyed(t.from); err != nil {
			return e, err
		}
	}
	if err := errors.Join(logon.CheckSecret(what, "token", a.Token), logon.CheckSecret(what, "password", a.Password)); err != nil {
		return e, failure.Usage(err)
	}
	switch {
	case !a.Token.IsZero():
		e.Bearer = func(ctx context.Context) ([]byte, error) { return v.o.Accounts.Follow(ctx, what, name, a.Token) }
	case !a.Password.IsZero():
		e.Password = func(ctx context.Context) ([]byte, error) { return v.o.Accounts.Follow(ctx, what, a.User, a.Password) }
	case a.User != "":
		password, err := v.o.Prompt("password of " + a.User + " at " + u.Host)
		if err != nil {
			return e, err
		}
		e.Password = func(context.Context) ([]byte, error) { return slices.Clone(password), nil }
	}
	return e, nil
}

// askedEngine is how an engine that hosts are read out of is reached.
func (v *Inventory) askedEngine(address, name string, a config.EngineAccount) (link.Engine, error) {
	u, err := query.Parse(address)
	if err != nil {
		return link.Engine{}, failure.Usage(err)
	}
	return v.Link(u, "ask "+u.Host, name, a)
}
