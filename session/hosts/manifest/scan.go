package manifest

import (
	"fmt"
	"strings"
)

// scanner takes XML 1.0 apart, as far as manifests need it: it knows where each
// attribute stands, expands nothing but the references that XML itself defines,
// reads no document types, and stops at the limits of this package. Texts are
// substrings of the input wherever possible.
type scanner struct {
	text   string
	pos    int
	report *report

	open     []openElement
	scopes   []binding   // namespace declarations of open elements
	attrs    []attribute // of the last start tag
	elements int
	closing  bool // the last start tag ended in "/>"
	rooted   bool // the root element was seen
}

type openElement struct {
	tag    string // with its prefix
	local  string
	at     int
	scopes int // len(scanner.scopes) before it
}

type binding struct{ prefix, uri string }

// attribute is one attribute of a start tag, its value without references.
type attribute struct {
	prefix, name string
	value        string
	at, valueAt  int // byte offsets of the name and of what the quotes hold
}

type tokenKind uint8

const (
	tokenStart tokenKind = iota
	tokenEnd
	tokenText // not blank
	tokenDone
)

// token is what next found. Attributes are valid until the next call.
type token struct {
	kind      tokenKind
	at        int // byte offset
	name      string
	namespace string
	undefined string // prefix that is not declared
	attrs     []attribute
}

// syntaxError is why the scanner cannot go on.
type syntaxError struct {
	at int
	finding
}

func (e *syntaxError) Error() string { return e.message }

func syntax(at int, hint, format string, args ...any) error {
	return &syntaxError{at, finding{RuleSyntax, fmt.Sprintf(format, args...), hint}}
}

func limit(at int, format string, args ...any) error {
	return &syntaxError{at, finding{RuleLimit, fmt.Sprintf(format, args...), ""}}
}

// parent is the local name of the element around the one just opened.
func (s *scanner) parent() string {
	if len(s.open) < 2 {
		return ""
	}
	return s.open[len(s.open)-2].local
}

// next returns the next token. Every error is a *syntaxError and final.
func (s *scanner) next() (token, error) {
	if s.closing {
		s.closing = false
		return s.end(s.pos), nil
	}
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		var err error
		switch {
		case rest[0] != '<':
			at, blank := s.characters()
			if !blank && len(s.open) == 0 {
				return token{}, syntax(at, "", "text outside the root element")
			}
			if !blank {
				return token{kind: tokenText, at: at}, nil
			}
		case strings.HasPrefix(rest, "<!--"):
			err = s.comment()
		case strings.HasPrefix(rest, "<?"):
			err = s.instruction()
		case strings.HasPrefix(rest, "<![CDATA[") && len(s.open) > 0:
			at := s.pos
			if err = s.until("]]>", "a CDATA section"); err == nil {
				return token{kind: tokenText, at: at}, nil
			}
		case strings.HasPrefix(rest, "<!DOCTYPE") && !s.rooted:
			err = s.doctype()
		case strings.HasPrefix(rest, "</"):
			return s.endTag()
		default:
			return s.startTag()
		}
		if err != nil {
			return token{}, err
		}
	}
	return s.finish()
}

func (s *scanner) finish() (token, error) {
	if n := len(s.open); n > 0 {
		return token{}, syntax(s.pos, "", "the file ends inside <%s> of line %d", printName(s.open[n-1].tag), s.line(s.open[n-1].at))
	}
	if !s.rooted {
		return token{}, syntax(0, "a manifest begins with <instrumentationManifest> or <counters>", "the file has no XML element")
	}
	return token{kind: tokenDone, at: s.pos}, nil
}

// characters skips text up to the next tag and checks its references.
func (s *scanner) characters() (at int, blank bool) {
	size := strings.IndexByte(s.text[s.pos:], '<')
	if size < 0 {
		size = len(s.text) - s.pos
	}
	text := s.text[s.pos : s.pos+size]
	lead := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	at, blank = s.pos+lead, lead == len(text)
	if strings.IndexByte(text, '&') >= 0 {
		s.unescape(text, s.pos) // for its reports
	}
	s.pos += size
	return at, blank
}

// until skips what begins here and ends with the mark.
func (s *scanner) until(mark, what string) error {
	size := strings.Index(s.text[s.pos:], mark)
	if size < 0 {
		return syntax(s.pos, "", "%s is not closed by %s", what, mark)
	}
	s.pos += size + len(mark)
	return nil
}

func (s *scanner) comment() error {
	at := s.pos
	s.pos += len("<!--")
	inside := s.pos
	if err := s.until("-->", "a comment"); err != nil {
		return syntax(at, "", "a comment is not closed by -->")
	}
	if dashes := strings.Index(s.text[inside:s.pos-len("->")], "--"); dashes >= 0 && inside+dashes < s.pos-len("-->") {
		s.report.fail(inside+dashes, finding{RuleSyntax, "-- is not allowed inside a comment", ""})
	}
	return nil
}

func (s *scanner) instruction() error {
	at := s.pos
	err := s.until("?>", "a processing instruction")
	const declaration = "<?xml"
	if at > 0 && err == nil && strings.EqualFold(s.text[at:min(at+len(declaration), s.pos)], declaration) && !nameByte(s.text[at+len(declaration)]) {
		s.report.fail(at, finding{RuleSyntax, "an XML declaration must be the very first thing in a file", "remove what stands before it"})
	}
	return err
}

// doctype skips a document type: nothing of it is read, and what it declares is
// unknown.
func (s *scanner) doctype() error {
	at := s.pos
	s.report.warn(at, finding{RuleDoctype, "the document type is skipped: entities that it declares are unknown", "remove it"})
	var quoted byte
	depth := 0
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; {
		case quoted != 0:
			if c == quoted {
				quoted = 0
			}
		case c == '"' || c == '\'':
			quoted = c
		case c == '[' || c == '<':
			depth++
		case c == ']' || c == '>' && depth > 0:
			depth--
		case c == '>':
			s.pos++
			return nil
		}
	}
	return syntax(at, "", "the document type is not closed")
}

func (s *scanner) endTag() (token, error) {
	at := s.pos
	s.pos += len("</")
	tag, err := s.name("a name after </")
	if err != nil {
		return token{}, err
	}
	s.space()
	if s.pos >= len(s.text) || s.text[s.pos] != '>' {
		return token{}, syntax(s.pos, "", "</%s is not closed by >", printName(tag))
	}
	s.pos++
	if len(s.open) == 0 {
		return token{}, syntax(at, "", "</%s> closes nothing", printName(tag))
	}
	if inner := s.open[len(s.open)-1]; inner.tag != tag {
		return token{}, syntax(at, fmt.Sprintf("write </%s> before it", printName(inner.tag)),
			"</%s> stands where <%s> of line %d is still open", printName(tag), printName(inner.tag), s.line(inner.at))
	}
	return s.end(at), nil
}

// end closes the innermost element.
func (s *scanner) end(at int) token {
	last := len(s.open) - 1
	s.scopes = s.scopes[:s.open[last].scopes]
	s.open = s.open[:last]
	return token{kind: tokenEnd, at: at}
}

// line is the line of an offset, for messages that name a second place.
func (s *scanner) line(at int) int { return 1 + strings.Count(s.text[:at], "\n") }
