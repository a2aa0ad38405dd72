package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/naming"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/store"
	"perfdeck/session/system/failure"
)

// written is a file that a collector writes in a segment.
type written struct {
	collector *collectorset.Collector
	file      string // below the root
	format    *formats.Format
	exists    collector.Existing
	found     bool // it is there
}

// beginSegment begins a segment: the names of its folder and files are made, what is kept
// of the set says so, and all collectors begin. When it fails nothing is changed but for
// the serial number, if the set was told already.
func (r *run) beginSegment(op string) error {
	now := r.o.Clock.Now()
	if r.set.SerialNumber == 0 { // the last one was the largest there is
		return r.fail(op, codeInvalid, errSpent, "perfdeck collect update --serial begins anew")
	}
	moment := naming.Values{Time: now.Wall.In(r.o.Zone), Serial: r.set.SerialNumber, Computer: r.o.Computer}
	folder, err := r.set.Folder().Folder(moment)
	if err != nil {
		return r.fail(op, codeInvalid, err, failure.Hint(err))
	}
	if folder == "" {
		folder = "."
	}
	files, err := r.filesOf(op, folder, moment)
	if err != nil {
		return err
	}
	if len(files) == 0 && len(Rules(r.set)) == 0 {
		return r.fail(op, codeInvalid, errNothing, "perfdeck collect check tells why")
	}
	made := false
	if len(files) > 0 {
		if made, err = r.makeFolder(folder); err != nil {
			return r.fail(op, 0, err, "is the disk full, or may you not write there?")
		}
	}
	if err := r.note(folder, made, files); err != nil {
		return err
	}
	r.folder, r.segment = folder, now.Mono
	return r.record(op, files)
}

// makeFolder makes a folder of the root, unless it is there.
func (r *run) makeFolder(folder string) (made bool, err error) {
	if folder == "." {
		return false, nil
	}
	err = r.root.Mkdir(folder, 0o700)
	if !errors.Is(err, os.ErrExist) {
		return err == nil, err
	}
	info, err := r.root.Lstat(folder)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is a link or a file", r.path(folder))
	}
	return false, err
}

// filesOf are those of a segment. One that is there and neither replaced nor added to is
// left alone, and the set does not run.
func (r *run) filesOf(op, folder string, moment naming.Values) (out []written, err error) {
	for i := range r.set.Collectors {
		c := &r.set.Collectors[i]
		if c.Kind != collectorset.Counters || c.LogFileFormat == collectorset.SQL && c.DataSourceName == "" {
			continue
		}
		if c.Name == "" {
			c.Name = fmt.Sprintf("DataCollector%02d", i+1)
		}
		w := written{collector: c, format: r.format(c), exists: collector.NewFile}
		name, err := c.File(w.format.Extensions[0]).File(moment)
		if err != nil {
			return nil, r.fail(op, codeInvalid, err, failure.Hint(err))
		}
		w.file = path.Join(folder, name)
		info, err := r.root.Lstat(w.file)
		switch w.found = err == nil; {
		case w.found && !info.Mode().IsRegular():
			return nil, r.fail(op, codeFileExists, fmt.Errorf("%s is a link, or no plain file", r.path(w.file)), "move it away, or name the file otherwise")
		case c.LogOverwrite && c.LogFileFormat != collectorset.SQL:
			w.exists = collector.Overwrite
		case c.LogFileFormat == collectorset.SQL, c.LogAppend && !c.LogCircular && !c.Format().Text:
			w.exists = collector.Append
		case err == nil:
			return nil, r.fail(op, codeFileExists, fmt.Errorf("%s is there already", r.path(w.file)), "names with a time or a serial number, LogOverwrite or LogAppend let it begin")
		case !errors.Is(err, os.ErrNotExist):
			return nil, r.fail(op, 0, err, "")
		}
		if slices.ContainsFunc(out, func(o written) bool { return paths.EqualFold(o.file, w.file) }) {
			return nil, r.fail(op, codeFileExists, fmt.Errorf("two of its collectors write to %s", r.path(w.file)), "give one another FileName")
		}
		out = append(out, w)
	}
	return out, nil
}

// format is what a collector's files are written as.
func (r *run) format(c *collectorset.Collector) *formats.Format {
	if c.LogFileFormat == collectorset.Binary {
		return cmp.Or(r.o.Binary, formats.Usual(formats.ToRecord))
	}
	f, _ := formats.ByExtension(c.Format().Extension) // each of the table has one
	return f
}

// note writes down that a segment begins, before there is any file of it.
func (r *run) note(folder string, made bool, files []written) error {
	const runs = 1
	began := r.o.Clock.Now().Wall
	return r.keep(func(e *store.Entry) {
		s := e.Set
		if s.Status != runs {
			e.State.Began = began
		}
		s.Status, s.LatestOutputLocation, s.OutputLocation = runs, r.path(folder), r.path(folder)
		if s.SerialNumber == math.MaxUint32 {
			s.SerialNumber = 0
		} else {
			s.SerialNumber++
		}
		e.State.Ended, e.State.Why, e.State.Process = noTime, "", os.Getpid()
		f := store.Folder{Name: folder, Began: began, Made: made}
		for _, w := range files {
			if w.found && w.exists == collector.Append && !r.wrote(&e.State, folder, w.file) {
				f.Found = append(f.Found, w.file)
			}
			f.Files = append(f.Files, w.file)
			if i := slices.IndexFunc(s.Collectors, func(c collectorset.Collector) bool { return c.Name == w.collector.Name }); i >= 0 {
				s.Collectors[i].LatestOutputLocation = r.path(w.file)
			}
		}
		if len(f.Files) > 0 {
			e.State.Folders = append(e.State.Folders, f)
		}
	})
}

// wrote tells whether a file that is there is one that a run of the set wrote.
func (r *run) wrote(st *store.State, folder, file string) bool {
	return slices.ContainsFunc(st.Written(folder), func(w collector.Written) bool {
		if w.Name != file {
			return false
		}
		_, err := w.As(r.root, w.Name)
		return err == nil
	})
}

// begun notes that a recorder has a file from now on. Any goroutine may call it.
func (r *run) begun(name string) {
	r.mu.Lock()
	r.news = append(r.news, name)
	r.mu.Unlock()
	r.wake()
}

// know writes down how the files that recorders began are now: whoever removes them knows them
// by that. over tells that all recordings of the segment ended.
func (r *run) know(over bool) {
	r.mu.Lock()
	news := r.news
	r.news = nil
	r.mu.Unlock()
	if len(news) == 0 && !over {
		return
	}
	if err := r.keep(func(e *store.Entry) {
		if n := len(e.State.Folders); n > 0 && e.State.Folders[n-1].Name == r.folder {
			r.knowIn(&e.State, news, over)
		}
	}); err != nil {
		r.o.Report(err)
	}
}

// knowIn writes them down in the newest folder.
func (r *run) knowIn(st *store.State, news []string, over bool) {
	f := &st.Folders[len(st.Folders)-1]
	var known []collector.Written
	for _, w := range f.Known {
		now, err := w.As(r.root, w.Name)
		if errors.Is(err, os.ErrNotExist) {
			continue // a circular one went on to the next
		}
		if err == nil && over {
			now.Open = false
			w = now
		}
		known = append(known, w)
	}
	for _, name := range news {
		now, err := collector.Look(r.root, name, !over)
		if err != nil || slices.Contains(f.Found, name) {
			continue
		}
		same := func(w collector.Written) bool { return w.Name == name }
		for i := range st.Folders {
			st.Folders[i].Known = slices.DeleteFunc(st.Folders[i].Known, same)
		}
		known = append(slices.DeleteFunc(known, same), now)
	}
	f.Known = known
}

// record begins the recordings of a segment, all or none.
func (r *run) record(op string, files []written) error {
	for _, w := range files {
		one, err := r.recordOne(w)
		if err != nil {
			r.files = nil // there is none to be used
			r.endSegment(context.Background(), false)
			return r.fail(op, 0, err, failure.Hint(err))
		}
		r.open, r.files = append(r.open, one), append(r.files, r.path(w.file))
	}
	return nil
}

func (r *run) recordOne(w written) (*recording, error) {
	c := w.collector
	questions := Questions(c)
	hosts, err := r.o.Hosts(questions)
	if err != nil {
		return nil, err
	}
	begun := func(file string) { r.begun(path.Join(path.Dir(w.file), filepath.Base(file))) }
	o := collector.Options{
		Subject:   collector.Subject{Hosts: hosts, Every: seconds(c.SampleInterval)},
		Files:     collector.Files{File: r.path(w.file), Format: w.format, Exists: w.exists, Write: logs.WriteOptions{NoLinks: true}},
		Until:     collector.Until{Count: int64(c.SegmentMaxRecords)},
		Runtime:   collector.Runtime{Clock: r.o.Clock, Zone: r.o.Zone},
		Listeners: collector.Listeners{Report: r.o.Report, Changed: r.wake, Begun: begun},
		Announced: collector.Announced{Attended: true},
	}
	if c.LogFileFormat == collectorset.SQL {
		o.Write.Set = r.set.Name
	}
	if r.isCircular(c.Name) {
		o.Ring = int64(r.set.SegmentMaxSize) << 20
	}
	rec, err := r.o.Record(o)
	if err != nil {
		return nil, err
	}
	if !w.found {
		begun(o.File) // it may be there by now
	}
	return &recording{Recording: rec, name: c.Name}, nil
}

// wake marks that a recording has more.
func (r *run) wake() {
	session.Wake(r.changed)
}

// Questions are the paths of a collector that can be read, each once.
func Questions(c *collectorset.Collector) (out []session.Question) {
	seen := map[string]bool{}
	for _, text := range c.Counters {
		if _, err := collectorset.ParseCounter(text); err != nil || seen[paths.Fold(text)] {
			continue
		}
		seen[paths.Fold(text)] = true
		if !strings.HasPrefix(text, `\`) {
			text = `\` + text
		}
		out = append(out, session.Question{Text: text})
	}
	return out
}
