package recorders

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/recording/collector"
	"perfdeck/session/system/guard"
)

const (
	queue = `\Disk(*)\Queue`
	free  = `\Disk(*)\Free`
)

// rig is All in a bubble, with three hosts that it does not know yet; its screens, and
// a plan "night" of all hosts.
type rig struct {
	*testing.T

	*Named
	screens *Screens
	hosts   []collector.Host
	dir     string
	handed  []string // recordings that were handed over

	mu     sync.Mutex
	told   []string
	report func() // when something is told; may wait
}

func inBubble(t *testing.T, goesOn bool, f func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{T: t, dir: t.TempDir(), report: func() {}}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		guarded := guard.New(func(e *guard.PanicError) { t.Error(e, string(e.Stack)) })
		clock := session.NewSystemClock()
		for _, name := range []string{"a", "b", "c"} {
			source := fake.New(fake.Script{Name: name, Sets: []fake.Set{{
				Name: "Disk", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "C:"}},
				Counters: []fake.Counter{
					{Name: "Queue", Type: cooker.CounterRawCount, Is: fake.Const(1)},
					{Name: "Free", Type: cooker.CounterRawCount, Is: fake.Const(2)},
				},
			}}}, clock)
			sampler := session.NewSampler(name, source, clock)
			guarded.Go(func() { sampler.Run(ctx) })
			r.hosts = append(r.hosts, collector.Host{Name: name, Sampler: sampler})
		}
		d := New(Options{Go: guarded.Go, Report: r.tell, Start: func(o collector.Options) (*collector.Recording, error) {
			o.Clock, o.Go, o.Dir = clock, guarded.Go, filepath.Join(r.dir, "kept")
			if o.Format == nil {
				o.Format, _ = formats.Named("sqlite")
			}
			return collector.Start(o)
		}})
		r.Named = NewNamed(d, []Plan{{
			Name: "Night", Paths: []string{queue}, Has: func(*collector.Host) bool { return true },
			Options: func() (collector.Options, error) {
				return collector.Options{Files: collector.Files{File: filepath.Join(r.dir, "night.db")}, Subject: collector.Subject{Every: time.Second}}, nil
			},
		}})
		r.screens = NewScreens(d, ScreensOptions{
			Every: func() time.Duration { return time.Second }, GoesOn: goesOn,
			HandOver: func(ctx context.Context, rec *collector.Recording) error {
				r.handed = append(r.handed, filepath.Base(rec.Status().File))
				return rec.Stop(ctx, "")
			},
			Forget: func(string) {}, Say: func(text string) { r.tell(errors.New(text)) }, Fail: r.tell,
		})
		f(r)
		d.Close()
	})
}

func (r *rig) tell(err error) {
	r.report()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = append(r.told, err.Error())
}

// ofTold is what was told of something.
func (r *rig) ofTold(what string) (out []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, text := range r.told {
		if strings.Contains(text, what) {
			out = append(out, text)
		}
	}
	return out
}

func want(path string, hosts ...collector.Host) (out []Wanted) {
	for _, h := range hosts {
		out = append(out, Wanted{h.Name, []string{path}})
	}
	return out
}

// Names that cannot be are refused, with what to do instead, and nothing is made.
func TestRefusals(t *testing.T) {
	inBubble(t, false, func(r *rig) {
		r.Add(r.hosts[0])
		dir := r.TempDir()
		there := filepath.Join(dir, "there.db")
		if err := os.WriteFile(there, nil, 0o600); err != nil {
			r.Fatal(err)
		}
		for file, words := range map[string]string{
			"":                             "needs a name",
			dir:                            "name of a file is missing",
			dir + "/":                      "name of a file is missing",
			filepath.Join(dir, "no/x.csv"): "make the folder",
			there:                          "another name",
		} {
			if err := r.screens.Start(file, want(queue, r.hosts[0])); err == nil || !strings.Contains(err.Error(), words) {
				r.Errorf("%q: %v, want %q", file, err, words)
			}
		}
		if err := r.screens.Start(filepath.Join(dir, "x.csv"), nil); err == nil {
			r.Error("nothing is recorded")
		}
		if err := r.Start("Day"); err == nil || !strings.Contains(err.Error(), "[[record]]") {
			r.Errorf("no plan: %v", err)
		}
		_, was := r.screens.Status()
		if left, _ := os.ReadDir(dir); len(left) != 1 || was {
			r.Errorf("left behind: %v", left)
		}
	})
}

// The user is told what becomes of hosts that come and go while something is recorded,
// and can let them join.
func TestHostsComeAndGo(t *testing.T) {
	inBubble(t, false, func(r *rig) {
		first, second := r.hosts[0], r.hosts[1]
		r.Add(first)
		if err := r.screens.Start(filepath.Join(r.dir, "x.db"), want(queue, first)); err != nil {
			r.Fatal(err)
		}
		r.Add(second)
		if len(r.ofTold("b is not recorded")) != 1 {
			r.Errorf("told: %q", r.told)
		}
		both := want(queue, first, second)
		if got := r.screens.Lacking(both); len(got) != 1 || got[0].Host != "b" {
			r.Errorf("it lacks %v", got)
		}
		if err := r.screens.Extend(both); err != nil {
			r.Fatal(err)
		}
		if got := r.screens.Lacking(both); got != nil {
			r.Errorf("it still lacks %v", got)
		}
		if got := r.screens.Lacking(append(both, want(free, first)...)); len(got) != 1 || !slices.Equal(got[0].Paths, []string{free}) {
			r.Errorf("of another counter it lacks %v", got)
		}
		r.Drop("b")
		r.Add(second)
		if len(r.ofTold("b is recorded no more")) != 1 || len(r.ofTold("b is recorded again")) != 1 {
			r.Errorf("told: %q", r.told)
		}
		if err := r.screens.Start(filepath.Join(r.dir, "y.db"), both); err == nil || !strings.Contains(err.Error(), "x.db") {
			r.Errorf("a second one: %v", err)
		}
		if err := r.screens.Stop(); err != nil {
			r.Error(err)
		}
	})
}

// hanging begins a recording of two hosts, of which the second is gone then. Called, it
// waits as for a disk, until it is called again.
func (r *rig) hanging(key string) (hang func()) {
	var hangs atomic.Bool
	hung, answers := make(chan struct{}), make(chan struct{})
	err := r.Begin(key, Joins{}, func(known map[string]collector.Host) (collector.Options, error) {
		o := collector.Options{
			Files:   collector.Files{File: filepath.Join(r.dir, fmt.Sprintf("%x.db", key))},
			Subject: collector.Subject{Every: time.Second},
			Listeners: collector.Listeners{Report: r.tell, Changed: func() {
				if hangs.CompareAndSwap(true, false) {
					close(hung)
					<-answers
				}
			}},
		}
		for _, h := range r.hosts[:2] {
			h.Paths = []string{queue}
			o.Hosts = append(o.Hosts, h)
		}
		return o, nil
	})
	if err != nil {
		r.Fatal(err)
	}
	return func() {
		if !hangs.Load() && !session.IsClosed(hung) {
			hangs.Store(true)
			<-hung
			return
		}
		close(answers)
	}
}

// While the disk of a recording does not answer the screens can ask how things stand,
// whatever waits for it.
func TestDiskHangs(t *testing.T) {
	for name, waits := range map[string]func(r *rig){
		"a host comes back":        func(r *rig) { r.Add(r.hosts[1]) },
		"the deck is recorded too": func(r *rig) { _ = r.screens.Extend(want(free, r.hosts[0])) },
		"an alert stops it":        func(r *rig) { _ = r.Stop("night") },
		"the user stops it":        func(r *rig) { _ = r.screens.Stop() },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, false, func(r *rig) {
				r.Add(r.hosts[0])
				r.Add(r.hosts[1])
				own, alerts := r.hanging(ofScreens), r.hanging("night")
				r.Drop("b")
				time.Sleep(3 * time.Second)
				own()
				alerts()
				waited := make(chan struct{})
				go func() { defer close(waited); waits(r) }()
				synctest.Wait()
				if session.IsClosed(waited) {
					r.Error("it does not wait")
				}
				if !r.All.mu.TryLock() {
					r.Error("the table is locked")
				} else {
					r.All.mu.Unlock()
				}
				own()
				alerts()
				<-waited
			})
		})
	}
}

// That a disk does not answer is said instead of that more is recorded.
func TestExtendIsLate(t *testing.T) {
	inBubble(t, false, func(r *rig) {
		for _, h := range r.hosts {
			r.Add(h)
		}
		hang := r.hanging(ofScreens)
		time.Sleep(3 * time.Second)
		all := want(queue, r.hosts...)
		hang()
		if err := r.screens.Extend(all); err == nil || !strings.Contains(err.Error(), "does not answer") {
			r.Errorf("the disk does not answer: %v", err)
		}
		hang()
		if err := r.screens.Extend(all); err != nil || r.screens.Lacking(all) != nil {
			r.Errorf("it answers: %v, %v", err, r.screens.Lacking(all))
		}
		if err := r.screens.Stop(); err != nil {
			r.Fatal(err)
		}
		if err := r.screens.Extend(all); err == nil {
			r.Error("nothing is recorded, and more is")
		}
	})
}

// While a recording begins the screens can ask how things stand, a host that comes
// meanwhile is recorded and one that goes is not; who begins it too finds it, and who
// stops it stops it.
func TestBeginsOnSlowDisk(t *testing.T) {
	inBubble(t, false, func(r *rig) {
		r.Add(r.hosts[0])
		r.Add(r.hosts[1])
		answers, once := make(chan struct{}), sync.Once{}
		start := r.All.o.Start
		r.All.o.Start = func(o collector.Options) (*collector.Recording, error) {
			once.Do(func() { <-answers })
			return start(o)
		}
		began := make(chan error, 2)
		go func() { began <- r.Start("night") }()
		synctest.Wait()
		go func() { began <- r.Start("NIGHT") }()
		synctest.Wait()
		if len(began) > 0 || r.Running("night") != nil {
			r.Error("it does not wait")
		}
		r.Drop("a")
		r.Add(r.hosts[2])
		close(answers)
		for range 2 {
			if err := <-began; err != nil {
				r.Fatal(err)
			}
		}
		synctest.Wait()
		e := r.Running("night")
		if e == nil {
			r.Fatal("nothing is recorded")
		}
		if texts, _ := e.Paths("c"); len(texts) != 1 {
			r.Errorf("the host that came is not recorded: %q", texts)
		}
		if _, gone := e.Paths("a"); !gone {
			r.Error("the host that went is recorded")
		}
		if err := r.Stop("Night"); err != nil || r.Running("night") != nil {
			r.Errorf("stop: %v", err)
		}
	})
}

// The screens show a recording that an alert began while the user records nothing, and
// can stop it; that the user's ended is told once, also beside an alert's.
func TestScreensAndAlerts(t *testing.T) {
	inBubble(t, false, func(r *rig) {
		r.Add(r.hosts[0])
		if err := r.Start("night"); err != nil {
			r.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if s, was := r.screens.Status(); !was || s.Ended || !strings.Contains(s.File, "night") {
			r.Errorf("an alert's: %+v", s)
		}
		own := filepath.Join(r.dir, "own.db")
		if err := r.screens.Start(own, want(queue, r.hosts[0])); err != nil {
			r.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if s, _ := r.screens.Status(); !strings.Contains(s.File, "own") {
			r.Errorf("the user's: %+v", s)
		}
		if err := os.Remove(own); err != nil {
			r.Fatal(err)
		}
		time.Sleep(time.Minute)
		if s, _ := r.screens.Status(); s.Ended || !strings.Contains(s.File, "night") {
			r.Errorf("the alert's goes on: %+v", s)
		}
		if err := r.screens.Stop(); err != nil {
			r.Error(err)
		}
		if s, _ := r.screens.Status(); !s.Ended {
			r.Errorf("stopped by the user: %+v", s)
		}
		r.screens.End()
		if told := r.ofTold("own.db"); len(told) != 1 {
			r.Errorf("told of the user's: %q", told)
		}
	})
}

// What becomes of recordings at the end of the screens holds for those of alerts, too;
// what begins later is ended at once.
func TestEnd(t *testing.T) {
	for _, goesOn := range []bool{false, true} {
		for _, said := range []bool{false, true} {
			inBubble(t, goesOn != said, func(r *rig) {
				r.Add(r.hosts[0])
				if err := errors.Join(r.Start("night"), r.screens.Start(filepath.Join(r.dir, "own.db"), want(queue, r.hosts[0]))); err != nil {
					r.Fatal(err)
				}
				time.Sleep(2 * time.Second)
				if said {
					r.screens.Leave(goesOn)
				}
				r.screens.End()
				if want := []string{"own.db", "night.db"}; goesOn != slices.Equal(r.handed, want) || !goesOn && r.handed != nil {
					r.Errorf("goes on %v, said %v: handed over %q", goesOn, said, r.handed)
				}
				if len(r.Files()) > 0 {
					r.Errorf("%q go on", r.Files())
				}
				if err := r.Start("night"); !errors.Is(err, errLeaving) || len(r.Files()) > 0 {
					r.Errorf("one begins: %v", err)
				}
			})
		}
	}
}

// Recordings that always go on follow their plans: one that is as it was goes on, one that is another
// begins anew, one whose plan went ends. What an alert began goes on.
func TestAlways(t *testing.T) {
	inBubble(t, false, func(r *rig) {
		r.Add(r.hosts[0])
		plan := func(name, spec, path string) Plan {
			return Plan{Name: name, Spec: spec, Always: spec != "", Paths: []string{path}, Has: func(*collector.Host) bool { return true }, Options: func() (collector.Options, error) {
				return collector.Options{Files: collector.Files{File: filepath.Join(r.dir, name+spec+".db")}, Subject: collector.Subject{Every: time.Second}}, nil
			}}
		}
		take := func(plans ...Plan) (files []string) {
			r.SetPlans(plans)
			r.StartAlways()
			time.Sleep(2 * time.Second)
			for _, name := range r.Files() {
				files = append(files, filepath.Base(name))
			}
			return files
		}
		take(plan("Stays", "1", queue), plan("changes", "1", queue), plan("goes", "1", queue), plan("begun", "", queue))
		if err := r.Start("begun"); err != nil {
			r.Fatal(err)
		}
		stays, changes := r.Running("stays"), r.Running("changes")
		if stays == nil || changes == nil || r.Running("goes") == nil {
			r.Fatal("they do not go on")
		}
		if got := take(plan("stays", "1", queue), plan("changes", "2", free)); !slices.Equal(got, []string{"begun.db", "changes2.db", "Stays1.db"}) {
			r.Errorf("go on: %q", got)
		}
		if r.Running("stays") != stays || !changes.Status().Ended || r.Running("goes") != nil {
			r.Error("one that is as it was began anew, or one that is not goes on")
		}
		if texts, _ := r.Running("changes").Paths("a"); !slices.Equal(texts, []string{free}) {
			r.Errorf("recorded: %q", texts)
		}
		if told := r.ofTold(""); len(told) > 0 {
			r.Errorf("told: %q", told)
		}
	})
}

// A recording that is always to go on and cannot begin, or ends by an error, is tried again until
// it can, and that is told once; one that the config has no more is not. A folder that is not
// there stands for the full disk.
func TestAlwaysAgain(t *testing.T) {
	inBubble(t, false, func(r *rig) {
		folder := filepath.Join(r.dir, "disk")
		plan := Plan{
			Name: "Always", Paths: []string{queue}, Always: true, Has: func(*collector.Host) bool { return true },
			Options: func() (collector.Options, error) {
				file := filepath.Join(folder, fmt.Sprint(time.Now().Unix(), ".db"))
				return collector.Options{Files: collector.Files{File: file}, Subject: collector.Subject{Every: time.Second}}, nil
			},
		}
		r.SetPlans([]Plan{plan})
		r.Add(r.hosts[0])
		goesOn := func() bool { synctest.Wait(); return r.Running("always") != nil }
		r.StartAlways()
		r.StartAlways() // as at a reload
		time.Sleep(5 * retryEvery)
		if told := r.ofTold("record to"); len(told) != 1 || goesOn() {
			r.Fatalf("told %q", told)
		}
		if err := os.Mkdir(folder, 0o700); err != nil {
			r.Fatal(err)
		}
		time.Sleep(2 * retryEvery)
		if !goesOn() {
			r.Fatalf("it is not tried again: told %q", r.ofTold(""))
		}
		first := r.Files()
		if err := os.RemoveAll(folder); err != nil {
			r.Fatal(err)
		}
		time.Sleep(5 * retryEvery)
		if told := r.ofTold("record to"); len(told) != 2 || goesOn() {
			r.Fatalf("told %q", told)
		}
		if err := os.Mkdir(folder, 0o700); err != nil {
			r.Fatal(err)
		}
		time.Sleep(2 * retryEvery)
		if !goesOn() || slices.Equal(first, r.Files()) {
			r.Fatalf("it does not go on: told %q", r.ofTold(""))
		}
		if err := os.RemoveAll(folder); err != nil {
			r.Fatal(err)
		}
		r.SetPlans(nil)
		time.Sleep(5 * retryEvery)
		if err := os.Mkdir(folder, 0o700); err != nil {
			r.Fatal(err)
		}
		time.Sleep(5 * retryEvery)
		if goesOn() {
			r.Error("it goes on though the config has it no more")
		}
	})
}
