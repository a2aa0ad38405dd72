package formats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"perfdeck/session/files/formats/sqlite"
	"perfdeck/session/files/formats/textfile"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/osfile"
)

// Open opens a recording for reading. What it is is told by its content, then by
// its name. It does not read the whole file. What takes long ends with the context, for
// as long as the Reader is used.
func Open(ctx context.Context, name string, o logs.OpenOptions) (logs.Reader, error) {
	f, err := Detect(name)
	if err != nil {
		return nil, err
	}
	open := func() (logs.FileRows, error) { return f.open(ctx, name, o) }
	r, err := open()
	if err != nil {
		return nil, err
	}
	return logs.NewReader(ctx, r, open, o, f.wall), nil
}

// Detect tells the format of a file by its content, then by its name.
func Detect(name string) (*Format, error) {
	if osfile.HoldsLocks(name) { // which opening it would end
		if f, ok := findFormat(func(f *Format) bool { return f.locks }); ok {
			return f, nil
		}
	}
	head, err := logs.ReadHead(name)
	if err != nil {
		return nil, err
	}
	if len(head) == 0 {
		if err := sqlite.Orphan(name); err != nil {
			return nil, err
		}
		return nil, &logs.FileError{File: name, Err: logs.ErrEmpty}
	}
	text := head
	if page, mark := textfile.GuessCodePage(head); page != nil && page.Wide != textfile.Narrow {
		text = make([]byte, 0, len(head)/2)
		for i := mark; i+1 < len(head); i += 2 {
			text = append(text, byte(page.Unit(head[i:])))
		}
	}
	if f, ok := findFormat(func(f *Format) bool { return records(f) && (f.magic(text) || f.magic(head)) }); ok {
		return f, nil
	}
	for _, o := range others {
		if bytes.HasPrefix(head, []byte(o.magic)) {
			return nil, &logs.FileError{File: name, Err: errors.New(o.what), Advice: o.advice}
		}
	}
	if f, ok := ByExtension(name); ok {
		return f, nil
	}
	return nil, &logs.FileError{File: name, Err: logs.ErrUnknownFormat, Advice: "known: " + strings.Join(Names(), ", ")}
}

// others are what may be named as a recording, and is none, by its first bytes: mostly what
// recordings come packed in that is not unpacked here.
var others = []struct{ magic, what, advice string }{
	{"MSCF", "a cabinet of Windows (.cab)" + mayHold, "unpack it: cabextract FILE, or on Windows: expand -F:* FILE FOLDER"},
	{"7z\xbc\xaf\x27\x1c", "an archive of 7-Zip" + mayHold, "unpack it: 7z x FILE"},
	{"Rar!\x1a", "an archive of RAR" + mayHold, "unpack it: unrar x FILE"},
	{"\xfd7zXZ\x00", "packed by xz" + mayHold, "unpack it: xz -dk FILE, or xz -dc FILE | perfdeck report -"},
	{"\x28\xb5\x2f\xfd", "packed by zstd" + mayHold, "unpack it: zstd -d FILE, or zstd -dc FILE | perfdeck report -"},
	{"BZh", "packed by bzip2" + mayHold, "unpack it: bzip2 -dk FILE, or bzip2 -dc FILE | perfdeck report -"},
	{"ElfFile\x00", "an event log of Windows (.evtx), which has no counters", "Windows' wevtutil reads event logs: wevtutil qe FILE /lf:true /f:text"},
}

const mayHold = ", which may hold recordings"

// Create begins a recording. Without o.Overwrite the file must not be there; the
// error is then fs.ErrExist.
func Create(name string, f *Format, h *logs.Header, o logs.WriteOptions) (logs.Writer, error) {
	how := os.O_RDWR | os.O_CREATE | os.O_EXCL
	if !o.Overwrite {
		if err := sqlite.Orphan(name); err != nil {
			return nil, err
		}
	} else {
		how = os.O_RDWR | os.O_CREATE | os.O_TRUNC
	}
	if o.NoLinks {
		if err := osfile.NoLink(name); err != nil {
			return nil, err
		}
		how |= osfile.NoFollow
	}
	file, err := os.OpenFile(name, how, 0o644) //nolint:gosec // recordings are for other programs too
	if err != nil {
		return nil, err
	}
	w, err := f.begin(file, h, o)
	if err != nil {
		sqlite.RemoveJournals(name)
		_ = os.Remove(name) // it is ours and holds nothing
		return nil, err
	}
	_ = osfile.SyncDir(filepath.Dir(name)) // so that its name survives a power cut
	return w, nil
}

// begin writes to a file that is empty, and closes it with an error.
func (f *Format) begin(file *os.File, h *logs.Header, o logs.WriteOptions) (w logs.Writer, err error) {
	if f.stream != nil {
		w, err = f.stream(file, h, o)
	} else {
		w, err = f.create(file, h, o)
	}
	if err != nil {
		_ = file.Close()
	}
	return w, err
}

// Append continues a recording that has the same columns, with later times. The
// file says what format it is of; an empty one takes f. What was not written to
// its end is cut off.
func Append(name string, f *Format, h *logs.Header, o logs.WriteOptions) (logs.Writer, logs.Tail, error) {
	if o.NoLinks {
		if err := osfile.NoLink(name); err != nil {
			return nil, logs.Tail{}, err
		}
	}
	found, err := Detect(name)
	isEmpty := errors.Is(err, logs.ErrEmpty) && f != nil
	if err != nil && !isEmpty {
		return nil, logs.Tail{}, err
	}
	var file *os.File
	if isEmpty || !found.locks {
		if file, err = os.OpenFile(name, os.O_RDWR, 0); err != nil {
			return nil, logs.Tail{}, err
		}
	}
	if isEmpty {
		w, err := f.begin(file, h, o)
		return w, logs.Tail{}, err
	}
	w, tail, err := found.resume(file, name, h, o)
	if err != nil {
		if file != nil {
			_ = file.Close()
		}
		return nil, logs.Tail{}, err
	}
	return &resumed{w, name, tail.Last, found.step}, tail, nil
}

// resumed continues a recording: its first row has to be later than the last one there.
type resumed struct {
	logs.Writer

	name string
	last time.Time // zero: that was looked at
	step time.Duration
}

func (w *resumed) WriteRow(row *logs.Row) error {
	if !w.last.IsZero() && !row.Recorded().Truncate(w.step).After(w.last) {
		return &logs.FileError{File: w.name, Err: logs.ErrEarlier, Advice: "check the clock of this computer, or record into a new file"}
	}
	w.last = time.Time{}
	return w.Writer.WriteRow(row)
}

// AddColumns is that of formats that have it.
func (w *resumed) AddColumns(columns []logs.Column) error {
	if grower, ok := w.Writer.(logs.Grower); ok {
		return grower.AddColumns(columns)
	}
	return logs.ErrColumnsDiffer
}

// Stream writes a recording to what is no file.
func Stream(w io.Writer, f *Format, h *logs.Header, o logs.WriteOptions) (logs.Writer, error) {
	if f.stream == nil {
		return nil, fmt.Errorf("%s: %w", f.Name, logs.ErrNotAFile)
	}
	return f.stream(w, h, o)
}
