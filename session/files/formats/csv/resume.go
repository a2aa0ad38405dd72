package csv

import (
	"context"
	"os"

	"perfdeck/session/files/formats/textfile"
	"perfdeck/session/files/logs"
)

// headerOf is a header with the columns of a part.
func (r *reader) headerOf(part *textPart) *logs.Header {
	h := &logs.Header{}
	for _, at := range part.place {
		c := logs.Column{}
		if at >= 0 {
			c = r.header.Columns[at]
		}
		h.Columns = append(h.Columns, c)
	}
	return h
}

// Resume continues a PDH text: the separator, the line ends and the zone are those of the file.
func (Separator) Resume(file *os.File, name string, h *logs.Header, o logs.WriteOptions) (logs.Writer, logs.Tail, error) {
	r, err := newReader(context.Background(), file, logs.OpenOptions{})
	if err != nil {
		return nil, logs.Tail{}, err
	}
	if err := r.Complete(context.Background()); err != nil {
		return nil, logs.Tail{}, err
	}
	part := r.parts.all[len(r.parts.all)-1] // its header is that of what is appended
	if err := logs.CheckResume(name, r.headerOf(part), h); err != nil {
		return nil, logs.Tail{}, err
	}
	if r.Window.Source.Page.Wide != textfile.Narrow {
		return nil, logs.Tail{}, &logs.FileError{File: name, Err: errWide, Advice: "record into a new file; relog converts this one"}
	}
	if r.order.windows.dayFirst || r.order.others.dayFirst {
		return nil, logs.Tail{}, &logs.FileError{File: name, Err: errDayFirst, Advice: "record into a new file; relog converts this one"}
	}
	w := &writer{options: o, columns: len(h.Columns), comma: part.comma, end: "\r\n", clock: part.clock}
	if raw, _ := r.Window.Load(r.header.body-min(2, r.header.body), 2); len(raw) >= 2 && raw[0] != '\r' {
		w.end = string(r.Window.End)
	}
	var tail logs.Tail
	w.out, tail, err = r.GoOn(part.body, w.end, o)
	return w, tail, err
}
