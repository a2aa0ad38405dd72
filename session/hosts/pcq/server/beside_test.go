package server

import (
	"bytes"
	"context"
	"net"
	"reflect"
	"testing"

	"perfdeck/session"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/sidechannel"
)

// overStream serves a source over a stream, which ends with the test.
func overStream(t *testing.T, source session.Source) *rpc.Client {
	t.Helper()
	near, far := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- ServeStream(context.Background(), far, StreamOptions{Source: source, Program: "9.9"}) }()
	o := rpc.Options{Address: rpc.Address{Host: "web01"}, Calls: rpc.Calls{Interfaces: []rpc.Interface{rpc.MSPCQ, rpc.OwnSideChannel}}}
	_, err := near.Write(rpc.Opening(o))
	if err != nil {
		t.Fatal(err)
	}
	c, err := rpc.Over(t.Context(), near, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return c
}

// Over a stream all countersets are there, Process too, and facts of instances.
func TestFactsOverStream(t *testing.T) {
	source := newTable()
	source.cat.Sets[0].Name, source.cat.Sets[0].Facts = "Process", []string{"User", "State"}
	source.rows["Process"] = []session.Instance{
		{Key: session.InstanceKey{Name: "sh", ID: 7}, Number: 70, Owner: 1},
		{Key: session.InstanceKey{Name: "kswapd", ID: 1 << 40}, Number: 71, Flags: session.FlagBackground},
		{Key: session.InstanceKey{Name: "Idle"}, Flags: session.FlagIdle},
	}
	c := overStream(t, source)
	a, err := c.EnumerateCounterSet(t.Context(), rpc.MaxEnumerate)
	if err != nil || len(a.Data) != 2*16 {
		t.Fatalf("%+v, %v", a, err)
	}
	a, err = c.Describe(t.Context(), rpc.MaxDescription)
	if err != nil {
		t.Fatal(err)
	}
	d, err := sidechannel.ParseDescription(a.Data)
	if err != nil || d.Program != "9.9" || len(d.Facts) != 1 {
		t.Fatalf("%+v, %v", d, err)
	}
	for guid := range d.Facts {
		checkRows(t, c, guid)
	}
	if n := source.open.Load(); n != 1 {
		t.Errorf("%d queries are open", n)
	}
}

func checkRows(t *testing.T, c *rpc.Client, guid string) {
	t.Helper()
	q := &sidechannel.Question{Set: guid, Keys: []string{"State", "User"}, Rows: []sidechannel.RowID{
		{ID: wireID(1 << 40), Name: "kswapd"}, {ID: 8, Name: "sh"}, {ID: 7, Name: "sh"}, {Name: "Idle"},
	}}
	for range 2 { // of a first time the instances are not known yet
		a, err := c.AskRows(t.Context(), sidechannel.Encode(q), rpc.MaxRows)
		if err != nil || a.Code != rpc.CodeOK {
			t.Fatalf("%+v, %v", a, err)
		}
		got, err := sidechannel.ParseAnswer(q, a.Data)
		if err != nil {
			t.Fatal(err)
		}
		want := []*sidechannel.Row{
			{Number: 71, Hidden: true, Facts: []string{"State of kswapd", "User of kswapd"}}, nil,
			{Number: 70, Owner: 1, Facts: []string{"State of sh", "User of sh"}}, {Idle: true, Facts: []string{"State of Idle", "User of Idle"}},
		}
		if !reflect.DeepEqual(got.Rows, want) {
			t.Errorf("%s", sidechannel.Encode(got))
		}
	}
	for _, bad := range []string{``, `{"set":"{nobody}"}`, `{"set":"{cccccccc-0000-4000-8000-00000000ffff}"}`} {
		if a, err := c.AskRows(t.Context(), []byte(bad), rpc.MaxRows); err != nil || a.Code == rpc.CodeOK {
			t.Errorf("%s: %+v, %v", bad, a, err)
		}
	}
	if a, err := c.AskRows(t.Context(), sidechannel.Encode(q), 10); err != nil || a.Code != rpc.CodeNotEnoughMemory || len(a.Data) != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}

// What is told by how it changed is what MS-PCQ itself tells, of each handle, while rows
// come and go.
func TestChangesOverStream(t *testing.T) {
	source := newTable()
	c := overStream(t, source)
	if d, err := sidechannel.ParseDescription(c.About().Data); err != nil || !d.Changes {
		t.Fatalf("%+v, %v", d, err)
	}
	handles := []rpc.Handle{openHandle(t, c), openHandle(t, c)}
	add(t, c, handles[0], true, ident(diskGUID, 5, "*"), ident(diskGUID, 6, "*"))
	add(t, c, handles[1], true, ident(mustGUID(source.cat.Sets[1].GUID), 1, ""))
	replies := sidechannel.Replies{}
	for round := range 4 {
		for _, h := range handles {
			got, size := changed(t, c, replies, h)
			plain, err := c.QueryCounterData(t.Context(), h, enough, nil)
			if err != nil || len(plain.Data) < 49 || !bytes.Equal(got[48:], plain.Data[48:]) { // but for the header, which has the time
				t.Fatalf("%d bytes, %+v, %v", len(got), plain, err)
			}
			if round == 1 && size > len(got)/2 {
				t.Errorf("%d bytes for the same %d", size, len(got))
			}
		}
		if round == 1 {
			source.rows["Disk"] = source.rows["Disk"][1:]
		}
	}
	closed, _, err := c.CloseQueryHandle(t.Context(), handles[0])
	if err != nil || !closed.IsNull() {
		t.Fatal(closed, err)
	}
	q := sidechannel.Collection{Handle: handles[1], Size: 8}
	for _, bad := range []struct {
		question []byte
		inSize   uint32
		code     rpc.Code
	}{
		{nil, enough, rpc.CodeInvalidParameter},
		{q.Append(nil), 8, rpc.CodeInvalidParameter},
		{q.Append(nil), enough, rpc.CodeNotEnoughMemory},
	} {
		if a, err := c.CollectChange(t.Context(), bad.question, bad.inSize, nil); err != nil || a.Code != bad.code {
			t.Errorf("%+v: %+v, %v", bad, a, err)
		}
	}
	if got, _ := changed(t, c, replies, handles[1]); len(got) < 49 {
		t.Errorf("%d bytes", len(got))
	}
}

// changed collects a handle by how it changed, and tells how many bytes that took.
func changed(t *testing.T, c *rpc.Client, replies sidechannel.Replies, h rpc.Handle) (reply []byte, size int) {
	t.Helper()
	q := sidechannel.Collection{Handle: h, Size: enough}
	a, err := c.CollectChange(t.Context(), q.Append(nil), enough+sidechannel.MaxGrowth, nil)
	if err != nil || a.Code != rpc.CodeOK {
		t.Fatalf("%v, %v", a.Code, err)
	}
	reply, err = sidechannel.Changed(nil, replies[h], a.Data, enough)
	if err != nil {
		t.Fatal(err)
	}
	replies.Keep(h, reply)
	return reply, len(a.Data)
}
