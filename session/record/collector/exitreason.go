package collector

import (
	"bufio"
	"io"
	"strings"

	"perfdeck/session/system/osfile"
)

// What the program and Go's runtime print when the process dies of itself.
var crashMarks = []string{"perfdeck: internal error: ", "panic: ", "fatal error: "}

const (
	errorMark    = "perfdeck: " // before what the program reports
	mostLogBytes = 1 << 20
	mostWords    = 300 // bytes
)

// exitReason are why a recorder without a terminal died, as its log says: a panic,
// else the last error. With crashes it is a panic or nothing: who was killed may have
// reported errors that he lived with.
func exitReason(log string, crashes bool) (words string) {
	f, err := osfile.OpenPlain(log)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, mostLogBytes))
	lines.Buffer(nil, mostLogBytes)
	for lines.Scan() {
		line := lines.Text()
		for _, mark := range crashMarks {
			if strings.HasPrefix(line, mark) {
				return cut(strings.TrimPrefix(line, errorMark))
			}
		}
		if text, ok := strings.CutPrefix(line, errorMark); ok && !crashes {
			words = text
		}
	}
	return cut(words)
}

func cut(text string) string {
	if len(text) > mostWords {
		text = text[:mostWords]
	}
	return strings.ToValidUTF8(text, "")
}
