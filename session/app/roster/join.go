package roster

import (
	"context"
	"errors"
	"fmt"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/hosts/logon"
)

// Opener opens hosts by their names.
type Opener interface {
	OpenAs(name string, as *logon.Account, m inventory.Mode) (inventory.Host, error)
	NewHosts(ctx context.Context) []string
}

// Join opens hosts that a user named, by an account or, if that is nil, in the usual
// way. Hosts that are there already are left out; one alone is an error. Hosts without an account do
// not keep the others from being opened: the error is then a session.NoAccountError. With an error those
// that came are returned, too.
func (r *Roster) Join(ctx context.Context, by Opener, names []string, as *logon.Account, m inventory.Mode) (came []*Member, err error) {
	var missing *session.NoAccountError
	for _, name := range names {
		h, err := by.OpenAs(name, as, m)
		if none, ok := errors.AsType[*logon.NoAccountError](err); ok {
			if missing == nil {
				missing = &session.NoAccountError{Account: none.Account, Err: err}
			}
			missing.Names = append(missing.Names, name)
			continue
		}
		if err != nil {
			return came, err
		}
		if one := r.Add(ctx, h); one != nil {
			came = append(came, one)
		} else if len(names) == 1 {
			return came, fmt.Errorf("%s is watched already", h.Name)
		}
	}
	if missing != nil {
		return came, missing
	}
	return came, nil
}

// Newcomers opens the hosts that came to engines of which all are watched. What cannot be opened is
// reported.
func (r *Roster) Newcomers(ctx context.Context, by Opener, m inventory.Mode, report func(error)) (came []*Member) {
	for _, name := range by.NewHosts(ctx) {
		h, err := by.OpenAs(name, nil, m)
		if err != nil {
			report(err)
			continue
		}
		if one := r.Add(ctx, h); one != nil {
			came = append(came, one)
		}
	}
	return came
}
