package collectorset

import (
	"encoding/xml"
	"strings"

	"golang.org/x/text/encoding/unicode"
)

// Encode writes a set with all its elements, in the order of MS-PLA 3.2.4.19.
func (s *Set) Encode(e Encoding) []byte {
	declared := "UTF-16"
	if e == UTF8 {
		declared = "UTF-8"
	}
	w := writer{step: "\t", end: lineEnd}
	w.text.WriteString(`<?xml version="1.0" encoding="` + declared + `"?>` + lineEnd)
	w.set(s)
	return e.Bytes(w.text.String())
}

// Bytes are a text as the bytes of a file.
func (e Encoding) Bytes(text string) []byte {
	if e == UTF8 {
		return []byte(text)
	}
	out, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(text)) // all text can be
	return out
}

// Brief is what is said of a set, on one line: what it leaves out is as whoever reads it has it.
func (s *Set) Brief() string {
	w := writer{brief: true}
	w.set(s)
	return w.text.String()
}

const lineEnd = "\r\n"

type writer struct {
	text      strings.Builder
	indent    string
	step, end string // of the indent, and of lines
	brief     bool   // elements of which nothing is said are left out
}

func (w *writer) set(s *Set) {
	w.element(rootElement, func() {
		put(w, s, setBefore)
		for i := range s.Schedules {
			schedules.write(w, &s.Schedules[i])
		}
		put(w, s, setAfter)
		for i := range s.Collectors {
			w.collector(&s.Collectors[i])
		}
		w.manager(s.Manager)
		w.raw(s.Extra)
	})
}

func (m member[T]) write(w *writer, v *T) {
	w.element(m.name, func() {
		put(w, v, m.table)
		w.raw(*extraOf(v))
	})
}

func (w *writer) collector(c *Collector) {
	if c.Kind == Kept {
		w.raw([]string{c.Raw})
		return
	}
	kind := &kinds[c.Kind]
	w.element(kind.element, func() {
		w.value(typeElement, texts(new(kind.number)))
		put(w, c, collectorProperties)
		for i := range kind.properties {
			p := &kind.properties[i]
			w.value(p.name, texts(p.field(c)))
			if p.name == kind.lines {
				w.value(kind.shown, *c.lines())
			}
		}
		w.raw(c.Extra)
	})
}

func (w *writer) manager(m *Manager) {
	if m == nil {
		return
	}
	w.element(managerElement, func() {
		put(w, m, managerProperties)
		for i := range m.FolderActions {
			actions.write(w, &m.FolderActions[i])
		}
		w.raw(m.Extra)
	})
}

// element writes an element with others in it.
func (w *writer) element(name string, inside func()) {
	outer := w.indent
	w.text.WriteString(outer + "<" + name + ">" + w.end)
	w.indent += w.step
	inside()
	w.indent = outer
	w.text.WriteString(outer + "</" + name + ">" + w.end)
}

// put writes the properties of a table.
func put[T any](w *writer, v *T, table []property[T]) {
	for i := range table {
		p := &table[i]
		field := p.field(v)
		raw, isInner := field.(*Inner)
		switch {
		case !isInner:
			w.value(p.name, texts(field))
		case *raw != "" || p.name != schemaElement && !w.brief:
			w.raw([]string{"<" + p.name + ">" + string(*raw) + "</" + p.name + ">"})
		}
	}
}

// value writes an element for each text.
func (w *writer) value(name string, texts []string) {
	for _, text := range texts {
		if text != "" || !w.brief {
			w.text.WriteString(w.indent + "<" + name + ">" + written(name, text) + "</" + name + ">" + w.end)
		}
	}
}

// written is a text as it stands in an element.
func written(name, text string) string {
	var out strings.Builder
	inner := strings.Trim(text, " ")
	if isPattern(name) {
		inner = text
	}
	before, behind, _ := strings.Cut(text, inner)
	out.WriteString(strings.ReplaceAll(before, " ", blank))
	_ = xml.EscapeText(escaper{&out}, []byte(inner)) // a builder takes all
	out.WriteString(strings.ReplaceAll(behind, " ", blank))
	return out.String()
}

func (w *writer) raw(elements []string) {
	for _, e := range elements {
		w.text.WriteString(w.indent + e + w.end)
	}
}

// escaper writes what only has to be escaped in attributes as it is, as Windows does.
type escaper struct{ to *strings.Builder }

var plain = strings.NewReplacer("&#34;", `"`, "&#39;", "'", "&#xA;", lineEnd, "&#x9;", "\t")

func (e escaper) Write(p []byte) (int, error) {
	_, err := plain.WriteString(e.to, string(p))
	return len(p), err
}
