package dialog

import (
	"errors"
	"maps"
	"testing"

	"perfdeck/session/text/field"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
)

// A secret is never drawn, whichever field is edited, however it came there and
// whatever was wrong with the values; with the form it is forgotten.
func TestSecretsAreNotShown(t *testing.T) {
	for glyphs, mark := range map[canvas.GlyphSet]string{canvas.Full: "••••••", canvas.Console: "••••••", canvas.ASCII: "******"} {
		for _, end := range []string{"enter", "esc"} {
			var got field.Answers
			fails := 1
			form := NewForm(out, pane.AskForm{Title: "Log on", Fields: []field.Line{{Name: "who", Label: "account"}, {Name: "secret", Label: "password", Secret: true}},
				Done: func(in field.Answers) error {
					if fails--; fails >= 0 {
						return errRefused
					}
					got = maps.Clone(in)
					return nil
				}})
			r := newRig(t, form, 80, 24, glyphs)
			r.press("ana", "enter")
			if got != nil || fails < 1 || r.closed {
				t.Fatal("enter on the account leaves no time for the password")
			}
			r.press("s3c")
			r.paste("ret")
			r.Shows(mark)
			r.Hides("s3c", "ret")
			r.press("left", "left", "tab") // the account is edited
			r.Shows(mark, "ana")
			r.Hides("s3c", "ret")
			r.press("tab") // marked
			r.Shows(mark)
			r.Hides("s3c", "ret")
			r.press("enter") // refused
			r.Hides("s3c", "ret")
			r.press(end)
			if want := map[string]field.Answers{"enter": {"who": "ana", "secret": "s3cret"}}[end]; !maps.Equal(got, want) || !r.closed {
				t.Errorf("%s: %q, want %q", end, got, want)
			}
			if !form.values[1].IsEmpty() {
				t.Errorf("%s: %q is kept", end, form.values[1].String())
			}
		}
	}
}

var errRefused = errors.New("refused")
