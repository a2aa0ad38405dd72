package eventlog

import (
	"context"
	"errors"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/smbtest"
)

// A stock Samba has event logs, too: what another implementation answers is read.
func TestSamba(t *testing.T) {
	server := smbtest.Start(t, smbtest.Options{Global: []string{smbtest.EventLogs}})
	now := time.Now()
	var events []smbtest.Event
	for i := range 40 {
		events = append(events, smbtest.Event{Time: now.Add(time.Duration(i-40) * time.Minute), ID: 153, Type: "WARNING", Source: "disk", Inserts: []string{"disk0", "block"}})
	}
	server.WriteEvents("System", true, events...)
	server.WriteEvents("Application", true, smbtest.Event{Time: now, ID: 1000, Type: "ERROR", Source: "Application Error", Inserts: []string{"a.exe", "1", "2", "b.dll"}})
	o := Options{Host: "srv1", Right: RemoteRight, Dial: func(ctx context.Context) (Conn, error) {
		return rpc.Dial(ctx, rpc.Options{
			Address: rpc.Address{Host: server.Host, Port: server.Port, Connect: rpc.SMB},
			Account: rpc.Account{User: smbtest.User, Domain: smbtest.Workgroup, Password: smbtest.FixedPassword(smbtest.Password)},
			Calls:   rpc.Calls{Interfaces: []rpc.Interface{rpc.MSEVEN}, CallTimeout: 10 * time.Second},
		})
	}}
	from := session.EventsFrom{Time: now.Add(-10*time.Minute - 30*time.Second)}
	r, err := New(t.Context(), o, from)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "first look", all(t, r), "System disk-retried x10", "Application crash")
	server.WriteEvents("System", true, smbtest.Event{Time: now, ID: 7, Type: "ERROR", Source: "disk", Inserts: []string{"disk0"}})
	expect(t, "one more", all(t, r), "System bad-block")
	cursor := r.Cursor()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	server.WriteEvents("System", true, smbtest.Event{Time: now, ID: 11, Type: "ERROR", Source: "disk", Inserts: []string{"disk0"}})
	r, err = New(t.Context(), o, session.EventsFrom{Cursor: cursor})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "from the cursor", all(t, r), "System disk-error")
	_ = r.Close()

	server.WriteEvents("System", false)
	server.WriteEvents("Application", false)
	if _, err = New(t.Context(), o, from); !errors.Is(err, session.ErrDenied) || failure.Hint(err) != RemoteRight {
		t.Errorf("without the right: %v: %q", err, failure.Hint(err))
	}
}
