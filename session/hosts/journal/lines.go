package journal

import "bytes"

// mostLine bounds a line, in bytes.
const mostLine = 64 << 10

// lineReader makes lines of what is read of them.
type lineReader struct {
	begun []byte // of a line that did not end yet
	over  bool   // it is longer than one may be
}

// add hands on the lines that end in what was read, an empty one for each that is too long.
func (l *lineReader) add(text []byte, each func(line []byte) (more bool)) {
	for {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		l.over = l.over || len(l.begun)+len(line) > mostLine
		if l.over {
			l.begun = l.begun[:0]
		} else if !ended || len(l.begun) > 0 {
			l.begun = append(l.begun, line...)
			line = l.begun
		}
		if !ended {
			return
		}
		if l.over {
			line = nil
		}
		l.begun, l.over = l.begun[:0], false
		if !each(line) {
			return
		}
		text = rest
	}
}
