//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdeck/session/wire/smbtest"
)

// Behind smbd this computer is read as a Windows host is: by its name, over SMB.
func TestServeBehindSamba(t *testing.T) {
	t.Parallel()
	s := smbtest.Start(t, smbtest.Options{Global: []string{"rpc start on demand helpers = no"}})
	dir := filepath.Join(s.Dir, "ncalrpc", "np")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "winreg")
	servesWith(t, withPassword(smbtest.Password), "--listen=127.0.0.1:0", "--samba-pipe="+path, "--account="+smbtest.User)
	out, stderr, code := runs(t, withPassword(smbtest.Password), "sample", `\Memory\Available MBytes`, "--host="+s.Address(), "--user="+smbtest.User, "-n=1", "-i=1s", "-f=csv")
	if code != exitDone || !strings.Contains(out, `\Memory\Available MBytes`) || strings.Contains(out, `""`) {
		t.Errorf("exit code %d: %s\n%s", code, stderr, out)
	}
	if _, stderr, code := runs(t, withPassword("x"), "serve", "--listen=", "--samba-pipe="+path, "--account=ana"); code != exitFailed || !strings.Contains(stderr, "start on demand helpers") {
		t.Errorf("a second server: exit code %d: %s", code, stderr)
	}
	if _, _, code := runs(t, withPassword("x"), "serve", "--listen=", "--account=ana"); code != exitUsage {
		t.Errorf("nowhere to listen: exit code %d", code)
	}
}
