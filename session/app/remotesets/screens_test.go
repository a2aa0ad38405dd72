package remotesets_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session/app/remotesets"
	"perfdeck/session/config"
	"perfdeck/session/files/listing"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/edit"
	"perfdeck/session/text/field"
)

// shown are the sets of hosts as screens have them, in a bubble.
type shown struct {
	*remotesets.Screens
	*testing.T

	mu    sync.Mutex
	hosts map[string]*kept
	opens map[string]int
}

func (s *shown) open(name string) (pla.Sets, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opens[name]++
	k := s.hosts[name]
	if k == nil {
		return nil, errors.New("no route to host")
	}
	k.open++
	return k, nil
}

// list are the names and states of what is shown now.
func (s *shown) list() string {
	s.Screens.List()
	synctest.Wait()
	var out []string
	for _, r := range s.Screens.List() {
		out = append(out, r.Name+" "+r.State.String())
	}
	return strings.Join(out, ", ")
}

func (s *shown) want(list string) {
	s.Helper()
	if got := s.list(); got != list {
		s.Errorf("shown %s\nwant  %s", got, list)
	}
	for name, k := range s.hosts {
		if k.open != 0 {
			s.Errorf("%d connections to %s are held", k.open, name)
		}
	}
}

func (s *shown) find(name string) *listing.Record {
	list := s.Screens.List()
	i := slices.IndexFunc(list, func(r listing.Record) bool { return r.Name == name })
	if i < 0 {
		s.Fatalf("%s is not shown", name)
	}
	return &list[i]
}

func onScreens(t *testing.T, do func(s *shown)) {
	synctest.Test(t, func(t *testing.T) {
		s := &shown{T: t, opens: map[string]int{}, hosts: map[string]*kept{"web1": {sets: map[string]*pla.Set{}}, "web2": {sets: map[string]*pla.Set{}}}}
		for _, set := range []pla.Set{{Name: pla.Name{Set: "Detail"}, Status: pla.Running}, {Name: pla.Name{Category: pla.System, Set: "Perf"}}} {
			e, err := edit.MakeOfHost(collectorset.Counters, set.Name.Set, field.Changes{"counter": field.Values{`\Memory\*`}})
			if err != nil {
				t.Fatal(err)
			}
			set.XML = e.Set.Brief()
			s.hosts["web1"].sets[key(set.Name)] = &set
		}
		client := &remotesets.Client{
			Open: s.open, State: func() (string, error) { return t.TempDir(), nil }, Now: time.Now, Go: func(f func()) { go f() },
			Confirm: func(string) (bool, error) { return false, nil },
		}
		s.Screens = remotesets.NewScreens(t.Context(), client, func() {})
		do(s)
		synctest.Wait()
	})
}

// Hosts are asked because the config or the user wants it, while somebody looks, now and then;
// one that does not answer is a line, and the others are there.
func TestScreensList(t *testing.T) {
	onScreens(t, func(s *shown) {
		s.SetHosts([]config.Host{{Name: "web1", Sets: []string{"Detail"}}, {Name: "web2"}})
		if list := s.List(); len(list) != 1 || list[0].State != listing.Unasked {
			t.Errorf("before the first look %+v", list)
		}
		const web1 = `web1\Detail running, web1\System\Perf stopped`
		s.want(web1)
		s.want(web1)
		if running := s.Running("WEB1"); len(running) != 1 || running[0] != `Service\Detail` || s.Running("web2") != nil {
			t.Errorf("running %v", running)
		}
		if s.opens["web1"] != 1 || s.opens["web2"] != 0 {
			t.Errorf("asked %v", s.opens)
		}
		if !s.Ask("far", "tcp://far:135") {
			t.Error("it is not shown")
		}
		s.want(web1 + ", far unread")
		if r := s.find("far"); r.Err == nil || !strings.Contains(r.Findings[0].Text, "no route to host") || s.opens["tcp://far:135"] != 1 {
			t.Errorf("%+v", r)
		}
		time.Sleep(time.Hour)
		if s.opens["web1"] != 1 {
			t.Error("it is asked while nobody looks")
		}
		s.want(web1 + ", far unread")
		if s.opens["web1"] != 2 {
			t.Error("it is not asked when somebody looks")
		}
		if s.Ask("far", "") || s.Ask("web1", "") != true {
			t.Error("what the config wants stays, what the user wanted goes")
		}
		s.SetHosts(nil)
		s.want(web1)
		s.Ask("web1", "")
		s.want("")
	})
}

func TestScreensActs(t *testing.T) {
	onScreens(t, func(s *shown) {
		s.Ask("web1", "")
		s.list()
		r := s.find(`web1\Detail`)
		s.Tell(r)
		s.Tell(s.find(`web1\System\Perf`)) // one at a time
		synctest.Wait()
		if r := s.find(`web1\Detail`); !slices.ContainsFunc(r.Facts, func(f listing.Fact) bool { return strings.Contains(f.Text, `\Memory\*`) }) {
			t.Errorf("details %+v", r.Facts)
		}
		web1 := s.hosts["web1"]
		if n := strings.Count(strings.Join(web1.asked, " "), pla.OpRead); n != 1 {
			t.Errorf("%d were read", n)
		}
		form, err := s.Form(r)
		if err != nil {
			t.Fatal(err)
		}
		answers := field.Answers{}
		for _, l := range form.Fields {
			if answers[l.Name] = l.Value; l.Name == "every" {
				answers[l.Name] = "7s"
			}
		}
		if found, err := form.Judge(answers); err != nil || len(found) == 0 {
			t.Errorf("%v, %v", found, err)
		}
		if err := form.Save(answers); err == nil {
			t.Error("a set that runs is changed")
		}
		web1.sets[`service\detail`].Status = pla.Stopped
		if err := form.Save(answers); err != nil || len(web1.commits) != 1 || !strings.Contains(web1.commits[0].XML, "<SampleInterval>7<") {
			t.Errorf("%v: %+v", err, web1.commits)
		}
		if err := s.Start(r); err != nil || s.find(r.Name).State != listing.Running {
			t.Errorf("started: %v, %v", err, s.find(r.Name).State)
		}
		if err := s.Remove(s.find(`web1\System\Perf`)); err == nil {
			t.Error("a set of the system is removed")
		}
		if err := s.Remove(r); err != nil || !strings.Contains(s.Doomed(r).Text, "web1") {
			t.Error(err)
		}
		s.want(`web1\System\Perf stopped`)
		s.Ask("web1", "")
		if err := s.Stop(r); err == nil {
			t.Error("of a host that is not shown any more")
		}
	})
}
