package jsonlines

import (
	"bytes"
	"encoding/json"
	"time"
)

// jsonLine is a line of JSON lines. Its texts are as they stand between quotes;
// they are valid until the next line is scanned.
type jsonLine struct {
	time  time.Time
	host  []byte
	cells []jsonCell
}

type jsonCell struct {
	path, number, text, word []byte // number is empty for null
}

// scan reads a line. One that is written as AppendJSON does is taken apart as it
// is; any other that says the same is decoded first.
func (l *jsonLine) scan(line []byte) bool {
	if isJSONEvent(line) {
		return false
	}
	if l.scanOwn(line) {
		return true
	}
	var decoded struct {
		Time   time.Time `json:"time"`
		Host   string    `json:"host"`
		Values []struct {
			Path   string      `json:"path"`
			Value  json.Number `json:"value"`
			Text   *string     `json:"text"`
			Status string      `json:"status"`
		} `json:"values"`
	}
	if err := json.Unmarshal(line, &decoded); err != nil || decoded.Time.IsZero() {
		return false
	}
	l.time, l.host, l.cells = decoded.Time, rawJSON(decoded.Host), l.cells[:0]
	for i := range decoded.Values {
		v := &decoded.Values[i]
		c := jsonCell{path: rawJSON(v.Path), number: []byte(v.Value), word: []byte(v.Status)}
		if v.Text != nil {
			c.text = rawJSON(*v.Text)
		}
		l.cells = append(l.cells, c)
	}
	return true
}

// rawJSON is a text as it stands between quotes.
func rawJSON(text string) []byte {
	quoted := appendJSONString(nil, text)
	return quoted[1 : len(quoted)-1]
}

// plainJSON is the inverse of rawJSON.
func plainJSON(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	var text string
	if err := json.Unmarshal(append(append([]byte{'"'}, raw...), '"'), &text); err != nil {
		return string(raw)
	}
	return text
}

// What stands between the texts of a line.
var (
	jsonTimeKey   = []byte(`{"time":"`)
	jsonHostKey   = []byte(`"host":"`)
	jsonValuesKey = []byte(`"values":[`)
	jsonPathKey   = []byte(`{"path":"`)
	jsonValueKey  = []byte(`"value":`)
	jsonTextKey   = []byte(`"text":"`)
	jsonStatusKey = []byte(`"status":"`)
	jsonEnd       = []byte(`]}`)
)

// scanOwn takes a line apart that is written as AppendJSON does.
func (l *jsonLine) scanOwn(line []byte) bool {
	l.cells = l.cells[:0]
	s := jsonScanner{rest: line, ok: true}
	if !l.scanHead(&s) {
		return false
	}
	s.skip(jsonValuesKey)
	for s.ok && !bytes.Equal(s.rest, jsonEnd) {
		var c jsonCell
		s.skip(jsonPathKey)
		c.path = s.text()
		s.skip(jsonValueKey)
		c.number = s.number()
		s.skip(jsonTextKey)
		c.text = s.text()
		s.skip(jsonStatusKey)
		c.word = s.text()
		s.comma('}')
		l.cells = append(l.cells, c)
	}
	return s.ok
}

// scanHead reads the time and the host of such a line.
func (l *jsonLine) scanHead(s *jsonScanner) bool {
	s.skip(jsonTimeKey)
	at := s.text()
	s.skip(jsonHostKey)
	l.host = s.text()
	t, err := time.Parse(time.RFC3339Nano, string(at))
	l.time = t
	return s.ok && err == nil && !t.IsZero()
}

// jsonScanner is what is left of a line; ok is false when it is written in another
// way.
type jsonScanner struct {
	rest []byte
	ok   bool
}

func (s *jsonScanner) skip(key []byte) {
	if s.ok = s.ok && bytes.HasPrefix(s.rest, key); s.ok {
		s.rest = s.rest[len(key):]
	}
}

// text is what stands up to the next quote, which a comma or a brace follows.
func (s *jsonScanner) text() []byte {
	for i := 0; s.ok; {
		n := bytes.IndexByte(s.rest[i:], '"')
		if n < 0 {
			break
		}
		i += n
		escapes := 0
		for i > escapes && s.rest[i-escapes-1] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			text := s.rest[:i]
			s.rest = s.rest[i+1:]
			if len(s.rest) > 0 && s.rest[0] == ',' {
				s.rest = s.rest[1:]
			}
			return text
		}
		i++
	}
	s.ok = false
	return nil
}

// number is a number, empty for null.
func (s *jsonScanner) number() []byte {
	n := bytes.IndexByte(s.rest, ',')
	if !s.ok || n < 1 {
		s.ok = false
		return nil
	}
	number := s.rest[:n]
	s.rest = s.rest[n+1:]
	if string(number) == "null" {
		return nil
	}
	s.ok = number[0] == '-' || number[0]-'0' <= 9
	return number
}

// comma skips the end of an object, and the comma behind it unless it was the last.
func (s *jsonScanner) comma(end byte) {
	if !s.ok || len(s.rest) == 0 || s.rest[0] != end {
		s.ok = false
		return
	}
	s.rest = s.rest[1:]
	if s.rest = bytes.TrimPrefix(s.rest, []byte(",")); len(s.rest) == 0 {
		s.ok = false
	}
}
