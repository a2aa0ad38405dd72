//go:build unix

package ssh

import (
	"bytes"
	"context"
	"net"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/pcq/server"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/sidechannel"
)

// An answer that is too large for the buffer costs nothing but another call: what is
// asked with the buffer that came back is as good as any.
func TestChangesOfGrowingAnswers(t *testing.T) {
	t.Parallel()
	set := fake.Set{Name: "Process", Instances: session.MultipleInstances, Counters: []fake.Counter{{Name: "Thread Count", Type: cooker.CounterRawCount, Is: fake.Const(3)}}}
	for range 50 {
		set.Rows = append(set.Rows, fake.Row{Name: "init"})
	}
	near, far := net.Pipe()
	ended := make(chan error, 1)
	go func() {
		source := fake.New(fake.Script{Name: "far", Sets: []fake.Set{set}}, session.NewSystemClock())
		ended <- server.ServeStream(context.Background(), far, server.StreamOptions{Source: source, Program: "test"})
	}()
	o := rpc.Options{Address: rpc.Address{Host: "far"}, Calls: rpc.Calls{Interfaces: []rpc.Interface{rpc.MSPCQ, rpc.OwnSideChannel}}}
	_, err := near.Write(rpc.Opening(o))
	if err != nil {
		t.Fatal(err)
	}
	client, err := rpc.Over(t.Context(), near, o)
	must(t, err)
	c := &changing{Lease: &rpc.Lease{Client: client}, replies: sidechannel.Replies{}}
	h, code, err := c.OpenQueryHandle(t.Context())
	if err != nil || code != rpc.CodeOK {
		t.Fatal(code, err)
	}
	identifier := perflib.AppendIdentifier(nil, &perflib.Identifier{Counterset: server.CountersetGUID("Process"), CounterID: session.NoID, InstanceID: perflib.AnyInstance, Name: perflib.EncodeText("*")})
	if code, err := c.ValidateCounters(t.Context(), h, identifier, true); err != nil || code != rpc.CodeOK {
		t.Fatal(code, err)
	}
	var buffer []byte
	for _, size := range []uint32{1 << 16, 1 << 16, 100, 1 << 16, 50, 1 << 16} {
		a, err := c.QueryCounterData(t.Context(), h, size, buffer)
		must(t, err)
		if a.Data != nil {
			buffer = a.Data
		}
		if size < 1<<16 {
			if a.Code != rpc.CodeNotEnoughMemory || len(a.Data) > 0 {
				t.Errorf("%+v", a)
			}
			continue
		}
		plain, err := client.QueryCounterData(t.Context(), h, size, nil)
		if err != nil || a.Code != rpc.CodeOK || len(a.Data) < 1000 || !bytes.Equal(a.Data[48:], plain.Data[48:]) { // but for the times
			t.Fatalf("%d bytes, code %v, %v", len(a.Data), a.Code, err)
		}
	}
	must(t, c.Close())
	must(t, <-ended)
}
