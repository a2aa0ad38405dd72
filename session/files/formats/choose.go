package formats

import (
	"errors"
	"fmt"
	"strings"

	"perfdeck/session/system/failure"
)

// foreign are names of formats that users of typeperf, relog and logman know, and that are not written here.
var foreign = map[string]struct {
	err    error
	advice string
}{
	"bincirc": {errors.New("circular binary logs of Windows are read here, and not written"), "record --ring keeps the newest files of a recording"},
	"sql":     {errors.New("recordings in a database server (SQL:DSN!set) are not written here"), "sqlite has the same tables in a file"},
}

// Choose finds the format to write by its name, or where that is empty by the
// extension of the file; nil: neither tells.
func Choose(name, file string) (*Format, error) {
	if name == "" {
		f, _ := ByExtension(file)
		return f, nil
	}
	if f, ok := Named(name); ok {
		return f, nil
	}
	why, known := foreign[strings.ToLower(name)]
	if !known {
		why.err, why.advice = errNoFormat, "known: "+strings.Join(Names(), ", ")
	}
	return nil, failure.WithHint(fmt.Errorf("format %q: %w", name, why.err), why.advice)
}

var errNoFormat = errors.New("no such format")
