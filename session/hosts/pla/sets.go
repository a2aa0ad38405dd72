// Package pla is the data collector sets of Windows hosts, as MS-PLA has them over DCOM: which
// there are, how they stand, and what is done with them. A set itself is the XML that
// recording/collectorset knows.
package pla

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"perfdeck/session/system/failure"
)

// Category is the class of sets that one is of, MS-PLA 3.2.1. On the wire it is the class, and
// no part of the name.
type Category uint8

// The categories, as logman calls them.
const (
	Service     Category = iota // the user's own: all can be done
	System                      // start and stop alone
	Session                     // of traces; gone when the host starts anew
	Autosession                 // of traces from the start of the host on
)

// Categories are all of them.
var Categories = []Category{Service, System, Session, Autosession}

func (c Category) String() string {
	return [...]string{"Service", "System", "Session", "Autosession"}[c]
}

// Name is a set of a host.
type Name struct {
	Category Category
	Set      string
}

// ParseName reads a name as people write it: Service\X, System\X, Session\X, Autosession\X,
// or X, which is of Service.
func ParseName(text string) (Name, error) {
	n := Name{Set: text}
	if before, after, has := strings.Cut(text, `\`); has {
		found := false
		for _, c := range Categories {
			if strings.EqualFold(before, c.String()) {
				n, found = Name{c, after}, true
			}
		}
		if !found {
			return Name{}, fmt.Errorf(`%q is no category of sets: there are Service\, System\, Session\ and Autosession\`, before)
		}
	}
	if n.Set == "" {
		return Name{}, fmt.Errorf("%q names no set", text)
	}
	return n, nil
}

func (n Name) String() string { return n.Category.String() + `\` + n.Set }

// Status is how a set stands, MS-PLA 2.2.2.4.
type Status uint16

// How sets stand.
const (
	Stopped   Status = iota
	Running          //
	Compiling        // its data manager is at work after a run
	Pending          // not used
	Undefined        // of boot sessions
)

// Listed is a set as a list has it.
type Listed struct {
	Name   Name
	Status Status
}

// MostSets is how many sets of a category are listed.
const MostSets = 10_000

// Listing is the sets of a host.
type Listing struct {
	Sets []Listed
	More int                // sets that are not listed: those beyond MostSets, and elsewhere
	Not  map[Category]error // categories that could not be listed, while others could
}

// Set is one set whole. Texts are as the host has them: they are foreign.
type Set struct {
	Name     Name
	Status   Status
	XML      string // as the host wrote it, MS-PLA 3.2.4.19
	Output   string // where the last run wrote: a path of the host
	Root     string
	Security string // SDDL
	Account  string // that it runs as; empty: the system
}

// Mode is what a commit does, MS-PLA 2.2.2.3.
type Mode uint16

// Bits of Mode.
const (
	Create   Mode = 1
	Modify   Mode = 2
	Apply    Mode = 0x10   // to the running instance, too
	Validate Mode = 0x1000 // and nothing else
)

// Problem is what a host says of a set that it was given: an item of a value map, MS-PLA
// 2.2.2.11. Bit 31 of Code tells errors from warnings.
type Problem struct {
	Key, Text string
	Code      uint32
}

// RunAs is the account that a set runs as.
type RunAs struct {
	User     string
	Password func(context.Context) ([]byte, error) // wiped after use
}

// Change is what is committed.
type Change struct {
	Name  Name
	Mode  Mode
	XML   string
	Was   string // of Modify: what the host's XML has to be still, just before; else ErrChanged
	RunAs *RunAs // nil: as it is
}

// How long who waits for nobody gives a host to start a set, and to stop one: data managers and tasks
// need minutes. No call of either takes longer than StopTime.
const (
	StartTime = 2 * time.Minute
	StopTime  = 30 * time.Minute
)

// Sets are the data collector sets of one host. Calls end with their context and hold nothing
// on the host when they return; connections may be kept until Close. Errors are *Error, or say
// why the host was not reached as those of its counters do.
type Sets interface {
	// List lists the sets of categories, all of them where none is named.
	List(ctx context.Context, categories ...Category) (*Listing, error)
	Read(ctx context.Context, name Name) (*Set, error)
	// Commit creates or changes a set, or only has it validated, and returns what the host
	// says of it.
	Commit(ctx context.Context, c Change) ([]Problem, error)
	Delete(ctx context.Context, name Name) error
	// Start returns when the set runs. Stop returns when its data manager is through, which
	// may take minutes; the set goes on stopping when the context ends before.
	Start(ctx context.Context, name Name) error
	Stop(ctx context.Context, name Name) error
	Close() error
}

// Why a set stays as it was, though the host was not asked to change it.
var (
	ErrChanged  = failure.WithHint(errors.New("was changed on the host since it was read"), "do it once more: it is read anew")
	ErrPassword = errors.New("password") // of whom it is to run as: there is none
)

// Error is what a host answered to a call: an HRESULT whose bit 31 is set, or a fault of RPC.
type Error struct {
	Op   string // what was tried, for people: "start"
	Name Name   // of no set where it is about all
	Code uint32
}
