package config

import (
	"errors"
	"reflect"
	"testing"
)

func FuzzParse(f *testing.F) {
	f.Add([]byte(wholeFile))
	f.Add([]byte(uncommented()))
	f.Add([]byte("a.b.c = [[{x = 1}], {y.z = 2}]\n[[a.d]]\n[a.d.e]\n[[a.d.f]]\n"))
	f.Add([]byte("\ufeff[[deck]]\r\npanes = [ # c\r\n{paths=['\\A\\b'\n]}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, warnings, err := Parse("f", data)
		lines := 1
		for _, b := range data {
			if b == '\n' {
				lines++
			}
		}
		for _, w := range warnings {
			if w.Line < 1 || w.Line > lines || w.Column < 1 || w.Column > len(data)+1 {
				t.Errorf("warning outside of the file: %v", w)
			}
			_ = w.String() + w.Hint()
		}
		if err != nil {
			var e *FileError
			if !errors.As(err, &e) || e.Line > lines || e.Column > len(data)+1 {
				t.Errorf("error %v", err)
			}
			return
		}
		s := Merge(c.Settings)
		if s.Interval < 100e6 || s.History <= 0 || s.Theme == "" {
			t.Errorf("settings %+v", s)
		}
		for _, d := range c.Decks {
			if d.Name == "" || len(d.Panes) == 0 {
				t.Errorf("deck %+v", d)
			}
		}
		for _, h := range c.Hosts {
			r := h.Password
			if found, ok := c.Host(h.Name); !ok || !reflect.DeepEqual(found, h) || h.Address == "" ||
				r.File != "" && len(r.Command) > 0 || r.Keyring != "" && len(r.Command) > 0 || r.File != "" && r.Keyring != "" {
				t.Errorf("host %+v", h)
			}
		}
		c.Counters.For("Memory", "Available Bytes")
		samePlaces(t, mustValues(t, data), locate(trimMark(data)))
	})
}

// samePlaces checks that every value has a place.
func samePlaces(t *testing.T, v any, p *place) {
	switch v := v.(type) {
	case map[string]any:
		for k, sub := range v {
			if p.fields[k] == nil {
				t.Errorf("no place of key %q", k)
				return
			}
			samePlaces(t, sub, p.fields[k])
		}
	case []any:
		if len(v) != len(p.items) {
			t.Errorf("places of %d items, there are %d", len(p.items), len(v))
			return
		}
		for i, sub := range v {
			samePlaces(t, sub, p.items[i])
		}
	}
}

func mustValues(t *testing.T, data []byte) map[string]any {
	values, err := parseTOML("f", trimMark(data))
	if err != nil {
		t.Fatal(err)
	}
	return values
}
