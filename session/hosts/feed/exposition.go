package feed

import (
	"errors"
	"strconv"
	"strings"
)

// sample is a line of Prometheus' text format, as version 0.0.4 has it:
// NAME{LABEL="VALUE",...} NUMBER [TIMESTAMP].
type sample struct {
	name   string
	labels []label // in the order of the line
	value  float64
}

type label struct{ name, value string }

var errSample = errors.New("it is no sample of Prometheus' text format")

// parseSample reads a sample. What OpenMetrics puts behind it, an exemplar, is passed over.
func parseSample(line string) (s sample, err error) {
	s.name, line = cutName(line, true)
	if s.name == "" {
		return s, errNotObject
	}
	line = trimBlank(line)
	if strings.HasPrefix(line, "{") {
		if s.labels, line, err = parseLabels(line[1:]); err != nil {
			return s, err
		}
	}
	fields := strings.Fields(line)
	if len(fields) == 0 || len(fields) > 2 && fields[1] != "#" && fields[2] != "#" {
		return s, errSample
	}
	if s.value, err = strconv.ParseFloat(fields[0], 64); err != nil {
		return s, errSample
	}
	if len(fields) > 1 && fields[1] != "#" {
		if _, err := strconv.ParseFloat(fields[1], 64); err != nil {
			return s, errSample
		}
	}
	return s, nil
}

// parseLabels reads labels up to the brace that closes them.
func parseLabels(line string) (labels []label, rest string, err error) {
	for {
		line = trimBlank(line)
		if after, closed := strings.CutPrefix(line, "}"); closed {
			return labels, after, nil
		}
		var l label
		l.name, line = cutName(line, false)
		after, equals := strings.CutPrefix(trimBlank(line), "=")
		quoted, opened := strings.CutPrefix(trimBlank(after), `"`)
		if l.name == "" || !equals || !opened || len(labels) == maxLabels {
			return nil, "", errSample
		}
		var closed bool
		if l.value, line, closed = cutQuoted(quoted); !closed {
			return nil, "", errSample
		}
		labels = append(labels, l)
		line = trimBlank(line)
		if after, comma := strings.CutPrefix(line, ","); comma {
			line = after
		} else if !strings.HasPrefix(line, "}") {
			return nil, "", errSample
		}
	}
}

// cutQuoted takes a label's value up to the quote that closes it.
func cutQuoted(text string) (value, rest string, closed bool) {
	end := strings.IndexAny(text, `"\`)
	if end < 0 {
		return "", "", false
	}
	if text[end] == '"' {
		return text[:end], text[end+1:], true
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return b.String(), text[i+1:], true
		case c == '\\' && i+1 < len(text):
			i++
			if c = text[i]; c == 'n' { // else a quote, a backslash, or what nobody should write
				c = '\n'
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// cutName takes the name of a metric, which may have colons, or of a label.
func cutName(text string, colons bool) (name, rest string) {
	n := 0
	for n < len(text) && isNamed(text[n], n == 0, colons) {
		n++
	}
	return text[:n], text[n:]
}

func isNamed(c byte, first, colons bool) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_':
		return true
	case '0' <= c && c <= '9':
		return !first
	}
	return c == ':' && colons
}

func trimBlank(s string) string { return strings.TrimLeft(s, " \t") }
