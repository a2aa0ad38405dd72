package perflib

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"perfdeck/cooker"
)

// capturedCall is a line of a file that perfdeck doctor --capture wrote: a call
// of a host and its answer.
type capturedCall struct {
	Call        string      `json:"call"`
	RequestCode RequestCode `json:"request_code"`
	Request     hexBytes    `json:"request"`
	Code        uint32      `json:"code"` // Win32 error code
	Size        int         `json:"size"`
	Reply       hexBytes    `json:"reply"`
	Error       string      `json:"error"`
}

type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

// TestCaptures reads what hosts answered, as doctor wrote it down. A capture of
// another host becomes a test by being put beside the others. Ours is made by
//
//	go test -run DoctorCapture ./cmd/perfdeck -captures session/wire/perflib/testdata/captures
func TestCaptures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "captures", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { readCapture(t, file) })
	}
}

func readCapture(t *testing.T, file string) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	read := map[string]int{}
	identifiers := 0 // of the query, by its own account
	for n := 1; lines.Scan(); n++ {
		var c capturedCall
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
		if c.Code != 0 || c.Error != "" || len(c.Reply) != c.Size {
			continue // refused, failed, or sizes only
		}
		if err := c.decode(&identifiers); err != nil {
			t.Errorf("line %d, %s: %v", n, c.Call, err)
		}
		read[c.Call]++
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{"EnumerateCounterSet", "QueryCounterSetRegistrationInfo", "ValidateCounters", "QueryCounterInfo", "QueryCounterData"} {
		if read[call] == 0 {
			t.Errorf("no %s", call)
		}
	}
}

// decode reads the answer as its call has it.
func (c *capturedCall) decode(identifiers *int) (err error) {
	switch c.Call {
	case "EnumerateCounterSet":
		if len(c.Reply) == 0 || len(c.Reply)%len(GUID{}) != 0 {
			err = fmt.Errorf("%d bytes", len(c.Reply))
		}
	case "QueryCounterSetRegistrationInfo":
		err = c.decodeRegistration()
	case "EnumerateCounterSetInstances":
		_, err = DecodeInstances(c.Reply)
	case "ValidateCounters":
		_, err = DecodeIdentifierRequest(c.Request)
	case "QueryCounterInfo":
		list, problem := DecodeIdentifiers(c.Reply)
		*identifiers, err = len(list), problem
	case "QueryCounterData":
		err = decodeCollection(c.Reply, *identifiers)
	}
	return err
}

func (c *capturedCall) decodeRegistration() (err error) {
	switch c.RequestCode {
	case CountersetStruct:
		_, err = DecodeCounterset(c.Reply)
	case CounterStruct:
		_, err = DecodeCounter(c.Reply)
	case CountersetName, CountersetHelp, ProviderName, EnglishName:
		_, err = DecodeString(c.Reply)
	case CounterNames, CounterHelps, EnglishCounterNames:
		_, err = DecodeStrings(c.Reply)
	case ProviderGUID:
		_, err = DecodeGUID(c.Reply)
	default:
		err = fmt.Errorf("request code %d", c.RequestCode)
	}
	return err
}

// decodeCollection reads all values. There is a block for each identifier.
func decodeCollection(reply []byte, identifiers int) error {
	r := ReadData(reply)
	blocks := 0
	for ; r.Next(); blocks++ {
		b := r.Block()
		if b.Err != nil {
			return fmt.Errorf("block %d: %w", blocks, b.Err)
		}
		for v := b.Values(); v.Next(); {
			_ = new(CounterTexts).Value(v.Value, cooker.CounterText)
		}
		for it := b.Instances(); it.Next(); {
			_ = it.Name.String()
		}
		if b.Err != nil {
			return fmt.Errorf("block %d: %w", blocks, b.Err)
		}
	}
	if r.Err() != nil {
		return r.Err()
	}
	clocks := r.Header().Clocks()
	if blocks != identifiers || clocks.PerfFreqHz == 0 {
		return fmt.Errorf("%d blocks for %d identifiers, a clock of %d Hz", blocks, identifiers, clocks.PerfFreqHz)
	}
	return nil
}
