package sidechannel

import (
	"bytes"
	"strings"
	"testing"
)

// Fields that the other side does not know are passed over; what is too much is cut or
// refused.
func TestDescription(t *testing.T) {
	d, err := ParseDescription([]byte(`{"version":2,"program":"9.9","colour":"red","facts":{"{g}":["User"]},"notes":["` + strings.Repeat("x", 2*maxText) + `"]}`))
	if err != nil || d.Program != "9.9" || d.Facts["{g}"][0] != "User" || len(d.Notes[0]) != maxText {
		t.Errorf("%+v, %v", d, err)
	}
	for _, bad := range []string{``, `[]`, `{}`, `{"version":1,"facts":{"g":[` + strings.Repeat(`"k",`, maxKeys) + `"k"]}}`} {
		if _, err := ParseDescription([]byte(bad)); err == nil {
			t.Errorf("%.40q is taken", bad)
		}
	}
}

// An answer has as many rows and facts as were asked for, or is refused.
func TestAnswer(t *testing.T) {
	q := &Question{Keys: []string{"User", "State"}, Rows: []RowID{{1, "a"}, {2, "b"}}}
	a, err := ParseAnswer(q, []byte(`{"rows":[null,{"number":7,"facts":["ana","R"]}]}`))
	if err != nil || a.Rows[0] != nil || a.Rows[1].Number != 7 || a.Rows[1].Facts[1] != "R" {
		t.Errorf("%+v, %v", a, err)
	}
	for _, bad := range []string{`{}`, `{"rows":[null]}`, `{"rows":[null,{"facts":["ana"]}]}`, `{"rows":[null,null,null]}`, `{"rows":[null,{"number":-1}]}`} {
		if _, err := ParseAnswer(q, []byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// FuzzAnswers reads any bytes as each kind of message.
func FuzzAnswers(f *testing.F) {
	q := &Question{Set: "{g}", Keys: []string{"User"}, Rows: []RowID{{1, "a"}}}
	f.Add(Encode(q))
	f.Add(Encode(Answer{Rows: []*Row{{Number: 1, Facts: []string{"ana"}}}}))
	f.Add(Encode(Description{Version: Version, Facts: map[string][]string{"{g}": {"User"}}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if a, err := ParseAnswer(q, b); err == nil && a.Rows[0] != nil && len(a.Rows[0].Facts) > 1 {
			t.Fatalf("%+v", a)
		}
		if d, err := ParseDescription(b); err == nil && len(d.Notes) > maxNotes {
			t.Fatalf("%+v", d)
		}
		if q, err := ParseQuestion(b); err == nil {
			again, err := ParseQuestion(Encode(q))
			if err != nil || !bytes.Equal(Encode(again), Encode(q)) {
				t.Fatalf("%+v became %+v: %v", q, again, err)
			}
		}
	})
}
