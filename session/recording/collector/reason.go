package collector

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"perfdeck/session/files/logs"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/printable"
)

// Why a recording cannot begin or go on.
var (
	// ErrExists: the file is there, and nobody said what to do with it.
	ErrExists = errors.New("it is there already (0x800700B7)")
	// ErrNoFolder: its folder is not there, or not any more.
	ErrNoFolder = errors.New("its folder is not there")
	// ErrRemoved: the file is not there any more, or another one has its name.
	ErrRemoved = errors.New("the file was removed or replaced")
	// ErrDiskFull: there is no room on the disk.
	ErrDiskFull = errors.New("the disk is full")
	// ErrDiskLow: there is less room on the disk than has to stay free.
	ErrDiskLow = errors.New("the disk is nearly full")
	// ErrReadOnly: nothing can be written to the disk.
	ErrReadOnly = errors.New("the disk is read-only")
)

var reasonHints = map[error]string{
	ErrExists:   "--append continues it, --overwrite replaces it",
	ErrNoFolder: "make the folder first",
	ErrDiskFull: "--ring keeps a recording below a size",
	ErrDiskLow:  "--min-free says how much has to stay free, --ring keeps a recording below a size",
	ErrReadOnly: "record to another disk",
	errNameless: "write a name behind it, as night.db",
}

// StopError says why a recording cannot begin, or cannot go on.
type StopError struct {
	File  string
	Cause error // one of the above; nil: Err says it
	Err   error // of the system; nil: there is none
}

func (e *StopError) Error() string {
	text := "record to " + e.File + ": "
	if e.Cause != nil {
		text += e.Cause.Error()
	} else {
		text += withoutFile(e.Err, e.File)
	}
	return printable.Text(text)
}

// Unwrap gives both, the cause and what the system said.
func (e *StopError) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Err}
	}
	return []error{e.Cause, e.Err}
}

// Hint says what can be done.
func (e *StopError) Hint() string {
	hint := reasonHints[e.Cause]
	if e.Cause == ErrDiskFull || e.Cause == ErrDiskLow { //nolint:errorlint // as it is set
		hint = failure.RoomHint(e.File) + "; " + hint
	}
	if hint != "" {
		return hint
	}
	if hint := failure.Hint(e.Err); hint != "" {
		return hint
	}
	if errors.Is(e.Err, fs.ErrPermission) {
		return "record to a folder that you may write"
	}
	return ""
}

// withoutFile is what an error says beside the file, which is told already.
func withoutFile(err error, file string) string {
	if f, ok := errors.AsType[*logs.FileError](err); ok && f.File == file {
		return f.Err.Error()
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}

// stopped says why a recording to a file ends. What an error itself does not say
// the disk does.
func stopped(file string, err error) error {
	if err == nil {
		return nil
	}
	if s, told := errors.AsType[*StopError](err); told {
		return s
	}
	if b, busy := errors.AsType[*BusyError](err); busy {
		return b
	}
	e := &StopError{File: file, Err: err}
	folder := filepath.Dir(file)
	_, gone := os.Stat(folder)
	_, own := reasonHints[err]
	switch {
	case own:
		e.Cause, e.Err = err, nil
	case errors.Is(gone, fs.ErrNotExist):
		e.Cause = ErrNoFolder
	case errors.Is(err, ErrRemoved):
		e.Cause, e.Err = err, nil
	case errors.Is(err, fs.ErrExist):
		e.Cause = ErrExists
	case isReadOnly(err):
		e.Cause = ErrReadOnly
	case errors.Is(err, fs.ErrPermission):
	case failure.IsFull(err), osfile.IsCrowded(folder):
		e.Cause = ErrDiskFull
	}
	return e
}

// What the program and Go's runtime print when the process dies of itself.
var crashMarks = []string{"perfdeck: internal error: ", "panic: ", "fatal error: "}

const (
	errorMark    = "perfdeck: " // before what the program reports
	mostLogBytes = 1 << 20
	mostWords    = 300 // bytes
)

// exitReason are why a recorder without a terminal died, as its log says: a panic,
// else the last error. With crashes it is a panic or nothing: who was killed may have
// reported errors that he lived with.
func exitReason(log string, crashes bool) (words string) {
	f, err := osfile.OpenPlain(log)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, mostLogBytes))
	lines.Buffer(nil, mostLogBytes)
	for lines.Scan() {
		line := lines.Text()
		for _, mark := range crashMarks {
			if strings.HasPrefix(line, mark) {
				return cut(strings.TrimPrefix(line, errorMark))
			}
		}
		if text, ok := strings.CutPrefix(line, errorMark); ok && !crashes {
			words = text
		}
	}
	return cut(words)
}

func cut(text string) string {
	if len(text) > mostWords {
		text = text[:mostWords]
	}
	return strings.ToValidUTF8(text, "")
}
