package feed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session/text/printable"
)

// The keys of a line that are no counters.
const (
	keySet      = "set"
	keyInstance = "instance"
	keyParent   = "parent"
	keyGone     = "gone" // true: the instance is no more
)

var (
	errNotObject = errors.New("it is neither a JSON object nor a sample")
	errNumber    = errors.New("a raw value is a number from 0 to 18446744073709551615")
	errBig       = errors.New("it does not fit the 4 bytes of its type; the manifest may give it a large one")
	errNoBase    = errors.New("its type has no base")
	errNothing   = errors.New("it tells of no counter")
)

// line reads a line. An entry without a table tells nothing.
func (m *schema) line(line []byte) (entry, error) {
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0, line[0] == '#':
		return entry{}, nil
	case line[0] == '{':
		return m.object(line)
	}
	return m.sample(line)
}

// object reads a line of JSON: {"set": NAME, "instance": NAME, COUNTER: VALUE, ...}. A
// value is a raw number, a text, {"raw": NUMBER, "base": NUMBER}, or null if there is none
// any more.
func (m *schema) object(line []byte) (entry, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return entry{}, fmt.Errorf("JSON: %w", err)
	}
	var set string
	var e entry
	for key, to := range map[string]any{keySet: &set, keyInstance: &e.name.name, keyParent: &e.name.parent, keyGone: &e.gone} {
		text, there := fields[key]
		if !there {
			continue
		}
		delete(fields, key)
		if err := json.Unmarshal(text, to); err != nil {
			return entry{}, fmt.Errorf("%q cannot be %s", key, text)
		}
	}
	t, err := m.table(set)
	if err != nil {
		return entry{}, err
	}
	e.table = t
	if err := e.checkName(); err != nil {
		return entry{}, err
	}
	if len(fields) == 0 && !e.gone {
		return entry{}, errNothing
	}
	for name, text := range fields {
		column, err := t.counter(name)
		if err != nil {
			return entry{}, err
		}
		if err := e.value(column, text); err != nil {
			return entry{}, fmt.Errorf("%q: %w", name, err)
		}
	}
	return e, nil
}

// checkName tells whether the instance fits the counterset.
func (e *entry) checkName() error {
	switch multiple := e.table.set.Instances.Multiple(); {
	case multiple && e.name.name == "":
		return fmt.Errorf("%q has instances: say which", e.table.set.Name)
	case !multiple && e.name != (rowName{}):
		return fmt.Errorf("%q has no instances", e.table.set.Name)
	case len(e.name.name) > maxName || len(e.name.parent) > maxName:
		return fmt.Errorf("the name of the instance is longer than %d bytes", maxName)
	}
	return nil
}

// value reads what is told of a counter.
func (e *entry) value(at int, text json.RawMessage) error {
	col := &e.table.columns[at]
	switch text[0] {
	case 'n': // null
		e.tell(at, cell{})
		return nil
	case '{':
		return e.withBase(at, text)
	case '"':
		var s string
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		if !col.isText {
			return errNumber
		}
		e.tell(at, cell{told: true, text: cooker.MakeText(s)})
		return nil
	}
	return e.number(at, string(text))
}

func (e *entry) withBase(at int, text json.RawMessage) error {
	var v struct {
		Raw  json.Number `json:"raw"`
		Base json.Number `json:"base"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return errors.New(`only {"raw": NUMBER, "base": NUMBER} can stand here`)
	}
	if err := e.number(at, string(v.Raw)); err != nil {
		return err
	}
	if v.Base == "" {
		return nil
	}
	base := e.table.columns[at].base
	if base < 0 {
		return errNoBase
	}
	return e.number(base, string(v.Base))
}

// number takes over a raw number as it is written.
func (e *entry) number(at int, text string) error {
	col := &e.table.columns[at]
	if col.isText {
		e.tell(at, cell{told: true, text: cooker.MakeText(text)})
		return nil
	}
	if raw, err := strconv.ParseUint(text, 10, 64); err == nil {
		return e.whole(at, raw)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return errNumber
	}
	return e.float(at, f)
}

func (e *entry) tell(at int, of cell) { e.values = append(e.values, reading{at, of}) }

// float takes over a number that may have a fraction: raw values are whole.
func (e *entry) float(at int, f float64) error {
	const limit = 1 << 64
	if f = math.Round(f); !(f >= 0 && f < limit) { // NaN is neither
		return errNumber
	}
	return e.whole(at, uint64(f))
}

func (e *entry) whole(at int, raw uint64) error {
	col := &e.table.columns[at]
	if col.size == 4 && col.level && raw > math.MaxUint32 {
		return errBig
	}
	e.tell(at, cell{told: true, raw: raw})
	return nil
}

// beginning is what of a wrong line is shown.
func beginning(line []byte) string {
	const most = 60 // characters
	text := line[:min(len(line), 4*most)]
	return printable.Shorten(strings.TrimSpace(printable.Text(string(text))), most)
}
