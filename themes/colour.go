package themes

import (
	"fmt"
	"strconv"
	"strings"
)

// Colour is one token of a palette for every kind of terminal.
type Colour struct {
	Inherit bool // the terminal's own colour: nothing is sent
	Own     bool // the word is sent on every terminal: one of its own 16 colours
	RGB     [3]uint8
	Index   uint8 // of the 256-colour palette
	Word    Word16
}

// Word16 is a token on a terminal of 16 colours (and, without its colour,
// under NO_COLOR).
type Word16 struct {
	Colour  int8 // 0 to 15, or -1: the terminal's own
	Bold    bool
	Faint   bool
	Reverse bool
}

// spec is a colour as a theme file gives it: parts may be left out.
type spec struct {
	Colour
	hasIndex, hasWord bool
}

// colourForms is how a colour can be written.
const colourForms = `"#6cb8f0", "#6cb8f0 74" (with its index of the 256 colours), "#6cb8f0 74 14+b" (with its word of the 16 too), ` +
	`"14+b" (one of the terminal's own) or "none"`

// parseSpec reads "none", "#rrggbb [INDEX [WORD]]" or WORD, WORD being def, 0 to
// 15, b (bold), f (faint), rev (reverse), or several joined by "+".
func parseSpec(text string) (spec, error) {
	fields := strings.Fields(text)
	switch {
	case len(fields) == 1 && fields[0] == "none":
		return spec{Colour{Inherit: true, Word: Word16{Colour: -1}}, true, true}, nil
	case len(fields) == 1 && !strings.HasPrefix(text, "#"):
		word, err := parseWord16(fields[0])
		if err != nil {
			return spec{}, fmt.Errorf("bad colour %q: want %s", text, colourForms)
		}
		return spec{Colour{Own: true, Inherit: word.Colour < 0, Word: word}, true, true}, nil
	case len(fields) == 0 || len(fields) > 3:
		return spec{}, fmt.Errorf("bad colour %q: want %s", text, colourForms)
	}
	var out spec
	var err error
	if out.RGB, err = parseHex(fields[0]); err != nil {
		return spec{}, err
	}
	if len(fields) > 1 {
		index, err := strconv.ParseUint(fields[1], 10, 8)
		if err != nil {
			return spec{}, fmt.Errorf("bad 256-colour index %q: want 0 to 255", fields[1])
		}
		out.Index, out.hasIndex = uint8(index), true
	}
	if len(fields) > 2 {
		if out.Word, err = parseWord16(fields[2]); err != nil {
			return spec{}, err
		}
		out.hasWord = true
	}
	return out, nil
}

// colour is the whole colour: the index that is missing is the nearest, the word
// that of the same token of another theme.
func (s spec) colour(base Colour) Colour {
	c := s.Colour
	if !s.hasIndex {
		c.Index = nearest256(c.RGB)
	}
	if !s.hasWord {
		c.Word = base.Word
	}
	return c
}

// String writes the colour as theme files do.
func (c Colour) String() string {
	switch {
	case c.Own:
		return c.Word.String()
	case c.Inherit:
		return "none"
	}
	return fmt.Sprintf("#%02x%02x%02x %d %s", c.RGB[0], c.RGB[1], c.RGB[2], c.Index, c.Word)
}

// String writes the word as theme files do.
func (w Word16) String() string {
	parts := []string{"def"}
	if w.Colour >= 0 {
		parts[0] = strconv.Itoa(int(w.Colour))
	}
	if w.Bold {
		parts = append(parts, "b")
	}
	if w.Faint {
		parts = append(parts, "f")
	}
	if w.Reverse {
		parts = append(parts, "rev")
	}
	return strings.Join(parts, "+")
}

func parseHex(s string) (rgb [3]uint8, err error) {
	digits, hasHash := strings.CutPrefix(s, "#")
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || !hasHash || len(digits) != 6 {
		return rgb, fmt.Errorf("bad colour %q: want # and six hex digits", s)
	}
	return [3]uint8{uint8(n >> 16), uint8(n >> 8), uint8(n)}, nil
}

func parseWord16(s string) (Word16, error) {
	w := Word16{Colour: -1}
	for part := range strings.SplitSeq(s, "+") {
		switch part {
		case "def":
			w.Colour = -1
		case "b", "bold":
			w.Bold = true
		case "f", "faint":
			w.Faint = true
		case "rev", "reverse":
			w.Reverse = true
		default:
			n, err := strconv.ParseUint(part, 10, 8)
			if err != nil || n > 15 {
				return w, fmt.Errorf("bad 16-colour word %q: want def, 0 to 15, b, f, rev, joined by +", s)
			}
			w.Colour = int8(n)
		}
	}
	return w, nil
}
