package service

import (
	"strconv"
	"strings"
)

const unitSuffix = ".service"

// UnitName is what Service calls a unit of systemd; is: it is a service.
func UnitName(unit string) (name string, is bool) {
	name, is = strings.CutSuffix(unit, unitSuffix)
	return unescaped(name), is
}

// unescaped is the name of a unit with the bytes that systemd-escape(1) wrote as \x2d. A "-" may
// have been a "/", or a "-": it stays.
func unescaped(name string) string {
	before, rest, found := strings.Cut(name, `\x`)
	if !found {
		return name
	}
	var out strings.Builder
	for ; found; before, rest, found = strings.Cut(rest, `\x`) {
		out.WriteString(before)
		const digits = 2
		n, err := strconv.ParseUint(rest[:min(len(rest), digits)], 16, 8)
		if err != nil || len(rest) < digits {
			out.WriteString(`\x`)
			continue
		}
		out.WriteByte(byte(n))
		rest = rest[digits:]
	}
	out.WriteString(before)
	return out.String()
}
