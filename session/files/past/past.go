// Package past makes recordings of readings that come out of somewhere else than a host.
package past

import (
	"errors"
	"os"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
)

// within is how near readings are that stand in one row.
const within = 500 * time.Millisecond

// Writer writes readings into a recording, as rows. Their times must not go back by more than
// a row's. Close ends it.
type Writer struct {
	file    string
	writer  logs.Writer
	columns map[column]int
	header  logs.Header
	before  []logs.Raw // of each column
	row     logs.Row
	filled  bool
	rows    int
	written int // columns that the file has
}

// column is what a column is of.
type column struct {
	host, set string
	counter   string
	key       session.InstanceKey
	index     uint32
}

// New writes into a new file, which has the format that takes columns on the way and keeps raw
// values.
func New(file string) *Writer {
	return &Writer{file: file, columns: map[column]int{}, header: logs.Header{Zone: logs.LocalZone(time.Now())}}
}

// Rows is how many were written.
func (w *Writer) Rows() int { return w.rows }

// Add adds the readings of a counterset.
func (w *Writer) Add(host string, b *session.SetBatch) error {
	at := cooker.TimeOf(b.Clocks.Time100ns).Truncate(time.Microsecond)
	if w.filled && at.Sub(w.row.Time) > within {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if !w.filled {
		w.row.Time, w.filled = at, true
		for i := range w.row.Values {
			w.row.Values[i], w.row.Raw[i] = cooker.Absent(cooker.Unavailable), logs.Raw{}
		}
	}
	for i := range b.Instances {
		in := &b.Instances[i]
		row := b.Row(i)
		for n, counter := range b.Counters {
			c := &b.Set.Counters[counter]
			w.put(w.column(host, b.Set, counter, in), c, &row[n], b.ClocksOf(i))
		}
	}
	return nil
}

// column is the column of a value; a new one comes behind the others.
func (w *Writer) column(host string, set *session.Counterset, counter int, in *session.Instance) int {
	c := &set.Counters[counter]
	key := column{host, set.Name, c.Name, in.Key, in.Index}
	if i, ok := w.columns[key]; ok {
		return i
	}
	i := len(w.header.Columns)
	w.columns[key] = i
	w.header.Columns = append(w.header.Columns, logs.Column{
		Path: session.PathOf(host, set, counter, in).String(), TypeKnown: true, Type: c.Type, DefaultScale: c.DefaultScale, Attributes: c.Attributes,
	})
	w.before = append(w.before, logs.Raw{})
	w.row.Values, w.row.Raw = append(w.row.Values, cooker.Absent(cooker.Unavailable)), append(w.row.Raw, logs.Raw{})
	return i
}

// put cooks a reading.
func (w *Writer) put(i int, c *session.Counter, r *cooker.Reading, clocks *cooker.Clocks) {
	now := logs.Raw{Known: true, Reading: *r, Clocks: *clocks}
	before := &w.before[i]
	older, olderClocks := &before.Reading, &before.Clocks
	if !before.Known {
		older, olderClocks = nil, nil
	}
	w.row.Values[i] = cooker.Cook(c.Type, older, r, olderClocks, clocks, nil)
	*before = now
	if r.Size != cooker.SizeCooked && (r.State == cooker.OK || r.State == cooker.NoBase) {
		w.row.Raw[i] = now
	}
}

// flush writes the row that is full.
func (w *Writer) flush() error {
	w.filled = false
	for i := range w.row.Raw {
		if !w.row.Raw[i].Known { // what comes next is none of its
			w.before[i] = logs.Raw{}
		}
	}
	if w.writer == nil {
		made, err := formats.Create(w.file, formats.Usual(formats.ToRecord), &logs.Header{Zone: w.header.Zone, Columns: slices.Clip(w.header.Columns)}, logs.WriteOptions{Buffered: true})
		if err != nil {
			return err
		}
		w.writer = made
		w.written = len(w.header.Columns)
	}
	if more := w.header.Columns[w.written:]; len(more) > 0 {
		grower, ok := w.writer.(logs.Grower)
		if !ok {
			return errors.ErrUnsupported
		}
		if err := grower.AddColumns(more); err != nil {
			return err
		}
		w.written = len(w.header.Columns)
	}
	w.rows++
	return w.writer.WriteRow(&w.row)
}

// Close writes what is left.
func (w *Writer) Close() error {
	var err error
	if w.filled {
		err = w.flush()
	}
	if w.writer != nil {
		err = errors.Join(err, w.writer.Close())
	}
	if err != nil {
		_ = os.Remove(w.file)
	}
	return err
}
