package inventory

import (
	"errors"
	"slices"
	"testing"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/logon"
)

// One host that cannot be logged on to keeps no other from being opened, and says why;
// alone it is an error, and so it is for who wants all of them.
func TestOneHostBlocksNoOther(t *testing.T) {
	for _, c := range []struct {
		names  []string
		some   bool
		opened int
	}{
		{[]string{Local, "tcp://127.0.0.1:1"}, true, 2},
		{[]string{Local, "tcp://127.0.0.1:1"}, false, 0},
		{[]string{"tcp://127.0.0.1:1"}, true, 0},
	} {
		v := New(Options{
			Config: &config.Config{}, Accounts: logon.New(logon.Options{Getenv: func(string) string { return "" }}),
			Clock: func() session.Clock { return session.NewSystemClock() }, Go: func(do func()) { go do() },
			Getenv: func(string) string { return "" }, Named: func() int { return len(c.names) }, Context: t.Context,
			Own: func() (session.Source, error) { return fake.Demo(session.NewSystemClock())[0].Source, nil },
		})
		hosts, err := v.Open(c.names, Mode{Some: c.some})
		if len(hosts) != c.opened || (err == nil) != (c.opened > 0) {
			t.Errorf("%v, some %v: %d hosts, %v", c.names, c.some, len(hosts), err)
			continue
		}
		if err != nil {
			if !errors.Is(err, logon.ErrNoAccount) {
				t.Errorf("%v: %v", c.names, err)
			}
			continue
		}
		if _, err := hosts[1].Source.Catalogue(t.Context()); !errors.Is(err, logon.ErrNoAccount) {
			t.Errorf("it says %v", err)
		}
		if _, err := hosts[0].Source.Catalogue(t.Context()); err != nil {
			t.Error(err)
		}
		CloseAll(hosts)
	}
}

// half is the part of all hosts whose names are these.
type half []string

func (h half) IsWhole() bool        { return false }
func (h half) Has(host string) bool { return slices.Contains(h, host) }

// A part has what it should of the hosts that are named, or that are opened without a name.
func TestInPart(t *testing.T) {
	for _, c := range []struct {
		demo  bool
		names []string
		part  half
		want  []string
	}{
		{false, []string{"tcp://web01:1", "tcp://web02:1", Local}, half{LocalName(), nameOfAddress("web02:1")}, []string{"tcp://web02:1", Local}},
		{false, nil, half{"web01"}, nil},
		{true, nil, half{"sql01", "dc01", "none"}, []string{"dc01", "sql01"}},
		{true, []string{"SQL01", "web02"}, half{"sql01", "dc01"}, []string{"sql01"}},
	} {
		v := New(Options{Config: &config.Config{}, Accounts: logon.New(logon.Options{}), Context: t.Context, Demo: c.demo, Clock: func() session.Clock { return session.NewSystemClock() }})
		got, err := v.InPart(c.names, c.part)
		slices.Sort(got)
		slices.Sort(c.want)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
	v := New(Options{Config: &config.Config{}, Demo: true, Clock: func() session.Clock { return session.NewSystemClock() }})
	if _, err := v.InPart([]string{"nobody"}, half{}); err == nil {
		t.Error("a host that was not invented is taken")
	}
	if hosts, err := v.ToWatch(t.Context(), &config.Config{}, nil, nil, half{"sql01"}); err != nil || len(hosts) != 1 || hosts[0].Name != "sql01" {
		t.Errorf("%v, %v", hosts, err)
	}
}

// Hosts are either all of the past or of now.
func TestPastHosts(t *testing.T) {
	v := New(Options{Config: &config.Config{}})
	past, now := "prom+http://127.0.0.1:1#a@-2h", "prom+http://127.0.0.1:1#a"
	for _, c := range []struct{ names, want []string }{{nil, nil}, {[]string{now, "web01"}, nil}, {[]string{past, past}, []string{past, past}}} {
		if got, err := v.PastHosts(c.names); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %v", c.names, got, err)
		}
	}
	if got, err := v.PastHosts([]string{past, now}); err == nil {
		t.Errorf("both: %q", got)
	}
}
