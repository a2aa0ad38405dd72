package main

import (
	"errors"
	"testing"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/wire/smbtest"
)

// A host that refuses the password takes another one without being opened anew.
func TestLogOnAgain(t *testing.T) {
	s := smbtest.Start(t, smbtest.Options{Performance: &someObjects})
	p := loggingOn(t)
	p.config = new(config.Config)
	as, err := p.accounts().Typed(smbtest.User, []byte("wrong"))
	if err != nil {
		t.Fatal(err)
	}
	h, err := opened(t, p, s.Address(), as)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Source.Close()
	if _, err := h.Source.Catalogue(t.Context()); !errors.Is(err, session.ErrDenied) {
		t.Fatalf("with a wrong password: %v", err)
	}
	if err := h.LogOns.LogOn(smbtest.Workgroup+`\`+smbtest.User, []byte(smbtest.Password)); err != nil {
		t.Fatal(err)
	}
	if cat, err := h.Source.Catalogue(t.Context()); err != nil || cat.Set("Memory") == nil {
		t.Errorf("with the right one: %v", err)
	}
}
