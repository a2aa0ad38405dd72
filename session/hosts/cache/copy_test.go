package cache

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"perfdeck/session"
)

// attempt is how a catalogue was read anew.
type attempt struct {
	cat *session.Catalogue
	err error
}

// renewals are the parts of a copy that a test takes.
type renewals struct {
	*Copy
	reads   int
	read    chan attempt
	renewed []*session.Catalogue
}

// earlier makes a copy of what an earlier run kept, if it did.
func earlier(t *testing.T, dir string) *renewals {
	r := &renewals{read: make(chan attempt)}
	r.Copy = NewCopy(CopyOptions{
		File:   File{Dir: dir, Kind: "hkpd", Host: "web01"},
		Usable: func(set *session.Counterset) bool { return set.Protocol == "MS-RRP" },
		Read: func(ctx context.Context, _ *session.Catalogue) (*session.Catalogue, error) {
			r.reads++
			select {
			case a := <-r.read:
				return a.cat, a.err
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
		Renewed: func(_, fresh *session.Catalogue) { r.renewed = append(r.renewed, fresh) },
		Go:      func(f func()) { go f() },
	})
	return r
}

func of(sets ...*session.Counterset) *session.Catalogue {
	return &session.Catalogue{Host: "web01", Sets: sets}
}

// A kept catalogue is read anew until that succeeded once, one attempt at a time.
func TestRenewal(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := earlier(t, dir)
		r.Renew(t.Context()) // nothing was kept
		r.Save(of(memory()))
		if r.Catalogue() == nil || r.reads != 0 {
			t.Fatalf("%d reads", r.reads)
		}
		r.Renew(t.Context())
		r.Renew(t.Context()) // while one is under way
		synctest.Wait()
		if r.reads != 1 {
			t.Errorf("%d reads at once", r.reads)
		}
		r.read <- attempt{err: errors.New("cut")}
		r.Wait()
		r.Renew(t.Context())
		other := memory()
		other.Label = "Memory"
		r.read <- attempt{cat: of(other)}
		r.Wait()
		r.Renew(t.Context())
		synctest.Wait()
		if r.reads != 2 || len(r.renewed) != 1 || r.renewed[0].Sets[0] != other {
			t.Errorf("%d reads, renewed %v", r.reads, r.renewed)
		}
		if again := earlier(t, dir).Catalogue(); again == nil || again.Sets[0].Label != "Memory" {
			t.Error("the new one is not kept")
		}
	})
}

// What is the same is not told, Stop ends an attempt, and what cannot be used is
// as good as nothing.
func TestRenewalEnds(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		first := earlier(t, dir)
		first.Save(of(memory()))
		first.Catalogue()
		first.Renew(t.Context())
		first.read <- attempt{cat: of(memory())}
		first.Wait()
		second := earlier(t, dir)
		second.Catalogue()
		second.Renew(t.Context())
		second.Stop()
		if len(first.renewed)+len(second.renewed) != 0 {
			t.Error("told of nothing new")
		}
		second.Forget()
		if second.Catalogue() != nil {
			t.Error("not forgotten")
		}
		foreign := memory()
		foreign.Protocol = "MS-PCQ"
		second.Save(of(memory(), foreign))
		if second.Catalogue() != nil {
			t.Error("a set that cannot be read is taken")
		}
	})
}
