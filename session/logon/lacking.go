package logon

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"perfdeck/session"
	"perfdeck/session/config"
)

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
		return session.WithHint(fmt.Errorf("%s: read its %s: %w", of, what, err), hint)
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
