package collectorset

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// memory is a disk of folders.
type memory struct {
	folders []Folder
	free    int64
	locked  string
	done    []string
}

var errLocked = errors.New("in use")

func (d *memory) Folders() ([]Folder, error) { return slices.Clone(d.folders), nil }
func (d *memory) Free() (int64, error)       { return d.free, nil }

func (d *memory) take(what, name string) (*Folder, error) {
	if name == d.locked {
		return nil, errLocked
	}
	d.done = append(d.done, name+what)
	i := slices.IndexFunc(d.folders, func(f Folder) bool { return f.Name == name })
	d.free += d.folders[i].Bytes
	return &d.folders[i], nil
}

func (d *memory) Remove(name string) error {
	if _, err := d.take("", name); err != nil {
		return err
	}
	d.folders = slices.DeleteFunc(d.folders, func(f Folder) bool { return f.Name == name })
	return nil
}

func (d *memory) RemoveData(name string) error {
	f, err := d.take(" data", name)
	if err == nil {
		f.Bytes = 0
	}
	return err
}

func (d *memory) RemoveReport(name string) error {
	d.done = append(d.done, name+" report")
	return nil
}

// TestDataManager holds the rows of the data manager's table: A 2 MB 9 days, B 5 MB 4
// days, C 3 MB 0 days.
func TestDataManager(t *testing.T) {
	const mb = megabyte
	for name, c := range map[string]struct {
		m      Manager
		free   int64 // MB
		locked string
		want   string
		err    error
	}{
		"off":                      {m: Manager{MaxSize: 1}},
		"largest":                  {m: Manager{Enabled: true, MaxSize: 7}, want: "B"},
		"oldest":                   {m: Manager{Enabled: true, MaxSize: 7, ResourcePolicy: DeleteOldest}, want: "A B"},
		"at the limit":             {m: Manager{Enabled: true, MaxSize: 10}},
		"one is enough":            {m: Manager{Enabled: true, MaxSize: 8, ResourcePolicy: DeleteOldest}, want: "A"},
		"folders, largest":         {m: Manager{Enabled: true, MaxFolderCount: 2}, want: "B"},
		"folders, oldest":          {m: Manager{Enabled: true, MaxFolderCount: 2, ResourcePolicy: DeleteOldest}, want: "A"},
		"one folder":               {m: Manager{Enabled: true, MaxFolderCount: 1}, want: "B C"},
		"no limit":                 {m: Manager{Enabled: true}},
		"free disk":                {m: Manager{Enabled: true, MinFreeDisk: 100, ResourcePolicy: DeleteOldest}, free: 96, want: "A B"},
		"free disk, not met":       {m: Manager{Enabled: true, MinFreeDisk: 100, ResourcePolicy: DeleteOldest}, free: 50, want: "A B C", err: ErrNotMet},
		"by age":                   {m: Manager{Enabled: true, FolderActions: []FolderAction{{Age: 5, Actions: DeleteData}}}, want: "A data"},
		"by age and size":          {m: Manager{Enabled: true, FolderActions: []FolderAction{{Age: 5, Size: 3, Actions: DeleteData}}}},
		"data and report":          {m: Manager{Enabled: true, FolderActions: []FolderAction{{Age: 4, Size: 5, Actions: DeleteData | DeleteReport}}}, want: "B data B report"},
		"no cabinet, no deletion":  {m: Manager{Enabled: true, FolderActions: []FolderAction{{Actions: CreateCab | DeleteData}}}},
		"actions, then the limits": {m: Manager{Enabled: true, MaxSize: 8, FolderActions: []FolderAction{{Age: 9, Actions: DeleteData}}}, want: "A data"},
		"one is in use":            {m: Manager{Enabled: true, MaxSize: 7, ResourcePolicy: DeleteOldest}, locked: "A", want: "B", err: errLocked},
	} {
		d := &memory{folders: []Folder{{"A", 2 * mb, 9}, {"B", 5 * mb, 4}, {"C", 3 * mb, 0}}, free: c.free * mb, locked: c.locked}
		err := c.m.Run(d)
		if got := strings.Join(d.done, " "); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: removed %q (%v), want %q (%v)", name, got, err, c.want, c.err)
		}
	}
}

// What holds nothing goes before what holds something, whatever the policy; of equal ones the
// one that was made first.
func TestEmptyGoesFirst(t *testing.T) {
	for policy, want := range map[uint32]string{DeleteLargest: "E F B", DeleteOldest: "E F C"} {
		d := &memory{folders: []Folder{{"C", 1, 0}, {"B", 2, 0}, {"E", 0, 0}, {"A", 2, 0}, {"F", 0, 0}}}
		m := Manager{Enabled: true, MaxFolderCount: 2, ResourcePolicy: policy}
		if err := m.Run(d); err != nil || strings.Join(d.done, " ") != want {
			t.Errorf("policy %d: removed %v, want %s (%v)", policy, d.done, want, err)
		}
	}
}

func TestCheckStart(t *testing.T) {
	d := &memory{folders: []Folder{{"A", 2 * megabyte, 9}, {"B", 5 * megabyte, 4}, {"C", 3 * megabyte, 0}}, free: 50 * megabyte}
	for name, c := range map[string]struct {
		m    Manager
		want string
	}{
		"folders":  {Manager{Enabled: true, CheckBeforeRunning: true, MaxFolderCount: 2}, "MaxFolderCount"},
		"size":     {Manager{Enabled: true, CheckBeforeRunning: true, MaxSize: 1}, ""},
		"disk":     {Manager{Enabled: true, CheckBeforeRunning: true, MinFreeDisk: 100}, "MinFreeDisk"},
		"no check": {Manager{Enabled: true, MinFreeDisk: 100}, ""},
		"off":      {Manager{CheckBeforeRunning: true, MinFreeDisk: 100}, ""},
	} {
		err := c.m.CheckStart(d)
		if got := err != nil; got != (c.want != "") || got && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
