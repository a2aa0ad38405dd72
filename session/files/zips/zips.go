// Package zips unpacks recordings that lie in archives: a zip, what gzip packed, a tar that gzip packed.
package zips

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// What an archive may hold: it is unpacked before it is read.
const (
	mostBytes = 8 << 30 // bytes of recordings
	mostFiles = 1000
	mostNotes = 8 << 20 // bytes of the notes of a recording
	mostName  = 120     // bytes of a name
	// mostRatio is how many times as large as the archive all of it may be, from roomyBytes on.
	mostRatio  = 300
	roomyBytes = 64 << 20
)

var (
	// ErrEmpty is that an archive has no recording.
	ErrEmpty  = errors.New("an archive without a recording")
	errLarge  = fmt.Errorf("more than %s, or %d files, are in the archive", english.Size(mostBytes), mostFiles)
	errBomb   = fmt.Errorf("the archive is packed more than %d times: no recordings are", mostRatio)
	errLocked = failure.WithHint(errors.New("it is encrypted"), "unpack the archive with its password, as 7z x does, and name its files")
)

// The first bytes of archives: APPNOTE.TXT 4.3.7, RFC 1952 2.3.1.
var (
	zipMagic  = []byte("PK\x03\x04")
	gzipMagic = []byte("\x1f\x8b\x08")
)

// Is tells an archive by its first bytes.
func Is(name string) bool {
	file, err := osfile.OpenPlain(name)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	head := make([]byte, 4)
	_, err = io.ReadFull(file, head)
	return err == nil && (bytes.HasPrefix(head, zipMagic) || bytes.HasPrefix(head, gzipMagic))
}

// member is a plain file of an archive.
type member struct {
	name string // foreign
	open func() (io.Reader, error)
}

// each gives the plain files of an archive of some size, in its order, and unpacks little more than most bytes.
func each(file *os.File, size, most int64, take func(member) error) error {
	archive, err := zip.NewReader(file, size)
	if err == nil {
		for _, m := range archive.File {
			const encrypted = 1 // APPNOTE.TXT 4.4.4, bit 0
			open := func() (io.Reader, error) { return m.Open() }
			if m.Flags&encrypted != 0 {
				open = func() (io.Reader, error) { return nil, errLocked }
			}
			if !m.Mode().IsRegular() {
				continue
			}
			if err := take(member{m.Name, open}); err != nil {
				return err
			}
		}
		return nil
	}
	if _, sought := file.Seek(0, io.SeekStart); sought != nil {
		return sought
	}
	packed, wrong := gzip.NewReader(file)
	if errors.Is(wrong, gzip.ErrHeader) {
		return err // a zip that is damaged
	}
	if wrong != nil {
		return wrong
	}
	const headers = mostFiles << 12
	in := bufio.NewReader(io.LimitReader(packed, most+headers))
	const ustar = 257 // where the header of a tar says so: POSIX.1-1988 10.1.1
	if head, _ := in.Peek(ustar + 5); !bytes.HasSuffix(head, []byte("ustar")) {
		name := filepath.Base(file.Name())
		return take(member{strings.TrimSuffix(name, filepath.Ext(name)), func() (io.Reader, error) { return in, nil }})
	}
	for files := tar.NewReader(in); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && h.FileInfo().Mode().IsRegular() {
			err = take(member{h.Name, func() (io.Reader, error) { return files, nil }})
		}
		if err != nil {
			return err
		}
	}
}

// unpacked is what was unpacked of an archive into a folder.
type unpacked struct {
	archive, folder string
	room            int64 // bytes that may come yet
	tooMuch         error // what it is when there is none
	members         int
	found           []string
	notes, at       map[string]string // files by the names in the archive
}

// Unpack unpacks the recordings of an archive into a folder. They have the names that they have there, as
// far as these are fit for files.
func Unpack(name, folder string) (found []string, err error) {
	file, err := osfile.OpenPlain(name)
	if err != nil {
		return nil, &logs.FileError{File: name, Err: failure.Bare(err)}
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, &logs.FileError{File: name, Err: err}
	}
	u := unpacked{archive: filepath.Base(name), folder: folder, room: mostBytes, tooMuch: errLarge, notes: map[string]string{}, at: map[string]string{}}
	if most := max(roomyBytes, mostRatio*info.Size()); most < u.room {
		u.room, u.tooMuch = most, errBomb
	}
	if err := each(file, info.Size(), u.room, u.take); err != nil {
		hint := failure.Hint(err)
		if hint == "" {
			hint = "unpack it yourself, and name its files"
		}
		return nil, &logs.FileError{File: name, Err: err, Advice: hint}
	}
	for of, notes := range u.notes {
		if recording := u.at[of]; recording != "" {
			err = os.Rename(notes, notebook.Beside(recording))
		} else {
			err = os.Remove(notes)
		}
		if err != nil {
			return nil, &logs.FileError{File: name, Err: err}
		}
	}
	if len(u.found) == 0 {
		return nil, &logs.FileError{File: name, Err: ErrEmpty, Advice: "unpack it, and name its files"}
	}
	return u.found, nil
}

// take unpacks a file: what is neither a recording nor the notes of one is left out.
func (u *unpacked) take(m member) error {
	if u.members++; u.members > mostFiles {
		return errLarge
	}
	of, isNotes := strings.CutSuffix(m.name, note.Suffix)
	to, most := u.fit(m.name), u.room
	if isNotes {
		to, most = filepath.Join(u.folder, fmt.Sprint("notes ", u.members)), min(mostNotes, u.room)
	}
	size, err := unpack(m, to, most)
	if u.room -= size; err == nil && u.room < 0 {
		err = u.tooMuch
	}
	if err != nil {
		return fmt.Errorf("%s: %w", printable.Text(m.name), err)
	}
	if isNotes && size <= mostNotes {
		u.notes[of] = to
		return nil
	}
	if _, err := formats.Detect(to); err != nil || isNotes {
		return os.Remove(to) // a text beside the recordings, or notes without end
	}
	u.found = append(u.found, to)
	u.at[m.name] = to
	return nil
}

// fit is the file for a member: its name behind its folders, as of one for each host, and that of the
// archive. One of a name that is taken has its number, too.
func (u *unpacked) fit(name string) string {
	folders := strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '\\' })
	if len(folders) == 0 {
		folders = []string{""}
	}
	name, folders = folders[len(folders)-1], folders[:len(folders)-1]
	extension := path.Ext(name)
	stem := plain(strings.TrimSuffix(name, extension))
	if _, ok := formats.ByExtension(name); !ok {
		extension = "" // as what SQLite keeps beside its files
	}
	for len(stem) > mostName {
		r := []rune(stem)
		stem = string(r[:len(r)-1])
	}
	for _, folder := range slices.Backward(folders) { // as many as have room
		if folder = plain(folder); folder != "" && len(folder)+len(", ")+len(stem) <= mostName {
			stem = folder + ", " + stem
		}
	}
	to := filepath.Join(u.folder, u.archive+", "+stem+strings.ToLower(extension))
	if _, err := os.Lstat(to); err == nil {
		to = filepath.Join(u.folder, fmt.Sprintf("%s, %s (%d)%s", u.archive, stem, u.members, strings.ToLower(extension)))
	}
	return to
}

// plain is a part of a path without what systems, and who reads files, take for more than a name
// (NAME!SET).
func plain(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>:"|?*!`, r) {
			return '_'
		}
		return r
	}, printable.Text(name))
	return strings.TrimRight(name, ". ") // Windows drops them
}

// unpack writes a file of an archive: of one that is larger than it may be a byte more than
// that.
func unpack(m member, to string, most int64) (size int64, err error) {
	in, err := m.open()
	if err != nil {
		return 0, err
	}
	if c, ok := in.(io.Closer); ok {
		defer c.Close() //nolint:errcheck // it was only read
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	size, err = io.Copy(out, io.LimitReader(in, most+1))
	err = errors.Join(err, out.Close())
	return size, err
}
