package perflib

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// vector is one row of testdata/INDEX.tsv with the bytes of its file.
type vector struct {
	name, structure, rule, want string
	bytes                       []byte
}

func loadVectors(t testing.TB) []vector {
	t.Helper()
	index, err := os.ReadFile(filepath.Join("testdata", "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var list []vector
	for line := range strings.Lines(string(index)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) < 6 || f[0] == "file" {
			continue
		}
		list = append(list, vector{strings.TrimSuffix(f[0], ".hex"), f[1], f[4], f[5], loadHex(t, f[0])})
	}
	return list
}

// loadHex reads lines of hexadecimal bytes, each with a comment after #.
func loadHex(t testing.TB, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for line := range strings.Lines(string(text)) {
		digits, _, _ := strings.Cut(line, "#")
		b, err := hex.DecodeString(strings.Join(strings.Fields(digits), ""))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, b...)
	}
	return all
}

// decodeVector decodes a buffer by the structure column of the index.
func decodeVector(t testing.TB, structure string, buf []byte) (any, error) {
	t.Helper()
	kind, code, _ := strings.Cut(structure, ":")
	kind = strings.TrimSuffix(strings.TrimSuffix(kind, "_total"), "_truncate")
	switch kind {
	case "data":
		return decodeData(buf)
	case "instances":
		list, err := DecodeInstances(buf)
		return instancesJSON(list), err
	case "identifiers":
		list, err := DecodeIdentifierRequest(buf)
		return identifiersJSON(list, len(buf)), err
	case "identifiers_reply":
		list, err := DecodeIdentifiers(buf)
		return identifiersJSON(list, len(buf)), err
	case "reginfo":
		return decodeRegInfo(t, code, buf)
	}
	t.Fatalf("structure %q is not known", structure)
	return nil, nil
}

func TestVectors(t *testing.T) {
	for _, v := range loadVectors(t) {
		t.Run(v.name, func(t *testing.T) {
			switch {
			case strings.Contains(v.structure, "truncate"):
				checkCuts(t, v)
			case v.rule == "reject":
				checkRejected(t, v)
			default:
				checkAccepted(t, v)
			}
		})
	}
}

func checkAccepted(t *testing.T, v vector) {
	got, err := decodeVector(t, v.structure, v.bytes)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, got, v.want)
	if v.rule != "send" || v.name == unordered {
		return
	}
	if again := encodeVector(t, v); !bytes.Equal(again, v.bytes) {
		t.Errorf("encoded\n% x\nwant\n% x", again, v.bytes)
	}
}

// unordered is the one vector that may be sent and is not what our encoder
// sends: its strings stand in another order than its counters.
const unordered = "rg15_names_unordered"

func checkRejected(t *testing.T, v vector) {
	var want struct{ Error string }
	if err := json.Unmarshal([]byte(v.want), &want); err != nil {
		t.Fatal(err)
	}
	_, err := decodeVector(t, v.structure, v.bytes)
	damage := wantDamage(t, err, want.Error)
	offset, listed := damageOffsets[v.name]
	if !listed {
		t.Fatalf("%s has no offset in damageOffsets; found %v", v.name, err)
	}
	if damage.Offset != offset {
		t.Errorf("damage at byte %d, want %d: %v", damage.Offset, offset, err)
	}
}

func checkCuts(t *testing.T, v vector) {
	var want struct {
		Length int
		Cuts   []int
		Error  []string
	}
	if err := json.Unmarshal([]byte(v.want), &want); err != nil {
		t.Fatal(err)
	}
	if _, err := decodeVector(t, v.structure, v.bytes); err != nil || len(v.bytes) != want.Length {
		t.Fatalf("the whole: %d bytes, %v", len(v.bytes), err)
	}
	for _, cut := range want.Cuts {
		b := append([]byte(nil), v.bytes[:cut]...)
		if strings.HasSuffix(v.structure, "_total") {
			putU32(b, 0, uint32(cut))
		}
		_, err := decodeVector(t, v.structure, b)
		if damage := wantDamage(t, err, want.Error...); damage.Offset > cut {
			t.Errorf("cut at %d: damage beyond the end: %v", cut, err)
		}
	}
}

// wantDamage checks that err is damage of one of the problems, named as the
// index names them.
func wantDamage(t *testing.T, err error, problems ...string) *DamageError {
	t.Helper()
	var damage *DamageError
	if !errors.As(err, &damage) {
		t.Fatalf("got error %v, want %v", err, problems)
	}
	for _, p := range problems {
		if strings.ReplaceAll(damage.Problem.Error(), " ", "_") == p {
			return damage
		}
	}
	t.Fatalf("got %v, want %v", err, problems)
	return nil
}

func sameJSON(t *testing.T, got any, want string) {
	t.Helper()
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if g, w := parseJSON(t, string(b)), parseJSON(t, want); !reflect.DeepEqual(g, w) {
		t.Errorf("decoded\n%s\nwant\n%s", b, want)
	}
}

func parseJSON(t *testing.T, s string) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber() // 64-bit values do not fit a float
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}
