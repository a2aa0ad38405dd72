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
