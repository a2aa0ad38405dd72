package logs

import (
	"context"
	"io"
	"os"
	"time"
)

func resumeJSONLines(name string, h *Header, o WriteOptions) (Writer, Tail, error) {
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, Tail{}, err
	}
	w, tail, err := continueJSON(file, h, o)
	if err != nil {
		_ = file.Close()
		return nil, Tail{}, err
	}
	return w, tail, nil
}

// resumedJSON is a jsonWriter that continues a file.
type resumedJSON struct {
	*jsonWriter

	name string
	last time.Time
}

func (j *resumedJSON) WriteRow(row *Row) error {
	if err := checkLater(j.name, j.last, row.Recorded()); err != nil {
		return err
	}
	j.last = time.Time{}
	return j.jsonWriter.WriteRow(row)
}

// continueJSON cuts off what was not written to its end. Lines say what they are
// of, so the columns may be others.
func continueJSON(file *os.File, h *Header, o WriteOptions) (*resumedJSON, Tail, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, Tail{}, err
	}
	j := &resumedJSON{jsonWriter: newJSONWriter(file, file, h, o), name: file.Name()}
	tail := Tail{Rows: -1}
	end, whole := info.Size(), true
	if info.Size() > 0 {
		r, err := newJSONReader(context.Background(), file, OpenOptions{})
		if err != nil {
			return nil, Tail{}, err
		}
		end = r.window.source.mark
		if r.finder.first >= 0 {
			var last int64
			if last, end, tail.Last, whole, err = r.finder.last(); err != nil || last < 0 {
				return nil, Tail{}, cmpError(err, &FileError{File: file.Name(), Err: errNotASample})
			}
			end += r.window.source.mark
		}
	}
	j.last, tail.Cut, j.out.size = tail.Last, info.Size()-end, end
	if err := file.Truncate(end); err != nil {
		return nil, Tail{}, err
	}
	if _, err := file.Seek(end, io.SeekStart); err != nil {
		return nil, Tail{}, err
	}
	if !whole {
		err = j.out.write([]byte("\n"))
	}
	return j, tail, err
}
