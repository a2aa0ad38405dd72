package local

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"perfdeck/session"
	"perfdeck/session/hosts/service"
)

// openDescriptors is how many this process has.
func openDescriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// readAll opens a query of all countersets but Process and Thread, as a client of
// a server has it.
func readAll(t *testing.T, s session.Source) session.Query {
	t.Helper()
	cat, err := s.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q, err := s.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var wants []session.Want
	for _, set := range cat.Sets {
		if !slices.Contains([]string{"Process", "Process Exits", "Thread", service.Name}, set.Name) {
			wants = append(wants, allOf(set))
		}
	}
	if err := q.Select(t.Context(), wants); err != nil {
		t.Fatal(err)
	}
	return q
}

// However many queries read this computer, each file is open once, and all are
// closed in the end.
func TestQueriesShareDescriptors(t *testing.T) {
	var beside sync.WaitGroup // what may be slow is read there
	s, err := Open(Options{Go: beside.Go})
	if err != nil {
		t.Fatal(err)
	}
	before := openDescriptors(t)
	var queries []session.Query
	collect := func() {
		for _, q := range queries {
			var b session.Batch
			if err := q.Collect(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
		}
	}
	queries = append(queries, readAll(t, s))
	collect()
	one := openDescriptors(t) - before
	for range 31 {
		queries = append(queries, readAll(t, s))
	}
	collect()
	collect()
	if all := openDescriptors(t) - before; one < 5 || all > one+one/2 {
		t.Errorf("one query has %d files open, 32 have %d", one, all)
	}
	for i, q := range queries {
		if i == 16 {
			queries = queries[16:]
			collect() // those that are left read on
		}
		_ = q.Close()
	}
	beside.Wait()
	if left := openDescriptors(t) - before; left > 0 {
		t.Errorf("%d are left open", left)
	}
}

// Queries that read at once do not disturb each other.
func TestQueriesReadAtOnce(t *testing.T) {
	s, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		q := readAll(t, s)
		wg.Go(func() {
			var b session.Batch
			for range 20 {
				if err := q.Collect(t.Context(), &b); err != nil {
					t.Error(err)
				}
				for i := range b.Sets {
					if b.Sets[i].Err != nil {
						t.Errorf("%s: %v", b.Sets[i].Set.Name, b.Sets[i].Err)
					}
				}
			}
			_ = q.Close()
		})
	}
	wg.Wait()
}

// Who comes to a file that others have open, and which has gone since, gets the
// one that is there now.
func TestSharedFileThatWent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := newOpenFiles(&Options{})
	first, second := kernelFile{path: path, shares: o}, kernelFile{path: path, shares: o}
	if _, err := first.read(); err != nil {
		t.Fatal(err)
	}
	dir, err := unix.Open(filepath.Dir(path), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(dir)
	if err := unix.Dup3(dir, first.file.fd, unix.O_CLOEXEC); err != nil { // it fails from now on, as that of a device that went
		t.Fatal(err)
	}
	if data, err := second.read(); err != nil || string(data) != "text" {
		t.Errorf("who comes: %q, %v", data, err)
	}
	if _, err := first.read(); err == nil {
		t.Error("who was there reads what is gone")
	}
	if data, err := first.read(); err != nil || string(data) != "text" || first.file != second.file {
		t.Errorf("who was there, again: %q, %v", data, err)
	}
	first.close()
	second.close()
	if len(o.files) != 0 {
		t.Errorf("%d files are left", len(o.files))
	}
}

// Queries share descriptors of processes' files too, and what may be kept of
// them.
func TestProcessFilesAreShared(t *testing.T) {
	for _, most := range []int{0, 7} {
		s, err := Open(Options{KeptFiles: most})
		if err != nil {
			t.Fatal(err)
		}
		before := openDescriptors(t)
		var queries []session.Query
		one := 0
		for range 16 {
			cat, err := s.Catalogue(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			q, err := s.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := q.Select(t.Context(), []session.Want{allOf(cat.Set("Process"))}); err != nil {
				t.Fatal(err)
			}
			queries = append(queries, q)
			for range 3 {
				var b session.Batch
				if err := q.Collect(t.Context(), &b); err != nil {
					t.Fatal(err)
				}
			}
			if len(queries) == 1 {
				one = openDescriptors(t) - before
			}
		}
		if n := openDescriptors(t) - before; n > 2*one+10 || most > 0 && n > most+4 {
			t.Errorf("at most %d: one query has %d open, 16 have %d", most, one, n)
		}
		for _, q := range queries {
			_ = q.Close()
		}
		if left := openDescriptors(t) - before; left > 0 {
			t.Errorf("%d are left open", left)
		}
	}
}

// Who comes to a process that has the number of one that others still have open
// reads the one that is there now.
func TestSharedProcessThatWent(t *testing.T) {
	o := newOpenFiles(&Options{})
	pids := pidScan{path: "/proc", shares: o}
	if _, err := pids.read(nil); err != nil {
		t.Fatal(err)
	}
	defer pids.close()
	pid := uint32(os.Getpid())
	for _, which := range []int{fileStat, fileHandles} {
		var first, second descriptors
		files := procFiles{dir: &pids, shares: o}
		read := func(fds *descriptors) error {
			if which == fileHandles {
				n, err := files.handles(pid, true, fds)
				if err == nil && n > 1<<20 {
					t.Errorf("%d handles", n)
				}
				return err
			}
			data, err := files.read(pid, which, fds)
			if err == nil && len(data) == 0 {
				t.Error("nothing was read")
			}
			return err
		}
		for range 2 {
			if err := read(&first); err != nil {
				t.Fatal(err)
			}
		}
		fd := int(first[which] - 1)
		gone := exec.CommandContext(t.Context(), "sleep", "60")
		if err := gone.Start(); err != nil {
			t.Fatal(err)
		}
		its, err := unix.Open(fmt.Sprintf("/proc/%d/%s", gone.Process.Pid, processFileNames[which]), unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		_ = gone.Process.Kill()
		_ = gone.Wait()
		if err := unix.Dup3(its, fd, unix.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		_ = unix.Close(its)
		if err := read(&second); err != nil || second[which] == first[which] {
			t.Errorf("%s: who comes: %v", processFileNames[which], err)
		}
		files.drop(&first, false)
		files.drop(&second, false)
	}
	if len(o.processes) != 0 || len(o.holds) != 0 {
		t.Errorf("%d and %d are left", len(o.processes), len(o.holds))
	}
}
