package ruleset

import (
	"bytes"
	"errors"
	"fmt"

	"perfdeck/session/alert"
	"perfdeck/session/alert/pal"
	"perfdeck/session/config"
	"perfdeck/session/system/failure"
)

// ErrNone is that rules are needed, and there are none.
var ErrNone = errors.New("there are no rules")

// File is a file of rules that was read.
type File struct {
	Rules    []alert.Rule
	Left     []string         // in words, what of a threshold file is not judged
	Warnings []config.Warning // of tables
}

// ReadFile reads the rules of a file: thresholds of PAL if it is XML, else [[alert]] tables
// as the config has them. The error of a file of none is ErrNone; what else there is to say of
// the file comes with it.
func ReadFile(name string, data []byte) (File, error) {
	if isXML(data) {
		f, err := pal.Read(bytes.NewReader(data))
		if err != nil {
			return File{}, fmt.Errorf("read rules of %s: %w", name, err)
		}
		out := File{Rules: f.Rules}
		for _, s := range f.Skipped {
			out.Left = append(out.Left, fmt.Sprintf("left out: %s: %s: %s", s.Analysis, s.Threshold, s.Reason))
		}
		for _, other := range f.Inherits {
			out.Left = append(out.Left, fmt.Sprintf("%s builds on %s: give that, too", name, other))
		}
		return out, nil
	}
	c, warnings, err := config.Parse(name, data)
	if err != nil {
		return File{}, err
	}
	out := File{Rules: c.Alerts.Rules, Warnings: warnings}
	if len(out.Rules) == 0 {
		err = failure.WithHint(fmt.Errorf("read rules of %s: %w", name, ErrNone), "rules are [[alert]] tables, or a threshold file of PAL")
	}
	return out, err
}

// isXML tells XML by its first sign, in whatever encoding.
func isXML(data []byte) bool {
	text := bytes.Trim(data[:min(len(data), 64)], "\xEF\xBB\xBF\xFE\xFF\x00 \t\r\n")
	return bytes.HasPrefix(text, []byte("<"))
}
