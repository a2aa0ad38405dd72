package config

import (
	"bytes"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// place tells where a value of the document stands. The values of go-toml have
// no positions, so the tree of places is built beside them from its syntax
// tree. A nil place is one that is not known.
type place struct {
	key, value int // offsets in bytes of the key, or of the item, and of its value
	fields     map[string]*place
	items      []*place
}

// field is the place of a key of a table, item that of an item of an array:
// the place itself where they are not known.
func (p *place) field(key string) *place {
	if f := p.fields[key]; f != nil {
		return f
	}
	return p
}

func (p *place) item(i int) *place {
	if i < len(p.items) {
		return p.items[i]
	}
	return p
}

// locate builds the places of a document that parseTOML has accepted.
func locate(data []byte) *place {
	var parser unstable.Parser
	parser.Reset(data)
	root := new(place)
	current := root
	for parser.NextExpression() {
		switch e := parser.Expression(); e.Kind {
		case unstable.Table:
			current = root.reach(e.Key()).latest()
		case unstable.ArrayTable:
			array := root.reach(e.Key())
			current = &place{key: array.key, value: array.key}
			if last := lastKey(e.Key()); last != nil {
				current.key, current.value = int(last.Raw.Offset), int(last.Raw.Offset)
			}
			array.items = append(array.items, current)
		case unstable.KeyValue:
			current.add(e)
		}
	}
	return root
}

// reach goes to the place of a dotted key, the last items of arrays on its way,
// and makes what is not there yet.
func (p *place) reach(key unstable.Iterator) *place {
	for key.Next() {
		p = p.latest()
		name, at := string(key.Node().Data), int(key.Node().Raw.Offset)
		next := p.fields[name]
		if next == nil {
			next = &place{key: at, value: at}
			if p.fields == nil {
				p.fields = map[string]*place{}
			}
			p.fields[name] = next
		}
		p = next
	}
	return p
}

func (p *place) latest() *place {
	if n := len(p.items); n > 0 {
		return p.items[n-1]
	}
	return p
}

func lastKey(key unstable.Iterator) (last *unstable.Node) {
	for key.Next() {
		last = key.Node()
	}
	return last
}

// add takes a key with its value into a table.
func (p *place) add(keyValue *unstable.Node) {
	to := p.reach(keyValue.Key())
	to.addValue(keyValue.Value())
}

func (p *place) addValue(v *unstable.Node) {
	if v.Raw.Length > 0 {
		p.value = int(v.Raw.Offset)
	}
	children := v.Children()
	switch v.Kind {
	case unstable.InlineTable:
		for children.Next() {
			if n := children.Node(); n.Kind == unstable.KeyValue {
				p.add(n)
			}
		}
	case unstable.Array:
		for children.Next() {
			n := children.Node()
			if n.Kind == unstable.Comment {
				continue
			}
			item := &place{key: p.value, value: p.value}
			item.addValue(n)
			item.key = item.value
			p.items = append(p.items, item)
		}
	}
}

// position is the line and the column of an offset, both from 1.
func position(data []byte, offset int) (line, column int) {
	before := data[:min(offset, len(data))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}
