// Package faketest is what only tests want of scripted hosts.
package faketest

import (
	"strings"

	"perfdeck/session/hosts/fake"
)

// HostileNames are instance names that a hostile or broken host may send.
// Nothing of them may reach a terminal as it is, and none may break a line, a
// table or a path.
func HostileNames() []string {
	return []string{
		"",
		" ",
		"\x1b[2J\x1b[31mred",
		"\x1b]0;title\x07",
		"\x1b]52;c;cHduZWQ=\x1b\\",
		"\u009b2J",
		"two\nlines\r\n",
		"tab\tbell\a back\b nul\x00 del\x7f",
		"right\u202eot tfel\u202c",
		"\u2066isolate\u2069",
		"line\u2028paragraph\u2029",
		"שלום עולם",
		"日本語のプロセス",
		"👩‍👩‍👧‍👦 family",
		"combining e\u0301\u0301\u0301\u0301",
		"zero\u200bwidth",
		"broken \xff\xfe utf-8 \xc3",
		"surrogate \xed\xa0\x80",
		`a(b)#1/c\d*e`,
		"_Total",
		"same", "same", "same#1",
		`="=cmd|' /C calc'!A0"`,
		"comma,quote\"semicolon;",
		strings.Repeat("long", 1024),
		strings.Repeat("広", 300),
	}
}

// HostileRows are rows of those names.
func HostileRows() []fake.Row {
	var rows []fake.Row
	for _, name := range HostileNames() {
		rows = append(rows, fake.Row{Name: name, Facts: []string{name, name}})
	}
	return rows
}
