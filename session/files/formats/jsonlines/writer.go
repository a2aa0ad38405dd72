// Package jsonlines reads and writes recordings as JSON lines.
package jsonlines

import (
	"io"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/formats/textfile"
	"perfdeck/session/files/logs"
	"perfdeck/session/text/printable"
)

func beginJSON(b []byte, t time.Time, host string) []byte {
	b = t.AppendFormat(append(b, `{"time":"`...), logs.NanoTime)
	b = appendJSONString(append(b, `","host":`...), host)
	return append(b, `,"values":[`...)
}

// appendJSONCell appends a value of a line: the path in quotes, the number with all its digits, or
// null, the text as it is shown, and the status.
func appendJSONCell(b, path []byte, v cooker.Value, f cooker.Format, last bool) []byte {
	b = append(append(append(b, `{"path":`...), path...), `,"value":`...)
	text, isText := v.Text()
	if isText || !v.Valid() {
		b = append(b, "null"...)
	} else {
		b = cooker.AppendMachine(b, v)
	}
	b = append(b, `,"text":`...)
	if isText {
		b = appendJSONString(b, text)
	} else {
		b = append(cooker.AppendValue(append(b, '"'), v, f), '"')
	}
	b = append(append(b, `,"status":"`...), logs.StatusWord(v.Status())...)
	b = append(b, `"}`...)
	if !last {
		b = append(b, ',')
	}
	return b
}

func endJSON(b []byte) []byte { return append(b, "]}\n"...) }

// appendJSONString appends a string in quotes. What printable.Text would
// replace is escaped.
func appendJSONString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < 0x7F {
			if c == '"' || c == '\\' {
				b = append(b, '\\')
			}
			b = append(b, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		text := s[i : i+size]
		i += size
		switch {
		case r == utf8.RuneError && size == 1:
			b = utf8.AppendRune(b, utf8.RuneError)
			continue
		case printable.Text(text) == text:
			b = append(b, text...)
			continue
		}
		units := []rune{r}
		if r > 0xFFFF {
			high, low := utf16.EncodeRune(r)
			units = []rune{high, low}
		}
		for _, u := range units {
			b = append(b, '\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15])
		}
	}
	return append(b, '"')
}

// Stream writes a recording.
func Stream(w io.Writer, h *logs.Header, o logs.WriteOptions) (logs.Writer, error) {
	return newWriter(w, h, o), nil
}

// writer writes JSON lines: one for each computer of a row, as
//
//	{"time":"2026-01-02T03:04:05.000000000Z","host":"SRV","values":[
//	  {"path":"\\Memory\\Available MBytes","value":6103,"text":"6103","status":"ok"}]}
//
// without blanks and line ends. A value is a number or null. What would steer a terminal is escaped.
type writer struct {
	out   textfile.Out
	zone  *time.Location
	looks session.Looks  // nil: as the columns ask
	hosts []jsonHost     // in the order of their first columns
	place map[string]int // of hosts, by name
	width int
	line  []byte

	keeps bool // that they are was
}

// jsonHost are the columns of one computer.
type jsonHost struct {
	name    string
	columns []jsonColumn
}

type jsonColumn struct {
	place  int
	path   []byte // in quotes
	format cooker.Format
}

func newWriter(w io.Writer, h *logs.Header, o logs.WriteOptions) *writer {
	j := &writer{out: textfile.NewOut(w, o), zone: h.Zone.Location(), looks: o.Looks, place: map[string]int{}}
	j.add(h.Columns)
	return j
}

// AddColumns needs no more than to know them.
func (j *writer) AddColumns(columns []logs.Column) error {
	j.add(columns)
	return nil
}

func (j *writer) add(columns []logs.Column) {
	for i := range columns {
		host, path := splitComputer(columns[i].Path)
		at, known := j.place[host]
		if !known {
			at = len(j.hosts)
			j.place[host] = at
			j.hosts = append(j.hosts, jsonHost{name: host})
		}
		j.hosts[at].columns = append(j.hosts[at].columns, jsonColumn{j.width, appendJSONString(nil, path), j.formatOf(&columns[i], path)})
		j.width++
	}
}

// formatOf is how the numbers of a column are written: as it asks for, or as the user wants
// them.
func (j *writer) formatOf(c *logs.Column, path string) cooker.Format {
	f := c.Format()
	p, err := paths.Parse(path)
	if j.looks == nil || !c.TypeKnown || err != nil {
		return f
	}
	own := session.Counter{
		Name: p.Counter, Type: c.Type, Quantity: cooker.QuantityIn(c.Type, p.Object, p.Counter), DefaultScale: c.DefaultScale, Attributes: c.Attributes,
	}
	return j.looks(&session.Counterset{Name: p.Object}, &own).Format
}

// splitComputer parts a path from its computer, which may be absent.
func splitComputer(path string) (computer, rest string) {
	if p, err := paths.Parse(path); err == nil && p.Computer != "" {
		return p.Computer, path[len(`\\`)+len(p.Computer):]
	}
	return "", path
}

func (j *writer) WriteRow(row *logs.Row) error {
	if len(row.Values) != j.width {
		return logs.ErrRowWidth
	}
	j.line = j.line[:0]
	for i := range j.hosts {
		h := &j.hosts[i]
		j.line = beginJSON(j.line, row.Recorded().In(j.zone), h.name)
		for n := range h.columns {
			c := &h.columns[n]
			j.line = appendJSONCell(j.line, c.path, row.Values[c.place], c.format, n+1 == len(h.columns))
		}
		j.line = endJSON(j.line)
	}
	return j.out.Write(j.line)
}

func (j *writer) Sync() error          { return j.out.Sync() }
func (j *writer) Size() (int64, error) { return j.out.Size, nil }
func (j *writer) Close() error         { return j.out.Close() }
