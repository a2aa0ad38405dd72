package collector

import (
	"bufio"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/naming"
)

// TestDescriptor: options come back as they were, and hold no more than they say.
func TestDescriptor(t *testing.T) {
	tsv, _ := formats.Named("tsv")
	o := Options{
		Subject: Subject{
			Hosts:      []Host{{Name: "a", Open: "tcp://a:1", Paths: []string{`\A\B`, `\C(*)\D`}}, {Name: "b", Paths: []string{`\A\B`}}},
			Every:      15 * time.Second,
			ShowHidden: true,
		},
		Files: Files{
			File:    "/x/n.tsv",
			Parts:   naming.PartComputer | naming.PartPattern,
			Pattern: `\_N`,
			Format:  tsv,
			Caption: "c",
			PerHost: true,
			Write:   logs.WriteOptions{Set: "s"},
		},
		Keeping:   Keeping{Segment: Limits{time.Hour, 1 << 20, 7}, Ring: 1 << 30, FollowInstances: true, Sync: SyncAlways, MinFree: -1},
		Until:     Until{Count: 9, Duration: time.Minute},
		Announced: Announced{Flags: []string{"--demo=true"}},
	}
	d := describe(&o)
	d.ID = newID()
	dir := t.TempDir()
	if err := d.save(dir); err != nil {
		t.Fatal(err)
	}
	list, damaged := List(dir, time.Now())
	if len(list) != 0 || damaged != nil { // it was noted long ago
		t.Errorf("%+v %v", list, damaged)
	}
	d.Noted = time.Now()
	if err := d.save(dir); err != nil {
		t.Fatal(err)
	}
	list, damaged = List(dir, time.Now())
	if len(list) != 1 || damaged != nil || !isID(d.ID) {
		t.Fatalf("%+v %v", list, damaged)
	}
	got, err := list[0].Restore()
	if err != nil {
		t.Fatal(err)
	}
	again := describe(&got)
	if a, b := again.Options, d.Options; a != b || got.Hosts[0].Open != "tcp://a:1" || !slices.Equal(got.Hosts[0].Paths, o.Hosts[0].Paths) || got.Sync != SyncAlways {
		t.Errorf("%+v, want %+v", a, b)
	}
	for name, change := range map[string]func(*Descriptor){
		"format": func(d *Descriptor) { d.Options.Format = "?" },
		"time":   func(d *Descriptor) { d.Options.Every = "soon" }, "hosts": func(d *Descriptor) { d.Hosts = nil },
	} {
		other := *d
		change(&other)
		if _, err := other.Restore(); err == nil {
			t.Errorf("a descriptor with a wrong %s is taken", name)
		}
	}
}

// FuzzDescriptor: whatever stands in the folder, listing neither fails nor leaves it.
func FuzzDescriptor(f *testing.F) {
	f.Add([]byte("id = \"abcdef\"\n[[host]]\nname = \"a\"\npaths = ['\\A\\B']\n"))
	f.Add([]byte("id = \"../../etc\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := parseDescriptor(text)
		if err != nil {
			return
		}
		if strings.ContainsAny(d.ID, `/\.`) || d.ID == "" {
			t.Errorf("id %q", d.ID)
		}
		_, _ = d.Restore()
	})
}

// TestTakeOver: what is handed over comes through, and nothing else is shown.
func TestTakeOver(t *testing.T) {
	start := func(f func()) { go f() }
	in, to := io.Pipe()
	from, out := io.Pipe()
	answer := make(chan error, 1)
	go func() { answer <- tell(to, bufio.NewReader(from), map[string][]byte{`D\ana`: []byte("s3cret\x00\n")}) }()
	successor, err := TakeOver(in, out, start)
	if err != nil || string(successor.Passwords[`D\ana`]) != "s3cret\x00\n" {
		t.Fatalf("%+v %v", successor, err)
	}
	successor.Ready()
	if err := <-answer; err != nil {
		t.Error(err)
	}
	select {
	case <-successor.Hold:
		t.Error("it does not wait")
	default:
	}
	to.Close()
	<-successor.Hold
	for _, text := range []string{"", "{\"passwords\":{\"a\":\"c2VjcmV0\"", "s3cret\n", "{\"passwords\":\"s3cret\"}\n"} {
		_, err := TakeOver(strings.NewReader(text), out, start)
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
