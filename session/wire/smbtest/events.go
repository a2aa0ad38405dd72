package smbtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// EventLogs is the line of Options.Global with which a server has event logs.
const EventLogs = "eventlog list = Application System"

// Event is a record of an event log. Samba drops those that are older than a week.
type Event struct {
	Time    time.Time
	ID      uint16
	Type    string // ERROR, WARNING, INFO
	Source  string
	Inserts []string
}

// WriteEvents adds records to a log of the server, which the account may read if it is readable.
func (s *Server) WriteEvents(log string, readable bool, events ...Event) {
	s.t.Helper()
	Need(s.t, "samba-common-bin", "eventlogadm")
	var b strings.Builder
	for _, e := range events {
		//nolint:misspell // names of eventlogadm
		fmt.Fprintf(&b, "LEN: 0\nRS1: 1699505740\nRCN: 0\nTMG: %d\nTMW: %d\nEID: %d\nETP: %s\nECT: 0\nRS2: 0\nCRN: 0\nUSL: 0\nSRC: %s\nSRN: host\n",
			e.Time.Unix(), e.Time.Unix(), e.ID, e.Type, e.Source)
		for _, insert := range e.Inserts {
			fmt.Fprintf(&b, "STR: %s\n", insert)
		}
		b.WriteString("DAT:\n\n")
	}
	//nolint:gosec // a file of this package
	run(s.t, exec.CommandContext(context.Background(), "eventlogadm", "-s", s.Config(), "-o", "write", log), b.String())
	mode := os.FileMode(0o600)
	if readable {
		mode = 0o666
	}
	folder := filepath.Join(s.Dir, "state", "eventlog")
	s.must(os.Chmod(folder, 0o755)) //nolint:gosec // the account enters it
	s.must(os.Chmod(filepath.Join(folder, strings.ToLower(log)+".tdb"), mode))
}
