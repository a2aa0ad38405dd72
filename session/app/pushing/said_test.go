package pushing

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/give/push"
)

func noMore() ([]inventory.Query, error) { return nil, nil }

// given are flags of a command line.
func given(names ...string) func(string) bool {
	return func(flag string) bool { return slices.Contains(names, flag) }
}

// What a command line says goes before what the config says of the push that it names.
func TestOver(t *testing.T) {
	account := config.EngineAccount{User: "u", Tenant: "t", CAFile: "ca", Password: config.PasswordRef{File: "config"}}
	named := config.Push{
		Name: "a", URL: "http://127.0.0.1:1", Paths: []string{`\A\B`}, Hosts: []string{"web01"}, Interval: time.Minute, Raw: true, Replica: "r",
		Labels: map[string]string{"site": "fra", "row": "1"}, EngineAccount: account, QueueSize: 1 << 21, QueueAge: time.Hour, Rate: 7,
	}
	m := of(t, named)
	same := func(name string, s Said, edit func(*config.Push)) {
		t.Helper()
		want := named
		want.Labels = maps.Clone(named.Labels)
		edit(&want)
		s.To, s.More = "A", noMore
		if s.Given == nil {
			s.Given = given()
		}
		out, err := m.over(&s)
		if err != nil || !maps.Equal(out.Labels, want.Labels) || !slices.Equal(out.Paths, want.Paths) || !slices.Equal(out.Sets, want.Sets) || !slices.Equal(out.Hosts, want.Hosts) ||
			out.EngineAccount.User != want.User || out.Token.File != want.Token.File || out.Password.File != want.Password.File || out.Tenant != want.Tenant || out.CAFile != want.CAFile ||
			out.Interval != want.Interval || out.Raw != want.Raw || out.Replica != want.Replica || out.QueueSize != want.QueueSize || out.QueueAge != want.QueueAge || out.Rate != want.Rate || out.URL != want.URL {
			t.Errorf("%s: %+v, %v, want %+v", name, out, err, want)
		}
	}
	same("nothing", Said{Push: config.Push{Interval: time.Second}}, func(*config.Push) {})
	same("interval", Said{Push: config.Push{Interval: time.Second}, Given: given("interval")}, func(p *config.Push) { p.Interval = time.Second })
	same("none", Said{Given: given("replica", "tenant", "rate", "to-user")}, func(p *config.Push) { p.Replica, p.Tenant, p.Rate, p.User = "", "", 0, "" })
	same("limits", Said{Push: config.Push{QueueSize: 1 << 22, QueueAge: time.Minute}, Given: given("queue-size", "queue-age")}, func(p *config.Push) { p.QueueSize, p.QueueAge = 1<<22, time.Minute })
	same("counters", Said{Push: config.Push{Sets: []string{"Memory"}}, Counters: true}, func(p *config.Push) { p.Paths, p.Sets = nil, []string{"Memory"} })
	same("labels", Said{Texts: []string{"site=muc", "b=x=y"}}, func(p *config.Push) { p.Labels["site"], p.Labels["b"] = "muc", "x=y" })
	same("token", Said{TokenFile: "f"}, func(p *config.Push) {
		p.User, p.Password, p.Token = "", config.PasswordRef{}, config.PasswordRef{File: "f"}
	})
	same("password", Said{PasswordFile: "f"}, func(p *config.Push) { p.Password = config.PasswordRef{File: "f"} })
}

// What is said wrongly is said to be so.
func TestSettle(t *testing.T) {
	m := of(t)
	for name, s := range map[string]Said{
		"nothing":     {},
		"unknown":     {To: "nowhere"},
		"two secrets": {To: "http://127.0.0.1:1", TokenFile: "f", Push: config.Push{EngineAccount: config.EngineAccount{User: "u"}}},
		"two files":   {To: "http://127.0.0.1:1", TokenFile: "f", PasswordFile: "f"},
		"nobody":      {To: "http://127.0.0.1:1", PasswordFile: "f"},
		"no label":    {To: "http://127.0.0.1:1", Texts: []string{"a"}},
		"twice":       {To: "http://127.0.0.1:1", Texts: []string{"a=1", "a=2"}},
		"bad label":   {To: "http://127.0.0.1:1", Texts: []string{"a-b=1"}},
		"path":        {To: "http://127.0.0.1:1", Push: config.Push{Paths: []string{"Memory"}}, Counters: true},
	} {
		s.Given, s.More = given(), noMore
		if _, err := m.Settle(s); !isUsage(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	wrong := errors.New("a file cannot be read")
	s := Said{To: "http://127.0.0.1:1", Given: given(), More: func() ([]inventory.Query, error) { return nil, wrong }}
	if _, err := m.Settle(s); !errors.Is(err, wrong) {
		t.Errorf("%v", err)
	}
	s = Said{
		To: "http://127.0.0.1:1", Push: config.Push{Interval: time.Second, Sets: []string{"Memory"}}, Counters: true, Given: given(), Shard: push.Shard{Number: 1, Of: 2},
		More: func() ([]inventory.Query, error) { return []inventory.Query{inventory.NewQuery(`\A\B`, "f:1")}, nil },
	}
	j, err := m.Settle(s)
	if err != nil || len(j.Queries) != 2 || j.Every != time.Second || !strings.Contains(j.Queue, "push") {
		t.Errorf("%+v, %v", j, err)
	}
}
