// Package replay plays recordings: it stands in for samplers, so that every
// screen works over a file as over live hosts. A host of a recording has a
// catalogue made of the columns and gives snapshots of a moment, with the history
// before it. Files may be larger than memory: a window is read of them, wherever
// the moment is.
package replay

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/guard"
)

// Options say how recordings are played.
type Options struct {
	// Overlay lays the files after the first over it, each with hosts of its own
	// and at times that Align says. Else the files are one recording.
	Overlay bool
	Align   Align
	// Encoding is that of text files, empty: guessed. Open, if set, opens a file
	// in place of formats.Open.
	Encoding string
	Open     func(name string) (logs.Reader, error)
	// Unwritten tells that what is opened is in no file.
	Unwritten bool
	// Within is how near rows of different files are one, if they have no counter
	// in common; 0: half of the usual interval.
	Within time.Duration

	Clock session.Clock // nil: that of this computer
	Guard *guard.Guard
}

// group is files that are one recording.
type group struct {
	files  []string
	extent extent
	tapes  []*tape
	label  string // of its hosts, empty: none
}

var (
	errNoFiles = errors.New("no recording was named")
	errNoRows  = errors.New("the recording has no samples")
)

// Open opens recordings for playing, at their first sample, paused.
func Open(files []string, o Options) (*Player, error) {
	if len(files) == 0 {
		return nil, errNoFiles
	}
	if o.Clock == nil {
		o.Clock = session.NewSystemClock()
	}
	if o.Open == nil {
		o.Open = func(name string) (logs.Reader, error) {
			return formats.Open(context.Background(), name, logs.OpenOptions{Encoding: o.Encoding})
		}
	}
	p := newPlayer(o)
	if err := p.open(files); err != nil {
		_ = p.closeTapes()
		return nil, err
	}
	return p, nil
}

func (p *Player) open(files []string) error {
	groups := [][]string{files}
	if p.options.Overlay {
		groups = nil
		for _, name := range files {
			groups = append(groups, []string{name})
		}
	}
	var base *group
	for _, names := range groups {
		g, err := p.openGroup(names)
		if err != nil {
			return err
		}
		if base == nil {
			base = g
		} else {
			g.lay(base, p.options.Align)
		}
		p.addHosts(g)
	}
	p.base = base
	p.first, p.last, p.zone = base.extent.first, base.extent.last, base.location()
	p.rated = base.rated()
	p.about(base)
	p.now.at = p.first
	return nil
}

// openGroup opens files and sorts them into tapes: those that have a host in
// common are of one.
func (p *Player) openGroup(names []string) (*group, error) {
	g := &group{files: names}
	files := make([]recording, len(names))
	within := p.options.Within
	for i, name := range names {
		s := p.newSource([]string{name}, unnamedHost(names[0]))
		r, err := s.reader()
		if err != nil {
			return nil, err
		}
		t := &tape{source: s, reader: r}
		p.tapes = append(p.tapes, t) // so that it is closed
		if err := s.look(r); err != nil {
			return nil, fmt.Errorf("replay %s: %w", name, err)
		}
		if half := s.interval / 2; p.options.Within == 0 && half > 0 && (within == 0 || half < within) {
			within = half
		}
		files[i].tape = t
		for _, h := range s.hosts() {
			files[i].hosts = append(files[i].hosts, paths.Fold(h.name))
		}
	}
	p.tapes = p.tapes[:len(p.tapes)-len(files)]
	var failed error
	for _, parts := range components(files) {
		t, err := p.join(parts, within)
		g.tapes = append(g.tapes, t)
		failed = errors.Join(failed, err)
	}
	p.tapes = append(p.tapes, g.tapes...)
	if failed != nil {
		return nil, failed
	}
	return g, g.measure()
}

// join makes one tape of several.
func (p *Player) join(parts []*tape, within time.Duration) (*tape, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	var names []string
	var readers []logs.Reader
	for _, t := range parts {
		names = append(names, t.source.files...)
		readers = append(readers, t.reader)
		if err := t.reader.SeekTime(t.source.first); err != nil {
			return t, err
		}
	}
	t := &tape{source: p.newSource(names, parts[0].source.unnamed), reader: logs.Join(readers, within)}
	t.source.within = within
	return t, t.source.look(t.reader)
}

// measure finds out the extent of a group.
func (g *group) measure() error {
	for _, t := range g.tapes {
		s := t.source
		switch {
		case s.first.IsZero():
			continue
		case g.extent.first.IsZero():
			g.extent.zone = s.zone
			g.extent.first = s.first
		case s.first.Before(g.extent.first):
			g.extent.first = s.first
		}
		g.extent.last = session.Later(s.last, g.extent.last)
	}
	if g.extent.first.IsZero() {
		return fmt.Errorf("replay %s: %w", strings.Join(g.files, ", "), errNoRows)
	}
	return nil
}

// line is that of a group.
func (g *group) line() *logs.Line {
	var all []*logs.Line
	for _, t := range g.tapes {
		all = append(all, t.reader.Lines()...)
	}
	return logs.Common(all)
}

// location is the zone of a group, with clocks that were set back.
func (g *group) location() *time.Location {
	if line := g.line(); line.Falls() {
		return line.Location()
	}
	return g.extent.zone.Location()
}

// Line is the time line of the recordings.
func (p *Player) Line() *logs.Line { return p.base.line() }

// Know reads the times of all recordings, so that none is taken for another.
func (p *Player) Know(ctx context.Context) error {
	for _, t := range p.tapes {
		if err := logs.Know(ctx, t.reader); err != nil {
			return err
		}
	}
	return p.remeasure()
}

// remeasure takes the extent of the recordings as it is known by now.
func (p *Player) remeasure() error {
	for _, t := range p.base.tapes {
		if err := t.source.extend(t.reader); err != nil {
			return err
		}
	}
	if err := p.base.measure(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.first, p.last, p.zone = p.base.extent.first, p.base.extent.last, p.base.location()
	p.info.Zone = p.zone
	return nil
}

// rated is the first moment of a group at which its first recording has rates.
func (g *group) rated() time.Time {
	for _, t := range g.tapes {
		if t.source.first.Equal(g.extent.first) && t.source.rated.After(g.extent.first) {
			return t.source.rated
		}
	}
	return g.extent.first
}

// lay lays a group over the first one.
func (g *group) lay(base *group, how Align) {
	shift, days := g.extent.shiftOver(&base.extent, how)
	g.label = label(days, g.extent.first.In(g.extent.zone.Location()))
	for _, t := range g.tapes {
		t.source.shift = shift
		t.source.first, t.source.last = t.source.first.Add(shift), t.source.last.Add(shift)
		t.reader, t.isOverlay = &shifted{t.reader, shift}, true
	}
}

// addHosts makes the hosts of a group.
func (p *Player) addHosts(g *group) {
	for _, t := range g.tapes {
		for _, columns := range t.source.hosts() {
			if columns.own = columns.name; g.label != "" {
				columns.name += " (" + g.label + ")"
			}
			columns.name = p.uniqueName(columns.name)
			columns.cat.Host = columns.name
			track := &track{columns: columns}
			t.tracks = append(t.tracks, track)
			p.hosts = append(p.hosts, newHost(p, t, track))
		}
	}
}

// uniqueName makes a name of a host one that no other has.
func (p *Player) uniqueName(name string) string {
	unique := name
	for n := 2; p.Host(unique) != nil; n++ {
		unique = fmt.Sprintf("%s #%d", name, n)
	}
	return unique
}

// unnamedHost is the host of columns that name no computer: it is called as the
// first file.
func unnamedHost(file string) string {
	name := filepath.Base(file)
	if short := strings.TrimSuffix(name, filepath.Ext(name)); short != "" {
		name = short
	}
	return strings.ReplaceAll(name, `\`, "_")
}

// recording is a file with its hosts, folded.
type recording struct {
	tape  *tape
	hosts []string
}

// components sorts files into those that have hosts in common.
func components(files []recording) [][]*tape {
	of := make([]int, len(files)) // the first file of each one's component
	seen := map[string]int{}
	for i := range files {
		of[i] = i
		for _, h := range files[i].hosts {
			if j, known := seen[h]; known {
				unite(of[:i+1], of[j], of[i])
			} else {
				seen[h] = i
			}
		}
	}
	var out [][]*tape
	var firsts []int
	for i, first := range of {
		at := slices.Index(firsts, first)
		if at < 0 {
			at = len(out)
			firsts, out = append(firsts, first), append(out, nil)
		}
		out[at] = append(out[at], files[i].tape)
	}
	return out
}

// unite makes one component of two.
func unite(of []int, a, b int) {
	for i := range of {
		if of[i] == a || of[i] == b {
			of[i] = min(a, b)
		}
	}
}

// newSource is a source that opens files as the options say.
func (p *Player) newSource(files []string, unnamed string) *source {
	return &source{files: files, unnamed: unnamed, open: p.options.Open, samples: p.samples}
}

// Recording is one of those that a player has, for who reads it whole on his own: files
// with hosts in common, read as one.
type Recording struct {
	Files       []string
	Columns     []Column // by index in the rows of its reader
	Zone        logs.Zone
	First, Last time.Time
	Interval    time.Duration // the usual one; 0: not known
	Longest     time.Duration // that it had, as far as it is known
	Inferred    logs.Inferred
	SetBack     []string // where clocks were, in words
	Taken       []string // what names in other languages are taken for, in words

	source *source
}

// Column is what a column of a recording holds.
type Column struct {
	Host     *Host
	Set      *session.Counterset
	Counter  int
	Instance *session.Instance
	Path     string // as the recording has it
}

// Every is how far apart rows are that follow on a moment, as far as it is known.
func (r *Recording) Every(at time.Time) time.Duration { return r.source.every(at) }

// Rows is about how many rows there are from a moment to another.
func (r *Recording) Rows(from, to time.Time) int {
	return max(int(r.source.numberOf(to))-int(r.source.numberOf(from)), 0)
}

// Open opens the files anew, at their first row.
func (r *Recording) Open() (logs.Reader, error) { return r.source.reader() }

// Recordings are all of them.
func (p *Player) Recordings() []Recording {
	var out []Recording
	for _, t := range p.tapes {
		s := t.source
		r := Recording{
			Files: s.files, Columns: make([]Column, len(s.columns)), Zone: s.zone,
			First: s.first, Last: s.last, Interval: s.interval, Inferred: s.inferred, SetBack: logs.SetBack(t.reader, p.Line()), Taken: s.taken, source: s,
		}
		_, r.Longest = s.paces()
		for _, h := range p.hosts {
			if h.tape == t {
				h.columns(r.Columns, s.columns)
			}
		}
		out = append(out, r)
	}
	return out
}

// columns tells which columns are of the host.
func (h *Host) columns(to []Column, recorded []logs.Column) {
	for set, cols := range h.track.columns.sets {
		for i, cells := range cols.cells {
			for _, c := range cells {
				to[c.column] = Column{Host: h, Set: set, Counter: int(c.counter), Instance: &cols.instances[i], Path: recorded[c.column].Path}
			}
		}
	}
}
