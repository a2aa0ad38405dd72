package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/local"
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
	python := findImpacket()
	if python == "" {
		t.Skip("NOT TESTED AGAINST AN INDEPENDENT CLIENT: python3 with impacket is not installed (Debian: python3-impacket)")
	}
	tool := filepath.Join("..", "..", "..", "..", "shared", "tools", "pcq_impacket.py")
	if _, err := os.Stat(tool); err != nil {
		t.Skip("NOT TESTED AGAINST AN INDEPENDENT CLIENT: its program is not here: ", err)
	}
	port, _ := serve(t, source, func(o *Options) {
		o.Report = func(_ net.Addr, err error) { t.Log(err) }
	})
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	binding := fmt.Sprintf("ncacn_ip_tcp:127.0.0.1[%d]", port)
	out, err := exec.CommandContext(ctx, python, tool, "--user", testUser, "--password", testPassword, binding, "--checklist").Output()
	rows := judge(t, out)
	if err != nil || rows < 60 {
		t.Errorf("%d rows, %v\n%s", rows, err, out)
	}
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
