package bundle

import (
	"archive/zip"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note"
	"perfdeck/session/text/printable"
)

// Options say what is packed.
type Options struct {
	Begin, End time.Time // zero: no limit
	Perfdeck   string    // the version that writes
	Folder     string    // where slices are made; it is the caller's to remove
	Withheld   []string  // texts that must not be in it, wherever they stand: secrets and commands of the config
	Anonymous  bool
	Texts      bool     // events of hosts keep the hosts' own words, unless it is anonymous
	Hosts      []string // that are known, for Anonymous: texts may name them
	Users      []string // alike
	// Tick is called now and then with the share that is done; nil: nobody wants to know.
	Tick func(share float64)
}

// ErrNothing says that no recording has a sample in the time.
var ErrNothing = errors.New("no recording has a sample in this time")

// Write packs slices of recordings, and what is known beside them.
func Write(ctx context.Context, to io.Writer, recordings []Recording, beside Extras, o Options) (*Manifest, error) {
	w := &writer{
		options: o, zip: zip.NewWriter(to), manifest: Manifest{Format: formatName, Version: 1, Perfdeck: o.Perfdeck, Anonymous: o.Anonymous, Left: []string{}},
	}
	cleaner := newCleaner(o.Withheld)
	beside = beside.within(&o)
	if !o.Anonymous {
		w.names = plain(recordings, cleaner)
	} else {
		w.names = anonymized(recordings, &beside, &o, cleaner)
	}
	for i := range recordings {
		if err := w.recording(ctx, i, &recordings[i], len(recordings)); err != nil {
			return nil, err
		}
	}
	if len(w.manifest.Parts) == 0 {
		return nil, ErrNothing
	}
	beside, left := renamed(&beside, w.names)
	w.line.Written(slices.Concat(note.Times(beside.Notes), Times(beside.Events))...)
	parts, err := beside.texts()
	if err != nil {
		return nil, err
	}
	for i := range parts {
		p := Part{Name: parts[i].name(), Kind: parts[i].kind, Items: parts[i].items}
		if len(parts[i].text) > mostItems {
			return nil, fmt.Errorf("%s: %w: a shorter time has fewer", p.Kind, errLarge)
		}
		if err := w.part(p, func(out io.Writer) error { _, err := out.Write(parts[i].text); return err }); err != nil {
			return nil, err
		}
	}
	w.manifest.Left = append(append(w.manifest.Left, left...), w.names.left()...) // never nil: it is a list in the file
	return &w.manifest, w.end()
}

// writer is a bundle that is being written.
type writer struct {
	options  Options
	names    namer
	zip      *zip.Writer
	manifest Manifest
	line     *logs.Line // of the first recording
	zone     *time.Location
}

// part writes a part and notes its size and hash.
func (w *writer) part(p Part, write func(io.Writer) error) error {
	out, err := w.zip.CreateHeader(&zip.FileHeader{Name: p.Name, Method: zip.Deflate})
	if err != nil {
		return err
	}
	m := &meter{to: out, hash: sha256.New()}
	if err := write(m); err != nil {
		return err
	}
	p.Bytes, p.SHA256 = m.bytes, hex.EncodeToString(m.hash.Sum(nil))
	w.manifest.Parts = append(w.manifest.Parts, p)
	return nil
}

// meter counts and hashes what goes through it.
type meter struct {
	to    io.Writer
	hash  hash.Hash
	bytes int64
}

func (m *meter) Write(b []byte) (int, error) {
	n, err := m.to.Write(b)
	m.hash.Write(b[:n])
	m.bytes += int64(n)
	return n, err
}

// end writes the manifest.
func (w *writer) end() error {
	if w.zone != nil {
		w.manifest.Begin, w.manifest.End = w.manifest.Begin.In(w.zone), w.manifest.End.In(w.zone)
		w.line.Tell(&w.manifest.Begin, &w.manifest.End)
	}
	text, err := json.MarshalIndent(&w.manifest, "", "  ")
	if err != nil {
		return err
	}
	out, err := w.zip.CreateHeader(&zip.FileHeader{Name: manifestName, Method: zip.Deflate})
	if err != nil {
		return err
	}
	if _, err := out.Write(append(printable.EscapeJSON(text), '\n')); err != nil {
		return err
	}
	return w.zip.Close()
}

// recording packs the slice of a recording, if it has one.
func (w *writer) recording(ctx context.Context, i int, r *Recording, of int) error {
	number := len(w.manifest.Parts) + 1
	p := Part{Name: fmt.Sprintf("recording-%d.db", number), Kind: kindRecording, Title: w.names.title(r.Title, number)}
	if number >= mostParts-mostBeside {
		return fmt.Errorf("%w: more than %d recordings; relog makes one of several", errLarge, number-1)
	}
	s := &slice{writer: w, reader: r.Reader, file: filepath.Join(w.options.Folder, p.Name)}
	s.tick = func(share float64) { w.tick((float64(i) + share) / float64(of)) }
	defer func() { _ = os.Remove(s.file) }()
	if err := s.copy(ctx, r, p.Title); err != nil {
		return fmt.Errorf("%s: %w", r.Title, err)
	}
	if s.rows == 0 {
		w.manifest.Left = append(w.manifest.Left, w.names.of("recording", r.Title)+": it has no sample in this time")
		return nil
	}
	p.Samples, p.Counters, p.Events = s.rows, len(s.columns), s.events
	if lost := len(r.Reader.Header().Columns) - len(s.columns); lost > 0 {
		w.manifest.Left = append(w.manifest.Left, fmt.Sprintf("%s: %d counters whose paths could not be replaced", p.Title, lost))
	}
	if w.manifest.Begin.IsZero() || s.first.Before(w.manifest.Begin) {
		w.manifest.Begin = s.first
	}
	w.manifest.End = session.Later(s.last, w.manifest.End)
	if w.zone == nil {
		zone := r.Reader.Header().Zone
		w.line = logs.LineOf(r.Reader)
		w.zone = w.line.Location()
		w.manifest.Zone = w.names.zone(zone).Name
	}
	for _, words := range logs.SetBack(r.Reader, logs.LineOf(r.Reader)) {
		w.manifest.Version, w.manifest.SetBack = version, append(w.manifest.SetBack, p.Title+": "+words)
	}
	return w.part(p, func(out io.Writer) error {
		in, err := os.Open(s.file)
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(out, &cancelled{ctx, in})
		return err
	})
}

func (w *writer) tick(share float64) {
	if w.options.Tick != nil {
		w.options.Tick(share)
	}
}

// cancelled is a reader that ends with a context.
type cancelled struct {
	ctx context.Context //nolint:containedctx // that of the copy
	in  io.Reader
}

func (c *cancelled) Read(b []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.in.Read(b)
}

// slice is the part of a recording that lies in the time.
type slice struct {
	*writer

	reader  logs.Reader
	file    string
	tick    func(share float64)
	columns []int // of the reader, in the order in which they are written

	out         logs.Writer // nil before the first row
	row         logs.Row
	rows        int64
	events      int
	first, last time.Time
}

func (s *slice) copy(ctx context.Context, r *Recording, title string) (err error) {
	if err := s.reader.Complete(ctx); err != nil {
		return err
	}
	if err := logs.Know(ctx, s.reader); err != nil {
		return err
	}
	span, err := s.reader.Span()
	if err != nil || span.First.IsZero() {
		return err
	}
	if err := s.reader.SeekTime(cmp.Or(s.options.Begin, span.First)); err != nil {
		return err
	}
	defer func() {
		if s.out != nil {
			err = cmp.Or(err, s.out.Close())
		}
	}()
	at := span.First
	for in, err := range (logs.Scan{Until: s.options.End, Tick: func() { s.tell(at, &span) }}).Rows(ctx, s.reader) {
		if err == nil {
			at = in.Time
			err = s.addRow(in, title)
		}
		if err != nil {
			return err
		}
	}
	return s.addEvents(r, title)
}

// addRow writes a row.
func (s *slice) addRow(in *logs.Row, title string) (err error) {
	if s.out == nil {
		if s.out, err = s.create(title); err != nil {
			return err
		}
	}
	in.Project(s.columns, &s.row)
	for i, v := range s.row.Values {
		if text, ok := v.Text(); ok {
			s.row.Values[i] = cooker.TextValue(s.names.value(text))
		}
	}
	if err := s.out.WriteRow(&s.row); err != nil {
		return err
	}
	if s.rows++; s.rows == 1 {
		s.first = in.Time
	}
	s.last = in.Time
	return nil
}

// tell tells how far it is, by time.
func (s *slice) tell(at time.Time, span *logs.Span) {
	from, to := session.Later(s.options.Begin, span.First), span.Last
	if !s.options.End.IsZero() && s.options.End.Before(to) {
		to = s.options.End
	}
	s.tick(min(max(float64(at.Sub(from))/float64(max(to.Sub(from), 1)), 0), 1))
}

// create begins the file, with the columns that can be named.
func (s *slice) create(title string) (logs.Writer, error) {
	h := *s.reader.Header()
	h.Zone = s.names.zone(h.Zone)
	h.Caption = s.names.caption(h.Caption)
	h.Columns, s.columns = s.names.columns(h.Columns)
	return formats.Create(s.file, formats.Usual(formats.ToRecord), &h, logs.WriteOptions{Buffered: true, Set: title})
}
