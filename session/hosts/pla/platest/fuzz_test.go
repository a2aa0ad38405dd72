package platest

import (
	"bytes"
	"slices"
	"sync"
	"testing"

	"perfdeck/session/hosts/pla"
)

// FuzzAnswers has a host answer a method by any bytes, in every verb that calls it: what the
// client reads of activations, references, texts, VARIANTs, and value maps.
func FuzzAnswers(f *testing.F) {
	var mu sync.Mutex
	honest := map[string][]byte{}
	method, instead := "", []byte(nil)
	o := Options{InMemory: true, Lies: Lies{After: func(m Method, stub []byte) []byte {
		mu.Lock()
		defer mu.Unlock()
		if m.Name == method {
			return bytes.Clone(instead)
		}
		if honest[m.Name] == nil {
			honest[m.Name] = bytes.Clone(stub)
		}
		return stub
	}}, Findings: func(string) []pla.Problem { return []pla.Problem{{Key: "a", Code: 1}} }}
	h := Start(f, o)
	all := func(t testing.TB) {
		t.Helper()
		fill(h, 4)
		c := pla.New(h.Dial, h.Port())
		for _, verb := range verbs {
			_ = verb(t.Context(), c)
		}
		_ = c.Close()
		h.Restart()
	}
	all(f)
	for i, m := range methods {
		if honest[m] == nil {
			f.Errorf("%s is never called", m)
		}
		f.Add(uint8(i), honest[m])
		f.Add(uint8(i), honest[m][:len(honest[m])/2])
	}
	f.Fuzz(func(t *testing.T, at uint8, stub []byte) {
		mu.Lock()
		method, instead = methods[int(at)%len(methods)], slices.Clip(stub)
		mu.Unlock()
		all(t)
	})
}
