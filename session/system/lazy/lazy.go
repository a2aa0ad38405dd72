// Package lazy makes what few runs of the program need when it is first asked for, so that
// it delays nobody's first picture.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that is compiled once it is used. Like
// regexp.MustCompile, it panics if it is none.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
