package logs

import (
	"cmp"
	"io"
	"os"
)

// outFile is what a text format writes to: rows in one piece each, or collected.
// What was written in part when the disk was full is taken back, so that the file
// ends with a whole row.
type outFile struct {
	w        io.Writer
	file     *os.File // nil: no file, only w
	buffered bool
	buf      []byte
	size     int64 // with what is collected
	err      error // the first; nothing is written after it
}

const outBytes = 256 << 10

func newOutFile(w io.Writer, o WriteOptions) outFile {
	file, _ := w.(*os.File)
	return outFile{w: w, file: file, buffered: o.Buffered}
}

// goOn lets a file of lines go on behind its last row, or behind low if that is later.
func (r *lineReader) goOn(low int64, lineEnd string, o WriteOptions) (out outFile, tail Tail, err error) {
	file, end, whole := r.window.source.file, low, true
	if r.finder.first >= 0 {
		at, rowEnd, last, rowWhole, err := r.finder.last()
		if err == nil && at < 0 {
			err = &FileError{File: file.Name(), Err: errNotASample}
		}
		if err != nil {
			return out, tail, err
		}
		if tail.Last = last; rowEnd >= low {
			end, whole = rowEnd, rowWhole
		}
	}
	size, err := fileSize(file)
	end += r.window.source.mark
	tail.Rows, tail.Cut = -1, size-end
	out = newOutFile(file, o)
	out.size = end
	_, seekErr := file.Seek(end, io.SeekStart)
	if err = cmp.Or(err, file.Truncate(end), seekErr); err == nil && !whole {
		err = out.write([]byte(lineEnd))
	}
	return out, tail, err
}

func fileSize(file *os.File) (int64, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (o *outFile) write(row []byte) error {
	if o.err != nil {
		return o.err
	}
	o.size += int64(len(row))
	if !o.buffered {
		o.flush(row)
		return o.err
	}
	if len(o.buf)+len(row) > outBytes {
		o.flush(o.buf)
		o.buf = o.buf[:0]
	}
	o.buf = append(o.buf, row...)
	return o.err
}

// flush writes whole rows.
func (o *outFile) flush(rows []byte) {
	if o.err != nil || len(rows) == 0 {
		return
	}
	n, err := o.w.Write(rows)
	if err == nil {
		return
	}
	o.err = err
	if o.file == nil || n == 0 {
		return
	}
	if at, seekErr := o.file.Seek(int64(-n), io.SeekCurrent); seekErr == nil {
		_ = o.file.Truncate(at) // the error that is told is that of the write
	}
}

func (o *outFile) sync() error {
	o.flush(o.buf)
	o.buf = o.buf[:0]
	if o.err != nil || o.file == nil {
		return o.err
	}
	if o.err = stillThere(o.file); o.err != nil {
		return o.err
	}
	return o.file.Sync()
}

// stillThere tells whether a file that is written to still has its name: else what
// is written is lost when it is closed.
func stillThere(file *os.File) error {
	now, err := os.Stat(file.Name())
	if err != nil {
		return &FileError{File: file.Name(), Err: errGone}
	}
	if mine, err := file.Stat(); err == nil && mine.Mode().IsRegular() && !os.SameFile(mine, now) {
		return &FileError{File: file.Name(), Err: errGone}
	}
	return nil
}

func (o *outFile) close() error {
	o.flush(o.buf)
	o.buf = nil
	err := o.err
	o.err = cmp.Or(o.err, errClosed)
	if o.file != nil {
		err = cmp.Or(err, o.file.Close())
	}
	return err
}

// checkResume refuses to continue a recording that has other columns.
func checkResume(file string, have, want *Header) error {
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
