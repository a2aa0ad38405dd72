package tui

import (
	"strings"
	"testing"
)

// The function keys of other monitors do what people expect, on the deck and on Top, or
// say why not; none of them is a hint.
func TestFunctionKeys(t *testing.T) {
	for _, test := range []struct {
		key, alike string // it does what this key does
		says       string // or says this
	}{
		{"f1", "?", ""}, {"f2", "", "Settings"}, {"f3", "/", ""}, {"f4", "/", ""}, {"f5", "v", ""}, {"f6", "", "sort"},
		{"f7", "", "renice"}, {"f8", "", "renice"}, {"f9", "ctrl+k", ""}, {"f10", "q", ""},
	} {
		for _, screen := range []string{"1", "3"} {
			play := func(key string) (text string, quit bool) {
				onScreens(t, rigOptions{}, func(r *rig) {
					r.begin(2)
					r.press(screen)
					r.press(key)
					text, quit = r.text(), r.quit
				})
				return text, quit
			}
			got, quit := play(test.key)
			if test.alike == "" {
				if !strings.Contains(strings.ToLower(got), strings.ToLower(test.says)) {
					t.Errorf("%s on screen %s does not say %q:\n%s", test.key, screen, test.says, got)
				}
				continue
			}
			if want, ends := play(test.alike); got != want || quit != ends {
				t.Errorf("%s on screen %s shows\n%s\nbut %s\n%s", test.key, screen, got, test.alike, want)
			}
		}
	}
}
