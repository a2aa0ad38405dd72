package session

import (
	"context"
	"time"

	"perfdeck/cooker"
)

// Source is one host's counters: this computer, a remote host, a recording, a
// script. Sources are used by one goroutine at a time. What else one may offer: offers.go.
type Source interface {
	// Catalogue reads what the host offers.
	Catalogue(ctx context.Context) (*Catalogue, error)
	// Open makes a query handle. It collects nothing until Select.
	Open(ctx context.Context) (Query, error)
	Close() error
}

// Query is an open query handle: it keeps descriptors and buffers between
// collections.
type Query interface {
	// Select replaces what the query collects. What stays selected keeps its
	// state; what is dropped costs nothing any more.
	Select(ctx context.Context, wants []Want) error
	// Collect reads once into b, re-using its buffers: one SetBatch for each
	// Want, in the order of Select. Wants that b.Due leaves out are not read. A
	// query may read one less often than it is due, where that costs too much:
	// it takes it out of b.Due. A set that cannot be read has its Err; an error
	// is returned only when the host gave no answer at all.
	Collect(ctx context.Context, b *Batch) error
	Close() error
}

// Want asks for counters of one counterset.
type Want struct {
	Set      *Counterset
	Counters []int  // indices in Set.Counters
	Of       []Part // by counter, of which instances; nil: of all. A source may return more.
	// Instances limits what is read to these instances where the source can
	// read less for it; nil asks for all. A source may return more.
	Instances []InstanceKey
	Facts     FactWant
	Leads     []Lead        // only instances that lead are wanted; nil: all. A source may return more.
	Every     time.Duration // between two times it is due; 0: not known
	// Seldom: its history alone is wanted for now. A source that is asked for the past, too, may
	// read it less often than it is due.
	Seldom bool
}

// FactWant asks for text facts: of the rows in Rows, or of all instances.
type FactWant struct {
	Keys []string // of Set.Facts
	Rows []InstanceKey
	All  bool
}

// Lead is the instances with the highest values of a counter, so many as a screen shows; none:
// those of FactWant.Rows are enough. A source for which each instance costs something may leave the others out, and says how many.
type Lead struct {
	By   int // index in Set.Counters
	Rows int
}

// InstanceKey is the identity of an instance over time. Two instances of the
// same name differ by ID (a process: its pid and start time), and a name that
// returns as something new has a new ID. #n is never an identity.
type InstanceKey struct {
	Parent, Name string
	ID           uint64
}

// InstanceFlags say how screens and aggregations treat an instance.
type InstanceFlags uint8

// The instance flags.
const (
	FlagTotal      InstanceFlags = 1 << iota // an aggregate of others, as _Total
	FlagIdle                                 // stands for unused capacity, as the process Idle
	FlagBackground                           // the system's own, as kernel threads: not shown unless asked
	FlagCombined                             // made here of the cooked values of others, as _Aggregate
	FlagTogether                             // all instances as the host gives them: not aggregated here
	FlagTask                                 // a process or thread, whether its number is known or not
	FlagEnded                                // no process that lives: those that ended, memory besides, what none explains; see Snapshot.Accounted
)

// Instance is one instance in one batch.
type Instance struct {
	Key    InstanceKey
	Index  uint32 // n of name#n among instances of the same name in this batch; 0 for the first
	Number uint64 // the number by which people know it (a process: its pid), 0 none
	Owner  uint64 // Number of its parent in a tree (a process: the parent's pid), 0 none
	Flags  InstanceFlags
}

// Batch is one collection of raw counters. Its buffers are re-used by the next.
type Batch struct {
	Due  []bool    // which wants to read now; nil: all
	Time time.Time // our clock, when collecting began
	Sets []SetBatch

	// Of a source that has its readings of somebody else.
	Newest time.Time     // when the newest of them was made; zero: when it was asked for
	Took   time.Duration // for it to have them; 0: as long as collecting
}

// IsDue tells whether want i is to be read now.
func (b *Batch) IsDue(i int) bool { return b.Due == nil || b.Due[i] }

// SetBatch holds the readings of one counterset: a row for each instance, a
// column for each counter of the Want.
type SetBatch struct {
	Set       *Counterset
	Counters  []int         // columns: indices in Set.Counters
	Clocks    cooker.Clocks // of this reply
	Instances []Instance
	Same      bool             // all of them are those of the batch before, in their order
	Left      int              // instances besides, which do not lead; -1: it is not known how many
	Readings  []cooker.Reading // row by row, len(Instances) x len(Counters)
	FactKeys  []string         // columns of Facts
	Texts     []cooker.Text    // that readings of cooker.SizeText point at
	Values    []cooker.Value   // what was recorded, as Readings, which are Pending or none at all without raw samples; or nil
	Facts     []string         // row by row, len(Instances) x len(FactKeys), or empty; "" not read
	Err       error            // why the set could not be read
	Moments   []cooker.Clocks  // by instance, where each was told at a time of its own; empty: Clocks are those of all
	Before    *SetBatch        // readings before these, which the source has, too: a first one, and rows that are new, have rates then; nil: none
}

// Row returns the readings of instance i.
func (b *SetBatch) Row(i int) []cooker.Reading {
	n := len(b.Counters)
	return b.Readings[i*n : i*n+n : i*n+n]
}

// ClocksOf are the clocks of the readings of instance i; -1 is all together.
func (b *SetBatch) ClocksOf(i int) *cooker.Clocks { return clocksOf(&b.Clocks, b.Moments, i) }

func clocksOf(all *cooker.Clocks, each []cooker.Clocks, i int) *cooker.Clocks {
	if i >= 0 && i < len(each) {
		return &each[i]
	}
	return all
}

// TextReading adds a text and gives the reading of it.
func (b *SetBatch) TextReading(t cooker.Text) cooker.Reading {
	b.Texts = append(b.Texts, t)
	return cooker.Reading{Raw: uint64(len(b.Texts) - 1), Size: cooker.SizeText}
}

// Cooked is the reading of a value that came cooked, or why there is none.
func (b *SetBatch) Cooked(t cooker.CounterType, v cooker.Value) cooker.Reading {
	if text, ok := v.Text(); ok {
		return b.TextReading(cooker.MakeText(text))
	}
	return cooker.ReadingOf(t, v)
}

// Reset empties the batch for a Want and keeps its memory.
func (b *SetBatch) Reset(w *Want) {
	b.Set, b.Counters, b.FactKeys, b.Left, b.Err, b.Before, b.Clocks = w.Set, w.Counters, w.Facts.Keys, 0, nil, nil, cooker.Clocks{}
	b.Instances, b.Readings, b.Texts, b.Facts = b.Instances[:0], b.Readings[:0], b.Texts[:0], b.Facts[:0]
	b.Values, b.Moments, b.Same = b.Values[:0], b.Moments[:0], false
}

// Fit gives the batch one SetBatch for each Want, emptied.
func (b *Batch) Fit(wants []Want) {
	for len(b.Sets) < len(wants) {
		b.Sets = append(b.Sets, SetBatch{})
	}
	b.Sets = b.Sets[:len(wants)]
	b.Newest, b.Took = time.Time{}, 0
	for i := range wants {
		b.Sets[i].Reset(&wants[i])
	}
}
