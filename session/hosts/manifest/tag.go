package manifest

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// startTag reads a start tag with its attributes and opens the element.
func (s *scanner) startTag() (token, error) {
	at := s.pos
	s.pos++
	tag, err := s.name("the name of an element after <")
	if err != nil {
		return token{}, err
	}
	if err := s.mayOpen(at, tag); err != nil {
		return token{}, err
	}
	prefix, local := splitName(tag)
	s.open = append(s.open, openElement{tag, local, at, len(s.scopes)})
	s.rooted = true
	if err := s.attributes(at, tag); err != nil {
		return token{}, err
	}
	t := token{kind: tokenStart, at: at, name: local, attrs: s.attrs}
	uri, ok := s.namespace(prefix)
	if t.namespace = uri; !ok {
		t.undefined = prefix
	}
	return t, nil
}

func (s *scanner) mayOpen(at int, tag string) error {
	s.elements++
	switch {
	case s.rooted && len(s.open) == 0:
		return syntax(at, "", "<%s> is a second root element", printName(tag))
	case len(s.open) >= MaxDepth:
		return limit(at, "elements are nested deeper than %d", MaxDepth)
	case s.elements > MaxElements:
		return limit(at, "the file has more than %d elements", MaxElements)
	}
	return nil
}

// attributes reads up to the end of the tag.
func (s *scanner) attributes(at int, tag string) error {
	s.attrs = s.attrs[:0]
	for {
		spaced := s.space()
		switch {
		case s.pos >= len(s.text):
			return syntax(at, "", "<%s is not closed by >", printName(tag))
		case s.text[s.pos] == '>':
			s.pos++
			return nil
		case strings.HasPrefix(s.text[s.pos:], "/>"):
			s.pos += len("/>")
			s.closing = true
			return nil
		case !spaced:
			return syntax(s.pos, "is a quote missing, or one too many?", "a blank is missing in <%s> before %s", printName(tag), s.peek())
		case len(s.attrs) == MaxAttributes:
			return limit(s.pos, "<%s> has more than %d attributes", printName(tag), MaxAttributes)
		}
		if err := s.attribute(tag); err != nil {
			return err
		}
	}
}

// attribute reads one attribute; a namespace declaration comes into force.
func (s *scanner) attribute(tag string) error {
	at := s.pos
	full, err := s.name("the name of an attribute, or > to close <" + printName(tag))
	if err != nil {
		return err
	}
	s.space()
	if s.pos >= len(s.text) || s.text[s.pos] != '=' {
		return syntax(s.pos, "", "= is missing after the attribute %s", printName(full))
	}
	s.pos++
	s.space()
	raw, valueAt, err := s.quoted(full)
	if err != nil {
		return err
	}
	prefix, local := splitName(full)
	for _, other := range s.attrs {
		if other.name == local && other.prefix == prefix && !s.report.full(Error) {
			s.report.fail(at, finding{RuleSyntax, "the attribute " + printName(full) + " is given twice", ""})
		}
	}
	a := attribute{prefix, local, s.unescape(raw, valueAt), at, valueAt}
	s.attrs = append(s.attrs, a)
	return s.declare(a)
}

// quoted reads a value with its quotes and returns what stands between them.
func (s *scanner) quoted(name string) (raw string, at int, err error) {
	if s.pos >= len(s.text) || s.text[s.pos] != '"' && s.text[s.pos] != '\'' {
		return "", 0, syntax(s.pos, "", "the value of %s must stand in quotes", printName(name))
	}
	quote := s.text[s.pos]
	s.pos++
	at = s.pos
	size := strings.IndexByte(s.text[at:], quote)
	if size < 0 {
		return "", 0, syntax(at, "", "the value of %s has no closing quote", printName(name))
	}
	raw = s.text[at : at+size]
	if tag := strings.IndexByte(raw, '<'); tag >= 0 {
		return "", 0, syntax(at+tag, "write &lt;, or close the quotes", "< in the value of %s", printName(name))
	}
	if size > MaxValueBytes {
		return "", 0, limit(at, "the value of %s has more than %d bytes", printName(name), MaxValueBytes)
	}
	s.pos = at + size + 1
	return raw, at, nil
}

// declare brings a namespace declaration into force.
func (s *scanner) declare(a attribute) error {
	prefix := a.name
	switch {
	case a.isDefaultNamespace():
		prefix = ""
	case a.prefix != "xmlns":
		return nil
	}
	if len(s.scopes) == MaxNamespaces {
		return limit(a.at, "more than %d namespaces are declared", MaxNamespaces)
	}
	s.scopes = append(s.scopes, binding{prefix, a.value})
	return nil
}

func (a attribute) isDefaultNamespace() bool { return a.prefix == "" && a.name == "xmlns" }

// namespace is the URI of a prefix; without a declaration the empty prefix has
// none.
func (s *scanner) namespace(prefix string) (uri string, ok bool) {
	for _, v := range slices.Backward(s.scopes) {
		if v.prefix == prefix {
			return v.uri, true
		}
	}
	return "", prefix == ""
}

// name reads a name.
func (s *scanner) name(what string) (string, error) {
	start := s.pos
	for s.pos < len(s.text) && nameByte(s.text[s.pos]) {
		s.pos++
	}
	name := s.text[start:s.pos]
	if name == "" || strings.IndexByte("-.0123456789", name[0]) >= 0 {
		s.pos = start
		return "", syntax(start, "", "%s is expected, not %s", what, s.peek())
	}
	return name, nil
}

// nameByte accepts all that is not ASCII: which letters XML allows in names
// does not matter here.
func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '_' || c == '-' || c == '.' || c == ':' || c >= utf8.RuneSelf
}

func splitName(full string) (prefix, local string) {
	if i := strings.IndexByte(full, ':'); i > 0 && i < len(full)-1 {
		return full[:i], full[i+1:]
	}
	return "", full
}

func (s *scanner) space() bool {
	start := s.pos
	for s.pos < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.pos]) >= 0 {
		s.pos++
	}
	return s.pos > start
}

// peek is the next character for a message.
func (s *scanner) peek() string {
	if s.pos >= len(s.text) {
		return "the end of the file"
	}
	_, size := utf8.DecodeRuneInString(s.text[s.pos:])
	return quote(s.text[s.pos : s.pos+size])
}

// printName makes a name fit for a message.
func printName(name string) string {
	quoted := quote(name)
	return quoted[1 : len(quoted)-1]
}
