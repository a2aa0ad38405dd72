package tui

import (
	"slices"

	"perfdeck/session/text/field"
	"perfdeck/tui/dialog"
	"perfdeck/tui/pane"
)

// Question is what something outside the screens has to ask of the user.
type Question struct {
	Title, Text string
	Yes         string // what agreeing means; empty: a text is asked for
	Secret      bool   // that is not to be seen
	// Answer hears of the answer, once; ok is false where there is none.
	Answer func(text string, ok bool)
}

// Ask puts a question to the user, as soon as no other dialog is open. withdraw takes
// it back where it was not answered. Both may be called from anywhere.
func (s *Session) Ask(q Question) (withdraw func()) {
	if s.program.Load() == nil {
		q.Answer("", false)
		return func() {}
	}
	s.send(then(func(r *root) { r.put(&q) }))
	return func() { s.send(then(func(r *root) { r.withdraw(&q) })) }
}

// asking is the dialog of a question.
type asking struct {
	pane.Dialog

	of *Question
}

// put has a question asked when its turn comes.
func (r *root) put(q *Question) {
	r.questions = append(r.questions, q)
	r.askNext()
}

// askNext opens the dialog of the next question, if nothing else is open.
func (r *root) askNext() {
	if len(r.questions) == 0 || r.dialog() != nil || r.ending {
		return
	}
	q := r.questions[0]
	r.questions = r.questions[1:]
	out := &r.desk.Outbox
	if q.Yes != "" {
		r.raise(&asking{dialog.NewConfirm(out, pane.Confirm{
			Title: q.Title, Text: q.Text, Yes: q.Yes, Do: func() { q.answer("yes", true) },
		}), q})
		return
	}
	r.raise(&asking{dialog.NewForm(out, pane.AskForm{
		Title:  q.Title,
		Fields: []field.Line{{Name: "answer", Label: "answer", Secret: q.Secret, Help: q.Text}},
		Done:   func(in field.Answers) error { q.answer(in["answer"], true); return nil },
	}), q})
}

// answer tells the answer, if none was told.
func (q *Question) answer(text string, ok bool) {
	if tell := q.Answer; tell != nil {
		q.Answer = nil
		tell(text, ok)
	}
}

// closed is called when a dialog was closed: one that asked has its answer, or none.
func (r *root) closed(d pane.Dialog) {
	if a, ok := d.(*asking); ok {
		a.of.answer("", false)
	}
}

// withdraw takes a question back that nobody waits for any more.
func (r *root) withdraw(q *Question) {
	q.Answer = nil
	r.questions = slices.DeleteFunc(r.questions, func(other *Question) bool { return other == q })
	r.dialogs = slices.DeleteFunc(r.dialogs, func(d pane.Dialog) bool {
		a, ok := d.(*asking)
		return ok && a.of == q
	})
	r.askNext()
}
