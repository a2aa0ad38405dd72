package inventory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/guard"
	"perfdeck/session/text/printable"
)

func inventoryOf(c *config.Config) *Inventory {
	return New(Options{Config: c, Context: context.Background, Clock: func() session.Clock { return session.NewSystemClock() }, Go: guard.New(func(*guard.PanicError) {}).Go, Getenv: func(string) string { return "" }})
}

func withGroups() *Inventory {
	return inventoryOf(&config.Config{
		Hosts:  []config.Host{{Name: "Web01", Address: "tcp://10.0.0.1:1"}},
		Groups: []config.Group{{Name: "fra", Hosts: []string{"web01", "sql01"}}, {Name: "sql", Hosts: []string{"SQL01", "tcp://b:1", "c:445"}}},
	})
}

func listed(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "hosts.txt")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestHostLists(t *testing.T) {
	file := listed(t, "\ufeff# our servers\r\n\r\nsrv1\r\n  tcp://srv2:14500  # the second\r\nWEB01\r\n[::1]:445\r\nlocal")
	v := withGroups()
	want := []string{"first", "srv1", "tcp://srv2:14500", "WEB01", "[::1]:445", "local", "SQL01", "tcp://b:1", "c:445"}
	if got, err := v.Gather(t.Context(), []string{"first"}, []string{file}, []string{"SQL"}); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("hosts %q, %v, want %q", got, err, want)
	}
	typed, err := v.Typed(t.Context(), "a,b group:fra @"+file)
	if want := append([]string{"a", "b", "web01", "sql01"}, want[1:6]...); err != nil || !reflect.DeepEqual(typed, want) {
		t.Errorf("typed hosts %q, %v", typed, err)
	}
}

// Every line that names no host is told with its number; nothing is taken.
func TestWrongHostLists(t *testing.T) {
	many := strings.Repeat("srv\n", mostListed+1)
	bad := strings.Repeat("a b\n", mostBadLines+3)
	for what, c := range map[string]struct {
		text string
		says []string
	}{
		"two bad lines": {"srv1\nsrv2 srv3\n\nsrv:99999\nsrv4", []string{"line 2", "srv2 srv3", "line 4"}},
		"nothing":       {"# none\n\n", []string{"there is none"}},
		"many":          {many, []string{fmt.Sprint("line ", mostListed+1), "more than"}},
		"many bad":      {bad, []string{"line 10:", "3 more lines"}},
		"long line":     {"a\n" + strings.Repeat("x", longestLine+1), []string{"line 2"}},
		"escape":        {"srv\x1b[2J1", []string{"line 1"}},
	} {
		names, err := withGroups().Gather(t.Context(), nil, []string{listed(t, c.text)}, nil)
		if _, ok := errors.AsType[*failure.UsageError](err); !ok || len(names) > 0 {
			t.Errorf("%s: %v, hosts %q", what, err, names)
			continue
		}
		for _, text := range c.says {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v does not say %q", what, err, text)
			}
		}
		if strings.Contains(printable.Text(err.Error()), "\x1b") {
			t.Errorf("%s: an escape is left", what)
		}
	}
	for _, c := range []struct{ files, groups []string }{{files: []string{filepath.Join(t.TempDir(), "none")}}, {groups: []string{"ber"}}, {groups: []string{"fra"}, files: []string{t.TempDir()}}} {
		if _, err := withGroups().Gather(t.Context(), nil, c.files, c.groups); !errors.As(err, new(*failure.UsageError)) {
			t.Errorf("%+v is taken: %v", c, err)
		}
	}
	for _, text := range []string{"@-", "@", "group:ber", "@none.txt"} {
		if names, err := withGroups().Typed(t.Context(), text); err == nil {
			t.Errorf("%s: hosts %q", text, names)
		}
	}
}

func FuzzHostList(f *testing.F) {
	for _, text := range []string{"srv1\n", "# x\r\n[::1]:1\n", "\ufeffa:b:c", "tcp://\n", "\x00\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := withGroups()
		names, err := v.read(t.Context(), "f", strings.NewReader(text))
		if (err == nil) != (len(names) > 0) || len(names) > len(text) {
			t.Fatalf("%d hosts, %v", len(names), err)
		}
		for _, name := range names {
			if err := v.Check(name); err != nil {
				t.Errorf("%q: %v", name, err)
			}
		}
	})
}

func TestGroupsOfHosts(t *testing.T) {
	v := withGroups()
	for name, want := range map[string][]string{
		"web01": {"fra"}, "sql01": {"fra", "sql"}, "SQL01:445": {"fra", "sql"}, "sql01:446": nil,
		"tcp://b:1": {"sql"}, "c": {"sql"}, "local": nil,
	} {
		target, err := v.Target(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Groups(target); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: groups %q, want %q", name, got, want)
		}
	}
}

// Thousands of hosts are told apart without comparing each with each, and
// without asking for the address of any.
func TestThousandsOfHosts(t *testing.T) {
	lookups := 0
	once := onceEach{func(string) ([]string, error) { lookups++; return []string{"10.0.0.1"}, nil }, map[string][]Target{}}
	v := withGroups()
	add := func(name string) bool {
		t.Helper()
		target, err := v.Target(name)
		if err != nil {
			t.Fatal(err)
		}
		return once.add(target)
	}
	for i := range 5000 {
		if name := fmt.Sprintf("srv%d.corp", i); !add(name) || add(strings.ToUpper(name)) {
			t.Fatal(name)
		}
	}
	if lookups > 0 {
		t.Errorf("%d lookups", lookups)
	}
	if add("srv7") || lookups != 2 {
		t.Errorf("the short name is another host; %d lookups", lookups)
	}
	if !add("web01") || add("WEB01") || !add("10.0.0.1:1") {
		t.Error("a host of the config")
	}
}

func TestTargets(t *testing.T) {
	web := config.Host{Name: "Web01", Address: "tcp://10.0.0.1:1", Watch: true}
	db := config.Host{Name: "db", Address: "tcp://10.0.0.2"}
	v := inventoryOf(&config.Config{Hosts: []config.Host{web, db}})
	for name, want := range map[string]Target{
		"web01":             {Name: "Web01", Address: "tcp://10.0.0.1:1", Own: web},
		"WEB01":             {Name: "Web01", Address: "tcp://10.0.0.1:1", Own: web},
		"db":                {Name: "db", Address: "tcp://10.0.0.2", Own: db},
		"local":             {Name: LocalName(), Address: "local"},
		".":                 {Name: LocalName(), Address: "."},
		"tcp://10.0.0.1":    {Name: "10.0.0.1:14500", Address: "tcp://10.0.0.1"},
		"tcp://10.0.0.1:99": {Name: "10.0.0.1:99", Address: "tcp://10.0.0.1:99"},
		"other":             {Name: "other", Address: "other"},
	} {
		want.Given = name
		if got, err := v.Target(name); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
	}
	if got := v.Watched(); !reflect.DeepEqual(got, []string{"local", "Web01"}) {
		t.Errorf("watched are %q", got)
	}
}

// A host that is named twice is watched once.
func TestHostsOnce(t *testing.T) {
	hosts, err := inventoryOf(new(config.Config)).Open([]string{"local", "local"}, Mode{})
	if err != nil || len(hosts) != 1 {
		t.Errorf("%d hosts, %v", len(hosts), err)
	}
	CloseAll(hosts)
}
