package query

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"

	"perfdeck/session/engine/link"
	"perfdeck/session/engine/prom"
)

// Bounds of one answer that are not for the user to set.
const (
	mostLabels      = 128     // of a series
	mostLabelBytes  = 8 << 10 // of a name, or a value
	mostSpaces      = 4 << 10 // bytes between two words
	mostWarnings    = 20
	mostInterned    = 100_000 // names and values of labels that are kept once
	longestInterned = 128     // bytes
)

// decodeError says what is wrong with an answer.
type decodeError struct{ why, advice string }

func (e *decodeError) Error() string { return e.why }

func wrongAnswer(format string, args ...any) error {
	return &decodeError{why: fmt.Sprintf(format, args...)}
}

// advised is an answer that cannot be used, with what can be done about it.
func advised(advice, format string, args ...any) error {
	return &decodeError{fmt.Sprintf(format, args...), advice}
}

// counted counts what is read.
type counted struct {
	io.Reader

	to *atomic.Uint64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.to.Add(uint64(n))
	return n, err
}

// spaced refuses what is nothing but spaces for long: encoding/json keeps them all, and goes
// over them anew with each part that it reads.
type spaced struct {
	io.Reader

	run int // bytes up to here
}

var errSpaces = advised(addressAdvice, "its answer is nothing but spaces for more than %d KiB", mostSpaces>>10)

func (s *spaced) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	rest := bytes.TrimRight(p[:n], " \n\t\r")
	if len(rest) > 0 {
		s.run = 0
	}
	if s.run += n - len(rest); s.run > mostSpaces {
		return 0, errSpaces
	}
	return n, err
}

// decoder reads one answer of the API: {"status":..,"data":..,"warnings":[..]}.
type decoder struct {
	json   *json.Decoder
	left   *io.LimitedReader // nothing is left: the answer is too large
	limits *Limits
	answer Answer
	texts  map[string]string
	points []Point // of the series that is read
	labels Labels
	status string
	said   string // of an error
}

func newDecoder(r io.Reader, l *Limits) *decoder {
	left := &io.LimitedReader{R: r, N: l.Bytes + 1}
	return &decoder{json: json.NewDecoder(&spaced{Reader: left}), left: left, limits: l, texts: map[string]string{}}
}

// series reads an answer whose data are series.
func (d *decoder) series(each func(Series) error) (Answer, error) {
	err := d.whole(func() error {
		kind := ""
		return d.object(func(key string) error {
			switch key {
			case "resultType":
				return d.text(&kind)
			case "result":
				return d.result(kind, each)
			}
			return d.skip()
		})
	})
	return d.answer, err
}

// values reads an answer whose data are texts.
func (d *decoder) values(each func(string) error) (Answer, error) {
	err := d.whole(func() error {
		return d.list(func() error {
			var text string
			if err := d.text(&text); err != nil {
				return err
			}
			if d.answer.Series++; d.answer.Series > d.limits.Series {
				return wrongAnswer("it has more than %d values", d.limits.Series)
			}
			return each(text)
		})
	})
	return d.answer, err
}

// whole reads the object that every answer is; data reads what it is about.
func (d *decoder) whole(data func() error) error {
	err := d.object(func(key string) error {
		switch key {
		case "status":
			return d.text(&d.status)
		case "error":
			return d.text(&d.said)
		case "isPartial": // VictoriaMetrics
			return d.json.Decode(&d.answer.Partial)
		case "warnings", "infos":
			return d.list(func() error {
				var text string
				if err := d.text(&text); err != nil {
					return err
				}
				if key == "warnings" && len(d.answer.Warnings) < mostWarnings {
					d.answer.Warnings = append(d.answer.Warnings, link.Words([]byte(text)))
				}
				return nil
			})
		case "data":
			return data()
		}
		return d.skip()
	})
	if n := d.answer.LeftOut; n > 0 {
		d.answer.Warnings = append(d.answer.Warnings, fmt.Sprintf("%d of its series are left out: more than %d labels, or one longer than %d KiB", n, mostLabels, mostLabelBytes>>10))
	}
	switch {
	case err != nil:
		return d.judged(err)
	case d.status == "error":
		return wrongAnswer("it says %s", link.Words([]byte(d.said)))
	case d.status != "success":
		return wrongAnswer("it is no answer of Prometheus' API")
	}
	return nil
}

// judged is an error of the decoder in words.
func (d *decoder) judged(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case d.left.N == 0:
		return advised("ask for less, or set max_bytes of the [[engine]] in the config", "its answer is larger than %d MB", d.limits.Bytes>>20)
	case errors.As(err, &syntax), errors.As(err, &kind), errors.Is(err, errShape):
		if d.json.InputOffset() == 0 {
			return advised(addressAdvice, "its answer is no JSON")
		}
		return wrongAnswer("its answer is not what the API gives, at byte %d", d.json.InputOffset())
	}
	return err
}

var errShape = errors.New("not the shape that was expected")

// object reads an object; each reads the value of a key.
func (d *decoder) object(each func(key string) error) error {
	if err := d.delim('{'); err != nil {
		return err
	}
	for d.json.More() {
		key, err := d.json.Token()
		if err != nil {
			return err
		}
		name, ok := key.(string)
		if !ok {
			return errShape
		}
		if err := each(name); err != nil {
			return err
		}
	}
	return d.delim('}')
}

// list reads a list, or null; each reads one of it.
func (d *decoder) list(each func() error) error {
	t, err := d.json.Token()
	if err != nil || t == nil {
		return err
	}
	if t != json.Delim('[') {
		return errShape
	}
	for d.json.More() {
		if err := each(); err != nil {
			return err
		}
	}
	return d.delim(']')
}

func (d *decoder) delim(want json.Delim) error {
	t, err := d.json.Token()
	if err == nil && t != want {
		err = errShape
	}
	return err
}

func (d *decoder) text(to *string) error {
	t, err := d.json.Token()
	if err != nil {
		return err
	}
	text, ok := t.(string)
	if !ok {
		return errShape
	}
	*to = text
	return nil
}

// skip passes over a value that nobody wants.
func (d *decoder) skip() error {
	depth := 0
	for {
		t, err := d.json.Token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// element is one of a result: a series with a point or several.
type element struct {
	d          *decoder
	histograms bool
	isTooLong  bool // a label is
}

// result reads vectors, matrices and scalars.
func (d *decoder) result(kind string, each func(Series) error) error {
	if kind == "scalar" || kind == "string" {
		var one onePoint
		if err := d.json.Decode(&one); err != nil {
			return err
		}
		d.answer.Series, d.answer.Points = 1, 1
		return each(Series{Points: []Point{one.Point}})
	}
	e := element{d: d}
	return d.list(func() error {
		d.labels, d.points, e.histograms, e.isTooLong = d.labels[:0], d.points[:0], false, false
		if err := d.json.Decode(&e); err != nil {
			return err
		}
		d.answer.Series++
		d.answer.Points += len(d.points)
		if e.histograms {
			d.answer.Histograms++
		}
		switch {
		case d.answer.Series > d.limits.Series:
			return advised("ask for less, or set max_series of the [[engine]] in the config", "its answer has more than %d series", d.limits.Series)
		case d.answer.Points > d.limits.Points:
			return advised("ask for a shorter time", "its answer has more than %d samples", d.limits.Points)
		case e.histograms && len(d.points) == 0:
			return nil
		case e.isTooLong:
			d.answer.LeftOut++
			return nil
		}
		return each(Series{d.labels, d.points})
	})
}

// UnmarshalJSON reads what encoding/json found to be well formed.
func (e *element) UnmarshalJSON(b []byte) error {
	s := scanner{b: b}
	return s.object(func(key []byte) error {
		switch string(key) {
		case "metric":
			return e.metric(&s)
		case "value":
			return e.d.point(&s)
		case "values":
			return s.list(func() error { return e.d.point(&s) })
		case "histogram", "histograms":
			e.histograms = true
		}
		return s.skip()
	})
}

// metric reads the labels of a series. One with more than there is room for is passed over.
func (e *element) metric(s *scanner) error {
	d := e.d
	return s.object(func(key []byte) error {
		value, err := s.text()
		if err != nil {
			return err
		}
		if len(d.labels) == mostLabels || len(value) > mostLabelBytes || len(key) > mostLabelBytes {
			e.isTooLong = true
			return nil
		}
		d.labels = append(d.labels, prom.Label{Name: d.intern(key), Value: d.intern(value)})
		return nil
	})
}

// point reads a sample of a series.
func (d *decoder) point(s *scanner) error {
	p, err := s.point()
	if err != nil || len(d.points) == d.limits.Points {
		return errShape
	}
	d.points = append(d.points, p)
	return nil
}

// intern is a text, of which many are alike.
func (d *decoder) intern(text []byte) string {
	if known, ok := d.texts[string(text)]; ok {
		return known
	}
	s := string(text)
	if len(s) <= longestInterned && len(d.texts) < mostInterned {
		d.texts[s] = s
	}
	return s
}

// onePoint is the result of a scalar.
type onePoint struct{ Point }

func (o *onePoint) UnmarshalJSON(b []byte) (err error) {
	s := scanner{b: b}
	o.Point, err = s.point()
	return err
}

// scanner walks over JSON that is known to be well formed.
type scanner struct {
	b []byte
	i int
}

func (s *scanner) space() {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\n' || s.b[s.i] == '\t' || s.b[s.i] == '\r') {
		s.i++
	}
}

// next is the next byte that means something; 0 at the end.
func (s *scanner) next() byte {
	if s.space(); s.i == len(s.b) {
		return 0
	}
	return s.b[s.i]
}

// is passes over a byte, if it is the next.
func (s *scanner) is(c byte) bool {
	if s.next() != c {
		return false
	}
	s.i++
	return true
}

func (s *scanner) object(each func(key []byte) error) error {
	if !s.is('{') {
		return errShape
	}
	for !s.is('}') {
		key, err := s.text()
		if err != nil {
			return err
		}
		if !s.is(':') {
			return errShape
		}
		if err := each(key); err != nil {
			return err
		}
		s.is(',')
	}
	return nil
}

func (s *scanner) list(each func() error) error {
	if !s.is('[') {
		return errShape
	}
	for !s.is(']') {
		if err := each(); err != nil {
			return err
		}
		s.is(',')
	}
	return nil
}

// text is a text, without its quotes.
func (s *scanner) text() ([]byte, error) {
	if s.next() != '"' {
		return nil, errShape
	}
	start := s.i
	for s.i++; s.i < len(s.b) && s.b[s.i] != '"'; s.i++ {
		if s.b[s.i] == '\\' {
			s.i++
		}
	}
	if s.i >= len(s.b) {
		return nil, errShape
	}
	s.i++
	raw := s.b[start:s.i]
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1], nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return nil, errShape
	}
	return []byte(text), nil
}

// number is a number.
func (s *scanner) number() (float64, error) {
	s.space()
	start := s.i
	for s.i < len(s.b) && strings.IndexByte("+-.eE0123456789", s.b[s.i]) >= 0 {
		s.i++
	}
	f, err := strconv.ParseFloat(string(s.b[start:s.i]), 64)
	if err != nil {
		return 0, errShape
	}
	return f, nil
}

// The moments that a sample may be of, in seconds: year 1 to 9999.
const (
	firstSecond = -62135596800
	lastSecond  = 253402300799
)

// point is [seconds,"value"].
func (s *scanner) point() (p Point, err error) {
	if !s.is('[') {
		return p, errShape
	}
	at, err := s.number()
	if err != nil || !(at >= firstSecond && at <= lastSecond) || !s.is(',') {
		return p, errShape
	}
	p.At = int64(at*1000 + 0.5)
	text, err := s.text()
	if err != nil || !s.is(']') {
		return p, errShape
	}
	if p.Value, err = strconv.ParseFloat(string(text), 64); err != nil && !errors.Is(err, strconv.ErrRange) {
		return p, errShape
	}
	return p, nil
}

// skip passes over a value.
func (s *scanner) skip() error {
	switch s.next() {
	case '{':
		return s.object(func([]byte) error { return s.skip() })
	case '[':
		return s.list(s.skip)
	case '"':
		_, err := s.text()
		return err
	case 0:
		return errShape
	}
	start := s.i
	for s.i < len(s.b) && strings.IndexByte(",]} \n\t\r", s.b[s.i]) < 0 {
		s.i++
	}
	if s.i == start {
		return errShape
	}
	return nil
}

// apiError is the error that an answer of the API tells of.
func apiError(words []byte) (string, bool) {
	var said struct {
		Status string `json:"status"`
		Error  string `json:"error"`
	}
	if json.Unmarshal(words, &said) != nil || said.Status != "error" {
		return "", false
	}
	return said.Error, true
}
