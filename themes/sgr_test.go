package themes

import (
	"strings"
	"testing"
)

// sgrState is what a terminal remembers of SGR sequences.
type sgrState struct {
	fg, bg             string
	bold, faint        bool
	underline, reverse bool
}

func newSGRState() sgrState { return sgrState{fg: "39", bg: "49"} }

func (s *sgrState) apply(t *testing.T, seq string) {
	t.Helper()
	if seq == "" {
		return
	}
	body, ok := strings.CutPrefix(seq, "\x1b[")
	body, ok2 := strings.CutSuffix(body, "m")
	if !ok || !ok2 {
		t.Fatalf("not one SGR sequence: %q", seq)
	}
	params := strings.Split(body, ";")
	for i := 0; i < len(params); i++ {
		p := params[i]
		switch p {
		case "", "0":
			*s = newSGRState()
		case "1":
			s.bold = true
		case "2":
			s.faint = true
		case "4":
			s.underline = true
		case "7":
			s.reverse = true
		case "22":
			s.bold, s.faint = false, false
		case "24":
			s.underline = false
		case "27":
			s.reverse = false
		case "38", "48":
			n := map[string]int{"2": 5, "5": 3}[params[i+1]]
			colour := strings.Join(params[i:i+n], ";")
			if p == "38" {
				s.fg = colour
			} else {
				s.bg = colour
			}
			i += n - 1
		default:
			switch {
			case p[0] == '3' || p[0] == '9':
				s.fg = p
			case p[0] == '4' || p[:2] == "10":
				s.bg = p
			default:
				t.Fatalf("unknown parameter %q in %q", p, seq)
			}
		}
	}
}
