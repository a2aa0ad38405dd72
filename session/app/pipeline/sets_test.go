package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/config"
	"perfdeck/session/hosts/pla"
)

// awaySets are those of a host that cannot be reached, or is.
type awaySets struct {
	pla.Sets // nil: what is not asked for here

	away  bool
	tried chan struct{}
}

func (s *awaySets) List(context.Context, ...pla.Category) (*pla.Listing, error) {
	if s.away {
		s.tried <- struct{}{}
		return nil, errors.New("no route to host")
	}
	return &pla.Listing{}, nil
}

func (s *awaySets) Start(context.Context, pla.Name) error {
	s.tried <- struct{}{}
	return nil
}

func (s *awaySets) Close() error { return nil }

// A set that was to be started when the program was killed is by the next run, once.
func TestSetSurvivesKill(t *testing.T) {
	r := newRestarts(t, "http://127.0.0.1:1")
	r.targets.Sets = []config.HostSet{{Host: "web1", Name: "Detail"}}
	s := &awaySets{away: true, tried: make(chan struct{}, 100)}
	r.sets = func(string) (pla.Sets, error) { return s, nil }
	a := r.begin()
	a.acts()
	events := crossing(1, alert.Fired)
	events[0].Actions = []alert.Action{{Do: alert.StartSet, Name: `web1\Detail`}}
	if err := a.keep(events); err != nil {
		t.Fatal(err)
	}
	a.Deliver(alert.Notice{Event: events[0]})
	<-s.tried
	r.die(a)

	s = &awaySets{tried: make(chan struct{}, 100)}
	a = r.begin()
	a.acts()
	<-s.tried
	a.Close(patience)
	if text, err := os.ReadFile(filepath.Join(r.dir, "alerts.sets")); err != nil || len(text) < 10 {
		t.Errorf("whose run it is: %q, %v", text, err)
	}
	a = r.begin()
	if p, err := a.journal.Take(time.Now()); err != nil || len(p.Notices) > 0 {
		t.Errorf("%+v waits, %v", p, err)
	}
	r.die(a)
	if len(s.tried) > 0 {
		t.Error("it is started again")
	}
}
