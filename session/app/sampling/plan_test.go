package sampling

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"perfdeck/session/config"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/naming"
	"perfdeck/session/recording/collector"
	"perfdeck/session/system/failure"
)

func format(name string) *formats.Format {
	f, _ := formats.Named(name)
	return f
}

// What is said becomes the options of a recording.
func TestOptions(t *testing.T) {
	for name, c := range map[string]struct {
		said Said
		want collector.Options
	}{
		"nothing":   {Said{}, collector.Options{Files: collector.Files{Format: format("sqlite")}}},
		"extension": {Said{Record: config.Record{File: "x.CSV"}}, collector.Options{Files: collector.Files{File: "x.CSV", Format: format("csv")}}},
		"all": {
			Said{
				Record: config.Record{
					File: "x.csv", Interval: time.Second, SegmentTime: time.Hour, SegmentSize: 100 << 20, SegmentRows: 7, Ring: 2 << 30, Duration: 90 * time.Second, Samples: 3,
					Parts: "serial,computer", Pattern: "NN", PerHost: true, Follow: true,
				},
				Format: "json", Set: "s", Caption: "c", Serial: 4, Sync: collector.SyncNever, MinFree: -1, Exists: collector.Append, Spreadsheet: true, ShowHidden: true,
			},
			collector.Options{
				Subject: collector.Subject{Every: time.Second, ShowHidden: true},
				Files: collector.Files{
					File: "x.csv", Pattern: "NN", Serial: 4, Caption: "c", Format: format("json"), Exists: collector.Append, Parts: naming.PartSerialNumber | naming.PartComputer, PerHost: true,
					Write: logs.WriteOptions{Set: "s", Spreadsheet: true},
				},
				Keeping: collector.Keeping{Sync: collector.SyncNever, Ring: 2 << 30, MinFree: -1, Segment: collector.Limits{Time: time.Hour, Bytes: 100 << 20, Samples: 7}, FollowInstances: true},
				Until:   collector.Until{Duration: 90 * time.Second, Count: 3},
			},
		},
	} {
		if got, err := c.said.Options(); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v (%v), want %+v", name, got, err, c.want)
		}
	}
	for _, wrong := range []Said{
		{Format: "xls"}, {Record: config.Record{Parts: "day"}}, {Record: config.Record{File: "x.xls"}}, {Record: config.Record{File: "-"}}, {Record: config.Record{File: os.DevNull}},
	} {
		_, err := wrong.Options()
		if _, is := errors.AsType[*failure.UsageError](err); !is {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

// What flags say goes before what the config says, also where it is nothing.
func TestOver(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	r := config.Record{
		File: "~/x.db", Paths: []string{`\A\B`}, Hosts: []string{"web01"}, Interval: time.Minute, SegmentTime: time.Hour, SegmentSize: 1, SegmentRows: 2, Ring: 3,
		Duration: 4, Samples: 5, Parts: "serial", Pattern: "N", PerHost: true,
	}
	s := Said{Record: config.Record{Interval: time.Second, Follow: true}}
	if err := s.Over(&r, func(string) bool { return false }); err != nil {
		t.Fatal(err)
	}
	want := r
	want.File, want.Follow = filepath.Join(home, "x.db"), true
	if !reflect.DeepEqual(s.Record, want) {
		t.Errorf("%+v, want %+v", s.Record, want)
	}
	s = Said{Record: config.Record{File: "y.db", Interval: time.Second, Ring: 9}}
	if err := s.Over(&r, func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	want = config.Record{File: "y.db", Interval: time.Second, Ring: 9, Paths: r.Paths, Hosts: r.Hosts}
	if !reflect.DeepEqual(s.Record, want) {
		t.Errorf("%+v, want %+v", s.Record, want)
	}
}

// The recordings of a config follow each other, of the hosts that they are meant for.
func TestPlanned(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	plans := Planned([]config.Record{
		{Name: "a", File: file, Hosts: []string{"web01"}, Always: true}, {Name: "b", File: file, Interval: time.Minute, Pattern: "NN"}, {Name: "c", File: file + ".what"},
	}, time.Second, []string{"--demo"})
	if len(plans) != 3 || !plans[0].Always || !plans[0].Has(&collector.Host{Name: "web01"}) || plans[0].Has(&collector.Host{Name: "web02"}) || !plans[1].Has(&collector.Host{Name: "web02"}) || plans[1].Has(&collector.Host{Name: "web02", Aside: true}) {
		t.Fatalf("%+v", plans)
	}
	for i, want := range []struct {
		every time.Duration
		parts naming.Parts
	}{{time.Second, naming.PartSerialNumber}, {time.Minute, 0}} {
		o, err := plans[i].Options()
		if err != nil || o.Every != want.every || o.Parts != want.parts || o.File != file || !reflect.DeepEqual(o.Flags, []string{"--demo"}) {
			t.Errorf("%s: %+v, %v", plans[i].Name, o, err)
		}
	}
	if _, err := plans[2].Options(); err == nil {
		t.Error("a format that is not there is taken")
	}
	spec := func(r config.Record, every time.Duration) string {
		return Planned([]config.Record{r}, every, nil)[0].Spec
	}
	was := config.Record{Name: "a", Paths: []string{"x"}}
	if spec(was, 1) != spec(was, 1) || spec(was, 1) == spec(was, 2) || spec(was, 1) == spec(config.Record{Name: "a", Paths: []string{"y"}}, 1) {
		t.Error("it does not tell which recordings are others")
	}
	if was.Interval = 1; spec(was, 1) != spec(was, 2) {
		t.Error("one with an interval is another by the usual one")
	}
}

// Files that nobody named tell where and when they were begun.
func TestByTime(t *testing.T) {
	at := naming.Values{Time: time.Date(2026, 3, 1, 14, 5, 6, 0, time.UTC), Serial: 1, Computer: "web01"}
	for want, hosts := range map[string]int{"web01_20260301-140506.db": 1, "perfdeck-20260301-140506.db": 2} {
		o := collector.Options{Files: collector.Files{Format: format("sqlite")}, Subject: collector.Subject{Hosts: make([]collector.Host, hosts)}}
		ByTime(&o)
		n := naming.Name{Parts: o.Parts | naming.PartPattern, Pattern: o.Pattern, Extension: filepath.Ext(o.File)}
		n.Base = o.File[:len(o.File)-len(n.Extension)]
		if got, err := n.File(at); err != nil || got != want {
			t.Errorf("%d hosts: %q (%v), want %q", hosts, got, err, want)
		}
	}
	o := collector.Options{Files: collector.Files{File: "x.db"}}
	if ByTime(&o); o.File != "x.db" || o.Pattern != "" {
		t.Errorf("a name is replaced: %+v", o.Files)
	}
}
