package feed

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/pcq"
	"perfdeck/session/hosts/pcq/server"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/smbtest"
)

func jobs(instance string, n int) string {
	return fmt.Sprintf(`{"set":"Queue","instance":%q,"Length":%d,"Jobs/sec":%d,"Wait":{"raw":%d,"base":%d},"%% busy time":%d}`+"\n",
		instance, n, n, 10_000_000*n, n, 20_000*n)
}

// followed is a file that is followed on a clock that is moved by hand, which sets the file's
// time of change, too.
type followed struct {
	*rig

	name  string
	older *session.SetBatch
}

func follows(t *testing.T, text string) *followed {
	f := &followed{name: filepath.Join(t.TempDir(), "lines")}
	clock := clocktest.New(time.Date(2026, 3, 2, 3, 12, 0, 0, time.UTC), synctest.Wait)
	f.rig = &rig{TB: t, clock: clock}
	f.writes(os.O_CREATE, text, 0)
	f.rig = newRig(t, clock, Feed{Inlets: []Inlet{{File: f.name}}})
	clock.Advance(8 * time.Second)
	f.Begin()
	clock.Advance(settled)
	return f
}

// writes writes into the file, which changed as long ago then.
func (f *followed) writes(flag int, text string, ago time.Duration) {
	f.Helper()
	file, err := os.OpenFile(f.name, os.O_WRONLY|flag, 0o600)
	if err == nil {
		_, err = file.WriteString(text)
		_ = file.Close()
	}
	at := f.clock.Now().Wall.Add(-ago)
	if err == nil {
		err = os.Chtimes(f.name, at, at)
	}
	if err != nil {
		f.Fatal(err)
	}
}

// tells lets the time of a poll pass, and checks what a rate is then.
func (f *followed) tells(what, instance, want string) {
	f.Helper()
	f.clock.Advance(followEvery + settled)
	b := &f.collect(true).Sets[0]
	if got := value(f.older, b, instance, "Jobs/sec"); got != want {
		f.Errorf("%s: %s a second, not %s", what, got, want)
	}
	f.older = clone(b)
}

// appends appends a line some time after the last check.
func (f *followed) appends(after time.Duration, text string) {
	f.Helper()
	f.clock.Advance(after - followEvery - settled)
	f.writes(os.O_APPEND, text, 0)
}

// What a file said before it was followed is shown, and no rate begins with it: it may be of
// any time. Then lines are of when the file changed, whenever that was seen.
func TestWhatAFileSaidBeforeHasNoRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follows(t, jobs("a", 100)+jobs("b", 100))
		b := f.collect(true)
		if length := value(nil, &b.Sets[0], "a", "Length"); length != "100" {
			t.Errorf("the length is %s", length)
		}
		for _, counter := range []string{"Jobs/sec", "Wait", "% Busy Time"} {
			if got := value(nil, &b.Sets[0], "a", counter); got != cooker.FirstSample.String() {
				t.Errorf("%s is %s", counter, got)
			}
		}
		f.older = clone(&b.Sets[0])
		f.appends(2*time.Second, jobs("a", 200))
		f.tells("the first line", "a", "FIRST_SAMPLE")
		f.clock.Advance(followEvery / 2) // where in the poll a line comes is nothing to its moment
		f.appends(10*time.Second-followEvery/2, jobs("a", 300)+jobs("b", 300))
		f.tells("the second", "a", "10")
		if got := value(nil, f.older, "b", "Wait"); got != "FIRST_SAMPLE" {
			t.Errorf("the first of another is %s", got)
		}
		f.appends(10*time.Second, jobs("b", 400))
		f.tells("its second", "b", "10")
	})
}

// The time of change counts between two looks alone: clocks are set, files are touched.
func TestTimesOfChangeThatCannotBe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follows(t, "")
		f.appends(time.Second, jobs("a", 0))
		f.tells("the first", "a", "FIRST_SAMPLE")
		for i, ago := range []time.Duration{-time.Hour, time.Hour, 0} {
			f.clock.Advance(10*time.Second - followEvery - settled)
			f.writes(os.O_APPEND, jobs("a", 100*(i+1)), ago)
			f.clock.Advance(followEvery + settled)
			b := &f.collect(true).Sets[0]
			seconds := float64(b.Clocks.PerfTime-f.older.Clocks.PerfTime) / ticksPerSecond
			if most := followEvery.Seconds(); seconds < 10-most || seconds > 10+most {
				t.Errorf("changed %v ago: an interval of %.3f s", ago, seconds)
			}
			f.older = clone(b)
		}
		f.clock.Step(-30 * time.Minute)
		f.appends(10*time.Second, jobs("a", 400))
		f.tells("the clock was set back", "a", "10")
		f.clock.Step(2 * time.Hour)
		f.appends(10*time.Second, jobs("a", 500))
		f.tells("the clock was set forward", "a", "10")
	})
}

// What is in a file that takes the place of another is told; what is in one that comes back
// was told before.
func TestMomentsOfFilesThatAreRotated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follows(t, jobs("b", 100))
		f.appends(time.Second, jobs("a", 100))
		f.tells("the first", "a", "FIRST_SAMPLE")
		f.clock.Advance(10*time.Second - followEvery - settled)
		f.writes(os.O_TRUNC, jobs("a", 200), 0)
		f.tells("it was cut", "a", "10")
		f.clock.Advance(10*time.Second - followEvery - settled)
		if err := os.Rename(f.name, f.name+".1"); err != nil {
			t.Skip("an open file cannot be renamed here")
		}
		f.writes(os.O_CREATE, jobs("a", 300), 0)
		f.clock.Advance(minPause)
		f.tells("it was replaced", "a", "10")
		if err := os.Remove(f.name); err != nil {
			t.Fatal(err)
		}
		f.clock.Advance(followEvery)
		f.writes(os.O_CREATE, jobs("a", 400), 0)
		f.clock.Advance(time.Minute)
		f.tells("it was away", "a", "FIRST_SAMPLE")
		f.appends(10*time.Second, jobs("a", 500))
		f.tells("one line since", "a", "FIRST_SAMPLE")
		f.appends(10*time.Second, jobs("a", 600))
		f.tells("two lines since", "a", "10")
	})
}

// A program or a socket that begins with old lines, as tail -f does, is as a file: what one
// moment tells several times is of several. Of what is known already it is a batch.
func TestWhatIsToldAgainAndAgainAtFirst(t *testing.T) {
	r := still(t)
	var older *session.SetBatch
	for i, step := range []struct {
		text, want string
	}{
		{jobs("a", 80) + jobs("a", 90) + jobs("a", 100), "FIRST_SAMPLE"},
		{jobs("a", 200), "FIRST_SAMPLE"},
		{jobs("a", 300), "10"},
		{jobs("a", 350) + jobs("a", 400), "10"},
		{jobs("a", 500), "10"},
	} {
		r.tell(step.text)
		b := clone(&r.collect(true).Sets[0])
		if got := value(older, b, "a", "Jobs/sec"); got != step.want {
			t.Errorf("step %d: %s, not %s", i, got, step.want)
		}
		older = b
		r.clock.Advance(10*time.Second - settled)
	}
}

// ready is a source whose queries do not wait for first lines. With now it is as it was
// before moments were told: all has the clock of who reads it.
type ready struct {
	*Source

	now bool
}

func (s ready) Open(ctx context.Context) (session.Query, error) {
	q, err := s.Source.Open(ctx)
	q.(*query).waited = true
	if s.now {
		q = readNow{q, s.Source}
	}
	return q, err
}

type readNow struct {
	session.Query

	source *Source
}

func (q readNow) Collect(ctx context.Context, b *session.Batch) error {
	err := q.Query.Collect(ctx, b)
	for i := range b.Sets {
		b.Sets[i].Clocks = q.source.Clocks()
	}
	return err
}

// served is what is fed at the other end of a server, over TCP or over a stream.
func served(t *testing.T, source session.Source, stream bool) session.Source {
	t.Helper()
	dial := func(ctx context.Context) (pcq.Conn, error) {
		near, far := net.Pipe()
		go func() { _ = server.ServeStream(context.Background(), far, server.StreamOptions{Source: source}) }()
		o := rpc.Options{Address: rpc.Address{Host: "far"}, Calls: rpc.Calls{Interfaces: []rpc.Interface{rpc.MSPCQ, rpc.OwnSideChannel}}}
		if _, err := near.Write(rpc.Opening(o)); err != nil {
			return nil, err
		}
		return rpc.Over(ctx, near, o)
	}
	if !stream {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		accounts := server.Accounts{}
		if err := accounts.Add("ana", []byte("Passw0rd!")); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		t.Cleanup(cancel)
		go func() {
			_ = server.Serve(ctx, l, server.Options{Source: source, Accounts: accounts, Go: func(f func()) { go f() }})
		}()
		dial = func(ctx context.Context) (pcq.Conn, error) {
			return rpc.Dial(ctx, rpc.Options{
				Address: rpc.Address{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port},
				Account: rpc.Account{User: "ana", Password: smbtest.FixedPassword("Passw0rd!")}, Calls: rpc.Calls{CallTimeout: 10 * time.Second},
			})
		}
	}
	s := pcq.New(pcq.Options{Reach: pcq.Reach{Host: "far", Dial: dial}})
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// asServed gives a query of what is served.
func asServed(t *testing.T, source session.Source, stream, knows bool) (session.Query, *session.Batch) {
	t.Helper()
	s := served(t, source, stream)
	cat, err := s.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	set := cat.Set("Queue")
	if !knows { // a client that has not heard of such counters
		set.Counters = slices.DeleteFunc(set.Counters, func(c session.Counter) bool { return slices.Contains(perflib.MomentCounters[:], c.Name) })
		set.Told = false
	}
	q, err := s.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := session.Want{Set: set}
	for i := range set.Counters {
		want.Counters = append(want.Counters, i)
	}
	if err := q.Select(t.Context(), []session.Want{want}); err != nil {
		t.Fatal(err)
	}
	return q, &session.Batch{}
}

// A program that tells each three seconds has rates over three seconds, who samples each
// second at the other end of a server too. Of two sides of which one does not know moments,
// either works: by the clock of replies.
func TestServedRatesAreThoseOfTheProgram(t *testing.T) {
	steady := []string{"33.333333", "6.666667", "1"} // jobs a second, percent busy, seconds each
	for name, way := range map[string]struct{ stream, newServer, newClient, fast bool }{
		"TCP":                {newServer: true, newClient: true},
		"TCP, a fast clock":  {newServer: true, newClient: true, fast: true},
		"stream":             {stream: true, newServer: true, newClient: true},
		"an earlier client":  {newServer: true},
		"an earlier server":  {newClient: true},
		"an earlier of both": {stream: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := still(t)
			if way.fast { // as that of Linux
				own := r.o.Clocks
				r.o.Clocks = func() cooker.Clocks {
					c := own()
					c.PerfTime, c.PerfFreqHz = 100*c.PerfTime, 100*c.PerfFreqHz
					return c
				}
			}
			for _, set := range r.catalogue.Sets {
				set.Told = way.newServer
			}
			r.tell(jobs("a", 0))
			q, b := asServed(t, ready{r.Source, !way.newServer}, way.stream, way.newClient)
			var older *session.SetBatch
			shown := []string{"", "", ""} // while nothing new comes what was before stays
			told := 0
			for second := range 13 {
				if second > 0 && second%3 == 0 {
					told += 100
					r.tell(jobs("a", told))
				}
				if err := q.Collect(t.Context(), b); err != nil || b.Sets[0].Err != nil {
					t.Fatal(err, b.Sets[0].Err)
				}
				if older == nil || older.Clocks != b.Sets[0].Clocks {
					for i, counter := range []string{"Jobs/sec", "% Busy Time", "Wait"} {
						shown[i] = value(older, &b.Sets[0], "a", counter)
					}
					older = clone(&b.Sets[0])
				}
				switch all := strings.Join(shown, " "); {
				case way.newServer && way.newClient && second < 3:
					if all != "FIRST_SAMPLE FIRST_SAMPLE FIRST_SAMPLE" {
						t.Errorf("second %d: %s", second, all)
					}
				case way.newServer && way.newClient:
					if !slices.Equal(shown, steady) {
						t.Errorf("second %d: %s, not %s", second, all, steady)
					}
				case second > 3 && second%3 == 1 && shown[0] != "0", second > 3 && second%3 == 0 && !strings.HasPrefix(shown[0], "9"):
					t.Errorf("second %d, by the clock of replies: %s", second, all)
				}
				if second%3 == 0 {
					r.clock.Advance(time.Second - settled)
				} else {
					r.clock.Advance(time.Second)
				}
			}
		})
	}
}

// What has no rate here has none at the other end, and is no instance that went.
func TestServedWithoutAMoment(t *testing.T) {
	r := still(t)
	r.tell(jobs("a", 80) + jobs("a", 100))
	q, b := asServed(t, ready{Source: r.Source}, false, true)
	if err := q.Collect(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for counter, want := range map[string]string{"Jobs/sec": "FIRST_SAMPLE", "Wait": "FIRST_SAMPLE", "Length": "100"} {
		if got := value(nil, &b.Sets[0], "a", counter); got != want {
			t.Errorf("%s is %s, not %s", counter, got, want)
		}
	}
	r.inlets[0].fail(os.ErrNotExist)
	if err := q.Collect(t.Context(), b); err != nil || len(b.Sets[0].Instances) != 0 {
		t.Errorf("the feed is dead: %v, %v", err, b.Sets[0].Instances)
	}
}

// A writer that replays what it told before it connected makes no rate with it.
func TestASocketThatReplays(t *testing.T) {
	dir, err := os.MkdirTemp("", "feed") // short: a socket's name has a limit
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "s")
	r := newRig(t, nil, Feed{Inlets: []Inlet{{Socket: name}}})
	r.Begin()
	var c net.Conn
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if c, err = net.Dial("unix", name); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var older *session.SetBatch
	for n, text := range []string{jobs("a", 80) + jobs("a", 90) + jobs("a", 100), jobs("a", 200), jobs("a", 300)} {
		if _, err := c.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		r.awaits("a", "Length", fmt.Sprint(100*(n+1)))
		b := clone(&r.collect(false).Sets[0])
		got := value(older, b, "a", "Jobs/sec")
		if (got == "FIRST_SAMPLE") != (n < 2) {
			t.Errorf("line %d: %s a second", n, got)
		}
		older = b
		time.Sleep(2 * settled)
	}
}

// A program that tells one instance a line has rates of each over the time between its own lines, whenever
// one looks, from its second line on.
func TestInstancesHaveMomentsOfTheirOwn(t *testing.T) {
	for _, way := range []string{"here", "at the other end of a server"} {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, nil, Feed{Inlets: []Inlet{{File: "test"}}})
				r.stop = func() {} // as if it ran
				r.inlets[0].answer()
				source := session.Source(ready{Source: r.Source})
				if way != "here" {
					source = served(t, source, true)
				}
				sampler := session.NewSampler("here", source, r.o.Clock)
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan struct{})
				go func() { defer close(done); sampler.Run(ctx) }()
				defer func() { cancel(); <-done }()
				<-sampler.Known()
				set := sampler.Catalogue().Set("Queue")
				col, _ := set.Counter("Jobs/sec")
				f := sampler.Feed(session.FeedOptions{Every: time.Second})
				f.Ask([]session.Ask{{Set: set, Counters: []int{col}}})
				told := 0
				for second := range 36 {
					for i, name := range []string{"a", "b"} {
						if second%10 == 4*i {
							if err := r.inlets[0].newLines().readAll(t.Context(), strings.NewReader(jobs(name, 10*(second-4*i)))); err != nil {
								t.Fatal(err)
							}
						}
					}
					time.Sleep(time.Second)
					synctest.Wait()
					snap := f.Take()
					if snap == nil {
						continue
					}
					view := snap.Set(set)
					for row := range view.Rows {
						first := map[string]int{"a": 10, "b": 14}[view.Rows[row].Key.Name]
						v := view.Value(row, 0)
						n, ok := v.Float()
						if ok {
							told++
						}
						if second > first+1 && (!ok || n < 9.9 || n > 10.1) || second < first && ok {
							t.Errorf("second %d: %s has %v (%s)", second, view.Rows[row].Key.Name, n, v.Status())
						}
						if older, newer, before, now, _ := view.Raw(row, 0); ok && cooker.Cook(set.Counters[col].Type, older, newer, before, now, nil) != v {
							t.Errorf("second %d: what explains it gives something else", second)
						}
					}
					snap.Release()
				}
				if told < 40 {
					t.Errorf("%d values in all", told)
				}
			})
		})
	}
}
