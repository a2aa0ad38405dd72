package collector

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A second recording of this process into a file that is recorded, by another name, is
// refused without an end of the first one's locks, which are SQLite's and of the process.
func TestRefusedRecorderLeavesTheLocks(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		h := r.host(plain("a"), `\Memory\Seconds`)
		rec := r.start(r.options("n.db", h))
		r.clock.Advance(3 * time.Second)
		name, link := filepath.Join(r.dir, "n.db"), filepath.Join(r.dir, "link.db")
		if err := os.Link(name, link); err != nil {
			t.Skip(err)
		}
		probe, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer probe.Close()
		if _, err := lockRecording(link); !errors.As(err, new(*BusyError)) {
			t.Fatalf("a recording into the same file: %v", err)
		}
		l := unix.Flock_t{Type: unix.F_WRLCK, Start: 1<<30 + 2, Len: 510} // what SQLite locks while it has the file
		if err := unix.FcntlFlock(probe.Fd(), unix.F_OFD_GETLK, &l); err != nil || l.Type == unix.F_UNLCK {
			t.Errorf("another process can take the file: %v", err)
		}
		if err := r.stop(rec); err != nil {
			t.Error(err)
		}
		again, err := lockRecording(link)
		if err != nil {
			t.Fatalf("after the recording's end: %v", err)
		}
		again.release()
	})
}
