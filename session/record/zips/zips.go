// Package zips unpacks recordings that lie in a zip.
package zips

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"perfdeck/session/record/logs"
	"perfdeck/session/record/note"
	"perfdeck/session/record/note/notebook"
	"perfdeck/session/system/osfile"
)

// What an archive may hold: it is unpacked before it is read.
const (
	mostBytes = 8 << 30 // bytes of recordings
	mostFiles = 1000
	mostNotes = 8 << 20 // bytes of the notes of a recording
	// mostRatio is how many times as large as the archive all of it may be, from roomyBytes on.
	mostRatio  = 300
	roomyBytes = 64 << 20
)

var (
	// ErrEmpty is that an archive has no recording.
	ErrEmpty = errors.New("an archive without a recording")
	errLarge = fmt.Errorf("more than %d GiB, or %d files, are in the archive", mostBytes>>30, mostFiles)
	errBomb  = fmt.Errorf("the archive is packed more than %d times: no recordings are", mostRatio)
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
	return err == nil && bytes.Equal(head, []byte("PK\x03\x04"))
}

// Unpack unpacks the recordings of an archive into a folder. Its names are foreign: no file
// gets them, but for the extension of a format.
func Unpack(name, folder string) (found []string, err error) {
	archive, err := zip.OpenReader(name)
	if err != nil {
		return nil, &logs.FileError{File: name, Err: err}
	}
	defer func() { _ = archive.Close() }()
	info, err := os.Stat(name)
	if err != nil {
		return nil, &logs.FileError{File: name, Err: err}
	}
	room, tooMuch := int64(mostBytes), errLarge
	if most := max(roomyBytes, mostRatio*info.Size()); most < room {
		room, tooMuch = most, errBomb
	}
	notes, at := map[string]*zip.File{}, map[string]string{} // by the names in the archive
	for i, member := range archive.File {
		if i == mostFiles {
			return nil, &logs.FileError{File: name, Err: errLarge}
		}
		if !member.Mode().IsRegular() {
			continue
		}
		if of, is := strings.CutSuffix(member.Name, note.Suffix); is {
			notes[of] = member
			continue
		}
		extension := strings.ToLower(path.Ext(member.Name))
		if _, ok := logs.FormatByExtension(member.Name); !ok {
			extension = ""
		}
		file := filepath.Join(folder, fmt.Sprintf("%s, file %d%s", filepath.Base(name), i+1, extension))
		size, err := unpack(member, file, room)
		if room -= size; err == nil && room < 0 {
			err = tooMuch
		}
		if err != nil {
			return nil, &logs.FileError{File: name, Err: err, Advice: "unzip -l lists what is in it; unpack what you know, and name its files"}
		}
		if _, err := logs.Detect(file); err != nil {
			_ = os.Remove(file) // a note beside the recordings
			continue
		}
		found = append(found, file)
		at[member.Name] = file
	}
	for of, member := range notes {
		if err := unpackNotes(member, at[of]); err != nil {
			return nil, &logs.FileError{File: name, Err: err}
		}
	}
	if len(found) == 0 {
		return nil, &logs.FileError{File: name, Err: ErrEmpty, Advice: "unpack it, and name its files"}
	}
	return found, nil
}

// unpackNotes writes the notes of a recording beside it, where that is there.
func unpackNotes(member *zip.File, recording string) error {
	if recording == "" || member.UncompressedSize64 > mostNotes {
		return nil
	}
	size, err := unpack(member, notebook.Beside(recording), mostNotes)
	if err == nil && size > mostNotes {
		err = errLarge
	}
	return err
}

// unpack writes a file of an archive: of one that is larger than it may be a byte more than
// that.
func unpack(member *zip.File, to string, most int64) (size int64, err error) {
	in, err := member.Open()
	if err != nil {
		return 0, err
	}
	defer in.Close() //nolint:errcheck // it was only read
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	size, err = io.Copy(out, io.LimitReader(in, most+1))
	err = errors.Join(err, out.Close())
	return size, err
}
