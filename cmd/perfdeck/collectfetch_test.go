package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session/hosts/pla"
	"perfdeck/session/hosts/pla/platest"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/smbtest"
)

// perfLogs is a folder of a host with two runs of a set, the newer of which holds a recording.
func perfLogs(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "perflogs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	log := "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\WEB01\\Memory\\Available Bytes\"\r\n" +
		"\"06/04/2016 00:00:06.000\",\"1\"\r\n\"06/04/2016 00:00:07.000\",\"2\"\r\n"
	for _, err := range []error{
		os.Chmod(folder, 0o755),
		os.MkdirAll(filepath.Join(folder, "Admin", "EL4", "WEB01_2"), 0o755),
		os.MkdirAll(filepath.Join(folder, "Admin", "EL4", "WEB01_1"), 0o755),
		os.WriteFile(filepath.Join(folder, "Admin", "EL4", "WEB01_2", "DataCollector01.csv"), []byte(log), 0o644),
		os.WriteFile(filepath.Join(folder, "Admin", "EL4", "WEB01_2", "large.etl"), bytes.Repeat([]byte("0123456789"), 500_000), 0o644),
		os.WriteFile(filepath.Join(folder, "Admin", "EL4", "WEB01_1", "DataCollector01.csv"), []byte(log), 0o644),
		os.Chtimes(filepath.Join(folder, "Admin", "EL4", "WEB01_1"), time.Unix(1, 0), time.Unix(1, 0)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// What a set recorded comes by the share that the config names for its folder, or that of the
// drive, and is opened at once.
func TestFetchFromHost(t *testing.T) {
	folder := perfLogs(t)
	smb := smbtest.Start(t, smbtest.Options{Shares: map[string]string{"perflogs": folder}})
	host := platest.Start(t, platest.Options{Accounts: func(name string) ([16]byte, bool) {
		return rpc.NTHash([]byte(smbtest.Password)), name == smbtest.User
	}})
	host.Add(pla.Service, platest.Set{Name: "EL4", XML: plaXML("EL4"), Root: `%systemdrive%\PerfLogs\Admin\EL4`, Output: `C:\PerfLogs\Admin\EL4\WEB01_2`, Status: pla.Running})
	password := filepath.Join(t.TempDir(), "password")
	configured := ""
	for name, shares := range map[string]string{"web01": "shares = { 'C:\\PerfLogs' = \"perflogs\" }\n", "web02": ""} {
		configured += fmt.Sprintf("[[host]]\nname = %q\naddress = %q\nuser = '%s'\npassword_file = '%s'\nendpoint_port = %d\n%s", name, smb.Address(), smbtest.User, password, host.Port(), shares)
	}
	file := filepath.Join(t.TempDir(), "config.toml")
	for path, text := range map[string]string{password: smbtest.Password, file: configured} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	to := t.TempDir()
	want := func(code int, stdout, stderr string, args ...string) {
		t.Helper()
		out, errs, got := perfdeck(t, "", append([]string{"collect", "fetch", "--config", file, "EL4"}, args...)...)
		if got != code || !strings.Contains(out, stdout) || !strings.Contains(errs, stderr) {
			t.Errorf("%q: exit code %d, want %d\n%s\nwant %s\n%s\nwant %s", args, got, code, out, stdout, errs, stderr)
		}
	}
	fetch := func(more ...string) []string {
		return append([]string{"-H", "web01"}, more...)
	}
	log := filepath.Join(to, "WEB01_2", "DataCollector01.csv")
	want(0, "WEB01_2  newest\n", "", fetch("--runs")...)
	want(0, "open it: perfdeck replay "+log+"\n", "", fetch("-o", to)...)
	want(0, "was here already", "", fetch("-o", to)...)
	want(0, "WEB01_1", "", fetch("-o", to, "--run", "WEB01_1")...)
	want(1, "", "--max-size", fetch("-o", t.TempDir(), "--max-size", "1MB")...)
	want(1, "", "--runs lists", fetch("-o", t.TempDir(), "--run", "none")...)
	want(1, "", "share perflogs: ", fetch("-o", t.TempDir(), "--run", "none")...)
	want(2, "", "-H names it")
	want(1, "", "shares of its [[host]]", "-H", "web02", "-o", to)
	if info, err := os.Stat(filepath.Join(to, "WEB01_2", "large.etl")); err != nil || info.Size() != 5_000_000 {
		t.Error(info, err)
	}
	out, errs, code := perfdeck(t, "", "report", log)
	if code != 0 || !strings.Contains(out, "WEB01") {
		t.Errorf("%d\n%s\n%s", code, out, errs)
	}
}
