package inventory

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/winhost"
)

// ownHalf is one way to read this computer, as a test has it.
type ownHalf struct {
	session.Source

	cat *session.Catalogue
	err error
}

func (h *ownHalf) Catalogue(context.Context) (*session.Catalogue, error) { return h.cat, h.err }
func (h *ownHalf) Connect(context.Context) error                         { return nil }
func (h *ownHalf) Kept() *session.Catalogue                              { return nil }
func (h *ownHalf) Forget()                                               {}
func (h *ownHalf) Warnings() []error                                     { return nil }

// Counters of perfdeck's own stand in for those of Windows where there are none to
// be had, not where a provider hangs: that is tried again.
func TestOwnStandIns(t *testing.T) {
	plain := fake.New(fake.Script{Name: "here", Sets: []fake.Set{{Name: "Plain", Counters: []fake.Counter{{Name: "Load"}}}}}, clocktest.New(time.Unix(0, 0), nil))
	empty := &session.Catalogue{Host: "here"}
	full := &session.Catalogue{Host: "here", Sets: []*session.Counterset{{Name: "Memory"}}}
	hangs := fmt.Errorf("list countersets: %w", winhost.ErrNoAnswer)
	refused := errors.New("refused")
	for _, c := range []struct {
		what   string
		v2, v1 ownHalf
		set    string // of the catalogue; empty: it is an error
	}{
		{"both", ownHalf{cat: full}, ownHalf{cat: full}, "Memory"},
		{"one way", ownHalf{err: refused}, ownHalf{cat: full}, "Memory"},
		{"one way, the other hangs", ownHalf{err: hangs}, ownHalf{cat: full}, "Memory"},
		{"none is registered", ownHalf{cat: empty}, ownHalf{cat: empty}, "Plain"},
		{"both are refused", ownHalf{err: refused}, ownHalf{err: session.ErrDenied}, "Plain"},
		{"both hang", ownHalf{err: hangs}, ownHalf{err: hangs}, ""},
		{"one is refused, the other hangs", ownHalf{err: refused}, ownHalf{err: hangs}, ""},
		{"one has none, the other hangs", ownHalf{cat: empty}, ownHalf{err: hangs}, ""},
	} {
		v2, v1 := c.v2, c.v1
		s := &ownSource{plain: plain, Source: winhost.New(winhost.Options{
			Host: "here",
			V2:   func(func(*session.Catalogue)) winhost.Half { return &v2 },
			V1:   func(func(*session.Catalogue)) winhost.Half { return &v1 },
		})}
		got := ""
		cat, err := s.Catalogue(t.Context())
		if err == nil {
			got = cat.Sets[0].Name
		}
		if got != c.set || c.set == "" && !errors.Is(err, winhost.ErrNoAnswer) {
			t.Errorf("%s: %q, %v", c.what, got, err)
		}
		if _, stands := s.why.Get(); stands != (c.set == "Plain") {
			t.Errorf("%s: stand-ins %v", c.what, stands)
		}
		v2, v1 = ownHalf{cat: full}, ownHalf{cat: full}
		cat, err = s.Catalogue(t.Context())
		if _, stands := s.why.Get(); err != nil || cat.Sets[0].Name != "Memory" || stands {
			t.Errorf("%s, and then counters: %v, %v", c.what, cat, err)
		}
	}
}
