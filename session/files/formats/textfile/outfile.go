package textfile

import (
	"cmp"
	"io"
	"os"

	"perfdeck/session/files/logs"
)

// Out is what a text format writes to: rows in one piece each, or collected.
// What was written in part when the disk was full is taken back, so that the file
// ends with a whole row.
type Out struct {
	W        io.Writer
	File     *os.File // nil: no file, only W
	buffered bool
	buf      []byte
	Size     int64 // with what is collected
	err      error // the first; nothing is written after it
}

const outBytes = 256 << 10

// NewOut writes to a file, or to what is none.
func NewOut(w io.Writer, o logs.WriteOptions) Out {
	file, _ := w.(*os.File)
	return Out{W: w, File: file, buffered: o.Buffered}
}

func (o *Out) Write(row []byte) error {
	if o.err != nil {
		return o.err
	}
	o.Size += int64(len(row))
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
func (o *Out) flush(rows []byte) {
	if o.err != nil || len(rows) == 0 {
		return
	}
	n, err := o.W.Write(rows)
	if err == nil {
		return
	}
	o.err = err
	if o.File == nil || n == 0 {
		return
	}
	if at, seekErr := o.File.Seek(int64(-n), io.SeekCurrent); seekErr == nil {
		_ = o.File.Truncate(at) // the error that is told is that of the write
	}
}

// Sync writes what is collected, and makes it survive a power cut.
func (o *Out) Sync() error {
	o.flush(o.buf)
	o.buf = o.buf[:0]
	if o.err != nil || o.File == nil {
		return o.err
	}
	if o.err = logs.StillThere(o.File); o.err != nil {
		return o.err
	}
	return o.File.Sync()
}

// Close writes what is collected, and closes the file.
func (o *Out) Close() error {
	o.flush(o.buf)
	o.buf = nil
	err := o.err
	o.err = cmp.Or(o.err, logs.ErrClosed)
	if o.File != nil {
		err = cmp.Or(err, o.File.Close())
	}
	return err
}
