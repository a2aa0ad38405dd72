package logs

import (
	"context"
	"os"
)

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

// resume continues a PDH text: the separator, the line ends and the zone are those of the file.
func (pdhText) resume(file *os.File, name string, h *Header, o WriteOptions) (Writer, Tail, error) {
	r, err := newTextReader(context.Background(), file, OpenOptions{})
	if err != nil {
		return nil, Tail{}, err
	}
	if err := r.complete(context.Background()); err != nil {
		return nil, Tail{}, err
	}
	part := r.parts.all[len(r.parts.all)-1] // its header is that of what is appended
	if err := checkResume(name, r.headerOf(part), h); err != nil {
		return nil, Tail{}, err
	}
	if r.window.source.page.wide != narrow {
		return nil, Tail{}, &FileError{File: name, Err: errWide, Advice: "record into a new file; relog converts this one"}
	}
	if r.order.windows.dayFirst || r.order.others.dayFirst {
		return nil, Tail{}, &FileError{File: name, Err: errDayFirst, Advice: "record into a new file; relog converts this one"}
	}
	w := &textWriter{options: o, columns: len(h.Columns), comma: part.comma, end: "\r\n", clock: part.clock}
	if raw, _ := r.window.load(r.header.body-min(2, r.header.body), 2); len(raw) >= 2 && raw[0] != '\r' {
		w.end = string(r.window.end)
	}
	var tail Tail
	w.out, tail, err = r.goOn(part.body, w.end, o)
	return w, tail, err
}
