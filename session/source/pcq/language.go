package pcq

import "strings"

// LCIDOf gives the language identifier (MS-LCID 2.2) of a locale as LANG has it
// ("de_DE.UTF-8") or a culture's name ("de-DE"). An unknown region gives the
// language's main one; ok is false for a language that is not in the table, and
// for C and POSIX.
func LCIDOf(locale string) (lcid uint32, ok bool) {
	locale, _, _ = strings.Cut(locale, ".")
	locale, _, _ = strings.Cut(locale, "@")
	locale = strings.ToLower(strings.ReplaceAll(locale, "_", "-"))
	if lcid, ok = lcids[locale]; ok {
		return lcid, true
	}
	language, _, _ := strings.Cut(locale, "-")
	lcid, ok = lcids[language]
	return lcid, ok
}

// lcids are the languages that Windows is offered in (MS-LCID 2.2).
var lcids = map[string]uint32{
	"ar": 0x0401, "bg": 0x0402, "cs": 0x0405, "da": 0x0406, "de": 0x0407, "el": 0x0408,
	"en": 0x0409, "es": 0x0C0A, "et": 0x0425, "fi": 0x040B, "fr": 0x040C, "he": 0x040D,
	"hr": 0x041A, "hu": 0x040E, "it": 0x0410, "ja": 0x0411, "ko": 0x0412, "lt": 0x0427,
	"lv": 0x0426, "nb": 0x0414, "nl": 0x0413, "no": 0x0414, "pl": 0x0415, "pt": 0x0416,
	"ro": 0x0418, "ru": 0x0419, "sk": 0x041B, "sl": 0x0424, "sv": 0x041D, "th": 0x041E,
	"tr": 0x041F, "uk": 0x0422, "zh": 0x0804,
	"en-gb": 0x0809, "es-mx": 0x080A, "fr-ca": 0x0C0C, "pt-pt": 0x0816, "sr-latn-rs": 0x241A,
	"zh-hk": 0x0C04, "zh-tw": 0x0404,
}
