package collector

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session/system/osfile"
	"perfdeck/session/system/store"
	"perfdeck/session/text/printable"
)

// Made is a file that was recorded, as the list in the folder of recordings keeps it: of those
// that ended, too. A line of the list is one; of several lines of a file the last one counts.
type Made struct {
	Written // Open: its recorder writes to it, or was killed

	Hosts  []MadeHost    `json:"hosts"`
	Begin  time.Time     `json:"begin"`
	End    time.Time     `json:"end,omitzero"` // of the newest row; zero: see Open
	Every  time.Duration `json:"every"`        // between rows, nanoseconds
	HasRaw bool          `json:"raw,omitempty"`
	Sets   []string      `json:"sets"` // countersets of which it has columns, folded

	list fs.FileInfo // of the list, whose owner it is to belong to
}

// MadeHost is a host of a recording.
type MadeHost struct {
	Name     string `json:"name"` // as its columns have it
	Identity string `json:"id"`   // of the host, whatever its name: see Host; empty: not known
}

// Bounds of the list, which takes some 300 bytes for a recording of one host.
const (
	madeName      = "made.jsonl"
	mostMade      = 1000
	mostMadeBytes = 1 << 20
	mostOfMade    = 256 // hosts or countersets of a file that are listed
	madePatience  = 200 * time.Millisecond
)

// madeNow is what the list is to have of the file of an output.
func (l *output) madeNow() (m Made, err error) {
	b := l.files
	err = in(b.file, func(root *os.Root, base string) (err error) {
		m.Written, err = Look(root, base, b.w != nil)
		return err
	})
	m.Name, m.Begin, m.Every, m.HasRaw = b.file, b.begunAt.Round(0), b.o.Every, b.o.Format.KeepsRaw
	if b.w == nil {
		m.End = b.last.Round(0)
	}
	for _, of := range l.hosts[:min(len(l.hosts), mostOfMade)] {
		m.Hosts = append(m.Hosts, MadeHost{of.host.Name, of.host.Identity})
	}
	if l.layout == nil {
		return m, err
	}
	for i := range l.layout.list {
		p, err := paths.Parse(l.layout.list[i].Path)
		set := paths.Fold(p.Object)
		if err == nil && !slices.Contains(m.Sets, set) && len(m.Sets) < mostOfMade {
			m.Sets = append(m.Sets, set)
		}
	}
	return m, err
}

// list puts the file of an output on the list of those that were made. That it cannot be listed
// is reported, and does not end a recording.
func (l *output) list() {
	if l.r.idLock == nil {
		return
	}
	m, err := l.madeNow()
	if errors.Is(err, fs.ErrNotExist) {
		return // it is gone already: nobody will find it
	}
	var line []byte
	if err == nil {
		line, err = printable.JSONLine(&m)
	}
	if err == nil {
		err = l.r.made.Append(line, false)
	}
	if err != nil {
		l.r.o.Report(fmt.Errorf("%s: screens will not find it: %w", m.Name, err))
	}
}

// madeIn is the list in a folder. One that is full is written anew, with the newest that are
// still there.
func madeIn(dir string) *store.Journal {
	return &store.Journal{
		Name: filepath.Join(dir, madeName), Lock: filepath.Join(dir, "made.lock"), Patience: madePatience,
		Roomy: mostMadeBytes / 2, Late: mostMadeBytes, Live: liveMade, Form: store.FormJSON,
	}
}

func liveMade(lines iter.Seq[[]byte]) (live []byte, err error) {
	kept := listMade(lines, nil)
	for i := range kept {
		if _, err := os.Lstat(kept[i].Name); err != nil {
			continue
		}
		line, err := printable.JSONLine(&kept[i])
		if err != nil {
			return nil, err
		}
		if len(live)+len(line) > mostMadeBytes/2 {
			break
		}
		live = append(line, live...) // the newest is the last line
	}
	return live, nil
}

// ListMade are the files of the list in a folder, those that began last first. Nothing of them is opened:
// whether one is still what was written IsMade tells. What cannot be read of the list is left out.
func ListMade(dir string) (list []Made) {
	j := madeIn(dir)
	info, err := os.Stat(j.Name)
	if err != nil {
		return nil
	}
	_ = j.Read(func(lines iter.Seq[[]byte]) { list = listMade(lines, info) })
	return list
}

func listMade(lines iter.Seq[[]byte], info fs.FileInfo) (list []Made) {
	at := map[string]int{} // by name
	for line := range lines {
		var m Made
		if json.Unmarshal(line, &m) != nil || !m.isSane() {
			continue
		}
		m.list = info
		i, known := at[m.Name]
		if !known {
			i = len(list)
			at[m.Name], list = i, append(list, m)
		} else if list[i].ID == m.ID && list[i].Begin.Before(m.Begin) {
			m.Begin = list[i].Begin // it was continued
		}
		list[i] = m
	}
	slices.SortStableFunc(list, func(a, b Made) int { return b.Begin.Compare(a.Begin) })
	return list[:min(len(list), mostMade)]
}

// isSane tells that a line means a file.
func (m *Made) isSane() bool {
	return filepath.IsAbs(m.Name) && !strings.ContainsRune(m.Name, 0) && !m.Begin.IsZero() && m.Every >= 0 &&
		len(m.Hosts) <= mostOfMade && len(m.Sets) <= mostOfMade
}

// IsMade tells that a file is what was written, and belongs to whom the list belongs: it was
// neither removed nor replaced.
func (m *Made) IsMade() bool {
	return in(m.Name, func(root *os.Root, base string) error {
		info, err := root.Lstat(base)
		if err == nil && !osfile.SameOwner(info, m.list) {
			return ErrForeign
		}
		if err == nil {
			_, err = m.As(root, base)
		}
		return err
	}) == nil
}

// NameOf is what a recording calls the host of an identity; ok is false where it has none.
func (m *Made) NameOf(identity string) (name string, ok bool) {
	i := slices.IndexFunc(m.Hosts, func(h MadeHost) bool { return h.Identity == identity && identity != "" })
	if i < 0 {
		return "", false
	}
	return m.Hosts[i].Name, true
}
