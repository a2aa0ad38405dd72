//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session/wire/smbtest"
)

var someObjects = smbtest.Performance{
	PerfTime: 123456789, PerfFreqHz: 10_000_000, Time: time.Unix(1_700_000_000, 0),
	Objects: []smbtest.Object{{Name: "Memory", Help: "about memory", Counters: []smbtest.Counter{
		{Name: "Available Bytes", Help: "free", Type: 0x00010100, Values: []uint64{4096}},
	}}},
}

// steps are the steps that doctor printed with their outcomes.
func steps(out string) (ok, failed []string) {
	for line := range strings.Lines(out) {
		word, rest, found := strings.Cut(strings.TrimSpace(line), " ms  ")
		if !found {
			continue
		}
		name := strings.TrimSpace(rest[:min(21, len(rest))])
		if strings.HasPrefix(word, "ok") {
			ok = append(ok, name)
		} else {
			failed = append(failed, name)
		}
	}
	return ok, failed
}

// A Windows host is examined step by step, with a password and with a ticket,
// and then read.
func TestWindowsHost(t *testing.T) {
	t.Parallel()
	k := smbtest.StartKDC(t)
	o := k.Options()
	o.Performance = &someObjects
	s := smbtest.Start(t, o)
	cache := k.CCache()
	kerberos := []string{"--require-kerberos", "--krb5-conf=" + k.Config, "--spn=" + smbtest.Service}
	user := "--user=" + smbtest.Workgroup + `\` + smbtest.User
	for what, v := range map[string]struct {
		password string
		args     []string
		wants    []string
	}{
		"NTLM":               {smbtest.Password, []string{user}, []string{"SMB 3.1.1", "AES-CMAC", `NTLMv2 as LAB\perf`, "MS-RRP"}},
		"encrypted":          {smbtest.Password, []string{user, "--smb-encrypt"}, []string{"encrypted with AES-128-GCM"}},
		"ticket by password": {smbtest.Password, append(kerberos, "--user="+smbtest.User), []string{smbtest.Service, "Kerberos as perf@PERF.TEST"}},
		"ticket of kinit":    {"", append(kerberos, "--ccache="+cache), []string{smbtest.Service, "Kerberos as perf@PERF.TEST"}},
		"ticket by keytab":   {"", append(kerberos, "--keytab="+k.UserKeytab()), []string{"Kerberos as perf@PERF.TEST"}},
	} {
		capture := filepath.Join(t.TempDir(), "capture.jsonl")
		args := append([]string{"doctor", s.Address(), "--capture=" + capture}, v.args...)
		out, stderr, code := runs(t, withPassword(v.password), args...)
		ok, _ := steps(out)
		for _, step := range []string{"find the host", "connect", "negotiate SMB", "log on over SMB", "connect to IPC$", `open \PIPE\winreg`, "bind", "read the catalogue", "collect"} {
			if !strings.Contains(strings.Join(ok, "\n"), step) {
				t.Errorf("%s: no step %q", what, step)
			}
		}
		for _, want := range v.wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q", what, want)
			}
		}
		if code != exitDone || t.Failed() {
			t.Errorf("%s: exit code %d: %s\n%s", what, code, stderr, out)
		}
		text, err := os.ReadFile(capture)
		if err != nil || !strings.Contains(string(text), `"BaseRegQueryValue"`) {
			t.Errorf("%s: capture of %d bytes, %v", what, len(text), err)
		}
	}
	out, stderr, code := runs(t, withPassword(smbtest.Password), "sample", `\Memory\Available Bytes`, "--host="+s.Address(), user, "-n=1", "-i=1s", "-f=csv")
	if code != exitDone || !strings.Contains(out, "4096") {
		t.Errorf("exit code %d: %s\n%s", code, stderr, out)
	}
}

// What keeps a Windows host from being reached is named, with what can be done.
func TestWindowsHostRefusals(t *testing.T) {
	s := smbtest.Start(t, smbtest.Options{Global: []string{"ntlm auth = disabled"}})
	closed := fmt.Sprintf("127.0.0.1:%d", smbtest.FreePort(t))
	for what, v := range map[string]struct {
		args       []string
		fails, can string
	}{
		"NTLM disabled": {[]string{s.Address()}, "log on over SMB", "--kerberos"},
		"closed port":   {[]string{closed}, "connect", "firewall"},
		"no realm":      {[]string{s.Address(), "--require-kerberos", "--krb5-conf=" + os.DevNull}, "log on to the realm", "default_realm"},
	} {
		out, stderr, code := runs(t, withPassword(smbtest.Password), append([]string{"doctor", "--user=" + smbtest.User}, v.args...)...)
		_, failed := steps(out)
		if code != exitFailed || len(failed) != 1 || failed[0] != v.fails || !strings.Contains(out, "hint: ") || !strings.Contains(out, v.can) {
			t.Errorf("%s: exit code %d, failed %q: %s\n%s", what, code, failed, stderr, out)
		}
	}
}
