//go:build !windows

package main

import (
	"regexp"
	"testing"
)

// Why, asked of an alert, knows the rule that fires, wherever that stands.
func TestWhyOfAlertOnScreens(t *testing.T) {
	t.Parallel()
	c := onConsole(t, []string{"HOME=" + t.TempDir()}, "--demo")
	c.write("6")
	c.await("an alert of some seconds", regexp.MustCompile(`warning   processor busy .* [1-5][0-9] s`).MatchString)
	c.write("C")
	c.awaitText("sql01 warning: The processors")
}
