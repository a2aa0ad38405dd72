package config

const keysTable = "keys"

// KeyBinding is a row of [keys]: an action and the keys that cause it. Which
// actions and keys there are, the screens know.
type KeyBinding struct {
	Action string
	Keys   []string // empty: the action has no key
	fault  func(e *FileError) error
}

// Fault is the error of a binding that the screens do not take: a *FileError
// with its place in the file.
func (b KeyBinding) Fault(reason, hint string) error {
	e := &FileError{Key: keysTable + "." + keyText(b.Action), Reason: reason, hint: hint}
	if b.fault == nil {
		return e
	}
	return b.fault(e)
}

// decodeKeys reads the table [keys]: ACTION = "KEY" or ["KEY", "KEY"].
func decodeKeys(root table) []KeyBinding {
	t, ok := root.table(keysTable)
	if !ok {
		return nil
	}
	const expected = `a key as "C" or "ctrl+t", a list of keys, or [] for none`
	var out []KeyBinding
	for _, action := range t.keys() {
		b := KeyBinding{Action: action}
		at := t.at.field(action)
		b.fault = func(e *FileError) error {
			e.File = t.d.file
			e.Line, e.Column = position(t.d.data, at.value)
			return e
		}
		switch v := t.values[action].(type) {
		case string:
			b.Keys = []string{v}
		case []any:
			for i, item := range v {
				key, ok := item.(string)
				if !ok {
					t.d.found(at.item(i).value, t.key(action), item, expected)
					continue
				}
				b.Keys = append(b.Keys, key)
			}
		default:
			t.wrong(action, expected)
		}
		out = append(out, b)
	}
	return out
}
