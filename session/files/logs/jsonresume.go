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
	j.out, tail, err = r.goOn(0, "\n", o)
	return j, tail, err
}
