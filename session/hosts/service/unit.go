package service

import (
	"strconv"
	"strings"

	"perfdeck/session/system/lazy"
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
	return escaped().ReplaceAllStringFunc(name, func(one string) string {
		n, _ := strconv.ParseUint(one[len(`\x`):], 16, 8)
		return string([]byte{byte(n)})
	})
}

var escaped = lazy.Regexp(`\\x[0-9a-fA-F]{2}`)
