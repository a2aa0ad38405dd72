package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What interfaces loop back or carry again is in no sum, here, over the wire, and in what was
// recorded of either.
func TestSumOfInterfacesAgrees(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"proc/net/dev":                 netDev("lo", 100, "eth0", 5, "docker0", 7, "veth31c", 7, "eth0.100", 3),
		"sys/class/net/eth0/device/is": "x",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	made := append(withPassword(testPassword), computerVariable+"="+dir)
	s := servesWith(t, made, "--account="+testUser)
	file := filepath.Join(dir, "all.csv")
	hosts := []string{"--host=local", s.host(), "--user=" + testUser}
	if out, said, code := runs(t, made, append(hosts, "record", "-n2", "-i1", "-o", file, `\Network Interface(*)\Packets Received Errors`)...); code != exitDone {
		t.Fatalf("exit code %d: %s%s", code, out, said)
	}
	const sum = `\Network Interface(total of *)\Packets Received Errors`
	out, said, code := runs(t, made, append(hosts, "sample", "-n1", "-i1", "-fjson", sum)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != exitDone || len(lines) != 2 {
		t.Fatalf("exit code %d: %s%s", code, out, said)
	}
	for _, line := range lines {
		host, values := numbers(t, line)
		if len(values) != 1 || values[sum] != 5 {
			t.Errorf("%s: %v, want 5", host, values)
		}
	}
	for limit, want := range map[string]int{">4": 2, ">5": 0} { // of both hosts
		out, said, code := runs(t, made, "watch", "--replay", file, "--alert", sum+limit)
		if got := strings.Count(out, "warning fired"); code != exitDone || got != want {
			t.Errorf("%s: exit code %d, fired %d times of %d: %s%s", limit, code, got, want, out, said)
		}
	}
}
