package perflib

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"perfdeck/session/text/codepage"
)

const (
	codePageASCII = 20127
	codePageUTF8  = 65001
)

// codePageText converts a text of a code page (PERF_OBJECT_TYPE.CodePage) to
// UTF-8. What the page does not have, and all but ASCII of a page that is not
// known here, becomes U+FFFD.
func codePageText(b []byte, page uint32) string {
	if page == 0 {
		return Text(b).String()
	}
	if bytes.IndexFunc(b, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return string(b)
	}
	if e := codepage.Of(strconv.FormatUint(uint64(page), 10)); e != nil {
		if text, err := e.NewDecoder().Bytes(b); err == nil {
			return string(text)
		}
	}
	if page == codePageUTF8 {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return r
		}
		return utf8.RuneError
	}, string(b))
}

// Text gives a name of the object's instances as UTF-8.
func (o *V1Object) Text(name []byte) string { return codePageText(name, o.CodePage) }
