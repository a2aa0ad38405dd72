package rpc

import (
	"context"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// An implementation by others binds, logs on and calls.
func TestImpacket(t *testing.T) {
	python := findImpacket()
	if python == "" {
		t.Skip("NOT TESTED AGAINST AN INDEPENDENT CLIENT: python3 with impacket is not installed (Debian: python3-impacket)")
	}
	ts := startServer(t, nil)
	ts.blocks.Store(3000)
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, python, filepath.Join("testdata", "impacket_peer.py"), strconv.Itoa(ts.addr.Port), testUser, testPassword).CombinedOutput()
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "ok") {
		t.Fatalf("%v\n%s", err, out)
	}
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
