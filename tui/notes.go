package tui

import (
	"time"

	"perfdeck/session/files/note"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// What the root does with notes: it asks for their text, and writes those that come into
// the journal.

// earlierNotes is how long before the screens began notes still stand in the Log.
const earlierNotes = 24 * time.Hour

func (r *root) whyNoNotes() string {
	return keys.When(r.desk.Notes == nil, "there is no place for notes here")
}

// writeNote asks for a note of the moment that is shown.
func (r *root) writeNote() {
	at := r.desk.LookedAt()
	form := time.TimeOnly
	if !pane.IsSameDay(at, r.desk.Now()) {
		form = time.DateTime
	}
	var n note.Note
	r.desk.Send(pane.AskText{
		Title: "Note at " + at.Format(form), Help: "what happened, as: deploy 4.2; on charts, in recordings and reports",
		Done: func(text string) (err error) {
			n, err = note.New(at, text, r.desk.User)
			return err
		},
		Then: func() { r.keepNote(n) },
	})
}

// keepNote writes a note down, beside the screens.
func (r *root) keepNote(n note.Note) {
	r.desk.Wait("writing the note", func() func(bool) {
		err := r.desk.Notes.Write(n)
		return func(bool) {
			r.noteNotes()
			if err != nil {
				r.fail(err)
				return
			}
			r.say("noted: " + n.Text)
		}
	})
}

// noteNotes writes notes that are new into the journal.
func (r *root) noteNotes() {
	if r.desk.Notes == nil {
		return
	}
	for _, n := range r.desk.Notes.All() {
		if r.news.noted[n] || r.bar == nil && n.Time.Before(r.began.Add(-earlierNotes)) {
			continue
		}
		r.news.noted[n] = true
		by := ""
		if n.By != "" {
			by = " (" + n.By + ")"
		}
		r.desk.Journal.Add(pane.Entry{Time: n.Time, Level: pane.Info, Text: "note: " + n.Text + by})
	}
}
