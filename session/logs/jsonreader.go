package logs

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
)

// isJSONLines tells JSON lines by the first object: it has times and values.
func isJSONLines(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n\xEF\xBB\xBF")
	return bytes.HasPrefix(head, []byte("{")) && bytes.Contains(head, []byte(`"time"`)) && bytes.Contains(head, []byte(`"values"`))
}

// jsonReader reads JSON lines. Lines of several hosts that were sampled on one
// beat are one row. Columns are added as they appear.
type jsonReader struct {
	name   string
	window textWindow
	finder rowFinder
	header Header
	places map[string]int // of columns, by folded path
	wanted map[int]bool   // nil: all
	within time.Duration  // lines of one row are that near to each other
	faults Faults

	at              int64
	line            int64 // number of the line that comes next; 0: not known
	rows            int64 // read since the first without a jump; -1: there was one
	ended           bool
	hosts           []string // of the row that is read
	kept            jsonLine // the line at keptAt
	keptAt, keptEnd int64
}

// jsonLine is a line as it is written.
type jsonLine struct {
	Time   time.Time `json:"time"`
	Host   string    `json:"host"`
	Values []struct {
		Path   string      `json:"path"`
		Value  json.Number `json:"value"`
		Text   string      `json:"text"`
		Status string      `json:"status"`
	} `json:"values"`
}

func openJSONLines(name string, o OpenOptions) (Reader, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	r, err := newJSONReader(file, o)
	if err != nil {
		file.Close()
		return nil, err
	}
	return r, nil
}

func newJSONReader(file *os.File, o OpenOptions) (*jsonReader, error) {
	head := make([]byte, sniffBytes)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	source, err := sourceOf(file, head[:n], o.Encoding)
	if err != nil {
		return nil, err
	}
	if source.page.wide != narrow {
		return nil, &FileError{File: file.Name(), Err: errWideJSON}
	}
	r := &jsonReader{name: file.Name(), window: textWindow{source: source, end: '\n'}, places: map[string]int{}, keptAt: -1}
	r.finder = rowFinder{window: &r.window, first: -1, timeOf: jsonTime}
	return r, r.begin()
}

const (
	headLines = 1000 // that are looked at for columns and for the beat
	headBytes = 4 << 20
)

// begin looks at the first lines: they tell the zone, most columns, and how far
// apart samples of one host are.
func (r *jsonReader) begin() error {
	last := map[string]time.Time{}
	least := time.Duration(0)
	for range headLines {
		at := r.at
		line, err := r.peek()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if r.finder.first < 0 {
			r.finder.first = r.keptAt
			r.header.Zone = zoneOf(line.Time)
		}
		r.addColumns(line)
		if before, ok := last[line.Host]; ok {
			if d := line.Time.Sub(before); d > 0 && (least == 0 || d < least) {
				least = d
			}
		}
		last[line.Host] = line.Time
		r.at = r.keptEnd
		if at > headBytes {
			break
		}
	}
	r.within = least / 2
	r.jump(max(r.finder.first, 0))
	r.line, r.rows, r.faults = 1, 0, Faults{}
	return nil
}

// zoneOf is the zone of the offset of a time: the local one if it has that
// offset.
func zoneOf(t time.Time) Zone {
	local := LocalZone(t.Local())
	_, seconds := t.Zone()
	z := Zone{Bias: -seconds / 60, Known: true}
	switch {
	case z.Bias == local.Bias:
		return local
	case z.Bias == 0:
		z.Name = "UTC"
	default:
		z.Name = "UTC" + t.Format("-07:00")
	}
	return z
}

func (r *jsonReader) Header() *Header { return &r.header }
func (r *jsonReader) Faults() Faults  { return r.faults }
func (r *jsonReader) Close() error    { return r.window.source.file.Close() }

func (r *jsonReader) Only(columns []int) {
	r.wanted = nil
	if columns != nil {
		r.wanted = make(map[int]bool, len(columns))
	}
	for _, c := range columns {
		r.wanted[c] = true
	}
}

// addColumns adds the columns of a line that are new.
func (r *jsonReader) addColumns(line *jsonLine) {
	for i := range line.Values {
		r.place(line.Host, line.Values[i].Path)
	}
}

// place is the column of a path on a host; a new one is added.
func (r *jsonReader) place(host, path string) int {
	if host != "" && (len(path) < 2 || path[:2] != `\\`) {
		path = `\\` + host + path
	}
	key := paths.Fold(path)
	place, ok := r.places[key]
	if !ok {
		place = len(r.header.Columns)
		r.places[key] = place
		r.header.Columns = append(r.header.Columns, Column{Path: path})
	}
	return place
}

// peek reads the line that comes next and stays before it. What is no sample is
// left out.
func (r *jsonReader) peek() (*jsonLine, error) {
	if r.at == r.keptAt {
		return &r.kept, nil
	}
	for {
		line, next, whole, err := r.window.line(r.at)
		if err != nil {
			return nil, err
		}
		if line == nil {
			r.ended = true
			return nil, io.EOF
		}
		text := bytes.Trim(line, " \t\x00")
		if len(text) > 0 {
			clear(r.kept.Values)
			r.kept = jsonLine{Values: r.kept.Values[:0]}
			err := json.Unmarshal(text, &r.kept)
			if err == nil && !r.kept.Time.IsZero() {
				r.keptAt, r.keptEnd = r.at, next
				return &r.kept, nil
			}
			if !whole {
				r.faults.torn(r.fault(0, errTorn))
				r.ended = true
				return nil, io.EOF
			}
			r.faults.row(r.fault(0, errNotASample))
		}
		r.pass(next)
	}
}

// fault is an error in the line that comes next; nil when enough were noted.
func (r *jsonReader) fault(cell int, err error) *FileError {
	if r.faults.full() {
		return nil
	}
	return &FileError{File: r.name, Line: r.line, Offset: r.at, Cell: cell, Err: err}
}

// pass goes on to the line that begins at next.
func (r *jsonReader) pass(next int64) {
	r.at = next
	if r.line > 0 {
		r.line++
	}
}

// Next reads the lines of one beat.
func (r *jsonReader) Next(row *Row) error {
	line, err := r.peek()
	if err != nil {
		return err
	}
	if r.finder.first < 0 {
		r.finder.first = r.keptAt
	}
	row.Time, row.Values, row.Raw = line.Time.In(r.header.Zone.Location()), row.Values[:0], row.Raw[:0]
	for range r.header.Columns {
		row.Values = append(row.Values, cooker.Absent(cooker.Gap))
	}
	r.hosts = r.hosts[:0]
	for err == nil && r.belongs(line, row.Time) {
		r.hosts = append(r.hosts, line.Host)
		for i := range line.Values {
			v := &line.Values[i]
			place := r.place(line.Host, v.Path)
			for len(row.Values) < len(r.header.Columns) {
				row.Values = append(row.Values, cooker.Absent(cooker.Gap))
			}
			if r.wanted == nil || r.wanted[place] {
				row.Values[place] = r.value(i, v.Value, v.Text, v.Status)
			} else {
				row.Values[place] = cooker.Absent(cooker.Pending)
			}
		}
		r.pass(r.keptEnd)
		line, err = r.peek()
	}
	if r.rows >= 0 {
		r.rows++
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// belongs tells whether a line is of the row that began at a time.
func (r *jsonReader) belongs(line *jsonLine, began time.Time) bool {
	if apart := line.Time.Sub(began); apart < 0 || apart > r.within {
		return len(r.hosts) == 0
	}
	for _, h := range r.hosts {
		if h == line.Host {
			return false
		}
	}
	return true
}

// value makes the value of a cell.
func (r *jsonReader) value(cell int, number json.Number, text, word string) cooker.Value {
	status, known := cooker.OK, true
	if word != "ok" && word != "" {
		status, known = statusOfWord(word)
	}
	switch {
	case !known:
	case number != "":
		if v, end, ok := scanNumber([]byte(number), 0, '.'); ok && end == len(number) {
			return v.WithStatus(status)
		}
	case !status.Good():
		return cooker.Absent(status)
	case text != "":
		return cooker.TextValue(text)
	default:
		return cooker.Absent(cooker.Gap)
	}
	r.faults.cell(r.fault(cell+1, errNotANumber))
	return cooker.Absent(cooker.Gap)
}
