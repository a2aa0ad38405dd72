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
	w := writer{indent: "\t"}
	w.text.WriteString(`<?xml version="1.0" encoding="` + declared + `"?>` + lineEnd + "<" + rootElement + ">" + lineEnd)
	put(&w, s, setBefore)
	for i := range s.Schedules {
		sched := &s.Schedules[i]
		w.element(scheduleElement, func() {
			put(&w, sched, scheduleProperties)
			w.raw(sched.Extra)
		})
	}
	put(&w, s, setAfter)
	for i := range s.Collectors {
		w.collector(&s.Collectors[i])
	}
	if s.Manager != nil {
		w.element(managerElement, func() { w.manager(s.Manager) })
	}
	w.raw(s.Extra)
	w.text.WriteString("</" + rootElement + ">" + lineEnd)
	if e == UTF8 {
		return []byte(w.text.String())
	}
	out, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(w.text.String())) // all text can be
	return out
}

const lineEnd = "\r\n"

type writer struct {
	text   strings.Builder
	indent string
}

func (w *writer) collector(c *Collector) {
	if c.Kind == Kept {
		w.raw([]string{c.Raw})
		return
	}
	kind := &kinds[c.Kind]
	w.element(kind.element, func() {
		number := kind.number
		w.value(typeElement, texts(&number))
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
	put(w, m, managerProperties)
	for i := range m.FolderActions {
		a := &m.FolderActions[i]
		w.element(actionElement, func() {
			put(w, a, actionProperties)
			w.raw(a.Extra)
		})
	}
	w.raw(m.Extra)
}

// element writes an element with others in it.
func (w *writer) element(name string, inside func()) {
	w.text.WriteString(w.indent + "<" + name + ">" + lineEnd)
	w.indent += "\t"
	inside()
	w.indent = w.indent[1:]
	w.text.WriteString(w.indent + "</" + name + ">" + lineEnd)
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
		case *raw != "" || p.name != schemaElement:
			w.raw([]string{"<" + p.name + ">" + string(*raw) + "</" + p.name + ">"})
		}
	}
}

// value writes an element for each text.
func (w *writer) value(name string, texts []string) {
	for _, text := range texts {
		w.text.WriteString(w.indent + "<" + name + ">")
		inner := strings.Trim(text, " ")
		if isPattern(name) {
			inner = text
		}
		before, behind, _ := strings.Cut(text, inner)
		w.text.WriteString(strings.ReplaceAll(before, " ", blank))
		_ = xml.EscapeText(escaper{&w.text}, []byte(inner)) // a builder takes all
		w.text.WriteString(strings.ReplaceAll(behind, " ", blank))
		w.text.WriteString("</" + name + ">" + lineEnd)
	}
}

func (w *writer) raw(elements []string) {
	for _, e := range elements {
		w.text.WriteString(w.indent + e + lineEnd)
	}
}

// escaper writes what only has to be escaped in attributes as it is, as Windows does.
type escaper struct{ to *strings.Builder }

var plain = strings.NewReplacer("&#34;", `"`, "&#39;", "'", "&#xA;", lineEnd, "&#x9;", "\t")

func (e escaper) Write(p []byte) (int, error) {
	_, err := plain.WriteString(e.to, string(p))
	return len(p), err
}
