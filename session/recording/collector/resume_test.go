package collector

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/sqlite"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/osfile"
)

// described is a recording with a descriptor.
func (r *rig) described(file string, hosts ...Host) Options {
	o := r.options(file, hosts...)
	o.Dir = filepath.Join(r.dir, "state")
	o.Flags = []string{"--user=ana"}
	return o
}

func (r *rig) list(dir string) []Entry {
	r.Helper()
	list, damaged := List(dir, r.clock.Now().Wall)
	if damaged != nil {
		r.Error(damaged)
	}
	return list
}

// kill lets a recording end as by kill -9: nothing is closed, nothing is told.
func (r *rig) kill(rec *Recording) {
	rec.ended.Store(true)
	w := r.writer(rec)
	for _, l := range w.outputs {
		l.ended = true // nobody closes its file, but for SQLite, which locks
		if l.files.o.Format.KeepsRaw {
			l.files.w.Close()
		}
		l.assembler = newAssembler(time.Second, len(l.hosts))
		if l.files.lock != nil {
			l.files.lock.disown()
			osfile.Unlock(l.files.lock.file)
			l.files.lock.file.Close()
			l.files.lock = nil
		}
	}
	osfile.Unlock(w.idLock.file)
	w.idLock.file.Close()
	w.idLock = nil
	r.clock.Advance(2 * time.Second)
	<-rec.Done()
}

// resume goes on with the only recording that is described.
func (r *rig) resume(dir string, change func(*Options), hosts ...Host) *Recording {
	r.Helper()
	list := r.list(dir)
	if len(list) != 1 {
		r.Fatalf("%d recordings", len(list))
	}
	o, err := list[0].Restore()
	if err != nil {
		r.Fatal(err)
	}
	base := r.options("x")
	o.Clock, o.Zone, o.Go, o.Report, o.Dir = base.Clock, base.Zone, base.Go, base.Report, dir
	for i := range o.Hosts {
		o.Hosts[i].Sampler = hosts[i].Sampler
	}
	if change != nil {
		change(&o)
	}
	return r.start(o)
}

// TestResume: after kill -9 another process goes on in the same file.
func TestResume(t *testing.T) {
	for _, file := range []string{"n.csv", "n.db", "n.json", "n.blg"} {
		t.Run(file, func(t *testing.T) {
			inBubble(t, start0, func(r *rig) {
				o := r.described(file, r.host(churn(), `\Memory\Seconds`, `\Disk(*)\Free`))
				o.Segment.Time, o.Count, o.Caption = time.Hour, 25, "night"
				rec := r.start(o)
				r.clock.Advance(10 * time.Second)
				name := rec.Status().File
				if list := r.list(o.Dir); len(list) != 1 || list[0].State != Running || list[0].File() != name {
					t.Fatalf("%+v", list)
				}
				r.kill(rec)
				if list := r.list(o.Dir); len(list) != 1 || list[0].State != Interrupted {
					t.Fatalf("%+v", list)
				}
				if strings.HasSuffix(file, ".csv") {
					tear(t, name)
				}
				next := r.resume(o.Dir, nil, o.Hosts...)
				r.clock.Advance(30 * time.Second)
				s := next.Status()
				if !s.Ended || s.Err != nil || s.File != name || s.ID != rec.Status().ID || s.Samples != 25 || !s.Started.Equal(start0) {
					t.Errorf("%+v", s)
				}
				got := readTable(t, name)
				if n := got.numbers(`\\web01\Memory\Seconds`); len(n) != 25 || n[9]-n[0] != 9 || n[24]-n[10] != 14 {
					t.Errorf("%d rows: %v", len(n), n)
				}
				if list := r.list(o.Dir); len(list) != 0 {
					t.Errorf("%+v", list)
				}
				if got := r.files(); !slices.Equal(got, []string{filepath.Base(name), "state"}) {
					t.Errorf("files %q", got)
				}
				if strings.HasSuffix(file, ".csv") && !strings.Contains(r.reported(), "cut off") {
					t.Errorf("nothing is said of the torn row: %s", r.reported())
				}
			})
		})
	}
}

// TestKillBetweenFiles: a recorder that is killed when it has made the next file, or
// was about to, leaves nothing behind: who goes on writes to that file, a new recording
// takes it away, and the ring counts what there is.
func TestKillBetweenFiles(t *testing.T) {
	for _, file := range []string{"n.csv", "n.db", "n.json"} {
		for _, made := range []bool{true, false} {
			for _, resumed := range []bool{true, false} {
				t.Run(fmt.Sprint(file, made, resumed), func(t *testing.T) {
					inBubble(t, start0, func(r *rig) { killBetweenFiles(r, file, made, resumed) })
				})
			}
		}
	}
}

func killBetweenFiles(r *rig, file string, made, resumed bool) {
	o := r.described(file, r.host(plain("web01"), `\Memory\Seconds`))
	o.Segment.Samples, o.Ring = 5, 10<<20
	var rec *Recording
	by := creator{formats.Create, formats.Append}
	by.create = func(name string, f *formats.Format, h *logs.Header, wo logs.WriteOptions) (logs.Writer, error) {
		if rec == nil || r.writer(rec).outputs[0].files.segments == 0 {
			return formats.Create(name, f, h, wo)
		}
		if made {
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				r.Error(err)
			}
		}
		keep(r, rec.o.Dir) // what a kill would leave
		return nil, errors.New("killed")
	}
	rec = r.startBy(o, by)
	r.clock.Advance(8 * time.Second)
	<-rec.Done()
	giveBack(r, o.Dir)
	second := filepath.Join(r.dir, "n_000002"+filepath.Ext(file))
	if list := r.list(o.Dir); len(list) != 1 || list[0].File() != second {
		r.Fatalf("the next file is not written down: %+v", list)
	}
	if resumed {
		next := r.resume(o.Dir, nil, o.Hosts...)
		r.clock.Advance(7 * time.Second)
		r.stop(next)
		if n := len(readTable(r, second).rows); n != 5 {
			r.Errorf("%d rows in the second file, want 5", n)
		}
		return
	}
	again := r.start(o)
	r.clock.Advance(2 * time.Second)
	r.stop(again)
	for _, name := range r.files() {
		if info, err := os.Stat(filepath.Join(r.dir, name)); err != nil || info.Size() == 0 {
			r.Errorf("%s is empty", name)
		}
	}
	ringed := r.writer(again).ring.files
	if len(ringed) == 0 || ringed[0].Name != filepath.Join(r.dir, "n_000001"+filepath.Ext(file)) {
		r.Errorf("the ring has %+v", ringed)
	}
}

// keep copies the descriptors and rings of a folder, giveBack puts them in their
// place again: as if nobody had ended the recording.
func keep(r *rig, dir string) {
	if err := os.CopyFS(dir+".kept", os.DirFS(dir)); err != nil {
		r.Error(err)
	}
}

func giveBack(r *rig, dir string) {
	if err := errors.Join(os.RemoveAll(dir), os.Rename(dir+".kept", dir)); err != nil {
		r.Fatal(err)
	}
}

// TestRingRemovesJournal: of a killed recorder's file the journal counts, and goes with
// it; a journal whose file is gone keeps its name.
func TestRingRemovesJournal(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		o := r.described("n.db", r.host(plain("web01"), `\Memory\*`))
		old, orphan := filepath.Join(r.dir, "n_000001.db"), filepath.Join(r.dir, "n_000002.db"+sqlite.Journal)
		for _, name := range []string{old, old + sqlite.Journal, orphan} {
			if err := os.WriteFile(name, make([]byte, 50<<10), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		ring := &ring{limit: 64 << 10}
		ring.note(old, false)
		if ring.bytes() != 100<<10 {
			t.Errorf("the ring counts %d bytes", ring.bytes())
		}
		ring.trim(0, func(err error) { t.Error(err) })
		if _, err := os.Stat(old + sqlite.Journal); !isGone(err) {
			t.Errorf("the journal is left: %v", err)
		}
		o.Segment.Samples = 5
		rec := r.start(o)
		r.clock.Advance(2 * time.Second)
		if name := filepath.Base(rec.Status().File); name != "n_000003.db" {
			t.Errorf("recorded to %s beside the journal of another", name)
		}
		r.stop(rec)
	})
}

// tear leaves half a row behind a file.
func tear(t *testing.T, name string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(`"03/02/2026 14:07:4`); err != nil {
		t.Fatal(err)
	}
}

// TestResumeOverlap: rows that the last process has written already, by a clock that
// is a little ahead, are left out; no other file is begun.
func TestResumeOverlap(t *testing.T) {
	for _, file := range []string{"n.csv", "n.db", "n.json"} {
		inBubble(t, start0, func(r *rig) {
			o := r.described(file, r.host(plain("web01"), `\Memory\Seconds`))
			rec := r.start(o)
			r.clock.Advance(5 * time.Second)
			r.kill(rec)
			r.clock.Step(-4500 * time.Millisecond)
			next := r.resume(o.Dir, nil, o.Hosts...)
			r.clock.Advance(10 * time.Second)
			if err := r.stop(next); err != nil {
				t.Fatal(err)
			}
			if got := r.files(); !slices.Equal(got, []string{file, "state"}) {
				t.Errorf("files %q", got)
			}
			times := readTable(t, filepath.Join(r.dir, file)).times
			if !slices.IsSortedFunc(times, time.Time.Compare) || len(times) < 12 {
				t.Errorf("%s: %d rows: %v", file, len(times), times)
			}
		})
	}
}

// TestResumeElsewhere: where the file cannot be continued the next one is begun.
func TestResumeElsewhere(t *testing.T) {
	for name, harm := range map[string]func(r *rig, file string){
		"clock set back": func(r *rig, _ string) { r.clock.Step(-time.Hour) },
		"damaged":        func(r *rig, file string) { r.overwrite(file, "no recording at all\n") },
		"gone":           func(r *rig, file string) { r.remove(file) },
		"empty":          func(r *rig, file string) { r.overwrite(file, "") },
	} {
		for _, file := range []string{"n.csv", "n.db"} {
			t.Run(name+" "+file, func(t *testing.T) {
				inBubble(t, start0, func(r *rig) {
					o := r.described(file, r.host(plain("web01"), `\Memory\Seconds`))
					rec := r.start(o)
					r.clock.Advance(5 * time.Second)
					r.kill(rec)
					for _, journal := range []string{"-wal", "-shm"} {
						os.Remove(filepath.Join(r.dir, file) + journal)
					}
					harm(r, filepath.Join(r.dir, file))
					next := r.resume(o.Dir, nil, o.Hosts...)
					r.clock.Advance(10 * time.Second)
					if err := r.stop(next); err != nil {
						t.Fatal(err)
					}
					if n := len(readTable(t, next.Status().File).rows); n < 9 {
						t.Errorf("%d rows in %s", n, next.Status().File)
					}
				})
			})
		}
	}
}

func (r *rig) overwrite(name, text string) {
	r.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
}

// TestHold: while another process still records nothing is written, and when it
// ends no row is missing.
func TestHold(t *testing.T) {
	for _, file := range []string{"n.csv", "n.db", "n.json"} {
		for _, perHost := range []bool{false, true} {
			inBubble(t, start0, func(r *rig) {
				o := r.described(file, r.host(plain("a"), `\Memory\Seconds`), r.host(plain("b"), `\Memory\Seconds`))
				o.PerHost = perHost
				first := r.start(o)
				r.clock.Advance(5*time.Second + 300*time.Millisecond)
				hold, ready := make(chan struct{}), false
				second := r.resume(o.Dir, func(o *Options) { o.Hold, o.Ready = hold, func() { ready = true } }, o.Hosts...)
				r.clock.Advance(5 * time.Second)
				if !ready || first.Status().Samples < 10 || second.Status().Segments != 0 {
					t.Fatalf("ready %v, %d samples, %d files of the second", ready, first.Status().Samples, second.Status().Segments)
				}
				done := make(chan error, 1)
				go func() { done <- first.stop(r.ctx, ending{hand: true}) }()
				close(hold) // before the first one has let go
				r.clock.Advance(0)
				if err := <-done; err != nil {
					t.Fatal(err)
				}
				r.clock.Advance(5 * time.Second)
				if err := r.stop(second); err != nil {
					t.Fatal(err)
				}
				if s := second.Status(); s.Samples < 15 || s.Samples > 16 || !s.Started.Equal(start0) {
					t.Errorf("%+v", s)
				}
				for _, name := range r.files() {
					if name == "state" {
						continue
					}
					got := readTable(t, filepath.Join(r.dir, name))
					if len(got.rows) < 15 {
						t.Errorf("%s: %d rows", name, len(got.rows))
					}
					for i := 1; i < len(got.times); i++ {
						if d := got.times[i].Sub(got.times[i-1]); d != time.Second {
							t.Errorf("%s: row %d comes %v after the one before", name, i, d)
						}
					}
				}
			})
		}
	}
}

// TestHoldSlowly: rows that come while the first process closes its files, which may
// take long, are not lost.
func TestHoldSlowly(t *testing.T) {
	for _, file := range []string{"n.csv", "n.db", "n.json"} {
		inBubble(t, start0, func(r *rig) {
			o := r.described(file, r.host(plain("a"), `\Memory\Seconds`))
			first := r.start(o)
			r.clock.Advance(5*time.Second + 300*time.Millisecond)
			hold, ready := make(chan struct{}), false
			second := r.resume(o.Dir, func(o *Options) { o.Hold, o.Ready = hold, func() { ready = true } }, o.Hosts...)
			r.clock.Advance(2 * time.Second)
			done := make(chan error, 1)
			go func() { done <- first.stop(r.ctx, ending{hand: true}) }()
			r.clock.Advance(0)
			if err := <-done; err != nil || !ready {
				t.Fatal(err, ready)
			}
			r.clock.Advance(4 * time.Second) // it is still about to end
			close(hold)
			r.clock.Advance(4 * time.Second)
			if err := r.stop(second); err != nil {
				t.Fatal(err)
			}
			if rows, _ := r.perFile(`\\a\Memory\Seconds`); !slices.Equal(rows, []int{15}) {
				t.Errorf("%s: rows %v", file, rows)
			}
		})
	}
}

// TestHoldInVain: when the other process does not let go of the file the second one
// ends, and touches nothing.
func TestHoldInVain(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		o := r.described("n.csv", r.host(plain("a"), `\Memory\Seconds`))
		first := r.start(o)
		r.clock.Advance(3 * time.Second)
		hold := make(chan struct{})
		second := r.resume(o.Dir, func(o *Options) { o.Hold = hold }, o.Hosts...)
		close(hold)
		r.clock.Advance(15 * time.Second)
		if _, busy := errors.AsType[*BusyError](second.Status().Err); !busy {
			t.Errorf("%+v", second.Status())
		}
		if err := r.stop(first); err != nil || first.Status().Samples != 18 {
			t.Errorf("%v, %+v", err, first.Status())
		}
	})
}

// TestStopFromElsewhere: a recording ends when it is asked to, whoever records.
func TestStopFromElsewhere(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		o := r.described("n.csv", r.host(plain("a"), `\Memory\Seconds`))
		rec := r.start(o)
		r.clock.Advance(3 * time.Second)
		for _, what := range []string{rec.Status().ID, rec.Status().ID[:3], rec.Status().File} {
			if e, err := Find(o.Dir, what, r.clock.Now().Wall); err != nil || e.ID != rec.Status().ID {
				t.Errorf("find %q: %v", what, err)
			}
		}
		if _, err := Find(o.Dir, "nope", r.clock.Now().Wall); err == nil {
			t.Error("a recording is found that is not there")
		}
		if err := RequestStop(o.Dir, rec.Status().ID); err != nil {
			t.Fatal(err)
		}
		r.clock.Advance(2 * time.Second)
		if s := rec.Status(); !s.Ended || s.Err != nil {
			t.Errorf("%+v", s)
		}
		if err := AwaitEnd(context.Background(), o.Dir, rec.Status().ID); err != nil {
			t.Error(err)
		}
		if list := r.list(o.Dir); len(list) != 0 {
			t.Errorf("%+v", list)
		}
		for _, id := range []string{"", "../../x", "UPPER", strings.Repeat("a", 33)} {
			if RequestStop(o.Dir, id) == nil || Forget(o.Dir, id) == nil {
				t.Errorf("%q is taken for an id", id)
			}
		}
	})
}

// TestKeptEnd: the end of a recording that nobody saw is told, for a week.
func TestKeptEnd(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		o := r.described("n.csv", r.host(plain("a"), `\Memory\Seconds`))
		rec := r.start(o)
		r.clock.Advance(3 * time.Second)
		go func() { _ = rec.Stop(r.ctx, "the terminal was closed") }()
		r.clock.Advance(0)
		<-rec.Done()
		list := r.list(o.Dir)
		if len(list) != 1 || list[0].State != Ended || list[0].Reason != "the terminal was closed" || list[0].Samples != 3 {
			t.Errorf("%+v", list)
		}
		before := r.filesIn(o.Dir)
		if list, _ := List(o.Dir, r.clock.Now().Wall.Add(8*24*time.Hour)); len(list) != 0 {
			t.Errorf("a week later: %+v", list)
		}
		if left := r.filesIn(o.Dir); !slices.Equal(left, before) {
			t.Errorf("%q is there after the list, %q was", left, before)
		}
		r.clock.Jump(8 * 24 * time.Hour)
		other := r.described("other.csv", r.host(plain("b"), `\Memory\Seconds`))
		other.Dir = o.Dir
		id := r.start(other).Status().ID
		for _, name := range r.filesIn(o.Dir) {
			if !strings.Contains(name, id) {
				t.Errorf("left behind: %q", name)
			}
		}
	})
}

// filesIn are the files of a folder, but for the list of all that was recorded.
func (r *rig) filesIn(dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		r.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "made.") {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestSuperseded: a new recording to the same file takes the place of one whose
// process died.
func TestSuperseded(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		o := r.described("n.csv", r.host(plain("a"), `\Memory\Seconds`))
		rec := r.start(o)
		r.clock.Advance(3 * time.Second)
		r.kill(rec)
		o.Exists = Append
		next := r.start(o)
		if list := r.list(o.Dir); len(list) != 1 || list[0].ID != next.Status().ID {
			t.Errorf("%+v", list)
		}
		r.stop(next)
	})
}
