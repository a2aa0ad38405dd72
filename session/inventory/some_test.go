package inventory

import (
	"errors"
	"testing"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/logon"
	"perfdeck/session/source/fake"
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
