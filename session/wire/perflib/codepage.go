package perflib

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

const (
	codePageASCII = 20127
	codePageUTF8  = 65001
)

// codePages are the code pages that Windows calls "ANSI" or "OEM" in its
// languages, by their numbers.
var codePages = map[uint32]encoding.Encoding{
	437:   charmap.CodePage437,
	850:   charmap.CodePage850,
	852:   charmap.CodePage852,
	855:   charmap.CodePage855,
	858:   charmap.CodePage858,
	860:   charmap.CodePage860,
	862:   charmap.CodePage862,
	863:   charmap.CodePage863,
	865:   charmap.CodePage865,
	866:   charmap.CodePage866,
	874:   charmap.Windows874,
	932:   japanese.ShiftJIS,
	936:   simplifiedchinese.GBK,
	949:   korean.EUCKR,
	950:   traditionalchinese.Big5,
	1250:  charmap.Windows1250,
	1251:  charmap.Windows1251,
	1252:  charmap.Windows1252,
	1253:  charmap.Windows1253,
	1254:  charmap.Windows1254,
	1255:  charmap.Windows1255,
	1256:  charmap.Windows1256,
	1257:  charmap.Windows1257,
	1258:  charmap.Windows1258,
	20866: charmap.KOI8R,
	28591: charmap.ISO8859_1,
	28592: charmap.ISO8859_2,
	54936: simplifiedchinese.GB18030,
}

// codePageText converts a text of a code page (PERF_OBJECT_TYPE.CodePage) to
// UTF-8. What the page does not have, and all but ASCII of a page that is not
// known here, becomes U+FFFD.
func codePageText(b []byte, page uint32) string {
	if page == 0 {
		return Text(b).String()
	}
	if isASCII(b) {
		return string(b)
	}
	if e, ok := codePages[page]; ok {
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

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Text gives a name of the object's instances as UTF-8.
func (o *V1Object) Text(name []byte) string { return codePageText(name, o.CodePage) }
