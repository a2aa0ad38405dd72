package themes

import (
	"fmt"
	"strings"
)

// fileOrder is the tokens in the order of theme files.
var fileOrder = []Token{
	Background, Surface, Header, Selection, Text, Strong, Muted, Rule, Accent, Focus, Spark,
	OK, Careful, Warning, Critical, Stale, S1, S2, S3, S4, S5, S6, S7, S8, A1, A2, A3, B1, B2, B3,
}

// meanings says what tokens are for, beside the first palette of a file.
var meanings = [tokenCount]string{
	Background: `behind everything; "none" leaves it to the terminal`,
	Surface:    "behind dialogs, search lines and table heads",
	Header:     "behind the first and the last line",
	Selection:  "behind the selected row",
	Text:       "names", Strong: "values, titles", Muted: "units, statistics, descriptions",
	Rule: "lines between panes; what lies behind a dialog", Accent: "keys", Focus: "where you are",
	Spark: "sparklines", OK: "well, where that has to be said",
	Careful: "states, from light to grave; their signs tell them too", Stale: "old values",
	S1: "series of charts; their letters tell them too",
	A1: "graphs and meters, from low to high", B1: "the lower half of a graph, from low to high",
}

// TOML is the theme as a complete file, to start one's own from.
func (t *Theme) TOML() string {
	var b strings.Builder
	b.WriteString("# A theme of perfdeck. A colour is \"#rrggbb INDEX WORD\": true colour, index of the\n" +
		"# 256 colours, word of the 16: def, 0 to 15, b (bold), rev (reverse), joined by +.\n" +
		"# Without INDEX the nearest is taken, without WORD that of the base. A WORD alone is\n" +
		"# one of the terminal's own colours everywhere, \"none\" sends nothing. What is left\n" +
		"# out is as in the base, or in the theme default.\n\n")
	for _, line := range []struct{ key, text string }{{"about", t.About}, {"source", t.Source}, {"only", t.Only}} {
		if line.text != "" {
			fmt.Fprintf(&b, "%s = %q\n", line.key, line.text)
		}
	}
	for i, s := range t.sides() {
		fmt.Fprintf(&b, "\n[%s]\n", s.name)
		for _, token := range fileOrder {
			line := fmt.Sprintf("%-10s = %q", token, s.palette[token].String())
			if i == 0 && meanings[token] != "" {
				line = fmt.Sprintf("%-36s # %s", line, meanings[token])
			}
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
