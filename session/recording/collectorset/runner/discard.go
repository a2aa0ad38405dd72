package runner

import (
	"errors"
	"os"

	"perfdeck/session"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/store"
)

// collected opens what earlier runs of a set left below its root, by its journal. close
// ends that.
func collected(s *store.Store, e *store.Entry, root string, clock session.Clock) (d *disk, closed func(), err error) {
	r := &run{o: Options{Name: e.Set.Name, Store: s, Root: root, Clock: clock}, set: e.Set}
	if r.root, err = openRoot(root, false); err != nil {
		return nil, nil, err
	}
	return r.disk(&e.State), func() { _ = r.root.Close() }, nil
}

// isGone tells that nothing is there, not even a link.
func isGone(name string) bool {
	_, err := os.Lstat(name)
	return errors.Is(err, os.ErrNotExist)
}

// Collected are the folders that earlier runs of a set left below its root. Where there
// is no such root there are none.
func Collected(s *store.Store, e *store.Entry, root string, clock session.Clock) ([]collectorset.Folder, error) {
	if isGone(root) {
		return nil, nil
	}
	d, closed, err := collected(s, e, root, clock)
	if err != nil {
		return nil, err
	}
	defer closed()
	return d.Folders()
}

// LeftError says which files of a set stay when what it collected is removed.
type LeftError struct{ Left []error }

func (e *LeftError) Error() string { return errors.Join(e.Left...).Error() }

// Discard removes what earlier runs of a set left below its root, and nothing else, while the
// set does not run. What could not be removed stays in its journal. A *LeftError is not that:
// it tells of files that are not the set's any more.
func Discard(s *store.Store, name, root string, clock session.Clock) error {
	const op = "remove what was collected by"
	hold, err := s.Hold(op, name)
	if err != nil {
		return err
	}
	defer hold.Release()
	e, err := s.Load(name)
	if err != nil {
		return err
	}
	if isGone(root) {
		return nil
	}
	d, closed, err := collected(s, e, root, clock)
	if err != nil {
		return &collectorset.OpError{Op: op, Name: name, Err: err, Advice: "nothing was removed: perfdeck collect delete without --files forgets the set alone"}
	}
	defer closed()
	folders, err := d.Folders()
	if err != nil {
		return &collectorset.OpError{Op: op, Name: name, Err: err}
	}
	for _, f := range folders {
		err = errors.Join(err, d.Remove(f.Name))
	}
	kept := s.Change(op, name, func(e *store.Entry) error {
		d.forget(e)
		return nil
	})
	if err != nil {
		err = &collectorset.OpError{Op: op, Name: name, Err: err, Advice: "what was removed is gone; the rest stays where it is"}
	}
	if err = errors.Join(err, kept); err == nil && len(d.left) > 0 {
		err = &LeftError{d.left}
	}
	return err
}
