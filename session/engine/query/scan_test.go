package query

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// scanned reads a whole value as encoding/json would give it.
func scanned(s *scanner) (any, error) {
	c, err := s.next()
	if err != nil {
		return nil, err
	}
	switch c {
	case '{':
		out := map[string]any{}
		return out, s.object(func(key []byte) error {
			name := strings.ToValidUTF8(string(key), "\uFFFD")
			v, err := scanned(s)
			out[name] = v
			return err
		})
	case '[':
		out := []any{}
		err := s.list(func() error {
			v, err := scanned(s)
			out = append(out, v)
			return err
		})
		return out, err
	case '"':
		text, err := s.text()
		return string(text), err
	case 't', 'f', 'n':
		w, err := s.word()
		if err != nil {
			return nil, err
		}
		switch string(w) {
		case "true", "false":
			return string(w) == "true", nil
		case "null":
			return nil, nil
		}
		return nil, errShape
	}
	return s.number()
}

// What is JSON for encoding/json is for the scanner, with the same values, however it comes.
func FuzzScan(f *testing.F) {
	for _, text := range []string{
		`{}`, `[]`, `[1,-0.5e+3,0,10,"a\"\\\u00fcb",true,false,null,{"a":[{}],"":{"b":1}}]`, `{"a":1,"a":2}`, ` [ 1 , 2 ] `,
		`[01]`, `[1.]`, `[.5]`, `[+1]`, `[1e]`, `[1,]`, `{"a":1,}`, `[1 2]`, `{"a" 1}`, `["` + "\x01" + `"]`, `["\x"]`, `["\ud800"]`, `["\`, `[tru]`, `[truee]`, `[1e999]`, `["a`, `{a:1}`, `[nan]`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 || len(data) > 2000 || data[0] != '[' && data[0] != '{' {
			return
		}
		var want any
		wantErr := json.Unmarshal(data, &want)
		for name, from := range map[string]io.Reader{"whole": bytes.NewReader(data), "bytes": iotest.OneByteReader(bytes.NewReader(data))} {
			s := newScanner(from)
			got, err := scanned(s)
			if err == nil { // json.Unmarshal wants nothing behind it
				if _, more := s.next(); more == nil {
					err = errShape
				}
			}
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("%s: %q: %v, not %v", name, data, err, wantErr)
			}
			if err == nil && utf8.Valid(data) && !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: %q: %v, not %v", name, data, got, want)
			}
			s = newScanner(bytes.NewReader(data))
			err = s.skip(0)
			if _, more := s.next(); err == nil && more == nil {
				err = errShape
			}
			if (err == nil) != json.Valid(data) {
				t.Fatalf("%q skipped: %v", data, err)
			}
		}
	})
}

// A reader that gives nothing for ever is given up on.
func TestScanNothing(t *testing.T) {
	if _, err := newScanner(nothing{}).next(); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
}

type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, nil }
