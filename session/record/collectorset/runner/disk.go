package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"perfdeck/session/record/collectorset"
	"perfdeck/session/record/collectorset/store"
	"perfdeck/session/record/note/notebook"
	"perfdeck/session/system/osfile"
)

var noTime time.Time

// disk are the folders that earlier runs of a set made, below its root. Nothing else is
// looked at or removed.
type disk struct {
	r       *run
	folders []store.Folder
	gone    []string
}

func (r *run) disk(folders []store.Folder) *disk { return &disk{r: r, folders: folders} }

// manage lets the data manager do its work. What fails is reported.
func (r *run) manage() {
	e, err := r.o.Store.Load(r.o.Name)
	if err != nil {
		r.o.Report(err)
		return
	}
	d := r.disk(e.State.Folders)
	if err := r.set.Manager.Run(d); err != nil {
		r.o.Report(fmt.Errorf("the data manager of the set %s: %w", r.o.Name, err))
	}
	if len(d.gone) == 0 {
		return
	}
	if err := r.keep(func(e *store.Entry) {
		e.State.Folders = slices.DeleteFunc(e.State.Folders, func(f store.Folder) bool { return slices.Contains(d.gone, f.Name) })
	}); err != nil {
		r.o.Report(err)
	}
}

// Folders implements collectorset.Disk.
func (d *disk) Folders() (out []collectorset.Folder, err error) {
	now := d.r.o.Clock.Now().Wall
	for _, f := range d.folders {
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

// bytes is how much a folder holds.
func (d *disk) bytes(folder string) (sum int64, err error) {
	err = d.each(folder, func(_ string, info fs.FileInfo) error {
		sum += info.Size()
		return nil
	})
	return sum, err
}

// each calls do with every file of a folder; of the root itself with those of the set.
// Links are not followed.
func (d *disk) each(folder string, do func(name string, info fs.FileInfo) error) error {
	if folder == "." {
		for _, name := range d.files() {
			info, err := d.r.root.Lstat(name)
			if err == nil && info.Mode().IsRegular() {
				err = do(name, info)
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	}
	info, err := d.r.root.Lstat(folder)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no folder any more", d.r.path(folder)) // a link leads elsewhere
	}
	return fs.WalkDir(d.r.root.FS(), folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		return do(name, info)
	})
}

// files are those that the set wrote into the root itself.
func (d *disk) files() (out []string) {
	for _, f := range d.folders {
		if f.Name == "." {
			for _, name := range f.Files {
				if !slices.Contains(out, name) {
					out = append(out, name, notebook.Beside(name))
				}
			}
		}
	}
	return out
}

// Free implements collectorset.Disk.
func (d *disk) Free() (int64, error) {
	free, _, err := osfile.Space(d.r.o.Root)
	return free, err
}

// Remove implements collectorset.Disk.
func (d *disk) Remove(folder string) error {
	if folder == "." {
		return d.each(folder, func(name string, _ fs.FileInfo) error { return d.r.root.Remove(name) })
	}
	if err := d.r.root.RemoveAll(folder); err != nil {
		return err
	}
	d.gone = append(d.gone, folder)
	return nil
}

// RemoveData implements collectorset.Disk: what is no report.
func (d *disk) RemoveData(folder string) error {
	return d.each(folder, func(name string, _ fs.FileInfo) error {
		if slices.Contains(d.reports(), path.Base(name)) {
			return nil
		}
		return d.r.root.Remove(name)
	})
}

// RemoveReport implements collectorset.Disk.
func (d *disk) RemoveReport(folder string) error {
	for _, name := range d.reports() {
		if err := d.r.root.Remove(path.Join(folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// reports are the names of reports, which are no data.
func (d *disk) reports() (names []string) {
	m := d.r.set.Manager
	for _, name := range []string{m.ReportFileName, m.RuleTargetFileName, m.EventsFileName} {
		if name != "" && path.Base(name) == name {
			names = append(names, name)
		}
	}
	return names
}
