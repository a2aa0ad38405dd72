// Package fetching copies what data collector sets of Windows hosts recorded, from the shares
// that it lies in: nothing of the host is changed, a copy goes on where it was interrupted, and
// nothing leaves the folder that it goes to.
package fetching

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"perfdeck/paths"
	"perfdeck/session/files/naming"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/lazy"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/english"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/smb"
)

// File is an open one of a host.
type File interface {
	Was() smb.Entry // when it was opened
	// Copy copies what it had then, from an offset on.
	Copy(ctx context.Context, w io.Writer, from int64) (n int64, err error)
	Close() error
}

// Wanted is what is to be copied. Tags are those of flags.
type Wanted struct {
	Set     *pla.Set
	Run     string `flag:"run" help:"copy this run (default: the newest)"`
	To      string `flag:"output" short:"o" help:"folder that the run's folder goes to"`
	Most    int64  // bytes; 0: as the disk has room
	Replace bool   `flag:"overwrite" short:"y" help:"replace files that are there and differ"`
	// Progress hears how many bytes of all are here, and of which file; may be nil.
	Progress func(done, all int64, file string)
}

// Copied is a file that is here.
type Copied struct {
	Path    string
	Size    int64
	Kept    bool // it was here already
	Growing bool // the host still writes it
}

// Result is what came of it.
type Result struct {
	Folder  string
	Files   []Copied
	Refused []string // names that are none here; they are foreign
	Failed  []error  // why some are not here, while others may be
}

// spare is what is left of a disk.
const spare = 64 << 20

// Fetch copies the files of a run. When ctx ends, what came of a file stays, and the next Fetch
// goes on there.
func (h *Host) Fetch(ctx context.Context, w Wanted) (*Result, error) {
	r, err := h.runs(w.Set)
	if err != nil {
		return nil, err
	}
	p, run, only, err := r.chosen(w.Run)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	s, err := h.Connect(limited, p.share)
	if err != nil {
		return nil, cured(err)
	}
	defer func() { _ = s.Close() }()
	list, err := s.List(limited, p.folder, mostEntries)
	if err != nil {
		return nil, p.unlisted(err)
	}
	f := &fetch{Wanted: w, share: s, from: p, run: run, result: &Result{Folder: filepath.Join(w.To, run)}}
	if w.Progress == nil {
		f.Progress = func(int64, int64, string) {}
	}
	files := f.chosen(list, only)
	if len(files) == 0 && len(f.result.Refused) == 0 {
		return nil, failure.WithHint(fmt.Errorf(`%s: there is no file of that run in %s`, h.Name, p.share+`\`+p.folder), "--runs lists what is there")
	}
	if err := f.open(); err != nil {
		return nil, err
	}
	defer func() { _ = f.root.Close() }()
	if err := f.fits(files); err != nil {
		return nil, err
	}
	for _, e := range files {
		err := f.file(ctx, e)
		if ctx.Err() != nil {
			return f.result, context.Cause(ctx)
		}
		if err != nil {
			f.result.Failed = append(f.result.Failed, cured(err))
		}
	}
	return f.result, nil
}

// fetch is one under way.
type fetch struct {
	Wanted

	share     Share
	from      place
	run       string
	root      *os.Root // the folder that nothing leaves
	result    *Result
	done, all int64
	room      int64 // bytes that may still come
}

// isPart tells names that parts of files have here.
var isPart = lazy.Regexp(`\.[0-9a-f]{16}\.part$`)

// chosen are the files of a listing that may be copied, in the order of their names.
func (f *fetch) chosen(list []smb.Entry, only string) (files []smb.Entry) {
	seen := map[string]bool{}
	for _, e := range list {
		switch {
		case e.Folder || e.Link || only != "" && !paths.EqualFold(e.Name, only):
		case naming.Check(e.Name) != nil || len(e.Name) > mostName || isPart().MatchString(e.Name) || seen[paths.Fold(e.Name)]:
			f.result.Refused = append(f.result.Refused, e.Name)
		default:
			seen[paths.Fold(e.Name)] = true
			files = append(files, e)
		}
	}
	slices.SortFunc(files, func(a, b smb.Entry) int { return cmp.Compare(a.Name, b.Name) })
	return files
}

// mostName is how long a name may be, in bytes, beside that of its part.
const mostName = 255 - len(".0123456789abcdef.part")

// open makes the folder of the run.
func (f *fetch) open() error {
	err := os.MkdirAll(f.To, 0o777) //nolint:gosec // as the umask says
	if err != nil {
		return err
	}
	if f.root, err = os.OpenRoot(f.To); err != nil {
		return err
	}
	if err = f.root.Mkdir(f.run, 0o777); errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return err
}

// fits refuses more than the disk or the user has room for.
func (f *fetch) fits(files []smb.Entry) error {
	missing := f.missing(files)
	if f.Most > 0 && f.all > f.Most {
		return failure.WithHint(fmt.Errorf("the run has %s, and %s are to be copied at most", english.Size(f.all), english.Size(f.Most)), "name one with --run, or allow more with --max-size")
	}
	free, _, err := osfile.Space(f.To)
	if err != nil {
		return err
	}
	if f.room = free - spare; missing > f.room {
		return failure.WithHint(fmt.Errorf("%s of the run are missing, and the disk of %s has %s free, of which %s stay so", english.Size(missing), f.To, english.Size(free), english.Size(spare)), "make room there, or name another folder with -o")
	}
	if f.Most > 0 {
		f.room = min(f.room, f.Most)
	}
	return nil
}

// missing is how many bytes are not here yet; all of them are added up, too.
func (f *fetch) missing(files []smb.Entry) int64 {
	here := int64(0)
	for _, e := range files {
		f.all += min(e.Size, math.MaxInt64-f.all)
		if info, err := f.root.Lstat(f.local(partOf(e))); f.isHere(e) {
			here += e.Size
		} else if err == nil {
			here += min(info.Size(), e.Size)
		}
	}
	return f.all - here
}

// isHere tells whether a file is here as the host has it.
func (f *fetch) isHere(e smb.Entry) bool {
	info, err := f.root.Lstat(f.local(e.Name))
	return err == nil && info.Mode().IsRegular() && info.Size() == e.Size && info.ModTime().Sub(e.Written).Abs() < sameTime
}

// local is a file of the run.
func (f *fetch) local(name string) string { return filepath.Join(f.run, name) }

// partOf is the name of what came of a file so far. It tells the file by its size and times: one
// that has others is another.
func partOf(e smb.Entry) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %d", e.Size, e.Created.UnixNano(), e.Written.UnixNano()))
	return fmt.Sprintf("%s.%x.part", e.Name, sum[:8])
}

// sameTime is how near two times of files are one: file systems keep 2 s at least.
const sameTime = 2 * time.Second

// file copies one.
func (f *fetch) file(ctx context.Context, e smb.Entry) error {
	from, was, err := f.opened(ctx, e.Name)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	f.Progress(f.done, f.all, e.Name)
	path := filepath.Join(f.result.Folder, e.Name)
	if f.isHere(was) {
		f.done += was.Size
		f.result.Files = append(f.result.Files, Copied{Path: path, Size: was.Size, Kept: true})
		return nil
	}
	if _, err := f.root.Lstat(f.local(e.Name)); err == nil && !f.Replace {
		return failure.WithHint(fmt.Errorf("%s is there already, and is not what the host has by now", path), "-y replaces it")
	}
	if err := f.copy(ctx, from, was); err != nil {
		return err
	}
	c := Copied{Path: path, Size: was.Size}
	if again, is, err := f.opened(ctx, e.Name); err == nil {
		c.Growing = is.Size != was.Size || !is.Written.Equal(was.Written)
		_ = again.Close()
	}
	f.result.Files = append(f.result.Files, c)
	return nil
}

// opened opens a file of the host.
func (f *fetch) opened(ctx context.Context, name string) (File, smb.Entry, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	from, err := f.share.Open(ctx, f.from.in(name))
	if err != nil {
		return nil, smb.Entry{}, err
	}
	was := from.Was()
	was.Name = name
	return from, was, nil
}

// copy copies a file into its part, and puts that in its place when it is whole.
func (f *fetch) copy(ctx context.Context, from File, was smb.Entry) (err error) {
	name := partOf(was)
	f.clear(was.Name, name)
	part, err := f.root.OpenFile(f.local(name), os.O_RDWR|os.O_CREATE|osfile.NoFollow, 0o666)
	if err != nil {
		return err
	}
	defer func() { _ = osfile.Close(part) }()
	if err := osfile.Lock(part); err != nil {
		return failure.WithHint(fmt.Errorf("%s: %w", name, err), "it is being copied already")
	}
	at, err := part.Seek(0, io.SeekEnd)
	if err == nil && (at > was.Size || f.Set.Status == pla.Running) { // what a set that runs writes may go round
		at, err = part.Seek(0, io.SeekStart)
		err = errors.Join(part.Truncate(0), err)
	}
	if err != nil {
		return err
	}
	if was.Size-at > f.room {
		return fmt.Errorf("%s has %s by now, for which there is no room", name, english.Size(was.Size))
	}
	f.done += at
	n, err := from.Copy(ctx, &counted{f, part, was.Name}, at)
	f.room -= n
	if err != nil {
		return errors.Join(err, part.Sync())
	}
	if err := errors.Join(part.Sync(), osfile.Close(part)); err != nil {
		return err
	}
	if !was.Written.IsZero() {
		_ = f.root.Chtimes(f.local(name), was.Written, was.Written) // else it is copied again
	}
	return f.root.Rename(f.local(name), f.local(was.Name))
}

// clear removes parts of what the file was before.
func (f *fetch) clear(name, kept string) {
	list, _ := fs.ReadDir(f.root.FS(), f.run)
	for _, e := range list {
		if at := isPart().FindStringIndex(e.Name()); at != nil && e.Name()[:at[0]] == name && e.Name() != kept {
			_ = f.root.Remove(f.local(e.Name()))
		}
	}
}

// counted tells what is written.
type counted struct {
	f    *fetch
	to   io.Writer
	file string
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.f.done += int64(n)
	c.f.Progress(c.f.done, c.f.all, c.file)
	return n, err
}

// cures are what can be done about what hosts answer to those who read their files.
var cures = map[rpc.Code]string{
	0xC0000022: "shares as C$ are for administrators: log on as one, or name a share for the folder in the config (shares of its [[host]])",
	0xC0000034: "it is gone: --runs lists what is there",
	0xC000003A: "the folder is gone, or not in that share: shares of its [[host]] in the config say by which one a folder is reached",
	0xC0000043: "the host lets nobody read it while the set runs: stop the set, or have it write segments, of which the last alone is held",
	0xC00000CC: "the host has no such share: name one for the folder in the config (shares of its [[host]])",
}

// cured says what can be done about an error.
func cured(err error) error {
	if e, ok := errors.AsType[*rpc.Error](err); ok && cures[e.Code] != "" {
		return failure.WithHint(err, cures[e.Code])
	}
	return err
}

// Connector opens shares of a host that logs on by to.
func Connector(to func(ctx context.Context) (*rpc.Shares, error)) func(ctx context.Context, share string) (Share, error) {
	return func(ctx context.Context, share string) (Share, error) {
		by, err := to(ctx)
		if err != nil {
			return nil, err
		}
		s, err := by.Share(ctx, share)
		if err != nil {
			_ = by.Close()
			return nil, by.Failure(ctx, "connect to "+share, err)
		}
		return &remote{by, s}, nil
	}
}

// remote is a share of a host by SMB.
type remote struct {
	by    *rpc.Shares
	share *smb.Share
}

func (r *remote) List(ctx context.Context, folder string, most int) ([]smb.Entry, error) {
	list, err := r.share.List(ctx, folder, most)
	if err != nil {
		return nil, r.by.Failure(ctx, "list "+folder, err)
	}
	return list, nil
}

func (r *remote) Open(ctx context.Context, path string) (File, error) {
	f, err := r.share.Open(ctx, path)
	if err != nil {
		return nil, r.by.Failure(ctx, "open "+path, err)
	}
	return &remoteFile{f, r.by, path}, nil
}

func (r *remote) Close() error { return r.by.Close() }

type remoteFile struct {
	*smb.File

	by   *rpc.Shares
	path string
}

func (f *remoteFile) Was() smb.Entry { return f.Entry }

func (f *remoteFile) Copy(ctx context.Context, w io.Writer, from int64) (int64, error) {
	t := &told{to: w}
	n, err := f.File.Copy(ctx, t, from)
	if err == nil || t.err != nil { // that of the disk is no host's
		return n, err
	}
	return n, f.by.Failure(ctx, "read "+f.path, err)
}

// told keeps why something was not written.
type told struct {
	to  io.Writer
	err error
}

func (t *told) Write(b []byte) (n int, err error) {
	n, t.err = t.to.Write(b)
	return n, t.err
}
