package fetching

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session/files/naming"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
	"perfdeck/session/wire/smb"
)

// Host is whose logs are copied, and what leads to them.
type Host struct {
	Name   string            // as it was asked for
	Names  []string          // that its own paths may give it, besides
	Shares map[string]string // by which its folders are reached; others by those of its drives
	// Connect opens a share. Errors say which host it is.
	Connect func(ctx context.Context, share string) (Share, error)
}

// place is a folder of a share.
type place struct{ share, folder string }

// in is something in the folder.
func (p place) in(name string) string {
	if p.folder == "" {
		return name
	}
	return p.folder + `\` + name
}

// unlisted is why a folder cannot be listed, with the share in which it was looked for.
func (p place) unlisted(err error) error {
	return cured(fmt.Errorf("share %s: %w", p.share, err))
}

// place finds where a path of the host is reached.
func (h *Host) place(path string) (p place, err error) {
	wrong := failure.WithHint(fmt.Errorf(`%s: %s writes to %q, which no share leads to`, h.Name, "the set", printable.Text(path)), `a folder is X:\FOLDER, or \\HOST\SHARE\FOLDER`)
	path = strings.TrimRight(strings.ReplaceAll(path, "/", `\`), `\`)
	if rest, is := strings.CutPrefix(path, `\\`); is {
		host, rest, _ := strings.Cut(rest, `\`)
		if !h.is(host) {
			return p, failure.WithHint(fmt.Errorf("%s: the set writes to another host, %s", h.Name, host), "copy it from there")
		}
		p.share, p.folder, _ = strings.Cut(rest, `\`)
	} else if p, is = h.shared(path); !is {
		if len(path) < 2 || path[1] != ':' || !isLetter(path[0]) || len(path) > 2 && path[2] != '\\' {
			return p, wrong
		}
		p = place{strings.ToUpper(path[:1]) + "$", strings.TrimPrefix(path[2:], `\`)}
	}
	if naming.Check(p.share) != nil {
		return p, wrong
	}
	for part := range strings.SplitSeq(p.folder, `\`) {
		if p.folder != "" && naming.Check(part) != nil {
			return p, wrong
		}
	}
	return p, nil
}

// shared finds a path in the folders that have shares.
func (h *Host) shared(path string) (p place, found bool) {
	best := -1
	for folder, share := range h.Shares {
		folder = strings.TrimRight(folder, `\`)
		if n := len(folder); n > best && len(path) >= n && paths.EqualFold(path[:n], folder) && (len(path) == n || path[n] == '\\') {
			best, p, found = n, place{share, strings.TrimPrefix(path[n:], `\`)}, true
		}
	}
	return p, found
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// is tells whether a name means the host: the whole one, or that before its domain.
func (h *Host) is(name string) bool {
	return name != "" && slices.ContainsFunc(append([]string{h.Name}, h.Names...), func(own string) bool {
		short, _, _ := strings.Cut(own, ".")
		return paths.EqualFold(name, own) || paths.EqualFold(name, short) && strings.ContainsFunc(short, func(r rune) bool { return r < '0' || r > '9' })
	})
}

// runs is where the runs of a set lie: each in a folder of its own, or all in one.
type runs struct {
	place

	newest string // folder of the newest; empty: they share one
}

var errNoRun = errors.New("it has not run yet: the host names no place where it wrote")

func (h *Host) runs(set *pla.Set) (r runs, err error) {
	output := strings.TrimRight(set.Output, `\`)
	if output == "" {
		return r, failure.WithHint(fmt.Errorf("%s: %s: %w", h.Name, set.Name.String(), errNoRun), "collect start starts it")
	}
	const drive = "%systemdrive%"
	root := strings.TrimRight(set.Root, `\`)
	if len(root) >= len(drive) && paths.EqualFold(root[:len(drive)], drive) && len(output) > 2 {
		root = output[:2] + root[len(drive):]
	}
	if !paths.EqualFold(root, output) {
		if at := strings.LastIndexByte(output, '\\'); at > 2 {
			output, r.newest = output[:at], output[at+1:]
		}
	}
	if r.place, err = h.place(output); err == nil && r.newest != "" && naming.Check(r.newest) != nil {
		err = fmt.Errorf("%s: the newest run has a name that no folder may have: %q", h.Name, printable.Text(r.newest))
	}
	return r, err
}

// Run is one that a host keeps.
type Run struct {
	Name    string
	Written time.Time
	Newest  bool
}

// Bounds of what hosts list.
const (
	mostEntries = 10_000
	listTime    = 30 * time.Second
)

// Runs lists what a host keeps of a set, the newest first: folders, or files where all runs
// share one folder.
func (h *Host) Runs(ctx context.Context, set *pla.Set) ([]Run, error) {
	r, err := h.runs(set)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	s, err := h.Connect(ctx, r.share)
	if err != nil {
		return nil, cured(err)
	}
	defer func() { _ = s.Close() }()
	list, err := s.List(ctx, r.folder, mostEntries)
	if err != nil {
		return nil, r.unlisted(err)
	}
	var out []Run
	for _, e := range list {
		if e.Folder == (r.newest != "") && !e.Link && naming.Check(e.Name) == nil {
			out = append(out, Run{e.Name, e.Written, paths.EqualFold(e.Name, r.newest)})
		}
	}
	slices.SortStableFunc(out, func(a, b Run) int { return b.Written.Compare(a.Written) })
	return out, nil
}

// chosen is where the files of a run lie, and what the run is called; only: one file of them.
func (r runs) chosen(run string) (p place, name, only string, err error) {
	if run != "" && naming.Check(run) != nil {
		return p, "", "", failure.Usage(fmt.Errorf("--run %q: it is no name of a run", run), "--runs lists them")
	}
	p = r.place
	if r.newest == "" {
		return p, cmp.Or(lastOf(p.folder), "run"), run, nil
	}
	if run == "" {
		run = r.newest
	}
	p.folder = p.in(run)
	return p, run, "", nil
}

func lastOf(folder string) string { return folder[strings.LastIndexByte(folder, '\\')+1:] }

// Share is one of a host, for reading.
type Share interface {
	List(ctx context.Context, folder string, most int) ([]smb.Entry, error)
	Open(ctx context.Context, path string) (File, error)
	Close() error
}
