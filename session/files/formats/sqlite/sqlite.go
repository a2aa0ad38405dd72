// Package sqlite reads and writes recordings in SQLite files with the tables of MS-PLA.
package sqlite

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/files/logs"
)

// Is tells an SQLite file by its first bytes (sqlite.org/fileformat2.html).
func Is(head []byte) bool { return bytes.HasPrefix(head, []byte("SQLite format 3\x00")) }

// setName is what a set is called: by the options, or as the file.
func setName(file string, o logs.WriteOptions) string {
	if o.Set != "" {
		return o.Set
	}
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// details are the parts of a path as CounterDetails has them.
type details struct {
	machine, object, counter string
	instance, parent         string
	index                    int64
	hasInstance              bool
}

// detailsOf takes a path apart. What is no path is all counter name.
func detailsOf(path string) details {
	p, err := paths.Parse(path)
	if err != nil {
		return details{counter: path}
	}
	d := details{object: p.Object, counter: p.Counter, instance: p.Instance, parent: p.Parent, hasInstance: p.HasInstance}
	if p.Computer != "" {
		d.machine = `\\` + p.Computer
	}
	if n, ok := p.Index.Number(); ok {
		d.index = int64(n)
	}
	return d
}

// path puts a path together.
func (d *details) path() string {
	p := paths.Path{Computer: strings.TrimLeft(d.machine, `\`), Object: d.object, Counter: d.counter}
	if d.hasInstance {
		p = paths.Of(p.Computer, d.object, d.parent, d.instance, int(min(max(d.index, 0), 1<<30)), d.counter)
	}
	if d.object == "" {
		return d.counter
	}
	return p.String()
}

// isHexType tells the types whose values are shown in hexadecimal.
func isHexType(t cooker.CounterType) bool {
	return t == cooker.CounterRawCountHex || t == cooker.CounterLargeRawCountHex
}

// Create begins a file with one set.
func Create(file *os.File, h *logs.Header, o logs.WriteOptions) (logs.Writer, error) {
	name := file.Name()
	if err := file.Close(); err != nil {
		return nil, err
	}
	RemoveJournals(name) // of a file that was here before
	w, err := newWriter(name, o)
	if err != nil {
		return nil, err
	}
	if err := w.newSet(h, setName(name, o)); err != nil {
		w.abandon()
		return nil, err
	}
	return w, nil
}

// Resume goes on with a set of a file, or begins another.
func Resume(_ *os.File, name string, h *logs.Header, o logs.WriteOptions) (logs.Writer, logs.Tail, error) {
	w, err := newWriter(name, o)
	if err != nil {
		return nil, logs.Tail{}, err
	}
	tail, err := w.continueSet(h, o)
	if err != nil {
		w.abandon()
		return nil, logs.Tail{}, err
	}
	return w, tail, nil
}
