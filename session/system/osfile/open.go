package osfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"perfdeck/session/system/failure"
	"perfdeck/session/system/guard"
)

// notPlain says that a name leads to what cannot be used as a file.
func notPlain(name string, mode fs.FileMode) error {
	return &fs.PathError{Op: "open", Path: name, Err: failure.WithHint(errors.New("it is "+kindOf(mode)), "name a plain file")}
}

// kindOf is what there is in place of a plain file, in words.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "no plain file"
}

// OpenPlain opens a plain file to read it, and nothing else: what has the name of one
// but would block, or never end, is refused.
// The null device is an empty file.
func OpenPlain(name string) (*os.File, error) { return openKind(name, isNull) }

// openKind opens a plain file, or what is as good as one.
func openKind(name string, isFine func(fs.FileInfo) bool) (*os.File, error) {
	file, err := openAtOnce(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() && !isFine(info) {
		err = notPlain(name, info.Mode())
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// ReadPlain reads a plain file of at most so many bytes.
func ReadPlain(name string, most int64) ([]byte, error) {
	file, err := OpenPlain(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadUpTo(file, name, most)
}

// Plain is a folder of which plain files alone are opened.
func Plain(dir string) fs.FS { return plainFolder(dir) }

type plainFolder string

func (d plainFolder) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	file, err := OpenPlain(filepath.Join(string(d), filepath.FromSlash(name)))
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		path.Path = name
	}
	if err != nil {
		return nil, err // no *os.File that is nil
	}
	return file, nil
}

func (d plainFolder) ReadDir(name string) ([]fs.DirEntry, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return os.ReadDir(filepath.Join(string(d), filepath.FromSlash(name)))
}

// Input is what a user named to be read from front to back.
type Input struct {
	File *os.File    // to ask the system about it
	Info fs.FileInfo // as it was opened

	read io.Reader
}

// Open opens what a user named: a plain file, or what programs hand over in place of
// one, a pipe, /dev/stdin, /dev/fd/N or a terminal. The null device is empty, other
// devices and folders are refused. It waits for who writes a
// pipe; that, and each Read, ends with the context.
func Open(ctx context.Context, name string) (*Input, error) {
	file, err := openInput(ctx, name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	in := &Input{File: file, Info: info}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		in.read = file
	case isNull(info):
		in.read = strings.NewReader("")
	case mode&(fs.ModeNamedPipe|fs.ModeSocket) != 0 || isTerminal(file):
		in.read = Until(ctx, file)
	default:
		_ = file.Close()
		return nil, notPlain(name, mode)
	}
	return in, nil
}

// Read reads from it.
func (in *Input) Read(p []byte) (int, error) { return in.read.Read(p) }

// Close closes it. Who waits for a pipe may do so until the program ends.
func (in *Input) Close() error { return in.File.Close() }

// Read reads what a user named, see Open, of at most so many bytes.
func Read(ctx context.Context, name string, most int64) ([]byte, error) {
	in, err := Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // it was only read
	return ReadUpTo(in, name, most)
}

// ReadUpTo reads all, or fails when there is more.
func ReadUpTo(r io.Reader, name string, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("read %s: more than %d bytes", name, most)
	}
	return data, err
}

// ReadSecret reads a file of OpenSecret, of so many bytes at most.
func ReadSecret(name string, most int64) ([]byte, error) {
	f, err := OpenSecret(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadUpTo(f, name, most)
}

// opened waits for a file that somebody else has to open first, as a pipe.
func opened(ctx context.Context, open func() (*os.File, error)) (*os.File, error) {
	type result struct {
		file *os.File
		err  error
	}
	done := make(chan result, 1)
	if err := guard.Await(ctx, func() {
		file, err := open()
		done <- result{file, err}
	}); err != nil {
		return nil, err
	}
	r := <-done
	return r.file, r.err
}

// Until reads r until the context ends: a Read then fails with its cause. One that
// waits, as for a pipe or a terminal, is left behind; r is not to be read any more.
func Until(ctx context.Context, r io.Reader) io.Reader { return &until{ctx: ctx, from: r} }

type until struct {
	ctx  context.Context
	from io.Reader

	buf  []byte
	rest []byte // of buf, not handed out yet
	err  error  // what follows the rest
}

const untilBytes = 64 << 10

func (u *until) Read(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	if len(p) == 0 {
		return 0, nil
	}
	if len(u.rest) == 0 && u.err == nil {
		if u.buf == nil {
			u.buf = make([]byte, untilBytes)
		}
		var n int
		var err error
		if gone := guard.Await(u.ctx, func() { n, err = u.from.Read(u.buf) }); gone != nil {
			return 0, gone // what n and err become is not looked at
		}
		u.rest, u.err = u.buf[:n], err
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	if n > 0 || u.err == nil {
		return n, nil
	}
	return 0, u.err
}
