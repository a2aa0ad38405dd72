package collector

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/naming"
	"perfdeck/session/system/osfile"
)

// faulty is a writer with which things go wrong.
type faulty struct {
	logs.Writer

	rows  int
	after int // rows that are written before err
	err   error
	close error
	syncs []time.Time
	now   func() time.Time
	row   func(*logs.Row)
	sync  func()
}

func (f *faulty) WriteRow(r *logs.Row) error {
	if f.rows++; f.err != nil && f.rows > f.after {
		return f.err
	}
	err := f.Writer.WriteRow(r)
	if f.row != nil {
		f.row(r)
	}
	return err
}

func (f *faulty) Close() error { return errors.Join(f.Writer.Close(), f.close) }

func (f *faulty) Sync() error {
	err := f.Writer.Sync()
	if f.now != nil {
		f.syncs = append(f.syncs, f.now())
	}
	if f.sync != nil {
		f.sync()
	}
	return err
}

// by lets files be written by a faulty writer.
func by(f *faulty) creator {
	return creator{
		create: func(name string, format *formats.Format, h *logs.Header, o logs.WriteOptions) (w logs.Writer, err error) {
			f.Writer, err = formats.Create(name, format, h, o)
			return f, err
		},
		extend: formats.Append,
	}
}

// TestFaults: what goes wrong with the file ends the recording, with a reason, and
// disturbs nobody else.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		harm func(r *rig)
		want error
	}{
		{"disk full", &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, nil, ErrDiskFull},
		{"quota", syscall.EDQUOT, nil, ErrDiskFull},
		{"read-only", syscall.EROFS, nil, ErrReadOnly},
		{"device", syscall.EIO, nil, syscall.EIO},
		{"folder removed", nil, func(r *rig) { r.remove(filepath.Join(r.dir, "sub")) }, ErrNoFolder},
		{"file removed", nil, func(r *rig) { r.remove(filepath.Join(r.dir, "sub", "n.csv")) }, ErrRemoved},
		{"file replaced", nil, func(r *rig) {
			name := filepath.Join(r.dir, "sub", "n.csv")
			r.remove(name)
			if err := os.WriteFile(name, []byte("else"), 0o600); err != nil {
				r.Fatal(err)
			}
		}, ErrRemoved},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, start0, func(r *rig) {
				if err := os.Mkdir(filepath.Join(r.dir, "sub"), 0o700); err != nil {
					t.Fatal(err)
				}
				h := r.host(plain("a"), `\Memory\Seconds`)
				beats := 0
				screen := h.Sampler.Feed(session.FeedOptions{Every: time.Second, Each: func(*session.Snapshot) { beats++ }})
				set := h.Sampler.Catalogue
				r.clock.Advance(0)
				screen.Ask([]session.Ask{{Set: set().Set("Memory"), Counters: []int{0}}})
				o := r.options("sub/n.csv", h)
				o.Dir = filepath.Join(r.dir, "state")
				rec := r.startBy(o, by(&faulty{after: 5, err: c.err}))
				r.clock.Advance(5 * time.Second)
				if s := rec.Status(); s.Samples != 5 || s.Ended {
					t.Fatalf("%+v", s)
				}
				if c.harm != nil {
					c.harm(r)
				}
				before := beats
				r.clock.Advance(5 * time.Second)
				s := rec.Status()
				if !s.Ended || !errors.Is(s.Err, c.want) || !strings.Contains(s.Err.Error(), "n.csv") {
					t.Errorf("ended %v: %v", s.Ended, s.Err)
				}
				if beats-before != 5 {
					t.Errorf("%d beats of others in the meantime, want 5", beats-before)
				}
				list, damaged := List(o.Dir, r.clock.Now().Wall)
				if len(list) != 1 || list[0].State != Ended || list[0].Reason != s.Err.Error() || damaged != nil {
					t.Errorf("the next start learns %+v (%v)", list, damaged)
				}
				if c.err != nil && len(readTable(t, s.File).rows) != 5 {
					t.Error("the rows before are not readable")
				}
				if _, err := os.Stat(lockName(s.File)); !isGone(err) {
					t.Errorf("the lock stays: %v", err)
				}
			})
		})
	}
}

func (r *rig) remove(name string) {
	r.Helper()
	if err := os.RemoveAll(name); err != nil {
		r.Fatal(err)
	}
}

// TestCannotBegin: what is wrong from the beginning is told at once.
func TestCannotBegin(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		h := r.host(plain("a"), `\Memory\Seconds`)
		if err := os.WriteFile(filepath.Join(r.dir, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(r.dir, "folder"), 0o700); err != nil {
			t.Fatal(err)
		}
		for file, want := range map[string]error{
			"none/n.csv": ErrNoFolder, "file/n.csv": errFolder,
			"folder": errNameless, "folder/": errNameless, "none/": errNameless, ".": errNameless,
		} {
			o := r.options("", h)
			o.File = r.dir + "/" + file // as a user types it
			if _, err := Start(o); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", file, err, want)
			}
		}
		for name, change := range map[string]func(*Options){
			"no paths":     func(o *Options) { o.Hosts[0].Paths = nil },
			"no file":      func(o *Options) { o.File = "" },
			"interval":     func(o *Options) { o.Every = time.Millisecond },
			"small ring":   func(o *Options) { o.Ring = 1 },
			"segment size": func(o *Options) { o.Ring, o.Segment.Bytes = 1<<20, 2<<20 },
		} {
			o := r.options("n.csv", h)
			change(&o)
			if _, err := Start(o); err == nil {
				t.Errorf("%s is taken", name)
			}
		}
		o := r.options("n.csv", h)
		o.Pattern = "Q"
		if _, err := Start(o); err == nil {
			t.Error("a pattern that means nothing is taken")
		}
		if got := r.files(); !slices.Equal(got, []string{"file", "folder"}) {
			t.Errorf("left behind: %q", got)
		}
	})
}

// TestDiskLow: a recording ends before it takes the last of a disk; a ring gives
// its oldest files first.
func TestDiskLow(t *testing.T) {
	free, _, err := osfile.Space(t.TempDir())
	if err != nil {
		t.Skip(err)
	}
	inBubble(t, start0, func(r *rig) {
		o := r.options("n.csv", r.host(plain("a"), `\Memory\Seconds`))
		o.MinFree = free * 2
		if _, err := Start(o); !errors.Is(err, ErrDiskLow) || len(r.files()) > 0 {
			t.Errorf("begun on a full disk: %v, %q", err, r.files())
		}
		o.MinFree = 1
		rec := r.start(o)
		r.clock.Advance(3 * time.Second)
		rec.o.MinFree = free * 2 // the disk fills
		r.clock.Advance(3 * time.Second)
		if s := rec.Status(); !errors.Is(s.Err, ErrDiskLow) {
			t.Errorf("%+v", s)
		}
		o.Ring, o.Segment.Samples, o.File = 64<<10, 1, filepath.Join(r.dir, "m.csv")
		o.MinFree = -1
		rec = r.start(o)
		r.clock.Advance(5 * time.Second)
		r.stop(rec)
		before := len(r.files())
		ring := openRing(1<<20, "", o.File, naming.Name{})
		for _, name := range r.files()[:2] {
			if err := ring.take(filepath.Join(r.dir, name), false); err != nil {
				t.Fatal(err)
			}
		}
		full := &writer{Recording: &Recording{o: o}, ring: ring}
		full.o.MinFree = free * 2
		if err := full.checkRoom(&segmentFiles{file: o.File}); !errors.Is(err, ErrDiskLow) || len(r.files()) != before-2 {
			t.Errorf("%v, %d files left of %d", err, len(r.files()), before)
		}
	})
}

// TestFullDisk fills a disk of its own.
func TestFullDisk(t *testing.T) {
	for _, file := range []string{"n.csv", "n.db"} {
		t.Run(file, func(t *testing.T) {
			disk := smallDisk(t, 400<<10)
			inBubble(t, start0, func(r *rig) {
				r.dir = disk
				rec := r.start(r.options(file, r.host(plain("a"), `\Memory\*`, `\Disk(*)\*`)))
				for range 300 {
					r.clock.Advance(time.Minute)
					if rec.Status().Ended {
						break
					}
				}
				s := rec.Status()
				if !errors.Is(s.Err, ErrDiskFull) {
					t.Fatalf("%+v", s)
				}
				if n := len(readTable(t, s.File).rows); int64(n) != s.Samples {
					t.Errorf("%d rows can be read, %d were written", n, s.Samples)
				}
			})
		})
	}
}

// TestSyncPolicy: a file is forced onto the disk as often as was said.
func TestSyncPolicy(t *testing.T) {
	for _, c := range []struct {
		policy SyncPolicy
		want   int // within 60 rows
	}{{SyncAlways, 60}, {SyncUsual, 12}, {SyncPolicy(20 * time.Second), 3}, {SyncNever, 0}} {
		inBubble(t, start0, func(r *rig) {
			o := r.options("n.csv", r.host(plain("a"), `\Memory\Seconds`))
			o.Sync = c.policy
			f := &faulty{now: func() time.Time { return r.clock.Now().Wall }}
			rec := r.startBy(o, by(f))
			r.clock.Advance(60*time.Second + 500*time.Millisecond)
			if n := len(f.syncs); n < c.want || n > c.want+1 {
				t.Errorf("%v: %d times in a minute, want %d", time.Duration(c.policy), n, c.want)
			}
			r.stop(rec)
		})
	}
}

// TestPowerCut: of what was not forced onto the disk any part may be missing, be
// zero or be there. The file stays readable, everything before is in it, and the
// recording goes on in it.
func TestPowerCut(t *testing.T) {
	for _, file := range []string{"n.csv", "n.tsv", "n.json", "n.db"} {
		t.Run(file, func(t *testing.T) {
			cuts := uint64(25)
			if testing.Short() {
				cuts = 6
			}
			for seed := range cuts {
				powerCut(t, file, rand.New(rand.NewPCG(seed, 1)))
			}
		})
	}
}

func powerCut(t *testing.T, file string, random *rand.Rand) {
	inBubble(t, start0, func(r *rig) {
		h := r.host(plain("a"), `\Memory\*`, `\Disk(*)\*`)
		synced, now := map[string][]byte{}, map[string][]byte{}
		rows, safe := 0, 0
		name := filepath.Join(r.dir, file)
		keep := func(to map[string][]byte) {
			for _, n := range []string{name, name + "-wal"} {
				to[n], _ = os.ReadFile(n)
			}
		}
		f := &faulty{row: func(*logs.Row) { rows++ }, sync: func() { keep(synced); safe = rows }}
		rec := r.startBy(r.options(file, h), by(f))
		r.clock.Advance(time.Duration(12_000+random.IntN(10_000)) * time.Millisecond)
		keep(now)
		written, durable := rows, safe
		if written-durable > 5 {
			t.Errorf("%d rows are not on the disk", written-durable)
		}
		r.stop(rec)

		r.dir = filepath.Join(r.dir, "after")
		if err := os.Mkdir(r.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for n, text := range now {
			if text == nil {
				continue
			}
			if err := os.WriteFile(filepath.Join(r.dir, filepath.Base(n)), crash(synced[n], text, random), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		o := r.options(file, h)
		o.Exists = Append
		rec = r.start(o)
		r.clock.Advance(5 * time.Second)
		if err := r.stop(rec); err != nil {
			t.Fatal(err)
		}
		got := readTable(t, filepath.Join(r.dir, file))
		n := got.numbers(`\\a\Memory\Seconds`)
		if len(n) < durable+4 || len(n) > written+5 {
			t.Errorf("%d rows, want %d to %d", len(n), durable+4, written+5)
		}
		for i := range durable {
			if n[i] != n[0]+float64(i) {
				t.Errorf("row %d is %v", i, n[i])
			}
		}
	})
}

// crash is a file as a power cut may leave it: blocks that were not forced onto the
// disk are as before, or as written; behind the old end they may be zero, and the
// end may be anywhere.
func crash(synced, now []byte, random *rand.Rand) []byte {
	const block = 512
	out := slices.Clone(now)
	for at := 0; at < len(out); at += block {
		end := min(at+block, len(out))
		if random.IntN(3) == 0 {
			for i := at; i < end; i++ {
				out[i] = 0
				if i < len(synced) {
					out[i] = synced[i]
				}
			}
		}
	}
	if len(out) > len(synced) {
		out = out[:len(synced)+random.IntN(len(out)-len(synced)+1)]
	}
	return out
}
