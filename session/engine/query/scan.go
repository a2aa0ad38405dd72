package query

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"perfdeck/session/text/english"
)

// scanner walks over JSON (RFC 8259) as it comes, each byte once. encoding/json goes over each
// value three times, which was half of the work for an answer about thousands of hosts.
type scanner struct {
	from   io.Reader
	buf    []byte // what came; what is before at was passed over
	at     int
	mark   int // bytes from here on are kept; -1: none
	passed int // bytes before buf
	key    []byte
	ended  error
}

const (
	scanRoom   = 32 << 10 // bytes that are read at once, at first
	deepest    = 10_000   // values within values
	mostSpaces = 4 << 10  // bytes between two words
	mostEmpty  = 100      // reads in a row that give nothing
)

var (
	errShape  = errors.New("not the shape that was expected")
	errSpaces = advised(addressAdvice, "its answer is nothing but spaces for more than %s", english.Size(mostSpaces))
)

func newScanner(r io.Reader) *scanner {
	return &scanner{from: r, buf: make([]byte, 0, scanRoom), mark: -1}
}

// fill reads more, behind what is kept.
func (s *scanner) fill() error {
	if s.ended != nil {
		return s.ended
	}
	keep := s.at
	if s.mark >= 0 {
		keep = s.mark
		s.mark = 0
	}
	n := copy(s.buf, s.buf[keep:])
	s.buf, s.at, s.passed = s.buf[:n], s.at-keep, s.passed+keep
	if n == cap(s.buf) {
		s.buf = append(make([]byte, 0, 2*n), s.buf...)
	}
	for range mostEmpty {
		got, err := s.from.Read(s.buf[n:cap(s.buf)])
		s.buf, s.ended = s.buf[:n+got], err
		if got > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// next is the next byte that means something, which stays the next.
func (s *scanner) next() (byte, error) {
	for spaces := 0; ; {
		for ; s.at < len(s.buf); s.at++ {
			switch c := s.buf[s.at]; c {
			case ' ', '\n', '\t', '\r':
				if spaces++; spaces > mostSpaces {
					return 0, errSpaces
				}
			default:
				return c, nil
			}
		}
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
}

// is passes over a byte, if it is the next.
func (s *scanner) is(want byte) (bool, error) {
	c, err := s.next()
	if err != nil || c != want {
		return false, err
	}
	s.at++
	return true, nil
}

// need passes over a byte, which has to be the next.
func (s *scanner) need(want byte) error {
	is, err := s.is(want)
	if err == nil && !is {
		err = errShape
	}
	return err
}

// object reads an object; each reads the value of a key, which is there until another is read.
func (s *scanner) object(each func(key []byte) error) error {
	return s.several('{', '}', func() error {
		key, err := s.text()
		if err != nil {
			return err
		}
		s.key = append(s.key[:0], key...)
		if err := s.need(':'); err != nil {
			return err
		}
		return each(s.key)
	})
}

// list reads a list; each reads one of it.
func (s *scanner) list(each func() error) error { return s.several('[', ']', each) }

// several reads what stands between two signs, with commas between.
func (s *scanner) several(open, end byte, each func() error) error {
	if err := s.need(open); err != nil {
		return err
	}
	if is, err := s.is(end); is || err != nil {
		return err
	}
	for {
		if err := each(); err != nil {
			return err
		}
		if more, err := s.is(','); err != nil {
			return err
		} else if !more {
			return s.need(end)
		}
	}
}

// text is a text without its quotes. It is there until the next byte is read.
func (s *scanner) text() ([]byte, error) {
	if err := s.need('"'); err != nil {
		return nil, err
	}
	s.mark = s.at - 1
	defer func() { s.mark = -1 }()
	escaped := false
	for {
		for ; s.at < len(s.buf); s.at++ {
			switch c := s.buf[s.at]; {
			case c == '"':
				raw := s.buf[s.mark : s.at+1]
				s.at++
				if escaped {
					return unescaped(raw)
				}
				return raw[1 : len(raw)-1], nil
			case c == '\\':
				escaped = true
				s.at++ // the next is no end; at the end of what came, it comes first
			case c < ' ':
				return nil, errShape
			}
		}
		over := s.at - len(s.buf) // 1: what is behind a backslash is yet to come
		s.at = len(s.buf)
		if err := s.fill(); err != nil {
			return nil, err
		}
		s.at += over
	}
}

// unescaped is a text in quotes with its escapes put in.
func unescaped(raw []byte) ([]byte, error) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil, errShape
	}
	return []byte(text), nil
}

// word is a number or a name: what ends with a sign, a space or the end. It is there until the
// next byte is read.
func (s *scanner) word() ([]byte, error) {
	if _, err := s.next(); err != nil {
		return nil, err
	}
	s.mark = s.at
	defer func() { s.mark = -1 }()
	for {
		for ; s.at < len(s.buf); s.at++ {
			if c := s.buf[s.at]; (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && (c|0x20 < 'a' || c|0x20 > 'z') {
				return s.buf[s.mark:s.at], nil
			}
		}
		if err := s.fill(); err != nil { // a word ends with the sign behind it
			return nil, err
		}
		if s.at-s.mark > mostSpaces {
			return nil, errShape
		}
	}
}

// number is a number.
func (s *scanner) number() (float64, error) {
	w, err := s.word()
	if err != nil {
		return 0, err
	}
	f, err := strconv.ParseFloat(string(w), 64)
	if err != nil {
		return 0, errShape
	}
	plain := w[0] > '0' && w[len(w)-1] >= '0'
	for _, c := range w {
		plain = plain && (c >= '0' && c <= '9' || c == '.')
	}
	if !plain && !json.Valid(w) { // of what JSON has not, as .5 and inf
		return 0, errShape
	}
	return f, nil
}

// isNull passes over a null, if it is the next.
func (s *scanner) isNull() (bool, error) {
	if c, err := s.next(); err != nil || c != 'n' {
		return false, err
	}
	return true, s.skip(0)
}

// bool reads true or false; null changes nothing.
func (s *scanner) bool(to *bool) error {
	w, err := s.word()
	if err != nil {
		return err
	}
	switch string(w) {
	case "true", "false":
		*to = string(w) == "true"
	case "null":
	default:
		return errShape
	}
	return nil
}

// skip passes over a value that nobody wants, which is in so many others.
func (s *scanner) skip(depth int) error {
	c, err := s.next()
	switch {
	case err != nil:
		return err
	case depth > deepest:
		return errShape
	case c == '{':
		return s.object(func([]byte) error { return s.skip(depth + 1) })
	case c == '[':
		return s.list(func() error { return s.skip(depth + 1) })
	case c == '"':
		_, err := s.text()
		return err
	}
	w, err := s.word()
	if err == nil && !json.Valid(w) {
		err = errShape
	}
	return err
}
