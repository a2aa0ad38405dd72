package records

import (
	"cmp"
	"errors"
	"strings"

	"perfdeck/session/files/listing"
	"perfdeck/session/text/field"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// bind gives the screen its keys.
func (s *Screen) bind() {
	s.Bind("Records", "records", []keys.Binding{
		{Keys: "enter", Text: "open the newest file in replay", Hint: "open", Why: s.why(whyNoOutput), Do: func() { s.Desk.Send(pane.Play{File: s.Row().Output}) }},
		{Keys: "r", Text: "start it, stop it; asks first", Hint: "start, stop", Why: s.why(whyNoSwitch), Do: s.askRun},
		{Keys: "e", Text: "edit the set", Hint: "edit", Why: s.why(whyNoSet), Do: s.edit},
		{Keys: "a", Text: "new set of what the deck shows", Hint: "new set", Why: s.whyNone, Do: s.add},
		{Keys: "d delete", Text: "remove it; asks first, and names what goes", Hint: "remove", Why: s.why(whyNoRemoval), Do: s.askRemove},
		{Keys: "O", Text: "switch its schedule off, on", Why: s.why(whyNoSchedule), Do: s.switchSchedule},
		{Keys: "s", Text: "sort: what runs or is in trouble first, or by name", Hint: "sort", Do: s.SortWorst},
		s.Filter.Key("filter"),
		{Keys: "y", Text: "copy the name of the newest file", Why: s.why(whyNoOutput), Do: func() { s.Desk.Send(pane.Copy{Text: s.Row().Output}) }},
		{Keys: "esc", Text: "clear the filter; back", Do: s.Escape},
	})
}

func (s *Screen) whyNone() string {
	return keys.When(s.Desk.Records == nil, "this is a recording that is played")
}

// why is the reason that the selected record gives, or that there is none.
func (s *Screen) why(of func(r *listing.Record) string) func() string {
	return func() string {
		if r := s.Row(); s.Desk.Records != nil && r != nil {
			return of(r)
		}
		return cmp.Or(s.whyNone(), "nothing is selected")
	}
}

func whyNoOutput(r *listing.Record) string {
	switch {
	case r.Kind == listing.HostSet:
		return "its files lie on " + r.Host + ": perfdeck collect fetch copies them"
	case r.Output == "":
		return "it has no file yet"
	}
	return ""
}

func whyNoSwitch(r *listing.Record) string {
	switch {
	case isUntold(r):
		return untold
	case r.State == listing.Damaged:
		return "its file cannot be read"
	case r.State == listing.Tidying:
		return "it ends already: its data manager is at work"
	case r.Kind >= listing.OtherRecording && r.State != listing.Running:
		return "it is over: perfdeck record --resume goes on with one that died"
	}
	return ""
}

const untold = "its host has not told of it; on Hosts O leaves that host out"

// isUntold tells that a record stands for what a host did not tell.
func isUntold(r *listing.Record) bool {
	return r.State == listing.Unasked || r.State == listing.Silent
}

// whyNoSet tells why what is for sets alone does not apply.
func whyNoSet(r *listing.Record) string {
	switch {
	case r.Kind == listing.NamedRecording:
		return "it stands in the config, which perfdeck does not write"
	case r.Kind >= listing.OtherRecording:
		return "it is no data collector set"
	case isUntold(r):
		return untold
	case r.State == listing.Damaged:
		return "its file cannot be read"
	}
	return ""
}

func whyNoSchedule(r *listing.Record) string {
	why := whyNoSet(r)
	switch {
	case why != "":
		return why
	case r.Kind == listing.HostSet:
		return "e changes the schedules of sets of hosts"
	case !r.Off && r.Next.IsZero():
		return "it has no schedule that is not over: e gives it one"
	}
	return ""
}

func whyNoRemoval(r *listing.Record) string {
	switch {
	case isUntold(r):
		return untold
	case r.Kind == listing.NamedRecording:
		return "it stands in the config, which perfdeck does not write"
	case r.Kind == listing.MadeRecording:
		return "it is a file: its line goes when that does"
	case isOn(r):
		return "it runs: r stops it"
	}
	return ""
}

// askRun asks before the record starts or stops.
func (s *Screen) askRun() {
	r := *s.Row()
	if isOn(&r) {
		s.Desk.Send(pane.Confirm{
			Title: "Stop " + r.Name, Yes: "stop",
			Text: "It runs, and collects no more when it is stopped. Its files are complete then.",
			Do: func() {
				s.Desk.Work("stopping "+r.Name, r.Name+": stopped", func() error { return s.Desk.Records.Stop(&r) })
			},
		})
		return
	}
	lines := []string{"It runs in a process of its own, which goes on when the screens end."}
	if r.Kind == listing.HostSet {
		lines[0] = r.Host + " runs it, and goes on when the screens end."
	}
	for _, f := range r.Facts {
		lines = append(lines, strings.TrimPrefix(f.Label+": "+f.Text, ": "))
	}
	s.Desk.Send(pane.Confirm{
		Title: "Start " + r.Name, Yes: "start", Text: strings.Join(lines, "\n"),
		Do: func() {
			s.Desk.Work("starting "+r.Name, r.Name+": runs", func() error { return s.Desk.Records.Start(&r) })
		},
	})
}

// switchSchedule switches the schedules of the set off, or on again. Neither starts nor
// ends anything now.
func (s *Screen) switchSchedule() {
	r := *s.Row()
	said := r.Name + ": its schedule is off"
	if r.Off {
		said = r.Name + ": its schedule is on"
	}
	s.Desk.Work("changing "+r.Name, said, func() error { return s.Desk.Records.Switch(&r, r.Off) })
}

// edit asks for what can be changed of the set.
func (s *Screen) edit() {
	r := *s.Row()
	s.askForm("reading "+r.Name, r.Name+": changed", func() (listing.Form, error) { return s.Desk.Records.Form(&r) })
}

var errNoCounters = errors.New("the deck shows no counters: 1 goes there, a adds some")

// add asks for a set of what the deck shows.
func (s *Screen) add() {
	var what []pane.RecordHost
	if s.Offered != nil {
		what = s.Offered()
	}
	s.askForm("reading the deck", "the set is there: r starts it", func() (listing.Form, error) {
		for i := range what {
			if len(what[i].Paths) > 0 {
				return s.Desk.Records.New(what)
			}
		}
		return listing.Form{}, errNoCounters
	})
}

// askForm shows a form when it was read, and saves what is accepted.
func (s *Screen) askForm(what, done string, read func() (listing.Form, error)) {
	s.await(what, func() (pane.Intent, error) {
		form, err := read()
		return s.formOf(form, done), err
	})
}

// await asks what it read first, if the user waits for that.
func (s *Screen) await(what string, read func() (pane.Intent, error)) {
	s.Desk.Wait(what, func() func(bool) {
		ask, err := read()
		return func(awaited bool) {
			switch {
			case err != nil:
				s.Desk.Say(err.Error())
			case awaited:
				s.Desk.Send(ask)
			}
		}
	})
}

// formWidth is how wide lines of a form are.
const formWidth = 54

// formOf is the dialog of a form: what values would mean is told as they are typed.
func (s *Screen) formOf(form listing.Form, done string) pane.AskForm {
	var taken field.Answers
	return pane.AskForm{
		Title: form.Title, Fields: form.Fields,
		Each: func(a field.Answers) []string {
			found, err := form.Judge(a)
			if err != nil {
				found = append([]string{err.Error()}, found...)
			}
			var lines []string
			for _, text := range found {
				lines = append(lines, canvas.Fold(text, formWidth)...)
			}
			return lines
		},
		Done: func(a field.Answers) error {
			taken = a
			_, err := form.Judge(a)
			return err
		},
		Then: func() { s.Desk.Work("saving", done, func() error { return form.Save(taken) }) },
	}
}

// askRemove asks what goes with the record.
func (s *Screen) askRemove() {
	r := *s.Row()
	s.await("looking what goes with "+r.Name, func() (pane.Intent, error) {
		doomed, err := s.Desk.Records.Doomed(&r)
		return s.removal(&r, doomed), err
	})
}

// removal is the question before something is removed. That its files go, too, is another
// answer, which is asked again.
func (s *Screen) removal(r *listing.Record, doomed listing.Doomed) pane.Confirm {
	remove := func(files bool) func() {
		return func() {
			s.Desk.Work("removing "+r.Name, r.Name+": removed", func() error { return s.Desk.Records.Remove(r, files) })
		}
	}
	ask := pane.Confirm{Title: "Remove " + r.Name, Text: doomed.Text, Yes: "remove, keep files", Do: remove(false)}
	if doomed.Folders > 0 {
		ask.Other = pane.Other{Key: "f", Text: "files too", Do: func() {
			s.Desk.Send(pane.Confirm{
				Title: "Remove " + r.Name + " and its files", Yes: "remove all",
				Text: doomed.Files + "\nThis cannot be undone.", Do: remove(true),
			})
		}}
	}
	return ask
}
