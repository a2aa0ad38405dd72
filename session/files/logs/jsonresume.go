package logs

import (
	"context"
	"os"
)

// resumeJSONLines continues a file. Lines say what they are of, so the columns may be others.
func resumeJSONLines(file *os.File, _ string, h *Header, o WriteOptions) (Writer, Tail, error) {
	r, err := newJSONReader(context.Background(), file, OpenOptions{})
	if err != nil {
		return nil, Tail{}, err
	}
	j := newJSONWriter(file, h, o)
	var tail Tail
	j.out, tail, err = r.goOn(r.behindEvents(), "\n", o)
	return j, tail, err
}

// behindEvents is where the events end that stand behind the last row; 0: there are none.
func (r *jsonReader) behindEvents() int64 {
	if r.finder.first < 0 {
		return 0
	}
	at, end, _, whole, err := r.finder.last()
	if err != nil || at < 0 || !whole {
		return 0
	}
	for {
		line, next, whole, err := r.window.line(end)
		if err != nil || !whole || !isJSONEvent(trimJSON(line)) {
			return end
		}
		end = next
	}
}
