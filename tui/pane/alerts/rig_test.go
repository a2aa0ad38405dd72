package alerts

import (
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/text/field"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

var start = time.Date(2026, 3, 16, 14, 2, 0, 0, time.UTC)

const second = time.Second

// rig is the screen on scripted hosts that a real watch judges.
type rig struct {
	*panetest.Rig

	watch  *alert.Watch
	screen *Screen
}

// onAlerts runs a test on a rig in a bubble, which fails the test if a goroutine
// is left behind.
func onAlerts(t *testing.T, scripts []fake.Script, rules []alert.Rule, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newRig(t, scripts, rules, synctest.Wait)) })
}

func newRig(t testing.TB, scripts []fake.Script, rules []alert.Rule, settle func()) *rig {
	r := &rig{Rig: panetest.New(t, panetest.Options{Start: start, Settle: settle, Span: 5 * time.Minute})}
	r.watch = alert.NewWatch(alert.Options{Clock: r.Clock, Zone: time.UTC, Rules: rules, Around: true, Report: func(err error) { t.Error(err) }})
	r.Desk.Alerts, r.Desk.User, r.Desk.Numbers = r.watch, "ana", pane.DefaultNumbers()
	for _, h := range panetest.Scripts(scripts...)(r.Clock) {
		host, _ := r.Watch(h, 10*time.Minute)
		r.watch.Add(host.Name, host.Sampler.(*session.Sampler))
	}
	r.Go(r.watch.Run)
	r.screen = New(r.Desk)
	r.Show(r.screen)
	r.Clock.Advance(0)
	r.screen.Opened()
	r.Draw()
	return r
}

// form is a form that is filled in.
type form struct {
	*rig

	ask     pane.AskForm
	values  []string
	preview []string
}

func (r *rig) form() *form {
	r.Helper()
	ask, ok := r.Last().(pane.AskForm)
	if !ok {
		r.Fatalf("no form is open, but %#v", r.Last())
	}
	return r.fill(ask)
}

func (r *rig) fill(ask pane.AskForm) *form {
	f := &form{rig: r, ask: ask}
	for _, field := range ask.Fields {
		f.values = append(f.values, field.Value)
	}
	f.preview = ask.Each(f.answers())
	return f
}

func (f *form) answers() field.Answers {
	out := field.Answers{}
	for i, field := range f.ask.Fields {
		out[field.Name] = f.values[i]
	}
	return out
}

func (f *form) at(label string) int {
	f.Helper()
	for i, field := range f.ask.Fields {
		if field.Label == label {
			return i
		}
	}
	f.Fatalf("the form has no field %q", label)
	return -1
}

func (f *form) set(label, value string) *form {
	f.Helper()
	f.values[f.at(label)] = value
	f.preview = f.ask.Each(f.answers())
	return f
}

func (f *form) get(label string) string { return f.values[f.at(label)] }

// accept checks the fields as the dialog does, and takes them.
func (f *form) accept() error {
	for i, field := range f.ask.Fields {
		if field.Check != nil {
			if err := field.Check(f.values[i]); err != nil {
				return err
			}
		}
	}
	if err := f.ask.Done(f.answers()); err != nil {
		return err
	}
	f.Run(f.ask.Then)
	f.Clock.Advance(0)
	f.Draw()
	return nil
}

// row is the first line of a pane that holds the text.
func (r *rig) row(p part, text string) string {
	rect := r.screen.places.parts[p]
	return r.RowWithin(rect.Y+1, rect.Y+rect.H, text)
}
