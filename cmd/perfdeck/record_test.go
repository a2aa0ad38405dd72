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

	"perfdeck/session/app/inventory"
	"perfdeck/session/app/sampling"
	"perfdeck/session/recording/collector"
	"perfdeck/session/system/guard"
)

// recorderMain is a program that records as the screens do: of the hosts of its
// command line, to the file that comes first, until SIGHUP; then it hands the
// recording over.
func recorderMain() {
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: os.Environ()}
	p.guard = guard.New(p.panicked)
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
		Files:     collector.Files{File: file},
		Subject:   collector.Subject{Every: settings.Interval, Hosts: sampling.Hosts(hosts, queries)},
		Announced: collector.Announced{Flags: openingFlags(c)},
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

// TestRecordFlags: what flags say becomes values, over those of a [[record]] of the config.
func TestRecordFlags(t *testing.T) {
	usual := func() sampling.Said { return sampling.Said{Sync: collector.SyncPolicy(5 * time.Second)} }
	for _, c := range []struct {
		args []string
		want func(s *sampling.Said)
	}{
		{nil, func(*sampling.Said) {}},
		{[]string{"--fsync", "always"}, func(s *sampling.Said) { s.Sync = collector.SyncAlways }},
		{[]string{"--fsync", "never", "--csv-safe", "--show-hidden", "--events"}, func(s *sampling.Said) {
			s.Sync, s.Spreadsheet, s.ShowHidden, s.Events = collector.SyncNever, true, true, true
		}},
		{
			[]string{
				"--segment-time", "1h", "--segment-size", "100MB", "--segment-samples", "7", "--ring", "2GB", "--duration", "90", "-n", "3", "--min-free", "0",
				"--parts", "serial,computer", "-a", "--follow-instances", "--per-host", "-f", "csv",
			},
			func(s *sampling.Said) {
				s.SegmentTime, s.SegmentSize, s.SegmentRows, s.Ring, s.Duration, s.Samples = time.Hour, 100<<20, 7, 2<<30, 90*time.Second, 3
				s.MinFree, s.Parts, s.Exists, s.Follow, s.PerHost, s.Format = -1, "serial,computer", collector.Append, true, true, "csv"
			},
		},
	} {
		want := usual()
		c.want(&want)
		if got, err := recordSaid(t, c.args); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v (%v), want %+v", c.args, got, err, want)
		}
	}
	for _, args := range [][]string{
		{"--fsync", "0"}, {"--fsync="}, {"--ring", "x"}, {"--segment-time=-1"}, {"-n=-1"}, {"--segment-samples=-1"}, {"-a", "-y"},
	} {
		if got, err := recordSaid(t, args); err == nil {
			t.Errorf("%q is taken for %+v", args, got)
		}
	}
}

// recordSaid is what a command line says of a recording.
func recordSaid(t *testing.T, args []string) (sampling.Said, error) {
	t.Helper()
	f, c := recordFlags{Fsync: "5s"}, &cobra.Command{}
	addFlags(c.Flags(), &f)
	f.addSaid(c)
	if err := c.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	err := f.read()
	return f.said, err
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
	if err := restoreFlags(c, want); err != nil || again.flags.User != "bob" || again.flags.Config != filepath.Join(dir, "c.toml") || !again.flags.SMBEncrypt {
		t.Errorf("%+v (%v)", again.flags, err)
	}
	if err := restoreFlags(c, []string{"--kerberos=perhaps"}); err == nil {
		t.Error("a wrong value is taken")
	}
}

// A password of the environment that is empty is none: it is not sent as one.
func TestEmptyPasswordIsNone(t *testing.T) {
	for text, want := range map[string]bool{"": false, "x": true} {
		p := &program{environ: []string{"A=b", passwordVariable + "=" + text}}
		p.takePassword()
		if (p.password != nil) != want || len(p.environ) != 1 {
			t.Errorf("%q: a password %q, and the environment %q", text, p.password, p.environ)
		}
	}
}
