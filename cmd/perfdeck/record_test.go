package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/inventory"
	"perfdeck/session/record/collector"
	"perfdeck/session/record/logs"
	"perfdeck/session/record/naming"
	"perfdeck/session/record/sampling"
)

// recorderMain is a program that records as the screens do: of the hosts of its
// command line, to the file that comes first, until SIGHUP; then it hands the
// recording over.
func recorderMain() {
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: os.Environ()}
	p.guard = session.NewGuard(p.panicked)
	p.takePassword()
	root := p.rootCommand()
	root.RunE = func(c *cobra.Command, args []string) error { return p.recordAndHandOver(c, args[0], args[1:]) }
	root.SetArgs(os.Args[1:])
	if code := p.report(root.Execute()); code != exitDone {
		os.Exit(code)
	}
}

func (p *program) recordAndHandOver(c *cobra.Command, file string, args []string) error {
	settings, err := p.settings(c)
	if err != nil {
		return err
	}
	queries, err := p.queries(args, nil)
	if err != nil {
		return err
	}
	hosts, err := p.hostsOf(queries)
	if err != nil {
		return err
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	inventory.Start(ctx, hosts...)
	r, err := p.startRecording(collector.Options{
		Files:    collector.Files{File: file},
		Subject:  collector.Subject{Every: settings.Interval, Hosts: sampling.Hosts(hosts, queries)},
		Standing: collector.Standing{Flags: openingFlags(c)},
	})
	if err != nil {
		return err
	}
	<-hangup
	if err := p.handOver(ctx, r); err != nil {
		return err
	}
	_, err = fmt.Println("handed over")
	return err
}

func TestRecordOptions(t *testing.T) {
	csv, _ := logs.FormatNamed("csv")
	sqlite, _ := logs.FormatNamed("sqlite")
	base := func() collector.Options {
		return collector.Options{Subject: collector.Subject{Every: time.Second}, Files: collector.Files{Format: sqlite}}
	}
	for name, c := range map[string]struct {
		flags recordFlags
		want  func(o *collector.Options)
	}{
		"default":   {recordFlags{fsync: "5s"}, func(o *collector.Options) { o.Sync = collector.SyncPolicy(5 * time.Second) }},
		"always":    {recordFlags{fsync: "always"}, func(o *collector.Options) { o.Sync = collector.SyncAlways }},
		"never":     {recordFlags{fsync: "never"}, func(o *collector.Options) { o.Sync = collector.SyncNever }},
		"extension": {recordFlags{fsync: "never", output: "x.CSV"}, func(o *collector.Options) { o.Sync, o.File, o.Format = collector.SyncNever, "x.CSV", csv }},
		"limits": {
			recordFlags{
				fsync: "never", segmentTime: "1h", segmentSize: "100MB", segmentSamples: 7, ring: "2GB", duration: "90", count: 3, minFree: "0",
				parts: "serial,computer", extend: true, follow: true, perHost: true,
			},
			func(o *collector.Options) {
				*o = collector.Options{
					Subject: collector.Subject{Every: time.Second},
					Files:   collector.Files{Format: sqlite, Exists: collector.Append, Parts: naming.PartSerialNumber | naming.PartComputer, PerHost: true},
					Keeping: collector.Keeping{Sync: collector.SyncNever, Ring: 2 << 30, MinFree: -1, Segment: collector.Limits{Time: time.Hour, Bytes: 100 << 20, Samples: 7}, FollowInstances: true},
					Until:   collector.Until{Duration: 90 * time.Second, Count: 3},
				}
			},
		},
	} {
		want := base()
		c.want(&want)
		got, err := c.flags.options(time.Second)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v (%v), want %+v", name, got, err, want)
		}
	}
	for _, f := range []recordFlags{
		{fsync: "0"}, {fsync: ""}, {fsync: "5s", ring: "x"}, {fsync: "5s", segmentTime: "-1"}, {fsync: "5s", count: -1}, {fsync: "5s", segmentSamples: -1},
		{fsync: "5s", format: "xls"}, {fsync: "5s", parts: "day"}, {fsync: "5s", extend: true, overwrite: true},
	} {
		if o, err := f.options(time.Second); err == nil {
			t.Errorf("%+v is taken for %+v", f, o)
		}
	}
}

// TestNameByTime: files that nobody named tell where and when they were begun.
func TestNameByTime(t *testing.T) {
	sqlite, _ := logs.FormatNamed("sqlite")
	at := naming.Moment{Time: time.Date(2026, 3, 1, 14, 5, 6, 0, time.UTC), Serial: 1, Computer: "web01"}
	for want, hosts := range map[string]int{"web01_20260301-140506.db": 1, "perfdeck-20260301-140506.db": 2} {
		o := collector.Options{Files: collector.Files{Format: sqlite}, Subject: collector.Subject{Hosts: make([]collector.Host, hosts)}}
		nameByTime(&o)
		n := naming.Name{Parts: o.Parts | naming.PartPattern, Pattern: o.Pattern, Extension: filepath.Ext(o.File)}
		n.Base = o.File[:len(o.File)-len(n.Extension)]
		if got, err := n.File(at); err != nil || got != want {
			t.Errorf("%d hosts: %q (%v), want %q", hosts, got, err, want)
		}
	}
}

// TestOpeningFlags: what opens hosts again is kept, and nothing else.
func TestOpeningFlags(t *testing.T) {
	p := &program{}
	c, _, err := p.rootCommand().Find([]string{"record"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.ParseFlags([]string{"-H", "web01", "--user=ana", "--password-file", "secret", "-n", "3", "--smb-encrypt", "-o", "x.db", "--config=c.toml"}); err != nil {
		t.Fatal(err)
	}
	dir, _ := os.Getwd()
	want := []string{"--user=ana", "--password-file=" + filepath.Join(dir, "secret"), "--smb-encrypt=true", "--config=" + filepath.Join(dir, "c.toml")}
	if got := openingFlags(c); !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	again := &program{}
	c, _, _ = again.rootCommand().Find([]string{"record"})
	if err := c.ParseFlags([]string{"--user=bob"}); err != nil {
		t.Fatal(err)
	}
	if err := restoreFlags(c, want); err != nil || again.flags.user != "bob" || again.flags.config != filepath.Join(dir, "c.toml") || !again.flags.smbEncrypt {
		t.Errorf("%+v (%v)", again.flags, err)
	}
	if err := restoreFlags(c, []string{"--kerberos=perhaps"}); err == nil {
		t.Error("a wrong value is taken")
	}
}
