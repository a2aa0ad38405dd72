package tui

import (
	"strings"
	"time"

	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// recording is how things stand with the recorder; without one nothing is.
func (r *root) recording() pane.Recording {
	if r.options.Recorder == nil {
		return pane.Recording{}
	}
	return r.options.Recorder.Status()
}

func (r *root) whyNoRecording() string {
	return keys.When(r.options.Recorder == nil, "nothing can be recorded here")
}

// record asks for the file of a recording, or tells of the one that goes on and
// stops it.
func (r *root) record() {
	if s := r.recording(); s.On {
		items := []pane.MenuItem{{Text: "go on: " + aboutRecording(s, r.desk.Now()), Do: func() {}}}
		if lacking := r.options.Recorder.Lacking(r.book.Recordable()); lacking != "" {
			items = append(items, pane.MenuItem{Text: "record too: " + lacking, Do: r.extendRecording})
		}
		r.desk.Send(pane.OpenMenu{Title: "Recording to " + s.File, Items: append(items,
			pane.MenuItem{Text: "stop the recording", Do: r.stopRecording},
			pane.MenuItem{Text: "copy the name of the file", Do: func() { r.desk.Send(pane.Copy{Text: s.File}) }},
		)})
		return
	}
	r.desk.Send(pane.AskText{
		Title: "Record this deck to", Text: r.options.Recorder.Propose(),
		Help: "a file: .db (SQLite), .csv, .tsv, .json or, by experiment, .blg; it goes on when the screens end",
		Done: func(file string) error { return r.options.Recorder.Start(strings.TrimSpace(file), r.book.Recordable()) },
		Then: func() {
			r.note(pane.Info, "", "recording to "+r.recording().File)
			r.desk.Say("recording   r tells of it and stops it")
		},
	})
}

// extendRecording lets the recording have what the deck shows. The screens do not
// wait for its disk.
func (r *root) extendRecording() {
	recorder, what := r.options.Recorder, r.book.Recordable()
	r.desk.Work("extending the recording", "recorded from now on: "+recorder.Lacking(what), func() error { return recorder.Extend(what) })
}

// stopRecording closes the recording. The screens do not wait for its disk.
func (r *root) stopRecording() {
	recorder, s := r.options.Recorder, r.recording()
	r.desk.Work("closing "+s.File, "recorded "+aboutRecording(s, r.desk.Now())+" to "+s.File, recorder.Stop)
}

// aboutRecording sums a recording up: "312 samples, 1.2 MB, 5 min 12 s".
func aboutRecording(s pane.Recording, now time.Time) string {
	text := english.Count(s.Samples, "sample", "samples") + ", " + english.Size(s.Bytes) + ", " + english.Span(now.Sub(s.Started))
	if s.Missed > 0 {
		text += ", " + english.Count(s.Missed, "beat", "beats") + " missed"
	}
	return text
}

// recordPart is the sign of a recording in the header: for how long.
func (r *root) recordPart(now time.Time) (headerPart, bool) {
	s := r.recording()
	if !s.On {
		return headerPart{}, false
	}
	text := string(r.canvas.Glyphs().Glyphs().Recording) + " " + english.Short(now.Sub(s.Started).Round(time.Second))
	return headerPart{text: text, st: themes.Critical}, true
}

// quit ends the screens. With a recording it asks once what becomes of it.
func (r *root) quit() {
	s := r.recording()
	if !s.On {
		if r.options.Recorder != nil {
			r.options.Recorder.Leave(false)
		}
		r.end()
		return
	}
	end := func(goesOn bool) func() {
		return func() { r.options.Recorder.Leave(goesOn); r.end() }
	}
	r.desk.Send(pane.OpenMenu{Title: "Recording to " + s.File, Items: []pane.MenuItem{
		{Text: "stay", Do: func() {}},
		{Text: "quit, the recording goes on without screens", Do: end(true)},
		{Text: "quit and close the recording", Do: end(false)},
	}})
}
