package names

import "strings"

// Recordings of some programs have all names in small letters: words are found in any
// case.

// abbreviate writes the first such word short, small where it is small.
func abbreviate(name, long, short string) string {
	for i := 0; i+len(long) <= len(name); i++ {
		if strings.EqualFold(name[i:i+len(long)], long) {
			if name[i] == strings.ToLower(long)[0] {
				short = strings.ToLower(short)
			}
			return name[:i] + short + name[i+len(long):]
		}
	}
	return name
}

func hasPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func hasSuffix(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

func cutPrefix(s, prefix string) (rest string, ok bool) {
	if !hasPrefix(s, prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

func cutSuffix(s, suffix string) (rest string, ok bool) {
	if !hasSuffix(s, suffix) {
		return s, false
	}
	return s[:len(s)-len(suffix)], true
}
