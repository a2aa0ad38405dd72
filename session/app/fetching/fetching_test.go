package fetching

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/session/hosts/pla"
	"perfdeck/session/system/failure"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/smb"
)

// disk is the share of a host in memory: files by their paths.
type disk struct {
	files  map[string]*kept
	opened []string
	share  string
}

type kept struct {
	smb.Entry
	data  []byte
	cut   int                 // a copy breaks off after so many bytes; 0: it does not
	err   error               // of opening it
	after func(f *kept)       // when it was copied
	copy  func(written int64) // hears of offsets
}

var someTime = time.Date(2016, 6, 4, 1, 2, 3, 0, time.UTC)

func (d *disk) put(path string, data []byte) *kept {
	name := lastOf(path)
	f := &kept{Entry: smb.Entry{Name: name, Size: int64(len(data)), Created: someTime, Written: someTime}, data: data}
	if d.files == nil {
		d.files = map[string]*kept{}
	}
	d.files[path] = f
	return f
}

func (d *disk) List(_ context.Context, folder string, _ int) (out []smb.Entry, err error) {
	folders := map[string]bool{}
	for path, f := range d.files {
		rest, is := strings.CutPrefix(path, folder+`\`)
		if !is {
			continue
		}
		if sub, _, deeper := strings.Cut(rest, `\`); deeper && rest != f.Name {
			if !folders[sub] {
				out = append(out, smb.Entry{Name: sub, Folder: true, Written: f.Written})
			}
			folders[sub] = true
			continue
		}
		out = append(out, f.Entry)
	}
	return out, nil
}

func (d *disk) Open(_ context.Context, path string) (File, error) {
	d.opened = append(d.opened, path)
	f := d.files[path]
	if f == nil {
		return nil, &rpc.Error{Code: 0xC0000034}
	}
	if f.err != nil {
		return nil, f.err
	}
	return &open{f, f.Entry}, nil
}

func (d *disk) Close() error { return nil }

func (d *disk) host() *Host {
	return &Host{Name: "web01.corp.local", Names: []string{"10.1.2.3"}, Connect: func(_ context.Context, share string) (Share, error) {
		d.share = share
		return d, nil
	}}
}

type open struct {
	*kept
	was smb.Entry
}

func (o *open) Was() smb.Entry { return o.was }
func (o *open) Close() error   { return nil }

var errCut = errors.New("the line is cut")

func (o *open) Copy(ctx context.Context, w io.Writer, from int64) (int64, error) {
	data := o.data[from:o.was.Size]
	if o.copy != nil {
		o.copy(from)
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if o.cut > 0 && o.cut < len(data) {
		n, _ := w.Write(data[:o.cut])
		return int64(n), errCut
	}
	n, err := w.Write(data)
	if o.after != nil {
		o.after(o.kept)
	}
	return int64(n), err
}

const someRun = `PerfLogs\Admin\EL4\WEB01_20160604-000006`

func someSet() *pla.Set {
	return &pla.Set{Name: pla.Name{Set: "EL4"}, Root: `%systemdrive%\PerfLogs\Admin\EL4`, Output: `C:\` + someRun}
}

// content is what a folder holds, by paths with slashes.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			data, _ := os.ReadFile(path)
			name, _ := filepath.Rel(dir, path)
			out[filepath.ToSlash(name)] = string(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Paths of hosts are reached by the shares of their drives or by those that are named, and by
// no share of another host.
func TestPlaces(t *testing.T) {
	h := (&disk{}).host()
	h.Shares = map[string]string{`C:\PerfLogs`: "perflogs", `C:\PerfLogs\Admin\`: "admin", `e:\`: "all", `F:\`: ".."}
	for path, want := range map[string]place{
		`D:\logs\a b`:                    {"D$", `logs\a b`},
		`d:`:                             {"D$", ""},
		`d:\`:                            {"D$", ""},
		`c:\perflogs\x`:                  {"perflogs", "x"},
		`C:\PerfLogs`:                    {"perflogs", ""},
		`C:\PerfLogs\Admin\EL4\`:         {"admin", "EL4"},
		`C:\PerfLogsOther\x`:             {"C$", `PerfLogsOther\x`},
		`C:/PerfLogs/x`:                  {"perflogs", "x"},
		`E:\x\y`:                         {"all", `x\y`},
		`\\WEB01\logs\EL4`:               {"logs", "EL4"},
		`\\web01.corp.local\logs`:        {"logs", ""},
		`\\10.1.2.3\logs\x`:              {"logs", "x"},
		`\\10\logs\x`:                    {},
		`\\other\logs\x`:                 {},
		`\\web01.evil\logs\x`:            {},
		`\\\logs`:                        {},
		`\\WEB01`:                        {},
		`\\WEB01\a:b\c`:                  {},
		`\\WEB01\..\c`:                   {},
		`F:\x`:                           {},
		`C:\a\..\b`:                      {},
		`C:\a\\b`:                        {},
		`C:\a\NUL\b`:                     {},
		`C:\a:stream`:                    {},
		`C:x`:                            {},
		`PerfLogs`:                       {},
		`%systemdrive%\PerfLogs`:         {},
		"C:\\a\x1b[2J":                   {},
		`C:\` + strings.Repeat("x", 300): {},
	} {
		got, err := h.place(path)
		if got != want && err == nil || (err == nil) != (want != place{}) {
			t.Errorf("%q: %+v, %v, want %+v", path, got, err, want)
		}
	}
}

// The files of the newest run, or of another, come into a folder of that name, with their times.
func TestFetch(t *testing.T) {
	d := &disk{}
	d.put(someRun+`\DataCollector01.blg`, []byte("blg"))
	d.put(someRun+`\DataCollector02.csv`, []byte("csv"))
	d.put(`PerfLogs\Admin\EL4\WEB01_20160603-000005\DataCollector01.blg`, []byte("older")).Written = someTime.Add(-time.Hour)
	h, to := d.host(), t.TempDir()
	runs, err := h.Runs(t.Context(), someSet())
	if err != nil || len(runs) != 2 || runs[0].Name != "WEB01_20160604-000006" || !runs[0].Newest || runs[1].Newest {
		t.Fatalf("%+v, %v", runs, err)
	}
	for range 2 {
		if _, err = h.Fetch(t.Context(), Wanted{Set: someSet(), To: to}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err = h.Fetch(t.Context(), Wanted{Set: someSet(), To: to, Run: "WEB01_20160603-000005"}); err != nil {
		t.Fatal(err)
	}
	got := content(t, to)
	if len(got) != 3 || got["WEB01_20160604-000006/DataCollector01.blg"] != "blg" || got["WEB01_20160603-000005/DataCollector01.blg"] != "older" {
		t.Errorf("%q", got)
	}
	info, err := os.Stat(filepath.Join(to, "WEB01_20160604-000006", "DataCollector01.blg"))
	if err != nil || !info.ModTime().Equal(someTime) || d.share != "C$" {
		t.Error(info, err, d.share)
	}
	for _, run := range []string{"none", `..\..`, "a:b"} {
		if r, err := h.Fetch(t.Context(), Wanted{Set: someSet(), To: to, Run: run}); err == nil {
			t.Errorf("run %q: %+v", run, r)
		}
	}
	one := someSet()
	one.Root = `C:\` + someRun // all runs share a folder
	if r, err := h.Fetch(t.Context(), Wanted{Set: one, To: t.TempDir(), Run: "datacollector02.csv"}); err != nil || len(r.Files) != 1 || r.Files[0].Size != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	if runs, err := h.Runs(t.Context(), one); err != nil || len(runs) != 2 {
		t.Errorf("%+v, %v", runs, err)
	}
	if _, err := h.Fetch(t.Context(), Wanted{Set: &pla.Set{}, To: to}); !errors.Is(err, errNoRun) {
		t.Error(err)
	}
}

// A copy that broke off goes on where it ended, unless the file is another by now.
func TestResume(t *testing.T) {
	d := &disk{}
	data := bytes.Repeat([]byte("0123456789"), 1000)
	f := d.put(someRun+`\a.blg`, data)
	var began []int64
	f.copy = func(at int64) { began = append(began, at) }
	h, to := d.host(), t.TempDir()
	get := func() *Result {
		t.Helper()
		r, err := h.Fetch(t.Context(), Wanted{Set: someSet(), To: to})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	f.cut = 4000
	if r := get(); len(r.Failed) != 1 || !errors.Is(r.Failed[0], errCut) || len(r.Files) != 0 {
		t.Errorf("%+v", r)
	}
	if r := get(); len(r.Failed) != 1 {
		t.Errorf("%+v", r)
	}
	f.cut = 0
	if r := get(); len(r.Files) != 1 || r.Files[0].Growing {
		t.Errorf("%+v", r)
	}
	if got := content(t, to); len(got) != 1 || got["WEB01_20160604-000006/a.blg"] != string(data) || !slices.Equal(began, []int64{0, 4000, 8000}) {
		t.Errorf("%d files, from %v", len(got), began)
	}
	if r := get(); len(r.Files) != 1 || !r.Files[0].Kept {
		t.Errorf("%+v", r)
	}
	// It grows, and what came of it before is of no use.
	f.cut, f.data, f.Size, f.Written = 10, append(data, 'x'), f.Size+1, someTime.Add(time.Minute)
	if r := get(); len(r.Failed) != 1 || !strings.Contains(failure.Hint(r.Failed[0]), "-y") {
		t.Errorf("%+v", r)
	}
	before := *f
	running := someSet()
	running.Status = pla.Running
	for _, cut := range []int{7, 0} { // its log goes round, and keeps size and times
		f.cut, f.data = cut, []byte(strings.Repeat(strconv.Itoa(cut), 20))
		f.Size, f.Written = 20, someTime.Add(30*time.Minute)
		if _, err := h.Fetch(t.Context(), Wanted{Set: running, To: to, Replace: true}); err != nil {
			t.Fatal(err)
		}
	}
	if got := content(t, to)["WEB01_20160604-000006/a.blg"]; got != strings.Repeat("0", 20) {
		t.Errorf("of a log that goes round %q", got)
	}
	*f = before
	replace := func() (*Result, error) {
		return h.Fetch(t.Context(), Wanted{Set: someSet(), To: to, Replace: true})
	}
	_, _ = replace()
	f.cut, f.data, f.Size, f.Written = 0, append(f.data, 'y'), f.Size+1, someTime.Add(time.Hour)
	f.after = func(f *kept) { f.Size++ }
	r, err := replace()
	if got := content(t, to); err != nil || len(r.Files) != 1 || !r.Files[0].Growing || len(got) != 1 || got["WEB01_20160604-000006/a.blg"] != string(data)+"xy" {
		t.Errorf("%+v, %v, %d files", r, err, len(got))
	}
}

// Ctrl+c keeps what came.
func TestInterruptedFetch(t *testing.T) {
	d := &disk{}
	d.put(someRun+`\a.blg`, []byte("whole"))
	ctx, cancel := context.WithCancel(t.Context())
	d.put(someRun+`\b.blg`, []byte("never")).copy = func(int64) { cancel() }
	to := t.TempDir()
	r, err := d.host().Fetch(ctx, Wanted{Set: someSet(), To: to})
	if got := content(t, to); !errors.Is(err, context.Canceled) || len(r.Files) != 1 || len(got) != 2 {
		t.Errorf("%+v, %v, %q", r, err, got)
	}
}

// What is here already takes no room.
func TestRoomForTheRest(t *testing.T) {
	d := &disk{}
	d.put(someRun+`\a.blg`, []byte("whole"))
	f := d.put(someRun+`\b.blg`, []byte("part and rest"))
	f.cut = 4
	w := Wanted{Set: someSet(), To: t.TempDir()}
	if _, err := d.host().Fetch(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(w.To)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	of := &fetch{Wanted: w, run: "WEB01_20160604-000006", root: root}
	if missing := of.missing([]smb.Entry{d.files[someRun+`\a.blg`].Entry, f.Entry}); missing != 9 {
		t.Errorf("%d bytes are missing, 9 are", missing)
	}
}

// Nothing that a host says leads out of the folder, or fills the disk.
func TestHostileHost(t *testing.T) {
	d := &disk{}
	d.put(someRun+`\good.blg`, []byte("good"))
	for _, name := range []string{`..`, `../../x`, `..\..\x`, `a:b`, "NUL", "con.blg", "x\x1b[2J", "x\u202eglb", "x\n", " ", "x.", strings.Repeat("ä", 200), "x.blg.0123456789abcdef.part", "GOOD.blg"} {
		d.put(someRun+`\`+name, []byte("bad")).Name = name
	}
	d.put(someRun+`\link.blg`, []byte("bad")).Link = true
	to := t.TempDir()
	r, err := d.host().Fetch(t.Context(), Wanted{Set: someSet(), To: to})
	if err != nil || len(r.Failed) > 0 {
		t.Fatal(err, r)
	}
	if got := content(t, filepath.Dir(to)); len(got) != 1 || len(r.Files) != 1 || len(r.Refused) != 14 {
		t.Errorf("%q, refused %q", got, r.Refused)
	}
	large := &disk{}
	large.put(someRun+`\a.blg`, nil).Size = math.MaxInt64
	large.put(someRun+`\b.blg`, nil).Size = math.MaxInt64
	if _, err := large.host().Fetch(t.Context(), Wanted{Set: someSet(), To: to}); err == nil || !strings.Contains(failure.Hint(err), "-o") {
		t.Error(err)
	}
	if _, err := d.host().Fetch(t.Context(), Wanted{Set: someSet(), To: t.TempDir(), Most: 2}); err == nil || !strings.Contains(failure.Hint(err), "--max-size") {
		t.Error(err)
	}
	lies := &disk{} // it is larger when it is opened
	f := lies.put(someRun+`\a.blg`, bytes.Repeat([]byte("x"), 1000))
	f.Size = 1000
	limited := Wanted{Set: someSet(), To: t.TempDir(), Most: 1500}
	lying := lies.host()
	connect := lying.Connect
	lying.Connect = func(ctx context.Context, share string) (Share, error) {
		s, err := connect(ctx, share)
		return listsLess{s}, err
	}
	f.data, f.Size = bytes.Repeat([]byte("x"), 5000), 5000
	if r, err := lying.Fetch(t.Context(), limited); err != nil || len(r.Failed) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// listsLess lists files as smaller than they are.
type listsLess struct{ Share }

func (l listsLess) List(ctx context.Context, folder string, most int) ([]smb.Entry, error) {
	list, err := l.Share.List(ctx, folder, most)
	for i := range list {
		list[i].Size = 1000
	}
	return list, err
}

// A link that lies where a run goes leads nowhere.
func TestPlantedLinks(t *testing.T) {
	d := &disk{}
	d.put(someRun+`\a.blg`, []byte("a"))
	to, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(to, "WEB01_20160604-000006")); err != nil {
		t.Skip(err)
	}
	r, err := d.host().Fetch(t.Context(), Wanted{Set: someSet(), To: to})
	if got := content(t, outside); err == nil && len(r.Failed) == 0 || len(got) > 0 {
		t.Errorf("%+v, %v, %q", r, err, got)
	}
}

// A file that the host holds is told with what can be done, and the others come.
func TestHeldFile(t *testing.T) {
	d := &disk{}
	d.put(someRun+`\a.blg`, nil).err = &rpc.Error{Host: "web01", Op: "open", Code: 0xC0000043}
	d.put(someRun+`\b.blg`, []byte("b"))
	r, err := d.host().Fetch(t.Context(), Wanted{Set: someSet(), To: t.TempDir()})
	if err != nil || len(r.Files) != 1 || len(r.Failed) != 1 || !strings.Contains(failure.Hint(r.Failed[0]), "stop the set") || !strings.Contains(r.Failed[0].Error(), "SHARING_VIOLATION") {
		t.Errorf("%+v, %v", r, err)
	}
}
