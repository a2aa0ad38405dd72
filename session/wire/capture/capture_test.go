package capture_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"perfdeck/session/wire/capture"
	"perfdeck/session/wire/rpc"
)

// host answers some calls.
type host struct{ capture.Conn }

func (host) QueryCounterData(_ context.Context, _ rpc.Handle, _ uint32, dst []byte) (rpc.Array, error) {
	return rpc.Array{Code: 0, Data: append(dst, 0xAB, 0xCD)}, nil
}

func (host) ValidateCounters(_ context.Context, _ rpc.Handle, identifiers []byte, _ bool) (rpc.Code, error) {
	identifiers[0] = 9
	return 5, nil
}

func (host) QueryValue(context.Context, rpc.Handle, string, uint32, []byte) (rpc.Value, error) {
	return rpc.Value{Code: 234, Needed: 4096}, errors.New("torn\x1b[2J")
}

// Each call is a line with its answer; a request is as it was sent, though it is answered in its
// place; sizes alone hold no bytes.
func TestLines(t *testing.T) {
	for _, sizesOnly := range []bool{false, true} {
		var text strings.Builder
		c := capture.Of(host{}, &text, sizesOnly)
		if a, err := c.QueryCounterData(t.Context(), rpc.Handle{}, 64, nil); err != nil || len(a.Data) != 2 {
			t.Errorf("%v, %v", a, err)
		}
		if code, err := c.ValidateCounters(t.Context(), rpc.Handle{}, []byte{1, 2}, true); code != 5 || err != nil {
			t.Errorf("%v, %v", code, err)
		}
		if _, err := c.QueryValue(t.Context(), rpc.Handle{}, "Global", 16, nil); err == nil {
			t.Error("no error")
		}
		if strings.ContainsRune(text.String(), 0x1b) {
			t.Errorf("an escape sequence in %q", text.String())
		}
		var got []capture.Call
		for line := range strings.Lines(text.String()) {
			var one capture.Call
			if err := json.Unmarshal([]byte(line), &one); err != nil {
				t.Fatal(err)
			}
			one.Millisecond = 0
			got = append(got, one)
		}
		want := []capture.Call{
			{Call: "QueryCounterData", InSize: 64, Size: 2, Reply: "abcd"},
			{Call: "ValidateCounters", Request: "0102", Code: 5, Size: 2, Reply: "0902"},
			{Call: "BaseRegQueryValue", Value: "Global", InSize: 16, Code: 234, Needed: 4096, Error: "torn\x1b[2J"},
		}
		for i, w := range want {
			if sizesOnly {
				w.Request, w.Reply = "", ""
			}
			if i >= len(got) || got[i] != w {
				t.Errorf("sizes only %v: %+v, want %+v", sizesOnly, got, w)
			}
		}
	}
}
