package themes

import (
	"slices"
	"strings"
	"testing"
)

// What is printed has the colours of the screens: of each theme, token and terminal.
func TestPrintedColoursAreThoseOfScreens(t *testing.T) {
	for _, info := range List(nil) {
		for profile := NoColour; profile <= TrueColour; profile++ {
			for _, isDark := range []bool{true, false} {
				sheet := info.Theme.Sheet(profile, isDark)
				for token := range tokenCount {
					style := token
					if token >= Background {
						style = Text.On(token)
					}
					want := paramsOf(string(sheet.AppendChange(nil, Pen{}, sheet.Pen(style))))
					want = slices.DeleteFunc(want, func(p string) bool { return len(p) > 1 && isBackground(p) != (token >= Background) })
					printed, _, _ := strings.Cut(info.Theme.Print(token, profile, isDark).Render("x"), "x")
					if got := paramsOf(printed); !slices.Equal(got, want) {
						t.Errorf("%s %s, profile %d, dark %t: printed %q, on screens %q", info.Name, token, profile, isDark, got, want)
					}
				}
			}
		}
	}
}

// paramsOf are the colours and attributes of SGR sequences, sorted.
func paramsOf(s string) []string {
	s = strings.NewReplacer("\x1b[", "", "m", ";").Replace(s)
	var out []string
	fields := strings.FieldsFunc(s, func(r rune) bool { return r == ';' })
	for i := 0; i < len(fields); i++ {
		p := fields[i]
		if n := map[string]int{"2": 4, "5": 2}; (p == "38" || p == "48") && i+1 < len(fields) {
			p = strings.Join(fields[i:i+n[fields[i+1]]+1], ";")
			i += n[fields[i+1]]
		}
		if p != "39" && p != "49" && p != "0" {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

func isBackground(p string) bool {
	return strings.HasPrefix(p, "48;") || len(p) == 2 && p[0] == '4' || len(p) == 3 && strings.HasPrefix(p, "10")
}
