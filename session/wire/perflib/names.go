package perflib

// Names are texts of names by their bytes as they came; each is made once while it is in use.
type Names struct{ kept map[string]string }

// Of is the text of a name, which is made by text.
func (k *Names) Of(wire []byte, text func([]byte) string) string {
	name, ok := k.kept[string(wire)]
	if !ok {
		name = text(wire)
		k.kept[string(wire)] = name
	}
	return name
}

// Forget drops the names of instances that went, once they are many. It comes before Of.
func (k *Names) Forget(inUse int) {
	if k.kept == nil || len(k.kept) > 2*inUse+256 {
		k.kept = make(map[string]string, inUse)
	}
}
