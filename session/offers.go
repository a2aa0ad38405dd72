package session

import (
	"context"
	"time"

	"perfdeck/cooker"
)

// What a Source may offer besides. Whoever wants it asks the source by type; a source
// that wraps another passes on what that offers.

// Warner is a Source whose catalogue could be read, but not all of it, or not as it
// should be. The sampler asks, for HostState.Notes; doctor and servers do.
type Warner interface {
	// Warnings are what is wrong. They may be asked for at any time, by any
	// goroutine, and are not written to afterwards.
	Warnings() []error
}

// Meter is a Source that counts what it takes of the line. The sampler asks, for
// HostState.BytesPerSecond.
type Meter interface {
	// Traffic is how many bytes went over the line so far, both ways. It may be
	// asked for at any time, by any goroutine.
	Traffic() uint64
}

// Retrier is a Source that the user may have to be asked for something. The sampler
// tells it.
type Retrier interface {
	// Retried tells that the user wants the host to be tried again: what was not
	// answered may be asked again. It may be called at any time, by any goroutine.
	Retried()
}

// Renewer is a Source whose first catalogue may be one of before, or a part. Whoever
// starts its sampler names Sampler.Renew.
type Renewer interface {
	// RenewTo names who hears of a newer catalogue, before the source is used.
	RenewTo(renew func(*Catalogue))
}

// Rememberer is a Source that may use the catalogue of an earlier run. What looks paths
// up asks: a path that is not there may be new on the host.
type Rememberer interface {
	// Kept is that catalogue; nil: it is not used.
	Kept() *Catalogue
	// Forget has the next Catalogue ask the host.
	Forget()
}

// Historian is a Source that knows what counters were before anybody here asked for them.
// Charts ask it, for times of which nothing is kept.
type Historian interface {
	// Bands are what values were between two moments, in steps: of each value, in the order
	// of time, the steps that had samples. It may be called by any goroutine.
	Bands(ctx context.Context, of []Valued, from, to time.Time, step time.Duration) ([][]Band, error)
}

// Valued names a value that a Historian is asked for.
type Valued struct {
	Set     *Counterset
	Counter int // index in Set.Counters
	Key     InstanceKey
}

// Band is what a value was in a step: from Begin to End, in Unix nanoseconds. A step may be
// longer than the one that was asked for, where samples are rarer.
type Band struct {
	Begin, End      int64
	Low, High, Mean float64
}

// Middle is the moment that the band stands for.
func (b *Band) Middle() int64 { return b.Begin + (b.End-b.Begin)/2 }

// Tracer is a Source whose values are made of what another program holds. Explain asks it.
type Tracer interface {
	// Trace is what a value comes from, as that program has it now. It may be called by
	// any goroutine.
	Trace(ctx context.Context, of Valued) (Trace, error)
}

// Namer is a Source that knows instances by their names alone, where reading them would be much.
type Namer interface {
	// Instances are those of a counter that have a text in their names, so many at most; more
	// tells that there are others. Of counters whose instances it cannot name without reading
	// them the error is errors.ErrUnsupported. It may be called by any goroutine.
	Instances(ctx context.Context, set *Counterset, counter int, text string, most int) (keys []InstanceKey, more bool, err error)
}

// Timed is a Source whose clocks can be read without reading counters. Feeds beside it
// ask, to tell moments by them, and servers of what has moments of its own.
type Timed interface {
	Clocks() cooker.Clocks
}

// Provided is a Source that knows the GUIDs of its providers. Servers of MS-PCQ ask.
type Provided interface {
	// ProviderGUID is that of the provider of a counterset.
	ProviderGUID(set *Counterset) (guid string, ok bool)
}
