package config

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
)

// trimMark drops the byte order mark that editors of Windows write.
func trimMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\ufeff")) }

// parseTOML checks the whole document and gives its values: string, bool,
// int64, float64, times, []any and map[string]any.
func parseTOML(file string, data []byte) (map[string]any, error) {
	var values map[string]any
	err := toml.Unmarshal(data, &values)
	if err == nil {
		return values, nil
	}
	out := &FileError{File: file, Reason: strings.TrimPrefix(err.Error(), "toml: ")}
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := at.Position()
		out.Line, out.Column = line, characters(data, line, column)
		out.Key = keyText(at.Key()...)
	}
	if strings.Contains(out.Reason, "escape") {
		out.hint = quoteHint
	}
	return nil, out
}

// characters turns a column in bytes into one in characters.
func characters(data []byte, line, column int) int {
	for range line - 1 {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	return utf8.RuneCount(data[:min(max(column-1, 0), len(data))]) + 1
}

// keyText writes a key as TOML does.
func keyText(parts ...string) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = p
		if p == "" || strings.Trim(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
			out[i] = show(p)
		}
	}
	return strings.Join(out, ".")
}
