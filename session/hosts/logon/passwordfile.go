package logon

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"perfdeck/session/config"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
)

// mostPassword bounds a password, in bytes.
const mostPassword = 4096

var (
	errNoPassword   = errors.New("the first line is empty")
	errLongPassword = fmt.Errorf("the first line has more than %d bytes", mostPassword)
)

// checkFile tells why a password or token cannot be read from a file.
func checkFile(name string) error {
	name, err := config.BelowHome(name)
	if err != nil {
		return err
	}
	secret, err := readSecretFile(name)
	clear(secret)
	return err
}

// readSecretFile reads the first line of a file that nobody else may use. Who asks for it
// says in the error whether it is a password or a token.
func readSecretFile(name string) ([]byte, error) {
	f, err := osfile.OpenSecret(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := make([]byte, mostPassword+len("\r\n"))
	defer clear(text)
	n, err := io.ReadFull(f, text)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	password, err := firstLine(text[:n])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return password, nil
}

// firstLine is a copy of the first line of a text.
func firstLine(text []byte) ([]byte, error) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	switch {
	case len(line) == 0:
		return nil, errNoPassword
	case len(line) > mostPassword:
		return nil, errLongPassword
	}
	return bytes.Clone(line), nil
}

// passwordOf is the password in a file.
func passwordOf(name string) ([]byte, error) {
	password, err := readSecretFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the password: %w", err)
	}
	return password, nil
}

// firstLineHint says what such a file is.
const firstLineHint = "a file with it on its first line, which nobody else may read: chmod 0600"

// CheckSecret tells why the file of a password or token cannot be read; what is kept
// elsewhere is fetched when it is needed.
func CheckSecret(of, what string, ref config.PasswordRef) error {
	if ref.File == "" {
		return nil
	}
	if err := checkFile(ref.File); err != nil {
		hint := firstLineHint
		if own, ok := errors.AsType[hinter](err); ok {
			hint = cmp.Or(own.Hint(), hint)
		}
		return failure.WithHint(fmt.Errorf("%s: read its %s: %w", of, what, err), hint)
	}
	return nil
}

// hinter is an error that says what to do.
type hinter interface {
	error
	Hint() string
}

// Lacking are the files of passwords and tokens of a config, for what alerts tell,
// that cannot be read.
func Lacking(file *config.Config) (out []error) {
	for _, name := range slices.Sorted(maps.Keys(file.Alerts.Webhooks)) {
		if err := CheckSecret("webhook "+name, "token", file.Alerts.Webhooks[name].Token); err != nil {
			out = append(out, err)
		}
	}
	for _, m := range file.Alerts.Alertmanagers {
		what := "token"
		if m.User != "" {
			what = "password"
		}
		if err := CheckSecret("Alertmanager "+m.Name, what, m.Secret); err != nil {
			out = append(out, err)
		}
	}
	return out
}
