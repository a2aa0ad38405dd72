// Package collector records counters to disk: it takes the samples of hosts as
// they come, puts them together in rows, and writes them to files one after the
// other, named as MS-PLA has it.
//
// A recording disturbs nobody. Samplers hand their samples over without waiting;
// what goes wrong with a file ends its recording, with a reason, and nothing else.
// A recording survives the end of its process: its descriptor says how another one
// continues it, and HandOver lets one do so while the first still records.
package collector

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/naming"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
)

// Options say what is recorded, and how.
type Options struct {
	Subject
	Files
	// Stream, where set, takes the rows in place of files: of Files and Keeping nothing
	// means anything then.
	Stream *Stream
	Keeping
	Until
	Runtime
	Listeners
	Announced
	Succession
}

// Subject is what is recorded.
type Subject struct {
	Hosts      []Host
	Every      time.Duration // between rows; 0: a second
	ShowHidden bool          // wildcards find hidden counters too
	Events     bool          // what hosts write down of themselves is kept, too
	EventsBack time.Duration // and what they wrote so long before
	// Patience is how long the columns of a file that cannot get more wait for
	// hosts that do not answer, once one has; 0: 5 s, two intervals at least.
	Patience time.Duration
}

// Files are what the rows are written to, and how.
type Files struct {
	// File is where to: folder, base of the names and extension. Parts and
	// Pattern are added to the base: see naming.Name.
	File    string
	Parts   naming.Parts
	Pattern string
	Serial  uint32          // of the first file; 0: 1, or the one behind those that are there
	Format  *formats.Format // nil: as the extension says, else SQLite
	Write   logs.WriteOptions
	Caption string
	PerHost bool // a file for each host, with the name of the host
	Exists  Existing
}

// Keeping says when files follow each other, and what the disk has to bear.
type Keeping struct {
	Segment Limits // when the next file is begun; zero: never
	// FollowInstances begins a new file when instances appear for which the
	// format cannot add columns.
	FollowInstances bool
	Ring            int64 // bytes of all files, beyond which the oldest goes; 0: no limit
	// KeepFor is after how long a file goes that ended; 0: never.
	KeepFor time.Duration
	MinFree int64 // bytes that stay free on the disk; 0: 1 % of it, 256 MB at most; below 0: none
	Sync    SyncPolicy
}

// Until is when a recording ends by itself; 0: never.
type Until struct {
	Count    int64 // rows
	Duration time.Duration
}

// Runtime is what a recording works with.
type Runtime struct {
	Clock session.Clock
	Zone  *time.Location // of wall clocks; nil: time.Local
	Go    func(func())   // starts goroutines
}

// Listeners hear of a recording, from any goroutine; each may be nil.
type Listeners struct {
	Report  func(error)       // what the user should know
	Changed func()            // the status changed; it must not block
	Begun   func(file string) // a file is begun, or continued; it must not block
}

// Announced is what others find of a recording, while it runs and after it.
type Announced struct {
	// Dir is where the recording is described for those who continue, list and
	// stop it; empty: nowhere. Flags open the hosts again on a command line.
	Dir   string
	Flags []string
	// Notes are written beside the files; nil: there are none. It is closed in the end.
	Notes *notebook.Notebook
	// Attended: somebody sees how it ends, so that nothing is kept of it.
	Attended bool
}

// Succession is how a recording goes on that another process began.
type Succession struct {
	Resume *Descriptor // nil: it begins
	Turn               // zero: at once
}

// Turn is when a recording begins, and who is told how far it is. Hold, where set, delays
// the first row until it is closed. Ready is called when there is something to write, Taken
// when the files are locked, Wrote when the first row is written.
type Turn struct {
	Hold                <-chan struct{}
	Ready, Taken, Wrote func()
}

// Host is a host of which something is recorded.
type Host struct {
	Name    string
	Sampler *session.Sampler
	Paths   []string // counter paths without computer, or with any
	// Questions are the first of Paths where they are more than paths; nil: they
	// are not.
	Questions []session.Question
	Open      string // as a command line names it; empty: Name
	Identity  string // which host it is, whatever its name: see inventory.Host; empty: not known
	Aside     bool   // paths that name no computer do not mean it
	// Account is who the user typed to log on to it; nil or "": the usual one.
	Account func() string
}

// Limits are what a file may have at most; 0: no limit.
type Limits struct {
	Time    time.Duration
	Bytes   int64
	Samples int64
}

// IsZero tells that there are none.
func (l Limits) IsZero() bool { return l == Limits{} }

// Existing says what happens to a file that is there already.
type Existing uint8

// What happens to it.
const (
	NewFile   Existing = iota // it is an error, or the next serial number is taken
	Append                    // it is continued, if its counters are the same and its times earlier
	Overwrite                 // it is replaced
)

// SyncPolicy says how often a file is forced onto the disk. Until then the end of
// the process loses nothing, a power cut what is not on the disk.
type SyncPolicy time.Duration

// The policies besides intervals.
const (
	SyncUsual  SyncPolicy = 0 // each 5 s
	SyncAlways SyncPolicy = 1
	SyncNever  SyncPolicy = -1
)

const (
	usualSync     = 5 * time.Second
	usualEvery    = time.Second
	usualPatience = 5 * time.Second
	usualFree     = 256 << 20 // bytes
	ringSegments  = 8         // that a ring has, where nothing else is said
	leastRing     = 64 << 10  // bytes
	ringParts     = 24        // of KeepFor, unless segments are said
	leastPart     = time.Minute
)

// What options cannot be.
var (
	errNothing   = failure.Usage(errors.New("record: no counter was given"))
	errNoFile    = failure.Usage(errors.New("record: no file was given"))
	errTooOften  = failure.Usage(errors.New("record: an interval below " + english.Span(session.MinInterval)))
	errSmallRing = failure.Usage(errors.New("record: a ring of less than " + english.Size(leastRing)))
	errCombined  = failure.Usage(errors.New("record: instances that were made one have no raw samples, which files of this format consist of"))
	errRingLimit = failure.Usage(errors.New("record: segments are larger than the ring"))
	errFolder    = errors.New("what should be its folder is a file")
	errNameless  = errors.New("that is a folder: the name of a file is missing")
)

// settle completes the options.
func (o *Options) settle() error {
	if o.Report == nil {
		o.Report = func(error) {}
	}
	switch {
	case !slices.ContainsFunc(o.Hosts, func(h Host) bool { return len(h.Paths) > 0 }):
		return errNothing
	case o.File == "" && o.Stream == nil:
		return errNoFile
	case o.Every == 0:
		o.Every = usualEvery
	case o.Every < session.MinInterval:
		return errTooOften
	}
	if o.Ring > 0 {
		if o.Ring < leastRing {
			return errSmallRing
		}
		if o.Segment.Bytes > o.Ring {
			return errRingLimit
		}
		if o.Segment.Bytes == 0 {
			o.Segment.Bytes = o.Ring / ringSegments
		}
	}
	if o.KeepFor > 0 && o.Segment.IsZero() {
		o.Segment.Time = max(o.KeepFor/ringParts, leastPart)
	}
	if o.Patience == 0 {
		o.Patience = max(usualPatience, 2*o.Every)
	}
	if o.Zone == nil {
		o.Zone = time.Local
	}
	o.settlePaths()
	if o.Changed == nil {
		o.Changed = func() {}
	}
	if o.Begun == nil {
		o.Begun = func(string) {}
	}
	if o.Stream != nil {
		o.MinFree = -1
		return nil
	}
	if err := o.settleFormat(); err != nil {
		return err
	}
	if o.Format.RawOnly && slices.ContainsFunc(o.Hosts, combines) {
		return errCombined
	}
	return o.settleFile()
}

// combines tells that instances of a host are asked for as one, which has no raw sample.
func combines(h Host) bool {
	return slices.ContainsFunc(h.Questions, func(q session.Question) bool { return q.Combine != nil })
}

// settlePaths takes each path of a host once, and tells which were given again.
func (o *Options) settlePaths() {
	told := map[string]bool{}
	o.Hosts = slices.Clone(o.Hosts)
	for i := range o.Hosts {
		h := &o.Hosts[i]
		questions, known := h.questions(), map[string]bool{}
		h.Paths, h.Questions = nil, nil
		for _, q := range questions {
			key := sameQuestion(q)
			if known[key] && !told[key] {
				o.Report(fmt.Errorf("%s: given more than once: it is taken once (no duplicates)", q.Text))
			}
			if known[key] {
				told[key] = true
				continue
			}
			known[key] = true
			h.Paths, h.Questions = append(h.Paths, q.Text), append(h.Questions, q)
		}
	}
}

// sameQuestion is the same for questions that mean the same on every host.
func sameQuestion(q session.Question) string {
	text := q.Text
	if p, err := paths.Parse(text); err == nil {
		p.Computer = ""
		text = p.String()
	}
	if q.Combine != nil { // which instances it means nobody can tell: each is one of its own
		text += fmt.Sprintf("\x00%p", q.Combine)
	}
	return paths.Fold(text)
}

// settleFormat completes the format: that of the extension, SQLite where it says
// nothing.
func (o *Options) settleFormat() (err error) {
	if o.Format != nil {
		return nil
	}
	if o.Format, err = formats.Choose("", o.File); err != nil {
		return stopped(o.File, err)
	}
	if o.Format == nil {
		o.Format = formats.Usual(formats.ToRecord)
	}
	return nil
}

// settleFile completes the name: with the extension, and with the parts that keep
// files apart.
func (o *Options) settleFile() error {
	whole, err := filepath.Abs(o.File)
	if err != nil {
		return err
	}
	if info, err := os.Stat(whole); os.IsPathSeparator(o.File[len(o.File)-1]) || err == nil && info.IsDir() {
		return &StopError{File: o.File, Cause: errNameless}
	}
	o.File = whole
	if f, ok := formats.ByExtension(o.File); !ok || f.Name != o.Format.Name && filepath.Ext(o.File) == "" {
		o.File += o.Format.Extensions[0]
	}
	if o.Pattern != "" {
		o.Parts |= naming.PartPattern
	}
	if o.PerHost {
		o.Parts |= naming.PartComputer
	}
	if o.Parts&^naming.PartComputer == 0 && o.Pattern == "" && !o.Segment.IsZero() {
		o.Parts |= naming.PartSerialNumber
	}
	folder := filepath.Dir(o.File)
	if info, err := os.Stat(folder); err != nil {
		return stopped(o.File, err)
	} else if !info.IsDir() {
		return stopped(o.File, &os.PathError{Op: "record to", Path: folder, Err: errFolder})
	}
	_, err = o.name().File(naming.Values{Time: time.Now(), Serial: 1, Computer: "x"})
	return err
}

func (o *Options) name() naming.Name {
	extension := filepath.Ext(o.File)
	base := strings.TrimSuffix(filepath.Base(o.File), extension)
	return naming.Name{Base: base, Parts: o.Parts, Pattern: o.Pattern, Extension: extension}
}

// syncEvery is the interval of the policy; ok is false for never, 0 is always.
func (o *Options) syncEvery() (every time.Duration, ok bool) {
	switch o.Sync {
	case SyncUsual:
		return usualSync, true
	case SyncAlways:
		return 0, true
	}
	return time.Duration(o.Sync), o.Sync > 0
}

// waits tells that the first row is one of all hosts: where columns cannot come
// later, and where a row that somebody counts is not to be without a host.
func (o *Options) waits() bool { return !o.grows() || o.Stream != nil && o.Count > 0 }

// grows tells that columns may come on the way.
func (o *Options) grows() bool {
	if o.Stream != nil {
		return !o.Stream.Fixed
	}
	return o.Format.Grows
}

func (o *Options) now() session.Instant { return o.Clock.Now() }
