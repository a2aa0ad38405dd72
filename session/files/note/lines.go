package note

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"perfdeck/session/text/printable"
)

// Suffix is what the file of a recording's notes has behind the name of the recording:
// night.csv has them in night.csv.notes.jsonl. No format of recordings has a place for
// them that other programs would not take for damage, so all keep them alike.
const Suffix = ".notes.jsonl"

// mostLine bounds a line of such a file: a text, all of it escaped, and more than the rest.
const mostLine = 16 * MostText

// form is a note as a line of JSON has it.
type form struct {
	Time time.Time `json:"time"`
	Text string    `json:"text"`
	By   string    `json:"by,omitempty"`
}

// MarshalJSON is the note as an object: RFC 3339 with nanoseconds, in UTC.
func (n Note) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(form{n.Time.UTC(), n.Text, n.By})
	return printable.EscapeJSON(text), err
}

// UnmarshalJSON reads such an object.
func (n *Note) UnmarshalJSON(text []byte) error {
	var f form
	err := json.Unmarshal(text, &f)
	if err != nil {
		return err
	}
	if f.Time.IsZero() {
		return errTime
	}
	*n, err = New(f.Time, f.Text, f.By)
	return err
}

// Lines are notes as the lines of a file, one an object.
func Lines(notes []Note) []byte {
	var out bytes.Buffer
	for _, n := range notes {
		text, err := json.Marshal(n)
		if err != nil {
			continue // of a time that New refuses
		}
		out.Write(append(text, '\n'))
	}
	return out.Bytes()
}

// Read reads the lines of a file of notes, whoever wrote it, in their order. damaged is
// how many were left out: what is no note, and of very many all but the last MostRead.
// Only what r says of itself is an error; what was read before it is there all the same.
func Read(r io.Reader) (notes []Note, damaged int, err error) {
	lines := bufio.NewReaderSize(r, mostLine)
	for {
		text, err := lines.ReadSlice('\n')
		switch tooLong := errors.Is(err, bufio.ErrBufferFull); {
		case tooLong:
			damaged++
			if err = skipLine(lines); err == nil {
				continue
			}
		case len(bytes.TrimSpace(text)) > 0:
			n, ok := Parse(text)
			if !ok {
				damaged++
				break
			}
			notes = append(notes, n)
		}
		if len(notes) >= 2*MostRead || err != nil && len(notes) > MostRead {
			over := len(notes) - MostRead
			damaged += over
			notes = slices.Delete(notes, 0, over)
		}
		if errors.Is(err, io.EOF) {
			return notes, damaged, nil
		}
		if err != nil {
			return notes, damaged, err
		}
	}
}

// Parse reads a line as Read does.
func Parse(line []byte) (n Note, ok bool) {
	return n, len(line) <= mostLine && json.Unmarshal(line, &n) == nil
}

// skipLine passes the rest of a line.
func skipLine(lines *bufio.Reader) error {
	for {
		_, err := lines.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
