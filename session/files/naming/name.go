// Package naming makes the names of files and folders of recordings, as MS-PLA 2.2.2.1 and 2.2.3.1
// have them: a base, the computer, a pattern of the local time and the serial number.
package naming

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"perfdeck/paths"
	"perfdeck/session/text/printable"
)

// Parts say what is added to a name: AutoPathFormat of MS-PLA 2.2.2.1.
type Parts uint16

// The parts, in the order in which they stand behind the base; the computer
// stands before it.
const (
	PartPattern            Parts = 0x0001
	PartComputer           Parts = 0x0002
	PartMonthDayHour       Parts = 0x0100
	PartSerialNumber       Parts = 0x0200
	PartYearDayOfYear      Parts = 0x0400
	PartYearMonth          Parts = 0x0800
	PartYearMonthDay       Parts = 0x1000
	PartYearMonthDayHour   Parts = 0x2000
	PartMonthDayHourMinute Parts = 0x4000

	allParts = PartPattern | PartComputer | 0x7F00
)

// builtIn are the parts that are patterns of their own.
var builtIn = []struct {
	part    Parts
	pattern string
}{
	{PartMonthDayHour, "MMddHH"},
	{PartSerialNumber, "NNNNNN"},
	{PartYearDayOfYear, "yyyyDDD"},
	{PartYearMonth, "yyyyMM"},
	{PartYearMonthDay, "yyyyMMdd"},
	{PartYearMonthDayHour, "yyyyMMddHH"},
	{PartMonthDayHourMinute, "MMddHHmm"},
}

// separator stands behind the computer and before each built-in part. The
// specification shows none; names that Windows makes have it behind the computer.
const separator = "_"

// ParseParts reads parts by their names: "computer", "serial", or a built-in
// pattern as "yyyyMMdd", parted by commas.
func ParseParts(text string) (Parts, bool) {
	var parts Parts
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		var part Parts
		for _, b := range builtIn {
			if b.pattern == word {
				part = b.part
			}
		}
		switch {
		case strings.EqualFold(word, "computer"):
			part = PartComputer
		case strings.EqualFold(word, "serial"):
			part = PartSerialNumber
		}
		if part == 0 {
			return 0, false
		}
		parts |= part
	}
	return parts, true
}

// PartNames are what ParseParts reads.
func PartNames() []string {
	names := []string{"computer", "serial"}
	for _, b := range builtIn {
		names = append(names, b.pattern)
	}
	return names
}

// Name is how files, or folders, are called: [computer_]base[pattern][_parts].
type Name struct {
	Base      string
	Parts     Parts
	Pattern   string // of PartPattern: see FormatPattern
	Extension string // of files, with its point
}

// HasSerial tells whether the serial number is a part of the name.
func (n Name) HasSerial() bool {
	if n.Parts&PartSerialNumber != 0 {
		return true
	}
	if n.Parts&PartPattern == 0 {
		return false
	}
	one, err := FormatPattern(n.Pattern, Values{Serial: 1})
	two, _ := FormatPattern(n.Pattern, Values{Serial: 2})
	return err == nil && one != two
}

// File is the name of a file, without its folder. An extension that the base has
// already is not written twice. Errors are *NameError.
func (n Name) File(m Values) (string, error) {
	if at := len(n.Base) - len(n.Extension); n.Extension != "" && at > 0 && paths.EqualFold(n.Base[at:], n.Extension) {
		n.Base = n.Base[:at]
	}
	if n.Parts&PartPattern != 0 && n.Pattern == "" {
		return "", &NameError{Fault: NoPattern}
	}
	stem, err := n.stem(m)
	if err != nil {
		return "", err
	}
	if stem == "" {
		return "", &NameError{Fault: EmptyName}
	}
	return checkName(stem + n.Extension)
}

// Folder is the name of a folder, empty for the root itself.
func (n Name) Folder(m Values) (string, error) {
	if n.Pattern == "" && n.Parts&PartPattern != 0 {
		n.Parts &^= PartPattern
		if n.Base == "" && n.Parts == PartComputer {
			n.Parts = 0 // there is nothing behind it
		}
	}
	name, err := n.stem(m)
	if err != nil || name == "" {
		return "", err
	}
	return checkName(name)
}

// stem is the name without its extension.
func (n Name) stem(m Values) (string, error) {
	if bad := n.Parts &^ allParts; bad != 0 {
		return "", &NameError{Fault: BadParts, Text: fmt.Sprintf("%#x", uint16(bad))}
	}
	behind := ""
	if n.Parts&PartPattern != 0 {
		text, err := FormatPattern(n.Pattern, m)
		if err != nil {
			return "", err
		}
		behind = text
	}
	var all []string
	if n.Parts&PartComputer != 0 {
		all = append(all, plainName(m.Computer))
	}
	all = append(all, n.Base+behind)
	for _, b := range builtIn {
		if n.Parts&b.part == 0 {
			continue
		}
		text, err := FormatPattern(b.pattern, m)
		if err != nil {
			return "", err
		}
		all = append(all, text)
	}
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), separator), nil
}

// plainName replaces what may not stand in a name: names of computers are foreign
// text, and may be addresses with a port.
func plainName(s string) string {
	return strings.Map(func(r rune) rune {
		if isForbidden(r) {
			return '-'
		}
		return r
	}, printable.Text(s))
}

func isForbidden(r rune) bool {
	return r < ' ' || r == 0x7F || strings.ContainsRune(`<>:"/\|?*`, r)
}

// mostUnits is how long a name may be, in UTF-16 units.
const mostUnits = 255

// devices are names that Windows keeps for itself, whatever stands behind a point.
var devices = []string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}

// Check refuses what cannot be the name of a file on every system, or that is not text to be seen.
func Check(name string) error {
	if name == "" || printable.Text(name) != name {
		return &NameError{Fault: BadName, Text: name}
	}
	_, err := checkName(name)
	return err
}

// checkName refuses what cannot be a name on every system.
func checkName(name string) (string, error) {
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.TrimRight(stem, " ")
	switch {
	case strings.ContainsFunc(name, isForbidden),
		strings.HasSuffix(name, " "), strings.HasSuffix(name, "."),
		isDevice(stem), len(utf16.Encode([]rune(name))) > mostUnits:
		return "", &NameError{Fault: BadName, Text: name}
	}
	return name, nil
}

func isDevice(stem string) bool {
	if slices.ContainsFunc(devices, func(d string) bool { return strings.EqualFold(d, stem) }) {
		return true
	}
	runes := []rune(strings.ToUpper(stem))
	return len(runes) == 4 && (string(runes[:3]) == "COM" || string(runes[:3]) == "LPT") && strings.ContainsRune("0123456789¹²³", runes[3])
}

// NameFault is what is wrong with a name or with the pattern of one.
type NameFault uint8

// The faults.
const (
	BadLetter NameFault = iota + 1 // a letter that means nothing
	BadRun                         // a letter that stands too often, or not often enough
	BadEscape                      // nothing behind the last backslash
	NoPattern                      // PartPattern without one (PLA_E_PROPERTY_CONFLICT)
	BadParts                       // bits that mean nothing
	EmptyName                      // nothing but an extension
	BadName                        // a character or a name that systems do not allow
)

var nameFaults = map[NameFault]struct{ text, hint string }{
	BadLetter: {"a letter that means nothing", `write a backslash before letters that stand for themselves, as \T`},
	BadRun:    {"a letter that stands too often, or not often enough, in a row", "D DDD d dd ddd dddd M MM MMM MMMM y yy yyyy h hh H HH m mm s ss t tt z zz N..."},
	BadEscape: {"nothing stands behind the last backslash", ""},
	NoPattern: {"a pattern is wanted and there is none (0x80300101)", ""},
	BadParts:  {"parts that do not exist", ""},
	EmptyName: {"there is no name", ""},
	BadName:   {"not a file name on every system", `it must not hold < > : " / \ | ? *, end with a blank or a point, be a device as NUL, or be longer than 255`},
}

// NameError says why there is no name.
type NameError struct {
	Fault NameFault
	Text  string // the pattern, or the name as it would be
	At    int    // of the letter, in bytes
}

func (e *NameError) Error() string {
	where := ""
	switch e.Fault {
	case BadLetter, BadRun, BadEscape:
		where = fmt.Sprintf(" at character %d", len([]rune(e.Text[:e.At]))+1)
	default:
	}
	return fmt.Sprintf("file name %q: %s%s", e.Text, nameFaults[e.Fault].text, where)
}

// Hint says how it is written.
func (e *NameError) Hint() string { return nameFaults[e.Fault].hint }
