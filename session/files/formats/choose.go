package formats

import (
	"errors"
	"fmt"
	"strings"

	"perfdeck/session/system/failure"
)

// What Windows has and this package has not.
var (
	// ErrCircular is a binary log that begins anew within itself.
	ErrCircular = errors.New("circular binary logs of Windows are read here, and not written")
	// ErrServer is a database server behind ODBC.
	ErrServer = errors.New("recordings in a database server (SQL:DSN!set) are not written here")
)

const (
	circularAdvice = "record --ring keeps the newest files of a recording"
	cabAdvice      = "unpack it: cabextract FILE, or on Windows: expand -F:* FILE FOLDER"
	serverAdvice   = "sqlite has the same tables in a file"
)

// foreign are names of formats that users of typeperf, relog and logman know.
var foreign = map[string]struct {
	err    error
	advice string
}{
	"bincirc": {ErrCircular, circularAdvice},
	"sql":     {ErrServer, serverAdvice},
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
