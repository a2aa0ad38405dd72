package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"perfdeck/session/wire/smbtest"

	"perfdeck/session/hosts/enumerate"
)

// A host that is read both ways names for each counterset which way it was, and
// says why one is missing.
func TestProtocolsAreNamed(t *testing.T) {
	t.Parallel()
	o := smbtest.Options{Performance: &smbtest.Performance{
		PerfTime: 123456789, PerfFreqHz: 10_000_000, Time: time.Unix(1_700_000_000, 0),
		Objects: []smbtest.Object{
			{Name: "Memory", Help: "about memory", Counters: []smbtest.Counter{{Name: "Available Bytes", Help: "free", Type: 0x00010100, Values: []uint64{4096}}}},
			{Name: "LogicalDisk", Help: "disks", Instances: []string{"C:", "_Total"}, Counters: []smbtest.Counter{{Name: "Free Megabytes", Help: "free", Type: 0x00010000, Values: []uint64{5, 7}}}},
		},
	}}
	s := smbtest.Start(t, o)
	as := []string{"--host=" + s.Address(), "--user=" + smbtest.Workgroup + `\` + smbtest.User}
	found := map[string]enumerate.Set{}
	for _, args := range [][]string{{"list", "--json"}, {"list", "--json", "-x", "LogicalDisk"}} { // instances of Service may come late
		out, stderr, code := runs(t, withPassword(smbtest.Password), append(args, as...)...)
		if code != exitDone {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		for line := range strings.Lines(out) {
			var set enumerate.Set
			if err := json.Unmarshal([]byte(line), &set); err != nil {
				t.Fatalf("%v in %s", err, line)
			}
			found[set.Counterset] = set
		}
	}
	if len(found) != 3 || found["Memory"].Protocol != "MS-RRP" || found["Service"].Protocol != "MS-SCMR" || len(found["LogicalDisk"].Instances) != 2 {
		t.Errorf("%+v", found)
	}
	out, stderr, code := runs(t, withPassword(smbtest.Password), append([]string{"explain", "-i", "100ms", `\Memory\Available Bytes`}, as...)...)
	if code != exitDone || !strings.Contains(out, "MS-RRP") || !strings.Contains(out, "4096") {
		t.Errorf("exit code %d: %s\n%s", code, stderr, out)
	}
	out, stderr, code = runs(t, withPassword(smbtest.Password), append([]string{"sample", "-n", "1", "-i", "100ms", "-f", "csv", `\LogicalDisk(*)\Free Megabytes`}, as...)...)
	if code != exitDone || !strings.Contains(out, `"7"`) && !strings.Contains(out, "7.0") {
		t.Errorf("exit code %d: %s\n%s", code, stderr, out)
	}
	out, _, _ = runs(t, withPassword(smbtest.Password), append([]string{"doctor", s.Address()}, as[1:]...)...)
	if !strings.Contains(out, "V2 countersets (MS-PCQ) are missing") {
		t.Errorf("doctor says nothing of V2: %s", out)
	}
}
