package jsonlines

import (
	"context"
	"os"

	"perfdeck/session/files/logs"
)

// Resume continues a file. Lines say what they are of, so the columns may be others.
func Resume(file *os.File, _ string, h *logs.Header, o logs.WriteOptions) (logs.Writer, logs.Tail, error) {
	r, err := newReader(context.Background(), file, logs.OpenOptions{})
	if err != nil {
		return nil, logs.Tail{}, err
	}
	j := newWriter(file, h, o)
	var tail logs.Tail
	j.out, tail, err = r.GoOn(r.behindEvents(), "\n", o)
	return j, tail, err
}

// behindEvents is where the events end that stand behind the last row; 0: there are none.
func (r *reader) behindEvents() int64 {
	if r.Finder.First < 0 {
		return 0
	}
	at, end, _, whole, err := r.Finder.Last()
	if err != nil || at < 0 || !whole {
		return 0
	}
	for {
		line, next, whole, err := r.Window.Line(end)
		if err != nil || !whole || !isJSONEvent(trimJSON(line)) {
			return end
		}
		end = next
	}
}
