package logs

import (
	"cmp"
	"context"
	"io"
	"os"
	"time"
)

// resumedText is a textWriter that continues a file: its first row has to be
// later than the last one there.
type resumedText struct {
	*textWriter
	name string
	last time.Time
}

func (t *resumedText) WriteRow(row *Row) error {
	if err := checkLater(t.name, t.last, row.Time.Truncate(time.Millisecond)); err != nil {
		return err
	}
	t.last = time.Time{}
	return t.textWriter.WriteRow(row)
}

// resumeText continues a PDH text: the separator, the line ends and the zone are
// those of the file, and what was not written to its end is cut off.
func resumeText(name string, h *Header, comma byte, o WriteOptions) (Writer, Tail, error) {
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, Tail{}, err
	}
	t, tail, err := continueText(file, h, comma, o)
	if err != nil {
		_ = file.Close()
		return nil, Tail{}, err
	}
	return t, tail, nil
}

// headerOf is a header with the columns of a part.
func (r *textReader) headerOf(part *textPart) *Header {
	h := &Header{}
	for _, at := range part.place {
		c := Column{}
		if at >= 0 {
			c = r.header.Columns[at]
		}
		h.Columns = append(h.Columns, c)
	}
	return h
}

func continueText(file *os.File, h *Header, comma byte, o WriteOptions) (*resumedText, Tail, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, Tail{}, err
	}
	if info.Size() == 0 {
		t, err := newTextWriter(file, file, h, comma, o)
		return &resumedText{textWriter: t, name: file.Name()}, Tail{}, err
	}
	r, err := newTextReader(context.Background(), file, OpenOptions{})
	if err != nil {
		return nil, Tail{}, err
	}
	if err := r.complete(context.Background()); err != nil {
		return nil, Tail{}, err
	}
	part := r.parts.all[len(r.parts.all)-1] // its header is that of what is appended
	if err := checkResume(file.Name(), r.headerOf(part), h); err != nil {
		return nil, Tail{}, err
	}
	if r.window.source.page.wide != narrow {
		return nil, Tail{}, &FileError{File: file.Name(), Err: errWide, Advice: "record into a new file; relog converts this one"}
	}
	if r.order.windows.dayFirst || r.order.others.dayFirst {
		return nil, Tail{}, &FileError{File: file.Name(), Err: errDayFirst, Advice: "record into a new file; relog converts this one"}
	}
	end, last, whole := part.body, time.Time{}, true
	if r.finder.first >= 0 {
		var lastEnd int64
		if _, lastEnd, last, whole, err = r.finder.last(); err != nil {
			return nil, Tail{}, err
		}
		if end = max(end, lastEnd); end > lastEnd {
			whole = true
		}
	}
	w := &textWriter{
		options: o, columns: len(h.Columns), comma: part.comma, end: "\r\n", clock: part.clock,
	}
	if raw, _ := r.window.load(r.header.body-min(2, r.header.body), 2); len(raw) >= 2 && raw[0] != '\r' {
		w.end = string(r.window.end)
	}
	end += r.window.source.mark
	tail := Tail{Last: last, Rows: -1, Cut: info.Size() - end}
	_, err = file.Seek(end, io.SeekStart)
	err = cmp.Or(file.Truncate(end), err)
	w.out = outFile{w: file, file: file, buffered: o.Buffered, size: end}
	if err == nil && !whole {
		err = w.out.write([]byte(w.end))
	}
	return &resumedText{textWriter: w, name: file.Name(), last: last}, tail, err
}
