package alerts

import (
	"errors"

	"perfdeck/session/alert"
	"perfdeck/session/text/field"
)

// reason is what is wrong with a rule, without its name, which stands above.
func reason(err error) error {
	if e, ok := errors.AsType[*alert.RuleError](err); ok {
		return &field.Error{Field: e.Field, Why: e.Err.Error(), Err: err}
	}
	return err
}
