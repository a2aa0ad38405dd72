package csv

import (
	"bytes"
	"strconv"
	"strings"

	"perfdeck/session/files/formats/textfile"
	"perfdeck/session/files/logs"
)

// textHeader is the header line of a PDH text.
type textHeader struct {
	logs.Header

	comma    byte
	titled   bool   // the last cell may be a caption: see fit
	console  bool   // what typeperf wrote to a screen: it names no zone
	timeCell bool   // date and time stand in two cells
	computer string // of paths that have none: \\HOST
	halved   string // what paths lack at their beginning
	body     int64
	line     int64 // number of the line, from 1
	raw      string
}

// headerWord stands in the first cell of every header.
const headerWord = "(PDH-"

const (
	headerSearch     = 256 << 10 // bytes before the header: prompts, messages
	longestFirstCell = 300       // bytes
)

// readHeader finds the header and takes it apart. The line end is the first that
// the file has.
func readHeader(w *textfile.Window) (*textHeader, error) {
	head, err := w.Load(0, headerSearch)
	if err != nil {
		return nil, err
	}
	w.End = '\n'
	if bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0 {
		w.End = '\r'
	}
	at, n := int64(0), int64(1)
	for at < headerSearch {
		line, next, _, err := w.Line(at)
		if err != nil {
			return nil, err
		}
		if line == nil {
			break
		}
		if isHeader(line) {
			line, next, more, err := wholeHeader(w, at)
			if err != nil {
				return nil, err
			}
			text, err := w.Source.Text(line, at)
			if err != nil {
				return nil, err
			}
			h, err := parseHeader(text)
			if err != nil {
				return nil, err
			}
			h.body, h.line = next, n+more
			if w.Source.Guess {
				h.Guess = w.Source.Page.Name
			}
			return h, nil
		}
		at, n = next, n+1
	}
	return nil, logs.ErrUnknownFormat
}

// wholeHeader is the header that begins at a place, where the next line begins, and
// how many line ends it holds: names may have some, inside of their quotes (RFC
// 4180). Windows does not double the quotes of names, so a header whose quotes do not
// fit to the end of a line, or up to what is a row, is one line.
func wholeHeader(w *textfile.Window, at int64) (header []byte, next, ends int64, err error) {
	line, first, _, err := w.Line(at)
	if err != nil || !bytes.HasPrefix(line, []byte(`"`)) || evenQuotes(line) {
		return line, first, 0, err
	}
	for next = first; next-at <= textfile.MostLine; {
		line, after, _, err := w.Line(next)
		if err != nil {
			return nil, next, 0, err
		}
		if line == nil || beginsRow(line) {
			break
		}
		next, ends = after, ends+1
		if evenQuotes(line) {
			continue
		}
		whole, err := w.Load(at, int(next-at))
		if err != nil {
			return nil, next, 0, err
		}
		whole = textfile.TrimReturn(bytes.TrimSuffix(whole[:min(int(next-at), len(whole))], []byte{w.End}))
		text := string(whole)
		if _, ok := splitQuoted(text, separatorOf(text)); ok {
			return whole, next, ends, nil
		}
		break
	}
	header, first, _, err = w.Line(at)
	return header, first, 0, err
}

// beginsRow tells whether a line begins with a quote and digits, as rows with a
// header in quotes do: the quotes of a name that has a line end are doubled.
func beginsRow(line []byte) bool {
	return len(line) > 3 && line[0] == '"' && line[1]-'0' <= 9 && line[2]-'0' <= 9 && evenQuotes(line)
}

func evenQuotes(line []byte) bool { return bytes.Count(line, []byte(`"`))%2 == 0 }

// isHeader tells whether the first cell of a line is that of a header.
func isHeader(line []byte) bool {
	before, _, ok := bytes.Cut(line[:min(len(line), longestFirstCell)], []byte(headerWord))
	return ok && beginsHeader(before)
}

// beginsHeader tells whether what stands in a line before the word of a header
// belongs to it: nothing, or "Date", which some tools write, with a computer.
func beginsHeader(before []byte) bool {
	before = bytes.TrimLeft(bytes.TrimPrefix(bytes.TrimLeft(before, "\x1A"), []byte("\xEF\xBB\xBF")), "\" \t\x00\x1A")
	return len(before) == 0 || bytes.HasPrefix(before, []byte("Date")) && !bytes.Contains(before, []byte(`","`))
}

// parseHeader takes the line of a header apart. With errNoColumns there is a header all the
// same.
func parseHeader(line string) (*textHeader, error) {
	h := &textHeader{raw: line}
	line = strings.TrimLeft(line, "\uFEFF\x1A\x00")
	h.comma = separatorOf(line)
	cells := splitHeader(line, h.comma)
	h.Zone = parseZone(cells[0])
	h.console = !h.Zone.Known
	before, _, _ := strings.Cut(cells[0], headerWord)
	if _, name, ok := strings.Cut(before, `\\`); ok { // Date \\HOST (PDH-CSV 4.0)
		h.computer = `\\` + strings.TrimSpace(name)
	}
	paths := cells[1:]
	for len(paths) > 0 && strings.TrimSpace(paths[len(paths)-1]) == "" { // a spreadsheet fills up
		paths = paths[:len(paths)-1]
	}
	if len(paths) > 0 && strings.EqualFold(strings.TrimSpace(paths[0]), "Time") {
		h.timeCell, paths = true, paths[1:]
	}
	if h.computer == "" && areHalved(paths) {
		h.halved = `\`
	}
	h.Columns = make([]logs.Column, 0, len(paths))
	for _, path := range paths {
		h.Columns = append(h.Columns, h.column(path))
	}
	if n := len(paths); n > 0 && !strings.HasPrefix(paths[n-1], `\`) {
		h.titled = true
		h.Caption = paths[n-1]
		h.Columns = h.Columns[:n-1]
	}
	if len(h.Columns) == 0 && !h.titled {
		return h, errNoColumns
	}
	return h, nil
}

// column is the column of a path; one without a name has none.
func (h *textHeader) column(path string) logs.Column {
	switch {
	case strings.TrimSpace(path) == "":
		path = ""
	case h.computer != "" && !strings.HasPrefix(path, `\\`):
		path = h.computer + `\` + strings.TrimPrefix(path, `\`)
	case strings.HasPrefix(path, `\`):
		path = h.halved + path
	}
	return logs.Column{Path: path}
}

// areHalved tells whether what wrote the paths made one backslash of two: all of them are
// \HOST\Object\Counter.
func areHalved(paths []string) bool {
	n := 0
	for _, path := range paths {
		if !strings.HasPrefix(path, `\`) {
			continue // a caption, or none
		}
		host, rest, _ := strings.Cut(path[1:], `\`)
		if host == "" || strings.Contains(host, "(") || !strings.Contains(rest, `\`) {
			return false
		}
		n++
	}
	return n > 0
}

// fit makes the last cell of the header a column after all if the first row, of which these
// are the cells, has a value for it. A caption has none (PDH_LOG_USER_STRING).
func (h *textHeader) fit(cells []byte) {
	if h.titled && filledCells(cells, h.comma) > len(h.Columns) {
		h.Columns = append(h.Columns, h.column(h.Caption))
		h.Caption = ""
		h.titled = false
	}
}

// parseZone reads `(PDH-CSV 4.0) (name)(bias)`. The name may be cut off and hold
// parentheses; the bias is the number at the end.
func parseZone(cell string) logs.Zone {
	_, rest, _ := strings.Cut(cell, headerWord)
	_, rest, ok := strings.Cut(rest, ")")
	if !ok {
		return logs.Zone{}
	}
	rest = strings.TrimSpace(rest)
	open := strings.LastIndexByte(rest, '(')
	if open < 0 || !strings.HasSuffix(rest, ")") {
		return logs.Zone{}
	}
	bias, err := strconv.Atoi(strings.TrimSpace(rest[open+1 : len(rest)-1]))
	if err != nil || bias < -logs.MostBias || bias > logs.MostBias {
		return logs.Zone{}
	}
	name := strings.TrimSpace(rest[:open])
	name = strings.TrimPrefix(name, "(")
	name = strings.TrimSuffix(name, ")")
	return logs.Zone{Name: name, Bias: bias, Known: true}
}

// separatorOf is what stands between cells: what follows the first cell, before
// the first path.
func separatorOf(line string) byte {
	_, rest, _ := strings.Cut(line, headerWord)
	if end := strings.IndexByte(rest, ')'); end >= 0 {
		rest = rest[end:]
	}
	for _, quoted := range []string{`"`, ``} {
		for i := range len(rest) {
			if c := rest[i]; (c == ',' || c == '\t' || c == ';') && strings.HasSuffix(rest[:i], quoted) {
				return c
			}
		}
	}
	return ','
}

// splitHeader takes the cells of a header apart: as RFC 4180 says if all quotes
// fit, else at a quote, the separator and a quote, or where names begin: they hold
// quotes and separators.
func splitHeader(line string, comma byte) []string {
	if cells, ok := splitQuoted(line, comma); ok {
		return cells
	}
	between := `"` + string(comma) + `"`
	if !strings.HasPrefix(line, `"`) || !strings.Contains(line, between) {
		return splitPlain(line, comma)
	}
	cells := strings.Split(line, between)
	last := len(cells) - 1
	cells[0] = strings.TrimPrefix(cells[0], `"`)
	cells[last] = strings.TrimSuffix(cells[last], `"`)
	return cells
}

// splitPlain takes cells apart of which most stand in no quotes. A name goes on up to the
// next backslash behind a separator; empty cells are cells, and behind the last name there is
// a caption at most.
func splitPlain(line string, comma byte) []string {
	type field struct {
		text   string
		quoted bool
	}
	var fields []field
	lastPath, b := 0, []byte(line)
	for i := 0; i <= len(b); {
		if rest := bytes.TrimLeft(b[i:], " "); bytes.HasPrefix(rest, []byte(`"`)) || bytes.HasPrefix(rest, []byte(`\`)) {
			i = len(b) - len(rest)
		}
		text, end := cellAt(b, i, comma)
		f := field{string(text), i < len(b) && b[i] == '"'}
		if f.quoted {
			f.text = strings.ReplaceAll(f.text, `""`, `"`)
		}
		if strings.HasPrefix(f.text, `\`) {
			lastPath = len(fields)
		}
		fields, i = append(fields, f), end+1
	}
	var cells []string
	for i, f := range fields {
		goesOn := false // the cell before
		if last := len(cells) - 1; last > 0 && !f.quoted && !fields[i-1].quoted && !strings.HasPrefix(f.text, `\`) {
			before := cells[last]
			isOpen := strings.Count(before, "(") > strings.Count(before, ")") // (0,14)
			goesOn = isOpen || f.text != "" && before != "" && lastPath > 0 && (i < lastPath || !strings.HasPrefix(before, `\`))
		}
		if goesOn {
			cells[len(cells)-1] += string(comma) + f.text
		} else {
			cells = append(cells, f.text)
		}
	}
	return cells
}

// splitQuoted takes cells apart that all stand in quotes.
func splitQuoted(line string, comma byte) (cells []string, ok bool) {
	b := []byte(line)
	for i := 0; ; i++ {
		text, end := cellAt(b, min(i, len(b)), comma)
		plain := strings.ReplaceAll(string(text), `""`, "")
		if i >= len(b) || b[i] != '"' || end != i+len(text)+2 || strings.Contains(plain, `"`) {
			return nil, false
		}
		cells = append(cells, strings.ReplaceAll(string(text), `""`, `"`))
		if i = end; i >= len(b) {
			return cells, true
		}
	}
}

// IsCSV and IsTSV tell a PDH text by the word that its header begins with: a
// text that speaks of it is none.
func IsCSV(head []byte) bool { return hasHeader(head, "(PDH-CSV") }

// IsTSV is IsCSV of the other.
func IsTSV(head []byte) bool { return hasHeader(head, "(PDH-TSV") }

// hasHeader looks for the line of a header. Prompts and messages may stand before it.
func hasHeader(head []byte, word string) bool {
	for from := 0; ; {
		i := bytes.Index(head[from:], []byte(word))
		if i < 0 {
			return false
		}
		start := bytes.LastIndexAny(head[:from+i], "\r\n") + 1
		if beginsHeader(head[start : from+i]) {
			return true
		}
		from += i + len(word)
	}
}
