package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/failure"
)

var errDenied = failure.WithHint(fmt.Errorf("read the journal: %w", session.ErrDenied),
	"the groups systemd-journal and adm may read it, and root: usermod -aG systemd-journal USER, and a new log-on; in a unit SupplementaryGroups=systemd-journal")

// Open begins to read: journald's lines where it runs, else the kernel's. Nothing is started before
// the first Read.
func Open(_ context.Context, from session.EventsFrom, o Options) (session.EventReader, error) {
	o.Run, o.Var, o.Kernel = cmp.Or(o.Run, "/run"), cmp.Or(o.Var, "/var"), cmp.Or(o.Kernel, "/dev/kmsg")
	if o.Now == nil {
		o.Now = time.Now
	}
	program := o.journalctl()
	if _, err := os.Stat(filepath.Join(o.Run, "systemd/journal/socket")); err != nil || program == "" {
		k, err := openKernel(from, &o)
		if err != nil {
			return nil, err
		}
		return k, nil
	}
	if !o.mayRead() {
		return nil, errDenied
	}
	return newFollower(from, o.Now, func(ctx context.Context, args []string) (child, error) { return startProgram(ctx, program, args) }), nil
}

// journalctl is where it is; what PATH says may be anybody's.
func (o *Options) journalctl() string {
	if o.Program != "" {
		return o.Program
	}
	for _, file := range []string{"/usr/bin/journalctl", "/bin/journalctl", "/run/current-system/sw/bin/journalctl"} {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return ""
}

// mayRead tells whether the system's journal may be read. Where it may not, journalctl shows the
// user's own lines, which would pass for those of the host.
func (o *Options) mayRead() bool {
	refused := false
	for _, root := range []string{o.Run, o.Var} {
		folder := filepath.Join(root, "log/journal")
		machines, err := os.ReadDir(folder)
		refused = refused || errors.Is(err, fs.ErrPermission)
		for _, m := range machines {
			file, err := os.Open(filepath.Join(folder, m.Name(), "system.journal"))
			if err == nil {
				_ = file.Close() // of reading only
				return true
			}
			refused = refused || errors.Is(err, fs.ErrPermission)
		}
	}
	return !refused
}
