package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/session/text/field"
	"perfdeck/tui/pane"
)

// sayNotConnected tells why hosts were not added. Where an account is missing it
// is asked for, if the user waits for that.
func (r *root) sayNotConnected(err error, awaited bool) {
	missing, ok := errors.AsType[*session.NoAccountError](err)
	if !ok || !awaited {
		r.say(err.Error())
		return
	}
	title := "Log on to " + english.AndMore(missing.Names[0], len(missing.Names))
	var ask pane.AddHosts
	r.open(accountForm(title, missing.Account, "the host asks for an account",
		func(account string, password []byte) error {
			ask = pane.AddHosts{Names: strings.Join(missing.Names, " "), Account: account, Password: password}
			return nil
		},
		func() { r.desk.Send(ask) }))
}

// askAccount asks by which account a host is logged on to, and tries it.
func (r *root) askAccount(h *pane.Host) {
	if h.LogOns == nil {
		r.say(h.Name + " takes no account")
		return
	}
	why := "the account for the next connection"
	if state := h.Sampler.State(); state.Phase == session.Refused && state.Err != nil {
		why = state.Err.Error()
	}
	r.open(accountForm("Log on to "+h.Name, "", why,
		func(account string, password []byte) error {
			defer clear(password)
			return h.LogOns.LogOn(account, password)
		},
		func() {
			r.note(pane.Info, h.Name, "another account was named")
			r.desk.Send(pane.RetryHost{Host: h})
		}))
}

// tryAgain tries a host at once. Where wrong passwords have paused the account it asks
// before, since one more may lock it.
func (r *root) tryAgain(h *pane.Host) {
	if h.LogOns == nil {
		h.Sampler.Retry()
		return
	}
	account, left := h.LogOns.Paused()
	if left <= 0 {
		h.Sampler.Retry()
		return
	}
	r.open(pane.Confirm{
		Title: "Try " + h.Name + " now",
		Text: fmt.Sprintf("The password of %s was refused, and is not tried for another %s: too many wrong ones lock the account. e on Hosts names another.",
			account, english.Age(left)),
		Yes: "try it now",
		Do: func() {
			h.LogOns.LogOnNow()
			h.Sampler.Retry()
		},
	})
}

// askRefused asks for another account when a host that the user added refuses
// the one it was given: where the user looks at the hosts and did nothing since.
func (r *root) askRefused(w *watched) {
	switch w.phase {
	case session.Live:
		w.asks = false
		return
	case session.Refused:
	default:
		return
	}
	if !w.asks || !slices.Contains(r.watched, w) {
		return
	}
	w.asks = false
	if r.pacing.inputs != w.since || r.dialog() != nil || len(r.above) > 0 || r.at != pane.TabHosts {
		r.say(w.Name + " refuses the account: e on Hosts names another")
		return
	}
	r.askAccount(w.Host)
}

// accountForm asks for an account and its password.
func accountForm(title, account, help string, done func(account string, password []byte) error, then func()) pane.AskForm {
	return pane.AskForm{
		Title: title,
		Fields: []field.Line{
			{Name: "account", Label: "account", Value: account, Help: help + `. Written DOMAIN\name, name@REALM or name`, Check: func(value string) error {
				if strings.TrimSpace(value) == "" {
					return errors.New("it is missing")
				}
				return nil
			}},
			{Name: "password", Label: "password", Secret: true, Help: "kept only in memory; empty: the one typed before for this account"},
		},
		Done: func(in field.Answers) error {
			return done(in.Get("account"), []byte(in["password"]))
		},
		Then: then,
	}
}
