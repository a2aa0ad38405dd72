package sets

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/edit"
	"perfdeck/session/recording/collectorset/runner"
	"perfdeck/session/recording/collectorset/store"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/field"
)

// Import says how a set is taken in.
type Import struct {
	File    string // where it comes from
	Name    string `flag:"name" help:"name of the set (default: what the file says)"` // else as the file is called
	Root    string `flag:"root" help:"folder that its folders go to (default: below the state folder)"`
	Replace bool   `flag:"replace" short:"y" help:"replace a set of this name"`
}

var errRefused = errors.New("it cannot be run as it is")

// Import keeps a set of a file. What is found in it is told, though it is not kept.
func (d *Sets) Import(set *Set, o Import) (found []collectorset.Finding, err error) {
	e := set.Entry
	switch {
	case o.Name != "":
		e.Set.Name = o.Name
	case e.Set.Name == "":
		e.Set.Name = strings.TrimSuffix(filepath.Base(o.File), filepath.Ext(o.File))
	}
	e.Set.Status = 0
	found = d.Findings(set)
	if slices.ContainsFunc(found, func(f collectorset.Finding) bool { return f.Refuses }) {
		return found, failure.WithHint(fmt.Errorf("import %s: %w", o.File, errRefused), "mend what stands above with an editor; the file was not changed")
	}
	if o.Root != "" {
		if e.State.Root, err = edit.Folder(o.Root); err != nil {
			return found, err
		}
	}
	s, err := d.store()
	if err != nil {
		return found, err
	}
	err = s.Create(e)
	if o.Replace && errors.Is(err, store.ErrExists) {
		err = s.Change("import", e.Set.Name, func(old *store.Entry) error {
			if o.Root == "" {
				e.State.Root = old.State.Root
			}
			e.State.Folders = old.State.Folders
			e.Set.SerialNumber = max(e.Set.SerialNumber, old.Set.SerialNumber)
			*old = *e
			return nil
		})
	}
	set.Root = s.Root(e)
	return found, err
}

// Create makes a set with a collector of a kind. What is found in it is told, too.
func (d *Sets) Create(kind collectorset.Kind, name string, said field.Changes) (set *Set, found []error, err error) {
	e, err := edit.Make(kind, name, said)
	if err != nil {
		return nil, nil, err
	}
	if found, err = d.judge(e.Set); err != nil {
		return nil, found, err
	}
	set, err = d.create(e)
	return set, found, err
}

// create keeps a set that is not there yet.
func (d *Sets) create(e *store.Entry) (*Set, error) {
	s, err := d.store()
	if err != nil {
		return nil, err
	}
	if err := s.Create(e); err != nil {
		return nil, err
	}
	return &Set{e, s.Root(e)}, nil
}

// Update changes a set. What is found in it is told, too; what would be refused changes
// nothing.
func (d *Sets) Update(name string, said field.Changes) (found []error, err error) {
	err = d.change(name, func(e *store.Entry) (err error) {
		if err := edit.Apply(e, said); err != nil {
			return err
		}
		found, err = d.judge(e.Set)
		return err
	})
	return found, err
}

func (d *Sets) change(name string, do func(*store.Entry) error) error {
	s, err := d.store()
	if err != nil {
		return err
	}
	return s.Change("update", name, do)
}

// Delete forgets a set; with files what it collected goes first. A *runner.LeftError tells of
// files that stay, and that the set is gone.
func (d *Sets) Delete(name string, withFiles bool) error {
	s, err := d.store()
	if err != nil {
		return err
	}
	e, err := s.Load(name)
	switch {
	case err != nil && withFiles:
		return err
	case err != nil: // it is damaged: nobody knows what it collected
		return s.Delete(name)
	}
	root := s.Root(e)
	var left error
	if withFiles {
		left = runner.Discard(s, e.Set.Name, root, d.o.Clock)
		if _, only := errors.AsType[*runner.LeftError](left); left != nil && !only {
			return left
		}
		if e.State.Root == "" {
			_ = os.Remove(root) // our own folder, if nothing is left in it
		}
	}
	if err := s.Delete(name); err != nil {
		return err
	}
	d.forgetRecordings(&Set{e, root})
	return left
}

// forgetRecordings forgets the descriptions that runs of a set left which died: the set
// itself tells of them.
func (d *Sets) forgetRecordings(s *Set) {
	dir, err := d.o.Recordings()
	if err != nil {
		return
	}
	for _, r := range s.recordings(d.described(), map[string]bool{}) {
		if r.State != collector.Running {
			_ = collector.Forget(dir, r.ID)
		}
	}
}
