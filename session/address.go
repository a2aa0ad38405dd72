package session

import (
	"net/url"
	"strings"
)

// hiddenValue stands for what of an address may be a secret.
const hiddenValue = "..."

// ShownAddress is an address as it may be shown: without an account, and without the
// values of its query, which may be tokens. Its path stays.
func ShownAddress(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" { // what it means is not known: all that may be a secret goes
		scheme, rest, ok := strings.Cut(text, "://")
		if !ok {
			scheme, rest = "", text
		} else {
			scheme += "://"
		}
		rest = rest[strings.LastIndexByte(rest, '@')+1:]
		if i := strings.IndexAny(rest, "?#"); i >= 0 {
			rest = rest[:i] + "?" + hiddenValue
		}
		return Printable(scheme + rest)
	}
	query := u.RawQuery
	u.User, u.RawQuery, u.Fragment, u.RawFragment, u.ForceQuery = nil, "", "", "", false
	shown := u.String()
	if query == "" {
		return Printable(shown)
	}
	fields := strings.Split(query, "&")
	for i, field := range fields {
		name, _, named := strings.Cut(field, "=")
		if named {
			fields[i] = name + "=" + hiddenValue
		} else {
			fields[i] = hiddenValue
		}
	}
	return Printable(shown + "?" + strings.Join(fields, "&"))
}
