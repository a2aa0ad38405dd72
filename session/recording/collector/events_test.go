package collector

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/eventlist"
	"perfdeck/session/files/formats"
	"perfdeck/session/hosts/fake"
)

// eventfulSource is a scripted host that writes a line each second.
type eventfulSource struct {
	session.Source

	clock session.Clock
	fails error
	ahead time.Duration // of its clock, as it was measured
	every time.Duration // that it is read; 0: a second
}

func (s *eventfulSource) Events(_ context.Context, from session.EventsFrom) (session.EventReader, error) {
	return &eventfulReader{s, from.Time.Add(-time.Minute)}, s.fails // before what is wanted, too
}

type eventfulReader struct {
	*eventfulSource

	upTo time.Time
}

func (r *eventfulReader) Read(context.Context) (out []session.HostEvent, more bool, err error) {
	for now := r.clock.Now().Wall; !r.upTo.After(now); r.upTo = r.upTo.Add(time.Second) {
		at := r.upTo.Add(r.ahead)
		out = append(out, session.HostEvent{Time: at, Until: at, Own: r.upTo, Count: 1, Level: session.EventWarning, Source: "shop", ID: fmt.Sprint(r.upTo.Unix()), Text: "a line"})
	}
	return out, false, nil
}
func (r *eventfulReader) Every() time.Duration { return cmp.Or(r.every, time.Second) }
func (r *eventfulReader) Cursor() string       { return "" }
func (r *eventfulReader) Close() error         { return nil }

func (r *rig) eventful(name string, fails error) Host {
	return r.hostOf(name, &eventfulSource{Source: fake.New(plain(name), r.clock), clock: r.clock, fails: fails})
}

func (r *rig) hostOf(name string, source session.Source) Host {
	sampler := session.NewSampler(name, source, r.clock)
	go sampler.Run(r.ctx)
	return Host{Name: name, Sampler: sampler, Paths: []string{`\Memory\Seconds`}}
}

// eventsOf are the events of files.
func eventsOf(t *testing.T, files ...string) []session.HostEvent {
	t.Helper()
	events, _, damaged := formats.Events(context.Background(), files, nil, time.Time{}, time.Time{})
	if len(damaged) > 0 {
		t.Fatal(damaged)
	}
	return events
}

// What hosts write down while they are recorded stands in the files, each once, in those that were
// written then; only where it is asked for.
func TestEventsAreRecorded(t *testing.T) {
	for _, extension := range []string{".db", ".json"} {
		inBubble(t, start0, func(r *rig) {
			o := r.options("a"+extension, r.eventful("A", nil), r.eventful("B", nil))
			o.Events, o.Segment.Samples = true, 10
			rec := r.start(o)
			r.clock.Advance(25 * time.Second)
			if err := r.stop(rec); err != nil {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(r.dir, "*"+extension))
			if err != nil || len(files) < 3 {
				t.Fatal(files, err)
			}
			of := map[string]int{}
			for _, e := range eventsOf(t, files...) {
				of[e.Host]++
				if e.Time.Before(start0) || e.Text != "a line" || e.Count != 1 {
					t.Errorf("%+v", e)
				}
			}
			if len(of) != 2 || of["A"] < 20 || of["A"] > 26 || of["B"] < 20 {
				t.Errorf("%v", of)
			}
			if n := len(eventsOf(t, files[0])); n < 10 || n > 26 {
				t.Errorf("%d events in the first of %d files", n, len(files))
			}
			if told := r.reported(); told != "" {
				t.Error(told)
			}
		})
	}
	inBubble(t, start0, func(r *rig) {
		rec := r.start(r.options("a.db", r.eventful("A", nil)))
		r.clock.Advance(5 * time.Second)
		if err := r.stop(rec); err != nil {
			t.Fatal(err)
		}
		if events := eventsOf(t, filepath.Join(r.dir, "a.db")); len(events) > 0 {
			t.Errorf("nobody asked for %+v", events)
		}
	})
}

// That a format cannot keep events, or a host refuses them, is told once; its counters are recorded.
func TestEventsThatCannotBe(t *testing.T) {
	for file, fails := range map[string]error{"a.csv": nil, "a.db": fmt.Errorf("event log: %w", session.ErrDenied)} {
		inBubble(t, start0, func(r *rig) {
			o := r.options(file, r.eventful("A", fails))
			o.Events = true
			rec := r.start(o)
			r.clock.Advance(30 * time.Second)
			if err := r.stop(rec); err != nil {
				t.Fatal(err)
			}
			if told := r.reported(); strings.Count(told, "events") != 1 || strings.Contains(told, "\n") || fails != nil && !strings.Contains(told, "event log") {
				t.Errorf("%s: told: %s", file, told)
			}
			events, _, _ := formats.Events(context.Background(), []string{filepath.Join(r.dir, file)}, nil, time.Time{}, time.Time{})
			if said := len(events) == 1 && eventlist.IsUnread(&events[0]) && events[0].Host == "A"; said != (fails != nil) {
				t.Errorf("%s: it says %+v", file, events)
			}
			if rows := readTable(t, filepath.Join(r.dir, file)).rows; len(rows) < 25 {
				t.Errorf("%s: %d rows", file, len(rows))
			}
		})
	}
}

// What was written down while no process recorded stands in the file that another one goes on with,
// each once, however that measures the host's clock.
func TestEventsOfAResumption(t *testing.T) {
	for _, file := range []string{"n.db", "n.json"} {
		inBubble(t, start0, func(r *rig) {
			fresh := func(ahead time.Duration) Host {
				return r.hostOf("A", &eventfulSource{Source: fake.New(plain("A"), r.clock), clock: r.clock, ahead: ahead})
			}
			o := r.described(file, fresh(0))
			o.Events, o.Every = true, 10*time.Second
			rec := r.start(o)
			r.clock.Advance(38 * time.Second)
			name := rec.Status().File
			r.kill(rec)
			r.clock.Advance(60 * time.Second)
			rec = r.resume(o.Dir, nil, fresh(3*time.Millisecond))
			r.clock.Advance(30 * time.Second)
			if err := r.stop(rec); err != nil {
				t.Fatal(err)
			}
			times := map[string]int{}
			for _, e := range eventsOf(t, name) {
				times[e.ID]++
			}
			for i := range 120 {
				if id := fmt.Sprint(start0.Unix() + int64(i)); times[id] != 1 {
					t.Errorf("%s: that of second %d stands there %d times", file, i, times[id])
				}
			}
		})
	}
}

// The words of a host stand in the recording, and in no other file that recorders keep.
func TestTextsStayInRecordings(t *testing.T) {
	for _, extension := range []string{".db", ".json", ".csv"} {
		inBubble(t, start0, func(r *rig) {
			o := r.options("a"+extension, r.eventful("A", nil))
			o.Events, o.Dir = true, filepath.Join(r.dir, "described")
			rec := r.start(o)
			r.clock.Advance(20 * time.Second)
			if err := r.stop(rec); err != nil {
				t.Fatal(err)
			}
			found := map[string]bool{}
			err := filepath.WalkDir(r.dir, func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				text, err := os.ReadFile(name)
				found[filepath.Base(name)] = bytes.Contains(text, []byte("a line"))
				return err
			})
			if err != nil || found["a"+extension] != (extension != ".csv") {
				t.Errorf("%s: %v, %v", extension, found, err)
			}
			for name, has := range found {
				if has && name != "a"+extension {
					t.Errorf("%s has the words of the host", name)
				}
			}
		})
	}
}

// A recording that another process continues has each event once, also where the one before
// had not read the last of them, and asks for them again.
func TestEventsGoOn(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		host := func() Host {
			return r.hostOf("A", &eventfulSource{Source: fake.New(plain("A"), r.clock), clock: r.clock, every: 7 * time.Second})
		}
		o := r.options("a.db", host())
		o.Events, o.Dir = true, filepath.Join(r.dir, "described")
		rec := r.start(o)
		r.clock.Advance(10 * time.Second)
		go func() { _ = rec.stop(r.ctx, ending{hand: true}) }()
		r.clock.Advance(0)
		d, err := loadDescriptor(filepath.Join(o.Dir, rec.id+descriptorSuffix))
		if err != nil {
			t.Fatal(err)
		}
		again, err := d.Restore()
		if err != nil || !again.Events {
			t.Fatal(again.Events, err)
		}
		r.clock.Advance(2 * time.Second)
		again.Runtime, again.Listeners, again.Dir, again.MinFree = o.Runtime, o.Listeners, o.Dir, -1
		again.Hosts[0].Sampler = host().Sampler
		rec = r.start(again)
		r.clock.Advance(10 * time.Second)
		if err := r.stop(rec); err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, e := range eventsOf(t, filepath.Join(r.dir, "a.db")) {
			if seen[e.ID] {
				t.Errorf("twice: %+v", e)
			}
			seen[e.ID] = true
		}
		for i := range 19 {
			if id := fmt.Sprint(start0.Unix() + int64(i)); !seen[id] {
				t.Errorf("that of second %d is not there", i)
			}
		}
	})
}
