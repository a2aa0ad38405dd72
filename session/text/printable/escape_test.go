package printable_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"perfdeck/session/text/printable"
)

// named is something with names, as files of ours have them.
type named struct {
	Name  string
	Names []string
	Sets  map[string]string
}

// checkEscapes writes names as JSON and TOML, and reads them again.
func checkEscapes(t *testing.T, one, two string) {
	t.Helper()
	in := named{one, []string{two, one + two, ""}, map[string]string{one + "k": two}}
	read := func(kind string, text []byte, err error, parse func([]byte, any) error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(string(text), "\n") {
			if printable.Text(line) != line {
				t.Errorf("%s has %q", kind, line)
			}
		}
		var out named
		if err := parse(text, &out); err != nil || !reflect.DeepEqual(in, out) {
			t.Errorf("%s of\n%q is\n%q: %v\n%s", kind, in, out, err, text)
		}
	}
	text, err := json.Marshal(in)
	read("JSON", printable.EscapeJSON(text), err, json.Unmarshal)
	text, err = toml.Marshal(in)
	read("TOML", printable.EscapeTOML(text), err, toml.Unmarshal)
}

func TestEscapes(t *testing.T) {
	for _, name := range []string{
		"plain", `\Process(a b)\% Time`, "z\x1b[201~\nid\n;\u009b31m\u202e\x1b]0;x\x07", "\u202e'\\", "\u202e\"\\u0041", "\\\u009b", "# \u2066", "\u2028\u2029\u00ad",
		"\U000E0041", "\U000F0000", "a\x7f", "it's \"so\" \\ \u200b", "日本\u200f", "\ufffd", "\t",
	} {
		checkEscapes(t, name, "other\u202e")
		checkEscapes(t, "other", name)
	}
	if got := string(printable.EscapeTOML([]byte("# it's \u202e\na = 'b'\n"))); got != "# it's ?\na = 'b'\n" {
		t.Errorf("%q", got)
	}
}

func FuzzEscapes(f *testing.F) {
	f.Add("a\u202e'b\"", "\\\u009b")
	f.Add("\U000E0041\\\"", "'''")
	f.Fuzz(func(t *testing.T, one, two string) {
		if utf8.ValidString(one) && utf8.ValidString(two) {
			checkEscapes(t, one, two)
		}
	})
}
