package local

import (
	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/service"
)

// group is one counterset: its catalogue entry, and how a query reads it.
type group struct {
	counterset *session.Counterset
	open       func(*tick) collector
	scans      bool                  // visits many files, or waits for the kernel, so that it comes last
	probe      bool                  // what it finds differs between kernels and machines
	why        func(*tick) string    // what is said of counters that it finds nothing for; nil: notHere
	absent     func(*Options) string // why this computer has none of it, told without reading; nil, empty: it may
}

// collector reads one counterset for one Want of one query.
type collector interface {
	// choose takes the Want, which stays valid until the next choose.
	choose(w *session.Want)
	// collect fills an emptied batch. Clocks were read just before; of what was
	// read earlier, or takes long, the batch has others. It may be called again at
	// once, if it was held up.
	collect(b *session.SetBatch, clocks cooker.Clocks)
	close()
}

// rare is a collector of what is read less often than somebody may want it.
type rare interface {
	// hasNews tells whether the newest collect gave what none before did.
	hasNews() bool
}

// Countersets are all that perfdeck defines for a computer of its own, whatever system this
// one runs: what others tell of their hosts goes by these names.
func Countersets() []*session.Counterset {
	var out []*session.Counterset
	for _, s := range machineSets() {
		out = append(out, s.Counterset)
	}
	out = append(out, service.Set())
	for _, s := range protocolSets() {
		out = append(out, s.withOrigins())
	}
	return out
}
