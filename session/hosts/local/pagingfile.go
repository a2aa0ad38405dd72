package local

import (
	"strings"

	"perfdeck/cooker"
)

// pagingFile is a swap file or device, in KiB.
type pagingFile struct{ size, used, peak uint64 }

// swapLine reads a line of /proc/swaps: path, type, size, used, priority. The
// kernel writes blanks in paths as \040.
func swapLine(b []byte) (path string, size, used uint64, ok bool) {
	name, rest := field(b)
	_, rest = field(rest)
	if size, rest, ok = number(rest); !ok || len(name) == 0 {
		return "", 0, 0, false
	}
	used, _, ok = number(rest)
	return unescapeMount(name), size, used, ok
}

var pagingFileCounters = []counter[pagingFile]{
	{"% Usage", 0, func(p *pagingFile) cooker.Reading { return ratio(p.used, p.size) }},
	{"% Usage Peak", 0, func(p *pagingFile) cooker.Reading { return ratio(p.peak, p.size) }},
}

func pagingFileName(path string) string { return strings.ReplaceAll(path, "/", "_") }
