package collector

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/naming"
	"perfdeck/session/system/store"
	"perfdeck/session/text/printable"
)

// Descriptor says what a recording is and how far it came: ID.toml in the folder
// of recordings. With it another process continues it. It holds no secret.
type Descriptor struct {
	ID      string    `toml:"id"`
	PID     int       `toml:"pid"` // of the process that records
	Started time.Time `toml:"started"`
	Noted   time.Time `toml:"noted"` // when this was written

	Stopped time.Time `toml:"stopped,omitempty"` // zero: it goes on, or its process died
	Reason  string    `toml:"reason,omitempty"`  // why it stopped, or why its process died

	Flags   []string         `toml:"flags,omitempty"` // that open the hosts on a command line
	Hosts   []DescribedHost  `toml:"host"`
	Files   []DescribedFile  `toml:"file,omitempty"` // those that are written
	Samples int64            `toml:"samples"`
	Missed  int64            `toml:"missed"`
	Options DescribedOptions `toml:"options"`
}

// DescribedHost is a host of a Descriptor.
type DescribedHost struct {
	Name    string   `toml:"name"`
	Open    string   `toml:"open,omitempty"`
	Account string   `toml:"account,omitempty"`
	Paths   []string `toml:"paths"`
}

// DescribedFile is a file of a Descriptor.
type DescribedFile struct {
	Host   string    `toml:"host,omitempty"` // empty: of all
	Name   string    `toml:"name"`
	Serial uint32    `toml:"serial"`
	Rows   int64     `toml:"rows"`           // with those of the files before it
	Last   time.Time `toml:"last,omitempty"` // of the newest row; zero: it has none

	// Of the file alone: how many rows it has, and when it was begun.
	Own   int64     `toml:"own_rows,omitempty"`
	Begun time.Time `toml:"begun,omitempty"`
}

// DescribedOptions are those of Options that a text can hold.
type DescribedOptions struct {
	Every           string       `toml:"every"`
	File            string       `toml:"file"`
	Format          string       `toml:"format"`
	Parts           naming.Parts `toml:"parts,omitempty"`
	Pattern         string       `toml:"pattern,omitempty"`
	Caption         string       `toml:"caption,omitempty"`
	Set             string       `toml:"set,omitempty"`
	PerHost         bool         `toml:"per_host,omitempty"`
	SegmentTime     string       `toml:"segment_time,omitempty"`
	SegmentBytes    int64        `toml:"segment_bytes,omitempty"`
	SegmentSamples  int64        `toml:"segment_samples,omitempty"`
	Ring            int64        `toml:"ring,omitempty"`
	KeepFor         string       `toml:"keep_for,omitempty"`
	Count           int64        `toml:"count,omitempty"`
	Duration        string       `toml:"duration,omitempty"`
	FollowInstances bool         `toml:"follow_instances,omitempty"`
	ShowHidden      bool         `toml:"show_hidden,omitempty"`
	Events          bool         `toml:"events,omitempty"`
	Sync            string       `toml:"sync,omitempty"`
	MinFree         int64        `toml:"min_free,omitempty"`
}

const (
	mostDescriptorBytes = 4 << 20
	descriptorSuffix    = ".toml"
	stopSuffix          = ".stop" // a file that asks a recording to end
)

// RecordingsDir is where recordings are described, below the state directory.
func RecordingsDir(stateDir string) string { return filepath.Join(stateDir, "recordings") }

// newID is short enough to be typed: 6 letters and digits without those that are
// taken for each other.
func newID() string {
	const signs = "23456789abcdefghjkmnpqrstuvwxyz"
	var b [6]byte
	_, _ = rand.Read(b[:]) // it never fails
	for i := range b {
		b[i] = signs[int(b[i])%len(signs)]
	}
	return string(b[:])
}

// isID tells whether a text may be an ID: it becomes a file name.
func isID(s string) bool {
	return s != "" && len(s) <= 32 && strings.Trim(s, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

// describe writes options down.
func describe(o *Options) *Descriptor {
	d := &Descriptor{Flags: o.Flags, Options: DescribedOptions{
		Every: o.Every.String(), File: o.File, Format: o.Format.Name, Parts: o.Parts, Pattern: o.Pattern,
		Caption: o.Caption, Set: o.Write.Set, PerHost: o.PerHost,
		SegmentTime: o.Segment.Time.String(), SegmentBytes: o.Segment.Bytes, SegmentSamples: o.Segment.Samples,
		Ring: o.Ring, KeepFor: o.KeepFor.String(), Count: o.Count, Duration: o.Duration.String(),
		FollowInstances: o.FollowInstances, ShowHidden: o.ShowHidden, Events: o.Events, Sync: time.Duration(o.Sync).String(), MinFree: o.MinFree,
	}}
	for _, h := range o.Hosts {
		account := ""
		if h.Account != nil {
			account = h.Account()
		}
		d.Hosts = append(d.Hosts, DescribedHost{h.Name, h.Open, account, h.Paths})
	}
	return d
}

var errNoHosts = errors.New("it names no host")

// Restore makes the options with which a recording is continued. Samplers, Clock,
// Go and Dir are still to be set.
func (d *Descriptor) Restore() (Options, error) {
	fail := func(err error) (Options, error) { return Options{}, fmt.Errorf("resume recording %s: %w", d.ID, err) }
	s := &d.Options
	o := Options{
		Files:      Files{File: s.File, Parts: s.Parts, Pattern: s.Pattern, Caption: s.Caption, PerHost: s.PerHost, Write: logs.WriteOptions{Set: s.Set}},
		Keeping:    Keeping{Segment: Limits{Bytes: s.SegmentBytes, Samples: s.SegmentSamples}, Ring: s.Ring, FollowInstances: s.FollowInstances, MinFree: s.MinFree},
		Until:      Until{Count: s.Count},
		Subject:    Subject{ShowHidden: s.ShowHidden, Events: s.Events},
		Announced:  Announced{Flags: d.Flags},
		Succession: Succession{Resume: d},
	}
	if len(d.Hosts) == 0 {
		return fail(errNoHosts)
	}
	var sync time.Duration
	for _, t := range []struct {
		text string
		to   *time.Duration
	}{{s.Every, &o.Every}, {s.SegmentTime, &o.Segment.Time}, {s.Duration, &o.Duration}, {s.KeepFor, &o.KeepFor}, {s.Sync, &sync}} {
		if t.text == "" {
			continue
		}
		v, err := time.ParseDuration(t.text)
		if err != nil {
			return fail(err)
		}
		*t.to = v
	}
	o.Sync = SyncPolicy(sync)
	format, ok := formats.Named(s.Format)
	if !ok {
		return fail(fmt.Errorf("%q: no such format", s.Format))
	}
	o.Format = format
	for _, h := range d.Hosts {
		o.Hosts = append(o.Hosts, Host{Name: h.Name, Open: h.Open, Account: func() string { return h.Account }, Paths: h.Paths})
	}
	return o, nil
}

func describedIn(name string) *store.Document {
	return &store.Document{Name: name, Most: mostDescriptorBytes, Form: store.FormTOML}
}

// save writes a descriptor into a folder.
func (d *Descriptor) save(dir string) error {
	text, err := toml.Marshal(d)
	if err == nil {
		err = describedIn(filepath.Join(dir, d.ID+descriptorSuffix)).Write(printable.EscapeTOML(text))
	}
	if err != nil {
		return fmt.Errorf("describe recording %s: %w", d.ID, err)
	}
	return nil
}

// loadDescriptor reads a descriptor.
func loadDescriptor(name string) (*Descriptor, error) {
	text, err := describedIn(name).Read()
	if err != nil {
		return nil, err
	}
	if text == nil {
		return nil, fs.ErrNotExist // it went just now
	}
	d, err := parseDescriptor(text)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return d, nil
}

var errBadID = errors.New("its id is none")

func parseDescriptor(text []byte) (*Descriptor, error) {
	d := new(Descriptor)
	if err := toml.Unmarshal(text, d); err != nil {
		return nil, err
	}
	if !isID(d.ID) {
		return nil, errBadID
	}
	return d, nil
}

// isGone tells that a file is not there.
func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) }
