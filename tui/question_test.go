package tui

import (
	"errors"
	"testing"
	"time"
)

// A question of something outside waits until no other dialog is open, is answered once,
// and goes when nobody waits for it any more.
func TestQuestions(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		var got []string
		ask := func(name string, q Question) *Question {
			q.Title = name
			q.Answer = func(text string, ok bool) {
				if !ok {
					text = "none"
				}
				got = append(got, name+": "+text)
			}
			r.send(then(func(r *root) { r.put(&q) }))
			return &q
		}
		want := func(answers ...string) {
			t.Helper()
			if len(got) != len(answers) {
				t.Fatalf("%q, want %q", got, answers)
			}
			for i := range got {
				if got[i] != answers[i] {
					t.Fatalf("%q, want %q", got, answers)
				}
			}
		}
		ask("first", Question{Text: "the passphrase", Secret: true})
		ask("second", Question{Text: "go on?", Yes: "yes"})
		taken := ask("third", Question{Text: "go on?", Yes: "yes"})
		r.dialogs(1)
		r.write("geheim")
		r.press("enter")
		want("first: geheim")
		r.dialogs(1)
		r.press("esc")
		want("first: geheim", "second: none")
		r.dialogs(1)
		r.send(then(func(r *root) { r.withdraw(taken) }))
		r.dialogs(0)
		want("first: geheim", "second: none")
		ask("fourth", Question{Text: "go on?", Yes: "yes"})
		r.press("tab")
		r.press("enter")
		r.dialogs(0)
		want("first: geheim", "second: none", "fourth: yes")
	})
}

// What is told to a session that is not open yet is not shown, and harms nothing.
func TestToldTooEarly(*testing.T) {
	s := new(Session)
	s.AlertsChanged()
	s.Answered(time.Time{}, "nothing was wrong")
	s.Note(errors.New("too early"))
	s.Tell([]byte("\a"))
	s.Stop(nil)
	s.Restore()
}
