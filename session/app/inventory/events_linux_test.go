package inventory_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/system/sharedtest"
	"perfdeck/session/wire/smbtest"
)

// A host that is opened as a Windows host tells of its events while somebody wants them, beside its
// counters; also where it has no counters.
func TestEventsOfWindowsHost(t *testing.T) {
	for what, performance := range map[string]*smbtest.Performance{"without counters": nil, "with counters": {
		PerfTime: 1, PerfFreqHz: 10_000_000, Time: time.Now(),
		Objects: []smbtest.Object{{Name: "Memory", Help: "memory", Counters: []smbtest.Counter{{Name: "Available Bytes", Help: "free", Type: 0x00010100, Values: []uint64{77}}}}},
	}} {
		t.Run(what, func(t *testing.T) {
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			server := smbtest.Start(t, smbtest.Options{Global: []string{smbtest.EventLogs}, Performance: performance})
			server.WriteEvents("System", true, smbtest.Event{Time: time.Now().Add(-time.Minute), ID: 7, Type: "ERROR", Source: "disk", Inserts: []string{"disk0"}})
			server.WriteEvents("Application", true)
			known := inventory.New(inventory.Options{
				Config:   &config.Config{},
				Accounts: logon.New(logon.Options{User: smbtest.Workgroup + `\` + smbtest.User, Password: []byte(smbtest.Password), Getenv: func(string) string { return "" }}),
				Clock:    func() session.Clock { return session.NewSystemClock() }, Go: func(do func()) { go do() },
				Getenv: func(string) string { return "" }, Environ: os.Environ(), Named: func() int { return 1 }, Context: t.Context,
			})
			t.Cleanup(known.Close)
			of, err := known.Target(server.Address())
			if err != nil {
				t.Fatal(err)
			}
			source, err := known.Source(of, inventory.Mode{Quiet: true})
			if err != nil {
				t.Fatal(err)
			}
			sampler := session.NewSampler(of.Name, source, session.NewSystemClock())
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { sampler.Run(ctx) })
			defer running.Wait()
			defer cancel()
			defer sampler.Events().Want(time.Hour, nil)()
			var state session.EventState
			sharedtest.Until(t, "events", func() bool {
				state = sampler.Events().State()
				return len(state.Events) > 0
			})
			if e := state.Events[0]; !strings.Contains(e.Line(), "disk0 has bad blocks") || e.Host != of.Name || e.Log != "System" {
				t.Errorf("%+v", e)
			}
		})
	}
}
