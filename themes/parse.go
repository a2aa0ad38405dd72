package themes

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxAbout bounds the texts of a theme, in characters.
const maxAbout = 200

// Parse reads a theme file; file is what errors call it. Every error is a
// *FileError.
func Parse(file string, data []byte) (*Theme, error) {
	if len(data) > maxFileBytes {
		return nil, &FileError{File: file, Reason: "file is larger than 64 KB"}
	}
	entries, err := readDocument(file, bytes.TrimPrefix(data, []byte("\ufeff"))) // which editors of Windows write
	if err != nil {
		return nil, err
	}
	r := reader{colours: map[string]spec{}}
	for _, e := range entries {
		if reason := r.take(e); reason != "" {
			return nil, &FileError{File: file, Line: e.line, Key: e.key, Reason: reason}
		}
	}
	for _, e := range entries { // what only says may stand below
		if table, _, _ := strings.Cut(e.key, "."); r.theme.Only != "" && table != r.theme.Only && isSide(table) {
			return nil, &FileError{File: file, Line: e.line, Key: e.key, Reason: "is never used: only is " + r.theme.Only}
		}
	}
	if err := r.fill(); err != nil {
		return nil, err
	}
	return &r.theme, nil
}

// reader makes a theme of the keys of its file.
type reader struct {
	theme   Theme
	base    string
	colours map[string]spec // by key, as "dark.accent"
}

func isSide(table string) bool { return table == "dark" || table == "light" }

// take takes one key. It returns what is wrong with it.
func (r *reader) take(e entry) string {
	table, name, hasTable := strings.Cut(e.key, ".")
	switch {
	case hasTable && isSide(table):
		return r.takeColour(e, name)
	case isSide(e.key):
		return "want a table of colours: [" + e.key + "]"
	case !slices.Contains([]string{"about", "source", "base", "only"}, e.key):
		return "unknown key: want about, source, base, only, or colours in [dark] and [light]"
	case !e.isText:
		return "want a text in quotes"
	}
	switch e.key {
	case "about":
		r.theme.About = e.text
		return badText(e.text)
	case "source":
		r.theme.Source = e.text
		return badText(e.text)
	case "base":
		if own := Names(nil); !slices.Contains(own, e.text) {
			return "want one of perfdeck's own themes: " + strings.Join(own, ", ")
		}
		r.base = e.text
	case "only":
		if !isSide(e.text) {
			return `want "dark" or "light": the palette that is used on every background`
		}
		r.theme.Only = e.text
	}
	return ""
}

func (r *reader) takeColour(e entry, token string) string {
	if !slices.Contains(tokenNames[:], token) {
		return "unknown token: want one of " + strings.Join(tokenNames[:], ", ")
	}
	if !e.isText {
		return "want " + colourForms
	}
	s, err := parseSpec(e.text)
	if err != nil {
		return err.Error()
	}
	r.colours[e.key] = s
	return ""
}

// badText keeps what steers a terminal out of the texts of a theme.
func badText(s string) string {
	if utf8.RuneCountInString(s) > maxAbout || strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return "want one line of at most 200 characters that can be seen"
	}
	return ""
}

// fill takes what the file leaves out from its base.
func (r *reader) fill() error {
	t := &r.theme
	base := &Theme{}
	if r.base != "" || len(r.colours) < 2*int(tokenCount) {
		var err error
		if base, err = parseFile(embedded, cmp.Or(r.base, Default)); err != nil {
			return err
		}
	}
	for _, s := range []struct {
		side
		from *Palette
	}{{side{"dark", &t.Dark}, &base.Dark}, {side{"light", &t.Light}, &base.Light}} {
		*s.palette = *s.from
		for token := range tokenCount {
			if c, given := r.colours[s.name+"."+token.String()]; given {
				s.palette[token] = c.colour(s.from[token])
			}
		}
		for _, ramp := range []Ramp{RampA, RampB} {
			r.fillRamp(s.side, ramp)
		}
	}
	switch t.Only {
	case "dark":
		t.Light = withWords(t.Dark, &base.Light)
	case "light":
		t.Dark = withWords(t.Light, &base.Dark)
	}
	return nil
}

// fillRamp completes a ramp. A theme that says nothing of it but has colours of its
// own gets one from the token that it stands for to the strongest, which is readable
// wherever those two are; on 16 colours a ramp is one colour, that of the token.
func (r *reader) fillRamp(s side, ramp Ramp) {
	given := func(token Token) bool { _, ok := r.colours[s.name+"."+token.String()]; return ok }
	ends, plain := ramp.tokens(), ramp.plain()
	isOwn := slices.ContainsFunc(ends[:], given)
	for i, token := range ends {
		c := &s.palette[token]
		switch spec := r.colours[s.name+"."+token.String()]; {
		case given(token):
			if !spec.hasWord {
				c.Word = s.palette[plain].Word
			}
		case !isOwn && (given(plain) || given(Strong)):
			*c = mixed(s.palette[plain], s.palette[Strong], float64(i)/float64(len(ends)-1))
		}
	}
}

// withWords is a palette for the other background: with 16 colours the
// background stays the terminal's, so the words must be those that can be read
// on it.
func withWords(p Palette, words *Palette) Palette {
	for token := range p {
		if !p[token].Own {
			p[token].Word = words[token].Word
		}
	}
	return p
}
