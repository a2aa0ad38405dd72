// Package bundle packs what is known of an incident into one file, and opens such files:
// a zip with slices of recordings, decks, alert rules, alert events, the log and notes,
// and a manifest that lists them with their sizes and hashes.
//
// What goes in is written by the forms of this package, field by field: a field that
// nobody thought of stays out. Passwords, tokens, addresses of webhooks and commands have
// no field. What comes out is foreign: it is read into the same forms, so that a bundle
// cannot name an action, a host to dial or a program, and no file gets a name of its.
//
// A slice is an SQLite file: alone of all formats it keeps types, bases, display
// attributes and raw samples, so that numbers are shown, judged and explained as they
// were live, and any SQLite opens it besides.
package bundle

import (
	"errors"
	"fmt"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note"
	"perfdeck/session/files/screenlog"
	"perfdeck/session/text/english"
)

// Extension is that of bundles.
const Extension = ".perfdeck"

// Recording is a recording of which a slice is packed.
type Recording struct {
	Title  string // its name; hosts of counters that name none are called by it
	Reader logs.Reader
	// HostEvents are what its hosts wrote down of themselves, at moments of its line, and whether it
	// keeps that.
	HostEvents []session.HostEvent
	HasEvents  bool
}

// Extras is what a bundle has beside recordings. Write wants notes and events at moments of the line
// of the first one, and writes their times down as they were; those that were read have these.
type Extras struct {
	Decks  []session.Deck
	Rules  []alert.Rule // none with actions
	Events []alert.Event
	Log    []screenlog.Entry
	Notes  []note.Note
}

// Manifest says what a bundle is and what is in it.
type Manifest struct {
	Format    string    `json:"format"`
	Version   int       `json:"version"`
	Perfdeck  string    `json:"perfdeck"` // the version that wrote it
	Begin     time.Time `json:"begin"`    // of the first sample
	End       time.Time `json:"end"`      // of the last one
	Zone      string    `json:"zone,omitempty"`
	SetBack   []string  `json:"set_back,omitempty"` // where the clocks of recordings were, in words: times are as they were recorded
	Anonymous bool      `json:"anonymous"`
	Parts     []Part    `json:"parts"`
	Left      []string  `json:"left_out"` // in words
}

// Part is a file in a bundle.
type Part struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Title    string `json:"title,omitempty"` // of a recording
	Bytes    int64  `json:"bytes"`
	SHA256   string `json:"sha256"`
	Counters int    `json:"counters,omitempty"`
	Samples  int64  `json:"samples,omitempty"`
	Events   int    `json:"host_events,omitempty"`
	Items    int    `json:"items,omitempty"` // decks, rules, events, entries, notes
}

// The manifest, and what it says of itself.
const (
	manifestName = "perfdeck-bundle.json"
	formatName   = "perfdeck bundle"
	version      = 2 // of what has parts of a time that was twice; else 1
)

// The kinds of parts. There is one part of each at most, but for recordings.
const (
	kindRecording = "recording"
	kindDecks     = "decks"
	kindRules     = "rules"
	kindEvents    = "events"
	kindLog       = "log"
	kindNotes     = "notes"
)

// The limits of what is opened. A slice of a night of 10,000 counters has 2 GB.
const (
	mostParts    = 1000
	mostBeside   = 10 // of them that are no recordings
	mostManifest = 1 << 20
	mostItems    = 32 << 20 // bytes of a part that is no recording
	mostLine     = 1 << 20
	mostBytes    = 8 << 30 // of all recordings, unpacked
	mostTitle    = 200     // bytes
	// mostRatio is how many times as large as in the archive a part may be, from
	// roomyBytes on: deflate reaches 1032, recordings in which nothing moves some 100.
	mostRatio  = 300
	roomyBytes = 64 << 20
)

var (
	errNoManifest = errors.New("no bundle of perfdeck: it has no " + manifestName)
	errNewer      = fmt.Errorf("of a later version of perfdeck than this one, which reads version %d", version)
	errManifest   = errors.New("the manifest is none of a bundle")
	errDirectory  = errors.New("the directory of the archive is too large, or says more than is there")
	errTorn       = errors.New("no complete zip archive: its end is missing or damaged")
	errStranger   = errors.New("a file in it is not in the manifest")
	errTwice      = errors.New("a file is in it twice")
	errMissing    = errors.New("a file of the manifest is not in it")
	errKind       = errors.New("a file in it is of no kind that a bundle has")
	errEncrypted  = errors.New("a file in it is encrypted")
	errIrregular  = errors.New("a file in it is a folder, a link or a device")
	errPacked     = errors.New("a file in it is packed by another method than deflate")
	errSize       = errors.New("a file in it has another size than the archive or the manifest says")
	errLarge      = fmt.Errorf("what is in it is too large: %s of recordings and %s of anything else are read", english.Size(mostBytes), english.Size(mostItems))
	errBomb       = fmt.Errorf("a file in it is packed more than %d times: no recording is", mostRatio)
	errHash       = errors.New("a file in it has another hash than the manifest says: it is damaged, or was changed")
	errNoSlice    = errors.New("it holds no recording")
)
