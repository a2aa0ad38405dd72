package session

import "errors"

// HintOf is what can be done about a failure, as the first error in its chain says that
// has a word on it; empty: none has.
func HintOf(err error) string {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		return hinted.Hint()
	}
	return ""
}
