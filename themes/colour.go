package themes

import (
	"fmt"
	"strconv"
	"strings"
)

// Colour is one token of a palette for every kind of terminal.
type Colour struct {
	Inherit bool // the terminal's own colour: nothing is sent
	RGB     [3]uint8
	Index   uint8 // of the 256-colour palette
	Word    Word16
}

// Word16 is a token on a terminal of 16 colours (and, without its colour,
// under NO_COLOR).
type Word16 struct {
	Colour  int8 // 0 to 15, or -1: the terminal's own
	Bold    bool
	Reverse bool
}

// UnmarshalText reads "none" or "#rrggbb INDEX WORD", WORD being def, 0 to 15,
// b (bold), rev (reverse), or several joined by "+".
func (c *Colour) UnmarshalText(text []byte) error {
	fields := strings.Fields(string(text))
	if len(fields) == 1 && fields[0] == "none" {
		*c = Colour{Inherit: true, Word: Word16{Colour: -1}}
		return nil
	}
	if len(fields) != 3 {
		return fmt.Errorf("bad colour %q: want \"none\" or three parts, as \"#6cb8f0 74 14+b\"", text)
	}
	var out Colour
	var err error
	if out.RGB, err = parseHex(fields[0]); err != nil {
		return err
	}
	index, err := strconv.ParseUint(fields[1], 10, 8)
	if err != nil {
		return fmt.Errorf("bad 256-colour index %q: want 0 to 255", fields[1])
	}
	out.Index = uint8(index)
	if out.Word, err = parseWord16(fields[2]); err != nil {
		return err
	}
	*c = out
	return nil
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
		case "rev", "reverse":
			w.Reverse = true
		default:
			n, err := strconv.ParseUint(part, 10, 8)
			if err != nil || n > 15 {
				return w, fmt.Errorf("bad 16-colour word %q: want def, 0 to 15, b, rev, joined by +", s)
			}
			w.Colour = int8(n)
		}
	}
	return w, nil
}
