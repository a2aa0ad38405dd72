package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"time"

	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/store"
	"perfdeck/session/system/osfile"
)

var noTime time.Time

// disk is what earlier runs of a set made below its root. Nothing else is looked at or
// removed: no folder that they only used, and no file that is not as they left it, or that
// the journal of another set has.
type disk struct {
	r       *run
	state   store.State
	gone    []string            // folders that are to be forgotten
	done    []string            // files that are
	left    []error             // why files stay
	foreign map[string]struct{} // what other sets have, by whole names; nil: nobody asked
}

func (r *run) disk(state *store.State) *disk { return &disk{r: r, state: *state} }

// forget takes from the journal what is gone.
func (d *disk) forget(e *store.Entry) {
	e.State.Folders = slices.DeleteFunc(e.State.Folders, func(f store.Folder) bool { return slices.Contains(d.gone, f.Name) })
	for i := range e.State.Folders {
		e.State.Folders[i].Forget(d.done...)
	}
}

// manage lets the data manager do its work. What fails is reported.
func (r *run) manage() {
	e, err := r.o.Store.Load(r.o.Name)
	if err != nil {
		r.o.Report(err)
		return
	}
	d := r.disk(&e.State)
	err = r.set.Manager.Run(d)
	for _, err := range append(d.left, err) {
		if err != nil {
			r.o.Report(fmt.Errorf("the data manager of the set %s: %w", r.o.Name, err))
		}
	}
	if len(d.gone)+len(d.done) == 0 {
		return
	}
	if err := r.keep(d.forget); err != nil {
		r.o.Report(err)
	}
}

// tidy removes the folders that runs of the set made and that hold nothing: a segment ended
// before its first sample. What is said of the last run is of the folder before it then.
func (r *run) tidy() {
	e, err := r.o.Store.Load(r.o.Name)
	if err != nil {
		return // whoever reads the set next tells
	}
	d := r.disk(&e.State)
	for _, f := range e.State.Folders {
		if f.Made && f.Name != r.folder && r.isEmpty(f.Name) {
			err = errors.Join(err, d.Remove(f.Name))
		}
	}
	if len(d.gone) > 0 {
		err = errors.Join(err, r.keep(func(e *store.Entry) { d.forget(e); r.relocate(e, d.gone) }))
	}
	if err != nil {
		r.o.Report(err)
	}
}

// isEmpty tells a folder that nothing is in.
func (r *run) isEmpty(folder string) bool {
	rest, err := fs.ReadDir(r.root.FS(), folder)
	return err == nil && len(rest) == 0
}

// relocate puts where the last run wrote to the newest folder, if it wrote to one that is gone.
func (r *run) relocate(e *store.Entry, gone []string) {
	isGone := func(location string) bool {
		return slices.ContainsFunc(gone, func(folder string) bool { return r.path(folder) == location })
	}
	if !isGone(e.Set.LatestOutputLocation) {
		return
	}
	var newest store.Folder
	location := ""
	if n := len(e.State.Folders); n > 0 {
		newest = e.State.Folders[n-1]
		location = r.path(newest.Name)
	}
	e.Set.LatestOutputLocation, e.Set.OutputLocation = location, location
	for i, files := 0, newest.Files; i < len(e.Set.Collectors); i++ { // in the order of their files
		c := &e.Set.Collectors[i]
		if !isGone(filepath.Dir(c.LatestOutputLocation)) {
			continue
		}
		if c.LatestOutputLocation = ""; len(files) > 0 {
			c.LatestOutputLocation, files = r.path(files[0]), files[1:]
		}
	}
}

// Folders implements collectorset.Disk.
func (d *disk) Folders() (out []collectorset.Folder, err error) {
	now := d.r.o.Clock.Now().Wall
	for _, f := range d.state.Folders {
		if f.Name == d.r.folder || slices.Contains(d.gone, f.Name) || slices.ContainsFunc(out, func(o collectorset.Folder) bool { return o.Name == f.Name }) {
			continue
		}
		n, err := d.bytes(f.Name)
		if errors.Is(err, fs.ErrNotExist) {
			d.gone = append(d.gone, f.Name) // somebody removed it
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, collectorset.Folder{Name: f.Name, Bytes: n, Age: max(0, int(now.Sub(f.Began)/(24*time.Hour)))})
	}
	return out, nil
}

// isFolder refuses what is no folder any more: a link leads elsewhere.
func (d *disk) isFolder(folder string) error {
	info, err := d.r.root.Lstat(folder)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no folder any more", d.r.path(folder))
	}
	return err
}

// bytes is how much of a folder is the set's.
func (d *disk) bytes(folder string) (sum int64, err error) {
	if err := d.isFolder(folder); err != nil {
		return 0, err
	}
	for _, w := range d.state.Written(folder) {
		if now, err := w.As(d.r.root, w.Name); err == nil && !d.isForeign(w.Name) {
			sum += now.Bytes
		}
	}
	return sum, nil
}

// isForeign tells what the journal of another set has.
func (d *disk) isForeign(name string) bool {
	if d.foreign == nil {
		d.foreign = map[string]struct{}{}
		names, _ := d.r.o.Store.Names()
		for _, other := range names {
			if e, err := d.r.o.Store.Load(other); err == nil && e.Set.Name != d.r.o.Name {
				d.others(realPath(d.r.o.Store.Root(e)), &e.State)
			}
		}
	}
	_, is := d.foreign[filepath.Join(realPath(d.r.o.Root), filepath.FromSlash(name))]
	return is
}

// others takes in what another set has below its root.
func (d *disk) others(root string, st *store.State) {
	for _, f := range st.Folders {
		names := append([]string{f.Name}, f.Files...)
		for _, w := range f.Known {
			names = append(names, w.Name)
		}
		for _, name := range names {
			d.foreign[filepath.Join(root, filepath.FromSlash(name))] = struct{}{}
		}
	}
}

// realPath is where links in a name lead.
func realPath(name string) string {
	if led, err := filepath.EvalSymlinks(name); err == nil {
		return led
	}
	return name
}

// each removes files of a folder that the set wrote, those that goes tells. What stays for
// good, because it is not the set's any more, is told once.
func (d *disk) each(folder string, goes func(base string) bool) (err error) {
	if err := d.isFolder(folder); err != nil {
		return err
	}
	for _, w := range d.state.Written(folder) {
		if !goes(path.Base(w.Name)) {
			continue
		}
		failed := error(nil)
		if !d.isForeign(w.Name) {
			failed = w.Remove(d.r.root, w.Name)
		}
		switch {
		case errors.Is(failed, collector.ErrForeign):
			d.left = append(d.left, fmt.Errorf("%s: %w", d.r.path(w.Name), failed))
		case failed != nil && !errors.Is(failed, fs.ErrNotExist):
			err = errors.Join(err, fmt.Errorf("remove %s: %w", d.r.path(w.Name), failed))
			continue
		}
		d.done = append(d.done, w.Name)
	}
	return err
}

// Free implements collectorset.Disk.
func (d *disk) Free() (int64, error) {
	free, _, err := osfile.Space(d.r.o.Root)
	return free, err
}

// Remove implements collectorset.Disk: the set's files go, then the folder, if a run of the
// set made it and nothing is left in it.
func (d *disk) Remove(folder string) error {
	if err := d.each(folder, func(string) bool { return true }); err != nil {
		return err
	}
	d.gone = append(d.gone, folder)
	made := slices.ContainsFunc(d.state.Folders, func(f store.Folder) bool { return f.Name == folder && f.Made })
	if !made || d.isForeign(folder) {
		return nil
	}
	err := d.r.root.Remove(folder)
	if rest, _ := fs.ReadDir(d.r.root.FS(), folder); len(rest) > 0 {
		return nil // of somebody else
	}
	return err
}

// RemoveData implements collectorset.Disk: what is no report.
func (d *disk) RemoveData(folder string) error {
	return d.each(folder, func(base string) bool { return !d.isReport(base) })
}

// RemoveReport implements collectorset.Disk. A report that no run of the set wrote is
// somebody's.
func (d *disk) RemoveReport(folder string) error { return d.each(folder, d.isReport) }

// isReport tells the names of reports, which are no data.
func (d *disk) isReport(base string) bool {
	m := d.r.set.Manager
	return slices.Contains([]string{m.ReportFileName, m.RuleTargetFileName, m.EventsFileName}, base)
}
