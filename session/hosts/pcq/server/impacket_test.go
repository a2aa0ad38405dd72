package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/local"
	"perfdeck/session/system/sharedtest"
)

// An independent client goes through every return code and status of MS-PCQ
// 3.1.4.1, and through malformed calls.
func TestImpacketManifest(t *testing.T) {
	checklist(t, NewManifestSource("every", session.NewSystemClock(), everyType(t)))
}

func TestImpacketThisComputer(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the countersets of other systems are not the same")
	}
	source, err := local.Open(local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	checklist(t, source)
}

func checklist(t *testing.T, source session.Source) {
	out, err := impacket(t, source, nil, "--checklist")
	rows := judge(t, out)
	if err != nil || rows < 60 {
		t.Errorf("%d rows, %v\n%s", rows, err, out)
	}
}

// impacket runs the independent client against a server of the source.
func impacket(t *testing.T, source session.Source, options []string, args ...string) ([]byte, error) {
	t.Helper()
	python := findImpacket()
	if python == "" {
		t.Skip("NOT TESTED AGAINST AN INDEPENDENT CLIENT: python3 with impacket is not installed (Debian: python3-impacket)")
	}
	tool := sharedtest.Path(t, "tools/pcq_impacket.py")
	port, _ := serve(t, source, func(o *Options) {
		o.Report = func(_ net.Addr, err error) { t.Log(err) }
	})
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	all := append([]string{tool, "--user", testUser, "--password", testPassword}, options...)
	all = append(append(all, fmt.Sprintf("ncacn_ip_tcp:127.0.0.1[%d]", port)), args...)
	return exec.CommandContext(ctx, python, all...).Output()
}

// An independent client reads what each instance has, and without a name the
// aggregate of them, while unequal ones come and go.
func TestImpacketAggregates(t *testing.T) {
	source := newCrowd(false)
	source.byItself = turns
	const total, average, minimum, maximum = 0, 1, 2, 3 // sets of the crowd
	options := []string{"--samples", fmt.Sprint(len(turns)), "--interval", "0", "--size", "1000000"}
	args := []string{"query"}
	level := counterOfType(t, source.cat.Sets[0], cooker.CounterRawCount)
	for _, set := range source.cat.Sets[:4] {
		guid := strings.Trim(CountersetGUID(set.Name).String(), "{}")
		args = append(args, fmt.Sprintf("%s/%d/*", guid, level), fmt.Sprintf("%s/%d", guid, level))
	}
	out, err := impacket(t, source, options, args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	samples := 0
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		var line impacketSample
		if json.Unmarshal(s.Bytes(), &line) != nil || line.Op != 6 {
			continue
		}
		if len(line.Data.Blocks) != 8 {
			t.Fatalf("%s", s.Bytes())
		}
		for f, want := range map[int]func(levels []uint64) uint64{
			total: func(l []uint64) (n uint64) {
				for _, v := range l {
					n += v
				}
				return n
			},
			average: func(l []uint64) (n uint64) {
				for _, v := range l {
					n += v
				}
				return (2*n + uint64(len(l))) / uint64(2*len(l))
			},
			minimum: func(l []uint64) uint64 { return slices.Min(l) },
			maximum: func(l []uint64) uint64 { return slices.Max(l) },
		} {
			levels, names := line.levels(t, 2*f)
			if live := turns[samples]; !slices.Equal(names, live) {
				t.Errorf("sample %d: %v, want %v", samples, names, live)
			}
			if got := line.value(t, 2*f+1); got != want(levels) {
				t.Errorf("sample %d, %s of %v: %d, want %d", samples, source.cat.Sets[f].Name, levels, got, want(levels))
			}
		}
		samples++
	}
	if samples != len(turns) {
		t.Errorf("%d samples\n%s", samples, out)
	}
}

func counterOfType(t *testing.T, set *session.Counterset, of cooker.CounterType) uint32 {
	t.Helper()
	for i := range set.Counters {
		if set.Counters[i].Type == of && set.Counters[i].Aggregate != cooker.AggregateNone {
			return set.Counters[i].ID
		}
	}
	t.Fatalf("no counter of type %v", of)
	return 0
}

// impacketSample is a reply to PerflibV2QueryCounterData as the client tells it.
type impacketSample struct {
	Op   int `json:"op"`
	Data struct {
		Blocks []struct {
			Status, Type int
			V            json.RawMessage
			Inst         []struct {
				Name string
				V    []struct{ U uint64 }
			}
		}
	}
}

// levels are the values of the instances of a block, totals left out.
func (s *impacketSample) levels(t *testing.T, block int) (levels []uint64, names []string) {
	t.Helper()
	for _, in := range s.Data.Blocks[block].Inst {
		names = append(names, in.Name)
		if cooker.InAggregate(in.Name) {
			levels = append(levels, in.V[0].U)
		}
	}
	if len(levels) == 0 {
		t.Fatalf("block %d: %+v", block, s.Data.Blocks[block])
	}
	return levels, names
}

func (s *impacketSample) value(t *testing.T, block int) uint64 {
	t.Helper()
	var v struct{ U uint64 }
	if err := json.Unmarshal(s.Data.Blocks[block].V, &v); err != nil {
		t.Fatalf("block %d: %v: %s", block, err, s.Data.Blocks[block].V)
	}
	return v.U
}

// judge reports the rows that failed, and counts all.
func judge(t *testing.T, out []byte) (rows int) {
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		var line struct {
			Row      string `json:"row"`
			Rule     string `json:"rule"`
			Result   string `json:"result"`
			Observed string `json:"observed"`
		}
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			t.Errorf("not understood: %s", s.Bytes())
			continue
		}
		switch {
		case line.Row == "":
			t.Logf("%s", s.Bytes())
		case line.Result == "fail":
			t.Errorf("%s %s: %s", line.Row, line.Rule, line.Observed)
		case line.Result != "pass":
			t.Logf("%s %s: %s: %s", line.Row, line.Rule, line.Result, line.Observed)
		}
		if line.Row != "" {
			rows++
		}
	}
	return rows
}

// findImpacket is a python that has impacket, the system's own first.
func findImpacket() string {
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(python, "-c", "import impacket.dcerpc.v5.rpcrt").Run() == nil {
			return python
		}
	}
	return ""
}
