// Package codepage has the code pages that Windows calls "ANSI" or "OEM" in its languages, and
// some that others use.
package codepage

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

var pages = map[string]encoding.Encoding{
	"437":   charmap.CodePage437,
	"850":   charmap.CodePage850,
	"852":   charmap.CodePage852,
	"855":   charmap.CodePage855,
	"858":   charmap.CodePage858,
	"860":   charmap.CodePage860,
	"862":   charmap.CodePage862,
	"863":   charmap.CodePage863,
	"865":   charmap.CodePage865,
	"866":   charmap.CodePage866,
	"874":   charmap.Windows874,
	"932":   japanese.ShiftJIS,
	"936":   simplifiedchinese.GBK,
	"949":   korean.EUCKR,
	"950":   traditionalchinese.Big5,
	"1250":  charmap.Windows1250,
	"1251":  charmap.Windows1251,
	"1252":  charmap.Windows1252,
	"1253":  charmap.Windows1253,
	"1254":  charmap.Windows1254,
	"1255":  charmap.Windows1255,
	"1256":  charmap.Windows1256,
	"1257":  charmap.Windows1257,
	"1258":  charmap.Windows1258,
	"20866": charmap.KOI8R,
	"28591": charmap.ISO8859_1,
	"28592": charmap.ISO8859_2,
	"28605": charmap.ISO8859_15,
	"54936": simplifiedchinese.GB18030,
}

// Of is the code page of a number, nil of one that is not known.
func Of(number string) encoding.Encoding { return pages[number] }
