// Package paths is the language of Windows performance counter paths:
//
//	\\Computer\Object(Parent/Instance#Index)\Counter
//
// It parses and prints them, matches names and wildcards without case, expands
// paths against a catalogue and reads alert expressions (path>50). The grammar
// is that of "Specifying a Counter Path" and MS-PLA 2.2.10, read so that names
// found on real machines get through: balanced parentheses and backslashes in
// instances and counters, and `#`, `/`, `<`, `>` and `?` as plain characters
// where they do not bind.
//
// The package does no I/O and keeps no state.
package paths

// Path is a counter path taken apart. The zero value of a part means that it is
// absent. A Path that Parse made holds substrings of its input.
type Path struct {
	Computer string // without the leading backslashes; empty: the catalogue's own host
	Object   string

	// HasInstance tells `\Object()\Counter` from `\Object\Counter`; without it
	// Parent, Instance and Index are empty.
	HasInstance bool
	Parent      string
	Instance    string
	Index       Index

	// Literal marks Parent and Instance as names that a machine reported: they
	// print as they are, even where Parse would split them (`adapter #2`).
	Literal bool

	Counter string

	raw string // instance text as it was read, before it was split
}

// Of makes the path of an instance from the names that a machine reports.
// duplicate is n of name#n, 0 for the first of its name. For an object without
// instances, set Computer, Object and Counter of a Path instead.
func Of(computer, object, parent, instance string, duplicate int, counter string) Path {
	return Path{
		Computer:    computer,
		Object:      object,
		HasInstance: true,
		Parent:      parent,
		Instance:    instance,
		Index:       IndexOf(duplicate),
		Literal:     true,
		Counter:     counter,
	}
}

// String prints the path in canonical form: as it was read, but with an index
// without leading zeros and no `#0`.
func (p Path) String() string {
	var room [160]byte
	return string(p.AppendTo(room[:0]))
}

// AppendTo appends what String returns to b.
func (p Path) AppendTo(b []byte) []byte {
	b = p.appendObject(b)
	if p.HasInstance {
		b = append(b, '(')
		b = p.appendInstance(b)
		b = append(b, ')')
	}
	b = append(b, '\\')
	return append(b, p.Counter...)
}

func (p Path) appendObject(b []byte) []byte {
	if p.Computer != "" {
		b = append(b, `\\`...)
		b = append(b, p.Computer...)
	}
	b = append(b, '\\')
	return append(b, p.Object...)
}

func (p Path) appendInstance(b []byte) []byte {
	if p.Parent != "" {
		b = append(b, p.Parent...)
		b = append(b, '/')
	}
	b = append(b, p.Instance...)
	switch {
	case p.Index != First:
		b = append(b, '#')
		b = append(b, p.Index...)
	case p.endsLikeIndex():
		b = append(b, "#0"...)
	}
	return b
}

// endsLikeIndex reports whether the name of the first instance would be read as
// another name with an index (`x#1` in `x#1#0`), so that its #0 must be printed.
func (p Path) endsLikeIndex() bool {
	if p.Literal {
		return false
	}
	_, _, split := cutIndex(p.Instance)
	return split
}

// InstanceText returns the text between the parentheses, unsplit and as it was
// read: what has to be looked up literally before `/`, `#` and `*` mean anything.
func (p Path) InstanceText() string {
	if p.raw != "" && !p.Literal {
		// The parts are public: raw counts only while it still says the same.
		if parent, name, index := splitInstance(p.raw); parent == p.Parent && name == p.Instance && index == p.Index {
			return p.raw
		}
	}
	if p.Parent == "" && p.Index == First && !p.endsLikeIndex() {
		return p.Instance
	}
	return p.CanonicalInstance()
}

// CanonicalInstance returns the text between the parentheses as String prints it.
func (p Path) CanonicalInstance() string { return string(p.appendInstance(nil)) }

// Equal reports whether both paths mean the same, compared without case.
func (p Path) Equal(q Path) bool {
	return p.HasInstance == q.HasInstance && p.Index == q.Index &&
		EqualFold(p.Computer, q.Computer) && EqualFold(p.Object, q.Object) &&
		EqualFold(p.Parent, q.Parent) && EqualFold(p.Instance, q.Instance) &&
		EqualFold(p.Counter, q.Counter)
}

// Check reports why the path cannot be printed so that Parse reads the same
// parts back: an empty or too long part, an unbalanced parenthesis, a name that
// reads as something else. ExpandText may still find such a name literally.
func (p Path) Check() error {
	text := p.String()
	q, err := Parse(text)
	if err != nil {
		return err
	}
	q.raw, p.raw = "", ""
	q.Literal = p.Literal
	if q != p {
		return &ParseError{Input: text, Code: BadCounterName, Reason: "the names of this path read back as other parts"}
	}
	return nil
}
