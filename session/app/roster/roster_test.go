package roster_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/roster"
	"perfdeck/session/hosts/logon"
)

// source notes that it is closed.
type source struct {
	session.Source
	closed *int
}

func (s source) Close() error { *s.closed++; return nil }

// rig opens hosts, and notes what follows them.
type rig struct {
	has    []string
	closed int
	news   []string
}

func (r *rig) Add(h inventory.Host) { r.has = append(r.has, h.Name) }
func (r *rig) Drop(name string) {
	r.has = slices.DeleteFunc(r.has, func(n string) bool { return n == name })
}
func (r *rig) NewHosts(context.Context) []string { return r.news }
func (r *rig) OpenAs(name string, as *logon.Account, _ inventory.Mode) (inventory.Host, error) {
	switch {
	case strings.HasPrefix(name, "closed") && as == nil:
		return inventory.Host{}, fmt.Errorf("open %s: %w", name, &logon.NoAccountError{Account: "ana"})
	case name == "none":
		return inventory.Host{}, errors.New("no such host")
	}
	return inventory.Host{Name: name, Source: source{closed: &r.closed}}, nil
}

func namesOf(list []*roster.Member) (out []string) {
	for _, m := range list {
		out = append(out, m.Name)
	}
	slices.Sort(out)
	return out
}

// A host is there once, by whatever case its name is written in; one that goes may come again.
func TestComeAndGo(t *testing.T) {
	r := &rig{}
	of := roster.New(r)
	for _, name := range []string{"web01", "WEB01", "db"} {
		h, _ := r.OpenAs(name, nil, inventory.Mode{})
		if m := of.Add(t.Context(), h); (m == nil) != (name == "WEB01") {
			t.Errorf("%s: %v", name, m)
		}
	}
	if !slices.Equal(r.has, []string{"web01", "db"}) || r.closed != 1 {
		t.Errorf("has %v, %d closed", r.has, r.closed)
	}
	db, _ := r.OpenAs("DB", nil, inventory.Mode{})
	of.Set(t.Context(), []inventory.Host{db})
	of.Drop("nobody")
	if got := namesOf(of.Members()); !slices.Equal(got, []string{"db"}) || !slices.Equal(r.has, got) {
		t.Errorf("has %v, %v", got, r.has)
	}
	h, _ := r.OpenAs("web01", nil, inventory.Mode{})
	if of.Add(t.Context(), h) == nil {
		t.Error("it does not come again")
	}
	of.End()
	if len(r.has) != 2 {
		t.Errorf("followers have %v", r.has)
	}
}

// Hosts that cannot be logged on to do not keep others from being opened.
func TestJoin(t *testing.T) {
	r := &rig{}
	of := roster.New(r)
	came, err := of.Join(t.Context(), r, strings.Fields("closed1 a closed2 b a"), nil, inventory.Mode{})
	missing, is := errors.AsType[*session.NoAccountError](err)
	if !is || !slices.Equal(missing.Names, []string{"closed1", "closed2"}) || missing.Account != "ana" || !slices.Equal(namesOf(came), []string{"a", "b"}) {
		t.Errorf("%v, %v", namesOf(came), err)
	}
	if came, err := of.Join(t.Context(), r, strings.Fields("closed1"), &logon.Account{}, inventory.Mode{}); err != nil || len(came) != 1 {
		t.Errorf("%v, %v", namesOf(came), err)
	}
	if came, err := of.Join(t.Context(), r, strings.Fields("a"), nil, inventory.Mode{}); err == nil || len(came) > 0 {
		t.Errorf("one that is there: %v, %v", namesOf(came), err)
	}
	if came, err := of.Join(t.Context(), r, strings.Fields("c none d"), nil, inventory.Mode{}); err == nil || len(came) != 1 {
		t.Errorf("one that there is not: %v, %v", namesOf(came), err)
	}
	r.news = []string{"a", "none", "e"}
	reported := 0
	if came := of.Newcomers(t.Context(), r, inventory.Mode{}, func(error) { reported++ }); !slices.Equal(namesOf(came), []string{"e"}) || reported != 1 {
		t.Errorf("came %v, %d reported", namesOf(came), reported)
	}
}
