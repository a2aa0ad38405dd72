package logs

import (
	"errors"
	"io"
	"os"

	"perfdeck/paths"
	"perfdeck/session/system/osfile"
)

// samePath tells whether two columns are the same counter.
func samePath(a, b string) bool { return paths.EqualFold(a, b) }

// FileSize is how many bytes a file has.
func FileSize(file *os.File) (int64, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// StillThere tells whether a file that is written to still has its name: else what
// is written is lost when it is closed.
func StillThere(file *os.File) error {
	now, err := os.Stat(file.Name())
	if err != nil {
		return &FileError{File: file.Name(), Err: ErrGone}
	}
	if mine, err := file.Stat(); err == nil && mine.Mode().IsRegular() && !os.SameFile(mine, now) {
		return &FileError{File: file.Name(), Err: ErrGone}
	}
	return nil
}

// CheckResume refuses to continue a recording that has other columns.
func CheckResume(file string, have, want *Header) error {
	advice := "record into a new file"
	if len(have.Columns) != len(want.Columns) {
		return &FileError{File: file, Err: ErrColumnsDiffer, Advice: advice}
	}
	for i := range have.Columns {
		if !samePath(have.Columns[i].Path, want.Columns[i].Path) {
			return &FileError{File: file, Cell: i + 1, Err: ErrColumnsDiffer, Advice: advice}
		}
	}
	return nil
}

// HeadBytes is how much of a file is looked at to tell what it is.
const HeadBytes = 64 << 10

// ReadHead reads the first bytes of a file.
func ReadHead(name string) ([]byte, error) {
	file, err := osfile.OpenPlain(name)
	if err != nil {
		return nil, err
	}
	defer osfile.Close(file) //nolint:errcheck // it was only read
	head := make([]byte, HeadBytes)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return head[:n], nil
}
