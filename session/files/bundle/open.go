package bundle

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/naming"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/printable"
)

// Bundle is one that was opened.
type Bundle struct {
	Manifest
	Extras

	File    string   // its name
	Files   []string // the slices, unpacked, in the order of the manifest
	Damaged int      // lines of what stands beside the recordings that were left out
}

// IsNamed tells a bundle from an archive of recordings. One that is damaged is told by its
// name.
func IsNamed(name string) bool {
	return strings.EqualFold(filepath.Ext(name), Extension) || Is(name)
}

// Acts are what users did to alerts and rules, as bundles tell of it, the oldest first. place
// makes the times of events of a bundle, in their order, those of its recordings' line.
func Acts(bundles []*Bundle, place func(times ...*time.Time)) (acts []alert.Event) {
	for _, b := range bundles {
		events := slices.Clone(b.Events)
		place(Times(events)...)
		for _, e := range events {
			if e.Kind.IsAct() {
				acts = append(acts, e)
			}
		}
	}
	slices.SortStableFunc(acts, func(a, b alert.Event) int { return a.Time.Compare(b.Time) })
	return acts
}

// Times are the times of events.
func Times(events []alert.Event) []*time.Time {
	times := make([]*time.Time, len(events))
	for i := range events {
		times[i] = &events[i].Time
	}
	return times
}

// Is tells whether a file is a bundle: an archive with a manifest. An archive that cannot
// be read is none.
func Is(name string) bool {
	file, err := osfile.OpenPlain(name)
	if err != nil {
		return false
	}
	defer file.Close()
	archive, err := directory(file)
	return err == nil && slices.ContainsFunc(archive.File, func(f *zip.File) bool { return f.Name == manifestName })
}

// Open checks a bundle and unpacks its slices into a folder, under names of their own.
func Open(ctx context.Context, name, folder string) (*Bundle, error) {
	file, err := osfile.OpenPlain(name)
	if err != nil {
		return nil, fmt.Errorf("open a bundle: %w", err)
	}
	defer file.Close()
	o := &opener{ctx: ctx, folder: folder, bundle: &Bundle{File: name}}
	if err := o.open(file); err != nil {
		for _, name := range o.bundle.Files {
			_ = os.Remove(name)
		}
		if _, known := errors.AsType[*os.PathError](err); known || ctx.Err() != nil {
			return nil, fmt.Errorf("open %s: %w", printable.Text(name), err)
		}
		return nil, wrong(name, o.part, err)
	}
	return o.bundle, nil
}

// wrong says what is wrong with a bundle, or a part of it.
func wrong(file, part string, err error) error {
	hint := "perfdeck bundle makes such files; unzip -l lists what is in this one"
	if errors.Is(err, zip.ErrChecksum) {
		err = errHash
	}
	switch {
	case errors.Is(err, errNewer):
		hint = "update perfdeck; unzip gives the recordings, which any SQLite opens"
	case errors.Is(err, errTorn), errors.Is(err, errHash), errors.Is(err, errSize):
		hint = "fetch it again: it was perhaps not copied to its end"
	}
	if part != "" {
		file += ": " + printable.Shorten(part, mostTitle)
	}
	return failure.WithHint(failure.Worded(printable.Text(fmt.Sprintf("open %s: %v", file, err)), err), hint)
}

// mostDirectory bounds the directory of an archive, and with it what is kept of it.
const mostDirectory = 1 << 20

// directory reads the directory of an archive, as far as that of a bundle can reach.
func directory(file *os.File) (*zip.Reader, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if err := checkEnd(file, info.Size()); err != nil {
		return nil, err
	}
	limited := &limitedReader{file: file, left: 2*mostDirectory + 128<<10}
	archive, err := zip.NewReader(limited, info.Size())
	switch {
	case limited.left < 0:
		return nil, errDirectory
	case err != nil:
		return nil, errTorn
	}
	limited.unlimited = true
	return archive, nil
}

// limitedReader lets only so much be read until it is unlimited: how many files there are
// is told by reading them alone.
type limitedReader struct {
	file      io.ReaderAt
	left      int64
	unlimited bool
}

func (l *limitedReader) ReadAt(b []byte, at int64) (int, error) {
	if !l.unlimited {
		if l.left -= int64(len(b)); l.left < 0 {
			return 0, errDirectory
		}
	}
	return l.file.ReadAt(b, at)
}

// checkEnd looks at what the end of an archive says of its directory (APPNOTE.TXT 4.3.16):
// package zip makes room for as many files as it says. A bundle that is larger than
// 4 GiB has the numbers of zip64, of which the count is small enough here.
func checkEnd(file io.ReaderAt, size int64) error {
	const (
		endBytes   = 22
		mostTail   = endBytes + 1<<16
		tag        = "PK\x05\x06"
		tag64      = "PK\x06\x06"
		tagLocator = "PK\x06\x07"
	)
	tail := make([]byte, min(size, mostTail))
	if n, err := file.ReadAt(tail, size-int64(len(tail))); n < len(tail) && err != nil {
		return errTorn
	}
	found := false
	for at := bytes.LastIndex(tail, []byte(tag)); at >= 0; at = bytes.LastIndex(tail[:at], []byte(tag)) {
		if len(tail)-at < endBytes {
			continue
		}
		found = true
		if n := binary.LittleEndian.Uint16(tail[at+10:]); n > mostParts && n != 0xffff {
			return errDirectory
		}
	}
	if !found {
		return errTorn
	}
	for at := bytes.LastIndex(tail, []byte(tagLocator)); at >= 0; at = bytes.LastIndex(tail[:at], []byte(tagLocator)) {
		if len(tail)-at < 16 {
			continue
		}
		end := make([]byte, 40)
		where := int64(binary.LittleEndian.Uint64(tail[at+8:]))
		if n, err := file.ReadAt(end, where); where < 0 || n < len(end) || err != nil || string(end[:4]) != tag64 {
			continue // package zip finds no more there
		}
		if binary.LittleEndian.Uint64(end[32:]) > mostParts {
			return errDirectory
		}
	}
	return nil
}

// opener opens a bundle.
type opener struct {
	ctx     context.Context //nolint:containedctx // that of the call
	folder  string
	bundle  *Bundle
	archive map[string]*zip.File
	part    string // that is looked at
	bytes   int64  // of recordings so far
}

func (o *opener) open(file *os.File) error {
	archive, err := directory(file)
	if err != nil {
		return err
	}
	o.archive = map[string]*zip.File{}
	for _, f := range archive.File {
		o.part = f.Name
		if err := checkEntry(f); err != nil {
			return err
		}
		if o.archive[f.Name] != nil {
			return errTwice
		}
		o.archive[f.Name] = f
	}
	o.part = ""
	if err := o.manifest(); err != nil {
		return err
	}
	if info, err := file.Stat(); err != nil {
		return err
	} else if o.bytes > roomyBytes && o.bytes/mostRatio > info.Size() {
		return errBomb // parts may share what is packed
	}
	for _, f := range archive.File {
		if f.Name != manifestName && !slices.ContainsFunc(o.bundle.Parts, func(p Part) bool { return p.Name == f.Name }) {
			o.part = f.Name
			return errStranger
		}
	}
	for _, p := range o.bundle.Parts {
		if o.part = p.Name; p.Kind == kindRecording {
			err = o.recording(&p)
		} else {
			err = o.text(&p)
		}
		if err != nil {
			return err
		}
	}
	if o.part = ""; len(o.bundle.Files) == 0 {
		return errNoSlice
	}
	return nil
}

// checkEntry looks at what the directory says of a file.
func checkEntry(f *zip.File) error {
	switch {
	case f.Flags&0x1 != 0 || f.Flags&0x40 != 0: // APPNOTE.TXT 4.4.4
		return errEncrypted
	case !f.Mode().IsRegular():
		return errIrregular
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return errPacked
	case f.UncompressedSize64 > mostBytes:
		return errLarge
	case f.UncompressedSize64 > roomyBytes && f.UncompressedSize64/mostRatio > f.CompressedSize64:
		return errBomb
	}
	return nil
}

// manifest reads what the bundle says of itself.
func (o *opener) manifest() error {
	f := o.archive[manifestName]
	if f == nil {
		return errNoManifest
	}
	o.part = manifestName
	if f.UncompressedSize64 > mostManifest {
		return errManifest
	}
	text, err := o.read(f)
	if err != nil {
		return err
	}
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if json.Unmarshal(text, &head) != nil || head.Format != formatName {
		return errManifest
	}
	if head.Version > version {
		return errNewer
	}
	if json.Unmarshal(text, &o.bundle.Manifest) != nil || len(o.bundle.Parts) > mostParts {
		return errManifest
	}
	kinds := map[string]bool{}
	for _, p := range o.bundle.Parts {
		o.part = p.Name
		switch f := o.archive[p.Name]; {
		case kinds[p.Name]:
			return errTwice
		case !isPartName(p.Name, p.Kind):
			return errKind
		case f == nil:
			return errMissing
		case p.Bytes < 0 || uint64(p.Bytes) != f.UncompressedSize64:
			return errSize
		case p.Kind != kindRecording && p.Bytes > mostItems:
			return errLarge
		case p.Kind == kindRecording:
			if o.bytes += p.Bytes; o.bytes > mostBytes {
				return errLarge
			}
		}
		kinds[p.Name] = true
	}
	o.part = ""
	return nil
}

// isPartName tells whether a part of a kind can have a name.
func isPartName(name, kind string) bool {
	switch kind {
	case kindDecks, kindRules, kindEvents, kindLog, kindNotes:
		return name == (&textPart{kind: kind}).name()
	case kindRecording:
		number, isNumbered := strings.CutPrefix(strings.TrimSuffix(name, ".db"), "recording-")
		n, err := strconv.Atoi(number)
		return isNumbered && err == nil && n > 0 && name == fmt.Sprintf("recording-%d.db", n)
	}
	return false
}

// read reads a small file of the archive, no more of it than it says.
func (o *opener) read(f *zip.File) ([]byte, error) {
	var b bytes.Buffer
	err := o.copy(f, &b)
	return b.Bytes(), err
}

// copy unpacks a file of the archive, which has to be as long as it says.
func (o *opener) copy(f *zip.File, to io.Writer) error {
	in, err := f.Open()
	if err != nil {
		return errTorn
	}
	defer in.Close() //nolint:errcheck // it was only read
	n, err := io.Copy(to, io.LimitReader(&cancelled{o.ctx, in}, int64(f.UncompressedSize64)+1))
	switch {
	case o.ctx.Err() != nil:
		return context.Cause(o.ctx)
	case uint64(n) != f.UncompressedSize64:
		return errSize
	}
	if _, disk := errors.AsType[*os.PathError](err); err != nil && !disk && !errors.Is(err, zip.ErrChecksum) {
		return errTorn
	}
	return err
}

// text reads a part that is no recording.
func (o *opener) text(p *Part) error {
	text, err := o.read(o.archive[p.Name])
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != p.SHA256 {
		return errHash
	}
	o.bundle.Damaged += o.bundle.readPart(p.Kind, text)
	return nil
}

// recording unpacks a slice. Each has a folder, so that it can be called by its title.
func (o *opener) recording(p *Part) error {
	folder := filepath.Join(o.folder, strings.TrimSuffix(p.Name, ".db"))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	name := filepath.Join(folder, fileTitle(cmp.Or(p.Title, strings.TrimSuffix(p.Name, ".db")))+".db")
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	o.bundle.Files = append(o.bundle.Files, name)
	m := &meter{to: out, hash: sha256.New()}
	err = o.copy(o.archive[p.Name], m)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	if hex.EncodeToString(m.hash.Sum(nil)) != p.SHA256 {
		return errHash
	}
	if f, err := formats.Detect(name); err != nil || f.Name != formats.Usual(formats.ToRecord).Name {
		return errKind
	}
	return nil
}

// fileTitle is a title as the name of a file: it is foreign, so that only what no system
// takes for anything else stays.
func fileTitle(title string) string {
	const kept = " -_.,()+@#"
	title = strings.Map(func(r rune) rune {
		if r > 0x7f && printable.Text(string(r)) == string(r) || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune(kept, r) {
			return r
		}
		return '_'
	}, printable.Shorten(title, 60))
	title = strings.Trim(title, " .")
	if naming.Check(title) != nil { // as where it is empty, or a device of Windows
		title = "recording " + title
	}
	return title
}
