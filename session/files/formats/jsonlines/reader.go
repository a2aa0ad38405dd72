package jsonlines

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/files/formats/textfile"
	"perfdeck/session/files/logs"
)

// Is tells JSON lines by the first object: it has times and values, unless it is
// longer than what is looked at, or its names are escaped.
func Is(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n\xEF\xBB\xBF")
	name := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("{")), " \t")
	if len(name) == len(head) || !bytes.HasPrefix(name, []byte(`"`)) {
		return false
	}
	line, _, isWhole := bytes.Cut(head, []byte("\n"))
	return bytes.Contains(head, []byte(`"time"`)) && bytes.Contains(head, []byte(`"values"`)) ||
		!isWhole && len(head) > logs.HeadBytes/2 || bytes.Contains(line, []byte(`\u00`))
}

// trimJSON cuts off what may stand around an object.
func trimJSON(line []byte) []byte { return bytes.Trim(line, " \t\r\x00") }

// reader reads JSON lines. Lines of several hosts that were sampled on one
// beat are one row. Columns are added as they appear.
type reader struct {
	textfile.Reader

	header logs.Header
	zone   *time.Location
	places map[string]int          // of columns, by folded path
	known  map[string]*jsonColumns // by host as a line has it
	wanted logs.Chosen
	shown  []bool        // by column: it is known how its values are shown
	within time.Duration // lines of one row are that near to each other
	beat   int64         // counts the rows that are read

	filled []cooker.Value // of the row that was read last
	given  []int          // the columns that it speaks of

	probed          jsonLine // the line whose time was asked for
	sureAt          int64    // of a line that is a sample to its end
	kept            jsonLine // the line at keptAt
	keptText        []byte
	keptAt, keptEnd int64
}

// jsonColumns are the columns of one host.
type jsonColumns struct {
	host   string
	raw    [][]byte       // paths as a line has them, in the order of the last line
	order  []int          // their columns
	places map[string]int // columns by path as a line has it
	beat   int64          // of the last row that it is of
}

// Open opens a file of JSON lines.
func Open(ctx context.Context, name string, o logs.OpenOptions) (logs.FileRows, error) {
	return textfile.Open(name, func(file *os.File) (logs.FileRows, error) { return newReader(ctx, file, o) })
}

func newReader(ctx context.Context, file *os.File, o logs.OpenOptions) (*reader, error) {
	lines, err := textfile.NewReader(ctx, file, o)
	if err != nil {
		return nil, err
	}
	if lines.Window.Source.Page.Wide != textfile.Narrow {
		return nil, &logs.FileError{File: file.Name(), Err: errWideJSON}
	}
	r := &reader{Reader: lines, places: map[string]int{}, known: map[string]*jsonColumns{}, keptAt: -1, sureAt: -1}
	r.Window.End = '\n'
	r.Finder = textfile.Finder{Window: &r.Window, First: -1, TimeOf: r.timeOf}
	return r, r.begin()
}

const (
	headLines = 1000 // that are looked at for columns and for the beat
	headBytes = 4 << 20
)

// begin looks at the first lines: they tell the zone, most columns, and how far
// apart samples of one host are.
func (r *reader) begin() error {
	last := map[*jsonColumns]time.Time{}
	least := time.Duration(0)
	for range headLines {
		at := r.At
		line, err := r.peek()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		r.noteFirst(line)
		host := r.addColumns(line)
		if before, ok := last[host]; ok {
			if d := line.time.Sub(before); d > 0 && (least == 0 || d < least) {
				least = d
			}
		}
		last[host] = line.time
		r.At = r.keptEnd
		if at > headBytes {
			break
		}
	}
	if len(last) == 0 && r.LeftOut.Rows > 0 { // JSON of another kind
		e := r.LeftOut.First[0]
		e.Advice = "a recording in JSON has a line for each sample, with time, host and values, as sample -f json writes them"
		return e
	}
	r.within = least / 2
	r.restart()
	return nil
}

// restart lets the first line come next, as if nothing had been read.
func (r *reader) restart() {
	r.Jump(0)
	r.Line, r.Rows, r.LeftOut = 1, 0, logs.Faults{Most: r.LeftOut.Most}
}

// noteFirst notes where the first sample is. Its offset is the zone.
func (r *reader) noteFirst(line *jsonLine) {
	if r.Finder.First < 0 {
		r.Finder.First = r.keptAt
		r.header.Zone = zoneOf(line.time)
		r.zone = r.header.Zone.Location()
	}
}

// zoneOf is the zone of the offset of a time: the local one if it has that
// offset.
func zoneOf(t time.Time) logs.Zone {
	local := logs.LocalZone(t.Local())
	_, seconds := t.Zone()
	z := logs.Zone{Bias: -seconds / 60, Known: true}
	if z.Bias == local.Bias {
		return local
	}
	if z.Name = "UTC"; z.Bias != 0 {
		z.Name += t.Format("-07:00")
	}
	return z
}

func (r *reader) Header() *logs.Header { return &r.header }

func (r *reader) Only(columns []int) {
	r.wanted = logs.ChooseColumns(columns, len(r.header.Columns))
}

// columnsOf are the columns of the host of a line.
func (r *reader) columnsOf(line *jsonLine) *jsonColumns {
	c, ok := r.known[string(line.host)]
	if !ok {
		c = &jsonColumns{host: plainJSON(line.host), places: map[string]int{}}
		r.known[string(line.host)] = c
	}
	return c
}

// addColumns adds the columns of a line that are new.
func (r *reader) addColumns(line *jsonLine) *jsonColumns {
	host := r.columnsOf(line)
	for i := range line.cells {
		r.learnShown(r.place(host, i, line.cells[i].path), &line.cells[i])
	}
	return host
}

// learnShown takes from the text of a number whether those of its column are hexadecimal.
func (r *reader) learnShown(column int, c *jsonCell) {
	for len(r.shown) <= column {
		r.shown = append(r.shown, false)
	}
	if r.shown[column] || len(c.number) == 0 || len(c.text) == 0 {
		return
	}
	r.shown[column] = true
	if digits, isHex := bytes.CutPrefix(c.text, []byte("0x")); isHex {
		r.header.Columns[column].Attributes, r.header.Columns[column].HexWidth = cooker.DisplayHex, len(digits)
	}
}

// place is the column of a path of a host; a new one is added. Most lines have the
// same paths at the same places.
func (r *reader) place(host *jsonColumns, at int, raw []byte) int {
	if at < len(host.raw) && bytes.Equal(host.raw[at], raw) {
		return host.order[at]
	}
	place, ok := host.places[string(raw)]
	if !ok {
		place = r.add(host.host, plainJSON(raw))
		host.places[string(raw)] = place
	}
	if at >= len(host.raw) {
		host.raw, host.order = append(host.raw, nil), append(host.order, 0)
	}
	host.raw[at], host.order[at] = bytes.Clone(raw), place
	return place
}

// add adds a column unless there is one of this path.
func (r *reader) add(host, path string) int {
	if host != "" && (len(path) < 2 || path[:2] != `\\`) {
		path = `\\` + host + path
	}
	key := paths.Fold(path)
	place, ok := r.places[key]
	if !ok {
		place = len(r.header.Columns)
		r.places[key] = place
		r.header.Columns = append(r.header.Columns, logs.Column{Path: path})
	}
	return place
}

// peek reads the line that comes next and stays before it. What is no sample is
// left out.
func (r *reader) peek() (*jsonLine, error) {
	if r.At == r.keptAt {
		return &r.kept, nil
	}
	for {
		line, next, whole, err := r.Window.Line(r.At)
		if err != nil {
			return nil, err
		}
		if line == nil {
			r.Ended = true
			return nil, io.EOF
		}
		text := trimJSON(line)
		if len(text) > 0 {
			r.keptText = append(r.keptText[:0], text...) // the window moves on
			r.keptAt = -1
			if isJSONEvent(text) && whole {
				r.Pass(next)
				continue
			}
			if r.kept.scan(r.keptText) {
				r.keptAt, r.keptEnd = r.At, next
				return &r.kept, nil
			}
			if !whole {
				r.LeftOut.NoteTorn(r.Fault(0, logs.ErrTorn))
				r.Ended = true
				return nil, io.EOF
			}
			r.LeftOut.NoteRow(r.Fault(0, errNotASample))
		}
		r.Pass(next)
	}
}

// Next reads the lines of one beat.
func (r *reader) Next(row *logs.Row) error {
	line, err := r.peek()
	if err != nil {
		return err
	}
	r.noteFirst(line)
	began, first := line.time, line.time
	row.Raw = row.Raw[:0]
	row.Values = r.blank(row.Values)
	r.given = r.given[:0]
	r.beat++
	for n := 0; err == nil && r.belongs(line, began, n == 0); n++ {
		host := r.columnsOf(line)
		if line.time.Before(first) {
			first = line.time
		}
		host.beat = r.beat
		for i := range line.cells {
			c := &line.cells[i]
			place := r.place(host, i, c.path)
			for len(row.Values) < len(r.header.Columns) {
				row.Values = append(row.Values, cooker.Absent(cooker.Gap))
			}
			r.given = append(r.given, place)
			if r.wanted.Has(place) {
				row.Values[place] = r.value(i, c)
			} else {
				row.Values[place] = cooker.Absent(cooker.Pending)
			}
		}
		r.Pass(r.keptEnd)
		line, err = r.peek()
	}
	r.filled, row.Given = row.Values, r.given
	row.Time = first.In(r.zone)
	if r.Rows >= 0 {
		r.Rows++
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// blank is a row without values. Of one that was read last only what it speaks of is made
// blank: there may be as many columns as lines.
func (r *reader) blank(values []cooker.Value) []cooker.Value {
	if len(values) > 0 && len(values) == len(r.filled) && &values[0] == &r.filled[0] {
		for _, place := range r.given {
			values[place] = cooker.Absent(cooker.Gap)
		}
	} else {
		values = values[:0]
	}
	for len(values) < len(r.header.Columns) {
		values = append(values, cooker.Absent(cooker.Gap))
	}
	return values
}

// belongs tells whether a line is of the row whose first line is of a time. Hosts
// stand in one order, whoever was sampled first.
func (r *reader) belongs(line *jsonLine, began time.Time, isFirst bool) bool {
	return isFirst || line.time.Sub(began).Abs() <= r.within && r.columnsOf(line).beat != r.beat
}

// value makes the value of a cell.
func (r *reader) value(cell int, c *jsonCell) cooker.Value {
	status, known := cooker.OK, true
	if word := string(c.word); word != "ok" && word != "" {
		status, known = logs.StatusOfWord(word)
	}
	switch {
	case !known:
	case len(c.number) > 0:
		if v, end, ok := textfile.ScanNumber(c.number, 0, '.'); ok && end == len(c.number) {
			return v.WithStatus(status)
		}
	case !status.Good():
		return cooker.Absent(status)
	case len(c.text) > 0 || c.text != nil && string(c.word) == "ok": // an empty one is said to be good
		return cooker.TextValue(plainJSON(c.text))
	default:
		return cooker.Absent(cooker.Gap)
	}
	r.LeftOut.NoteCell(r.Fault(cell+1, logs.ErrNotANumber))
	return cooker.Absent(cooker.Gap)
}

var (
	errNotASample = errors.New("not a sample in JSON")
	errWideJSON   = errors.New("JSON is read in UTF-8 only")
)
