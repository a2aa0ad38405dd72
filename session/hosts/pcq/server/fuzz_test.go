package server

import (
	"bytes"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// Identifiers in any form leave a query that lists and collects: as many
// blocks as identifiers, and a buffer in which nothing but statuses changed.
func FuzzValidate(f *testing.F) {
	for _, id := range everyKind {
		f.Add(perflib.AppendIdentifier(nil, &id), true)
	}
	two := append(perflib.AppendIdentifier(nil, &everyKind[2]), perflib.AppendIdentifier(nil, &everyKind[4])...)
	f.Add(two, false)
	f.Add(two[:len(two)-8], true)
	for _, buf := range vectors(f) {
		f.Add(buf, true)
		copy(buf, diskGUID[:])
		f.Add(buf, true)
	}
	f.Fuzz(func(t *testing.T, buf []byte, adding bool) {
		_, c := newSession(t, newTable())
		h := openHandle(t, c)
		add(t, c, h, true, everyKind[0], everyKind[3])
		sent := bytes.Clone(buf)
		code, err := c.ValidateCounters(t.Context(), h, buf, adding)
		if err != nil || code != rpc.CodeOK && code != rpc.CodeInvalidParameter {
			t.Fatalf("%v, %v", code, err)
		}
		checkStatusesOnly(t, sent, buf, code)
		a, err := c.QueryCounterInfo(t.Context(), h, rpc.MaxCounterInfo)
		if err != nil || a.Code != rpc.CodeOK {
			t.Fatalf("%v, %v", a.Code, err)
		}
		listed, err := perflib.DecodeIdentifiers(a.Data)
		if err != nil {
			t.Fatal(err)
		}
		r := collect(t, c, h)
		blocks := 0
		for r.Next() {
			if kind := r.Block().Kind; kind != perflib.KindError && kind != listed[blocks].Kind() {
				t.Errorf("block %d of kind %d answers %+v", blocks, kind, listed[blocks])
			}
			blocks++
		}
		if r.Err() != nil || blocks != len(listed) {
			t.Fatalf("%d blocks for %d identifiers, %v", blocks, len(listed), r.Err())
		}
	})
}

func checkStatusesOnly(t *testing.T, sent, got []byte, code rpc.Code) {
	t.Helper()
	if code == rpc.CodeOK {
		list, _ := perflib.DecodeIdentifiers(sent)
		for _, id := range list {
			copy(sent[id.Offset+16:id.Offset+20], got[id.Offset+16:])
		}
	}
	if !bytes.Equal(sent, got) {
		t.Errorf("%v: changed more than statuses\n% x\n% x", code, sent, got)
	}
}

// vectors are the identifiers of the byte vectors of package perflib, sound and
// damaged: lines of hexadecimal bytes, each with a comment after #.
func vectors(f *testing.F) (bufs [][]byte) {
	f.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", "..", "wire", "perflib", "testdata", "id*.hex"))
	if err != nil || len(names) == 0 {
		f.Fatal("no vectors: ", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		var digits strings.Builder
		for line := range strings.Lines(string(text)) {
			line, _, _ = strings.Cut(line, "#")
			digits.WriteString(strings.Join(strings.Fields(line), ""))
		}
		buf, err := hex.DecodeString(digits.String())
		if err != nil {
			f.Fatal(name, ": ", err)
		}
		bufs = append(bufs, buf)
	}
	return bufs
}

func FuzzParseAccounts(f *testing.F) {
	f.Add([]byte("# names\n\nperf:00112233445566778899aabbccddeeff\n a:b : FF112233445566778899aabbccddeeff \r\n"))
	f.Add([]byte("perf:00112233445566778899aabbccddeeff\nPERF:00112233445566778899aabbccddeeff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := ParseAccounts(text)
		if err != nil {
			return
		}
		again, err := ParseAccounts(a.text())
		if err != nil || !maps.Equal(a, again) {
			t.Errorf("%v is read as %v, %v", a, again, err)
		}
	})
}
