package perflib

import "perfdeck/cooker"

// CounterTexts converts texts of counters. One that stays the same is converted
// once.
type CounterTexts struct{ kept map[wireText]cooker.Text }

// wireText is a text as it came.
type wireText struct {
	page  uint32 // 0: UTF-16
	bytes string
}

// mostKept is how many texts are kept at least.
const mostKept = 1024

// Forget drops what was kept, once it is much more than the texts in use.
func (k *CounterTexts) Forget(inUse int) {
	if len(k.kept) > 4*inUse+mostKept {
		clear(k.kept)
	}
}

// Value gives the text of a V2 counter, in UTF-16 or, where its type says so, in
// bytes: V2 has no code pages, so these are ASCII, and UTF-8 is taken too.
func (k *CounterTexts) Value(v Value, t cooker.CounterType) cooker.Text {
	page := uint32(0)
	if t.IsASCII() {
		page = codePageUTF8
	}
	return k.text(v, page)
}

// V1 gives the text of a V1 counter, in UTF-16 or, where its type says so, in the
// code page of the object; ok is false if it is beyond the block.
func (k *CounterTexts) V1(o *V1Object, c *V1Counter, block []byte) (text cooker.Text, ok bool) {
	page := uint32(0)
	if c.Type.IsASCII() {
		if page = o.CodePage; page == 0 {
			page = codePageASCII
		}
	}
	b := c.Bytes(block)
	return k.text(b, page), b != nil
}

// text converts a text of a code page, which ends with its NUL, if it has one.
func (k *CounterTexts) text(b []byte, page uint32) cooker.Text {
	const most = 4 * (cooker.MaxText + 1) // bytes: no less than what is kept of a text
	b = untilNUL(b[:min(len(b), most)], page)
	t, ok := k.kept[wireText{page, string(b)}]
	if !ok {
		if k.kept == nil {
			k.kept = map[wireText]cooker.Text{}
		}
		t = cooker.MakeText(codePageText(b, page))
		k.kept[wireText{page, string(b)}] = t
	}
	return t
}
