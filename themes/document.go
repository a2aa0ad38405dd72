package themes

import (
	"errors"
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
	d := document{data: data}
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
	data    []byte
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
