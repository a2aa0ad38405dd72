package capture

import (
	"bytes"
	"encoding/json"
	"testing"

	"perfdeck/session/wire/dcom"
	"perfdeck/session/wire/rpc"
)

// What is not known to name nothing is withheld: calls beside those of a listing, replies that
// cannot be read, and those with more text in them than is looked for.
func TestWithheld(t *testing.T) {
	set := rpc.NewInterface("IDataCollectorSet", ofSet)
	name := dcom.Text("Payroll")
	reply := dcom.Encode(&dcom.That{}, &name)
	wide := []byte("N\x00i\x00g\x00h\x00t\x00l\x00y\x00")
	for what, c := range map[string]struct {
		op       uint16
		stub     []byte
		withheld bool
	}{
		"a name":               {20, reply, false},
		"text behind it":       {20, append(bytes.Clone(reply), wide...), true},
		"cut off":              {20, reply[:20], true},
		"text in a status":     {33, wide, true},
		"plain text":           {33, []byte("Payroll of the north"), true},
		"XML":                  {52, reply, true},
		"a status":             {33, make([]byte, 16), false},
		"numbers, not letters": {33, []byte{1, 0, 2, 0, 3, 0, 4, 0, 0xff, 0xff}, false},
	} {
		var out bytes.Buffer
		Objects(&out, false).Called(&rpc.Outgoing{Interface: set, Op: c.op, Args: []byte{1}}, c.stub, nil)
		var line ObjectCall
		if err := json.Unmarshal(out.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if (line.Withheld != "") != c.withheld || (line.Reply == "") != c.withheld || line.Size != len(c.stub) {
			t.Errorf("%s: %+v", what, line)
		}
		out.Reset()
		Objects(&out, true).Called(&rpc.Outgoing{Interface: set, Op: c.op, Args: []byte{1}}, c.stub, nil)
		if bytes.Contains(out.Bytes(), []byte("reply")) || bytes.Contains(out.Bytes(), []byte("request")) {
			t.Errorf("%s: of sizes alone %s", what, out.Bytes())
		}
	}
}
