package themes

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// entry is one key of a theme file.
type entry struct {
	key    string // with its table, as "dark.accent"
	text   string
	isText bool // the value is a string
	line   int  // 1-based
}

// readDocument reads the keys of a TOML file in their order. Every error is a
// *FileError.
func readDocument(file string, data []byte) ([]entry, error) {
	var values map[string]any
	if err := toml.Unmarshal(data, &values); err != nil {
		out := &FileError{File: file, Reason: strings.TrimPrefix(err.Error(), "toml: ")}
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			out.Line, _ = at.Position()
			out.Key = strings.Join(at.Key(), ".")
		}
		return nil, out
	}
	d := document{}
	d.parser.Reset(data)
	table := ""
	for d.parser.NextExpression() {
		switch e := d.parser.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = keyOf("", e)
		case unstable.KeyValue:
			d.add(table, e)
		}
	}
	if err := d.parser.Error(); err != nil {
		return nil, &FileError{File: file, Reason: err.Error()}
	}
	return d.entries, nil
}

type document struct {
	parser  unstable.Parser
	entries []entry
}

// add adds a key and its value; of an inline table the keys in it.
func (d *document) add(table string, n *unstable.Node) {
	key, value := keyOf(table, n), n.Value()
	if value.Kind == unstable.InlineTable {
		for it := value.Children(); it.Next(); {
			d.add(key, it.Node())
		}
		return
	}
	name := n.Key()
	name.Next()
	at := d.parser.Shape(d.parser.Range(d.parser.Raw(name.Node().Raw)))
	d.entries = append(d.entries, entry{
		key: key, line: at.Start.Line,
		isText: value.Kind == unstable.String, text: string(value.Data),
	})
}

// keyOf is the full key of a table or of a key in a table.
func keyOf(table string, n *unstable.Node) string {
	var parts []string
	if table != "" {
		parts = append(parts, table)
	}
	for it := n.Key(); it.Next(); {
		parts = append(parts, string(it.Node().Data))
	}
	return strings.Join(parts, ".")
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
		"# 256 colours, word of the 16: def, 0 to 15, b (bold), f (faint), rev (reverse), joined by +.\n" +
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
		for n := range tokenCount { // areas first
			token := (Background + n) % tokenCount
			line := fmt.Sprintf("%-10s = %q", token, s.palette[token].String())
			if i == 0 && meanings[token] != "" {
				line = fmt.Sprintf("%-36s # %s", line, meanings[token])
			}
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
