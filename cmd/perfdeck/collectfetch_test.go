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
	set := &pla.Set{Name: pla.Name{Set: "EL4"}, Root: `%systemdrive%\PerfLogs\Admin\EL4`, Output: `C:\PerfLogs\Admin\EL4\WEB01_2`, Status: pla.Running}
	h := newHosts(t, "web01", "web02")
	for _, host := range h.hosts {
		host.Sets[strings.ToLower(set.Name.String())] = set
	}
	password := filepath.Join(t.TempDir(), "password")
	configured := ""
	for name, shares := range map[string]string{"web01": "shares = { 'C:\\PerfLogs' = \"perflogs\" }\n", "web02": ""} {
		configured += fmt.Sprintf("[[host]]\nname = %q\naddress = %q\nuser = '%s\\%s'\npassword_file = '%s'\n%s", name, smb.Address(), smbtest.Workgroup, smbtest.User, password, shares)
	}
	file := filepath.Join(t.TempDir(), "config.toml")
	for path, text := range map[string]string{password: smbtest.Password, file: configured} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	to := t.TempDir()
	fetch := func(more ...string) []string {
		return append([]string{"fetch", "--config", file, "-H", "web01", "EL4"}, more...)
	}
	log := filepath.Join(to, "WEB01_2", "DataCollector01.csv")
	h.want(0, "WEB01_2  newest\n", "", fetch("--runs")...)
	h.want(0, "open it: perfdeck replay "+log+"\n", "", fetch("-o", to)...)
	h.want(0, "was here already", "", fetch("-o", to)...)
	h.want(0, "WEB01_1", "", fetch("-o", to, "--run", "WEB01_1")...)
	h.want(1, "", "--max-size", fetch("-o", t.TempDir(), "--max-size", "1MB")...)
	h.want(1, "", "--runs lists", fetch("-o", t.TempDir(), "--run", "none")...)
	h.want(2, "", "-H names it", "fetch", "--config", file, "EL4")
	h.want(1, "", "shares of its [[host]]", "fetch", "--config", file, "-H", "web02", "EL4", "-o", to)
	if info, err := os.Stat(filepath.Join(to, "WEB01_2", "large.etl")); err != nil || info.Size() != 5_000_000 {
		t.Error(info, err)
	}
	out, errs, code := perfdeck(t, "", "report", log)
	if code != 0 || !strings.Contains(out, "WEB01") {
		t.Errorf("%d\n%s\n%s", code, out, errs)
	}
}
