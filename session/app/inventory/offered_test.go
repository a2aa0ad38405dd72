package inventory

import (
	"context"
	"errors"
	"testing"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/system/failure"
)

// remembered is a source whose catalogue is too old until it is forgotten.
type remembered struct {
	session.Source

	forgotten int
}

func (r *remembered) Kept() *session.Catalogue {
	if r.forgotten == 0 {
		return &session.Catalogue{}
	}
	return nil
}

func (r *remembered) Forget() { r.forgotten++ }

func (r *remembered) Catalogue(ctx context.Context) (*session.Catalogue, error) {
	if r.forgotten == 0 {
		return &session.Catalogue{}, nil
	}
	return r.Source.Catalogue(ctx)
}

// What is not watched, and what an only host does not have, is told before anything is shown.
func TestCheckPaths(t *testing.T) {
	demo := fake.Demo(session.NewSystemClock())
	hosts := []Host{{Name: demo[0].Name, Source: demo[0].Source}, {Name: demo[1].Name, Source: demo[1].Source}}
	for _, c := range []struct {
		hosts []Host
		texts []string
		ok    bool
	}{
		{hosts[:1], nil, true},
		{hosts[:1], []string{`\Memory\Available MBytes`}, true},
		{hosts[:1], []string{`\\` + demo[0].Name + `\Memory\Available MBytes`}, true},
		{hosts[:1], []string{`\\nobody\Memory\Available MBytes`}, false},
		{hosts[:1], []string{`\No\Such`}, false},
		{hosts, []string{`\No\Such`}, true},
	} {
		if err := CheckPaths(t.Context(), c.hosts, c.texts); (err == nil) != c.ok {
			t.Errorf("%q of %d hosts: %v", c.texts, len(c.hosts), err)
		}
	}
	old := &remembered{Source: demo[0].Source}
	if err := CheckPaths(t.Context(), []Host{{Name: "a", Source: old}}, []string{`\Memory\Available MBytes`}); err != nil || old.forgotten != 1 {
		t.Errorf("%v, forgotten %d times", err, old.forgotten)
	}
	err := CheckPaths(t.Context(), hosts, []string{`\\nobody\A\B`})
	if _, is := errors.AsType[*failure.UsageError](err); !is {
		t.Errorf("%v", err)
	}
}
