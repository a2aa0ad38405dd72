package collectorset

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"perfdeck/session/system/failure"
)

const megabyte = 1 << 20

// Folder is what a run of a set left.
type Folder struct {
	Name  string
	Bytes int64
	Age   int // whole days
}

// Disk is what a data manager works on: folders of its set, and nothing else.
type Disk interface {
	// Folders are those of earlier runs, the oldest first, never the one in use.
	Folders() ([]Folder, error)
	// Free is how many bytes the disk has left.
	Free() (int64, error)
	// Remove removes a folder, RemoveData what was collected in it, RemoveReport the
	// report.
	Remove(folder string) error
	RemoveData(folder string) error
	RemoveReport(folder string) error
}

// CheckStart tells whether a set may start. How large its folders are is not asked then.
func (m *Manager) CheckStart(d Disk) error {
	if m == nil || !m.Enabled || !m.CheckBeforeRunning {
		return nil
	}
	free, err := d.Free()
	if err != nil {
		return err
	}
	if m.lacks(free) {
		return beyond("MinFreeDisk", "%d MB are free on the disk", free/megabyte, m.MinFreeDisk)
	}
	folders, err := d.Folders()
	if err != nil {
		return err
	}
	if m.crowded(folders) {
		return beyond("MaxFolderCount", "%d folders of earlier runs", int64(len(folders)), m.MaxFolderCount)
	}
	return nil
}

// beyond says that a set may not start: MS-PLA 3.2.4.2, CheckBeforeRunning.
func beyond(limit, found string, is int64, wants uint32) error {
	return failure.WithHint(fmt.Errorf(found+", and %s is %d", is, limit, wants),
		"remove old folders of the set, or change "+limit+"; without CheckBeforeRunning it starts all the same")
}

// The limits: what is equal to one is within it.
func (m *Manager) lacks(free int64) bool { return free < int64(m.MinFreeDisk)*megabyte }

func (m *Manager) crowded(folders []Folder) bool {
	return m.MaxFolderCount > 0 && len(folders) > int(m.MaxFolderCount)
}

func (m *Manager) large(folders []Folder) bool {
	var sum int64
	for _, f := range folders {
		sum += f.Bytes
	}
	return m.MaxSize > 0 && sum > int64(m.MaxSize)*megabyte
}

// ErrNotMet says that nothing is left to remove and a limit still does not hold.
var ErrNotMet = errors.New("limits of the data manager do not hold, and no folder of the set is left to remove")

// Run does what is to be done behind a run: folder actions, then folders go by the
// policy until all limits hold. What cannot be removed is left and told.
func (m *Manager) Run(d Disk) error {
	if m == nil || !m.Enabled {
		return nil
	}
	err := m.actions(d)
	return errors.Join(err, m.free(d))
}

func (m *Manager) actions(d Disk) (err error) {
	folders, failed := d.Folders()
	if failed != nil {
		return failed
	}
	for i := range m.FolderActions {
		a := &m.FolderActions[i]
		for _, f := range folders {
			if f.Age < int(a.Age) || f.Bytes < int64(a.Size)*megabyte || a.Actions&(CreateCab|SendCab) != 0 {
				continue // without the cabinet file nothing may be removed
			}
			if a.Actions&DeleteData != 0 {
				err = errors.Join(err, d.RemoveData(f.Name))
			}
			if a.Actions&DeleteReport != 0 {
				err = errors.Join(err, d.RemoveReport(f.Name))
			}
		}
	}
	return err
}

func (m *Manager) free(d Disk) (err error) {
	folders, failed := d.Folders()
	if failed != nil {
		return failed
	}
	slices.SortStableFunc(folders, m.first)
	stuck := map[string]bool{}
	for {
		free, failed := d.Free()
		if failed != nil {
			return errors.Join(err, failed)
		}
		if !m.lacks(free) && !m.crowded(folders) && !m.large(folders) {
			return err
		}
		i := slices.IndexFunc(folders, func(f Folder) bool { return !stuck[f.Name] })
		if i < 0 {
			return errors.Join(err, ErrNotMet)
		}
		if failed := d.Remove(folders[i].Name); failed != nil {
			err = errors.Join(err, failed)
			stuck[folders[i].Name] = true
			continue
		}
		folders = slices.Delete(folders, i, i+1)
	}
}

// first orders folders by what goes first: those that hold nothing, so that no data goes for
// them, then the largest or the oldest, of equal ones the older.
func (m *Manager) first(a, b Folder) int {
	full := func(f Folder) int { return int(min(f.Bytes, 1)) }
	bySize := 0
	if m.ResourcePolicy == DeleteLargest {
		bySize = cmp.Compare(b.Bytes, a.Bytes)
	}
	return cmp.Or(full(a)-full(b), bySize, cmp.Compare(b.Age, a.Age))
}
