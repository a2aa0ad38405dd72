package alerts

import (
	"errors"
	"fmt"
	"strconv"

	"perfdeck/session/alert"
	"perfdeck/session/text/field"
	"perfdeck/session/text/printable"
	"perfdeck/tui/pane"
)

// origin is that of the rules that were made on the screens.
const origin = "screens"

var errOff = errors.New("alerts are off here")

// statusOf is how things stand with a rule, nil if there is none of the name.
func statusOf(desk *pane.Desk, name string) *alert.RuleStatus {
	rules := desk.Board().Rules
	for i := range rules {
		if rules[i].Name == name {
			return &rules[i]
		}
	}
	return nil
}

// isOwn tells that a rule was made on the screens and stands in no file.
func isOwn(r *alert.RuleStatus) bool { return r.Edited && r.Origin == origin }

// freeName is a name that no rule has: the wanted one, or with a number behind.
func freeName(desk *pane.Desk, want string) string {
	want = printable.Text(want)
	if want == "" {
		want = "alert"
	}
	name := want
	for n := 2; statusOf(desk, name) != nil; n++ {
		name = want + " " + strconv.Itoa(n)
	}
	return name
}

// reason is what is wrong with a rule, without its name, which stands above.
func reason(err error) error {
	if e, ok := errors.AsType[*alert.RuleError](err); ok {
		return &field.Error{Field: e.Field, Why: e.Err.Error(), Err: err}
	}
	return err
}

// put adds a rule, or replaces the one that was called old; empty: none was. It
// returns what was done and how it is undone.
func put(desk *pane.Desk, r alert.Rule, old string) (pane.Did, error) {
	if desk.Alerts == nil {
		return pane.Did{}, errOff
	}
	before := statusOf(desk, old)
	if taken := statusOf(desk, r.Name); taken != nil && (before == nil || taken.Name != old) {
		return pane.Did{}, fmt.Errorf("there is a rule %s: take another name, or edit that one", quoted(r.Name))
	}
	renamed := before != nil && r.Name != old
	if renamed && !isOwn(before) {
		return pane.Did{}, errors.New("it stands in a file, which is only read: its name stays")
	}
	if err := desk.Alerts.Put(desk.User, r); err != nil {
		return pane.Did{}, reason(err)
	}
	if renamed {
		if err := desk.Alerts.Remove(desk.User, old); err != nil {
			return pane.Did{}, reason(err)
		}
	}
	if before == nil {
		return pane.Did{Text: "alert " + quoted(r.Name) + " added", Undo: undo(desk, func() error {
			return desk.Alerts.Remove(desk.User, r.Name)
		})}, nil
	}
	was := *before
	return pane.Did{Text: "alert " + quoted(r.Name) + " changed", Undo: undo(desk, func() error {
		if renamed {
			return errors.Join(desk.Alerts.Put(desk.User, was.Rule), desk.Alerts.Remove(desk.User, r.Name))
		}
		return restore(desk, &was)
	})}, nil
}

// restore makes a rule again what it was.
func restore(desk *pane.Desk, was *alert.RuleStatus) error {
	if was.Edited {
		return desk.Alerts.Put(desk.User, was.Rule)
	}
	if now := statusOf(desk, was.Name); now != nil && now.Edited {
		if err := desk.Alerts.Remove(desk.User, was.Name); err != nil {
			return err
		}
	}
	if now := statusOf(desk, was.Name); now != nil && now.Disabled != was.Disabled {
		return desk.Alerts.Enable(desk.User, was.Name, !was.Disabled)
	}
	return nil
}

// undo makes the undoing of a change; what goes wrong is said.
func undo(desk *pane.Desk, do func() error) func() {
	return func() {
		if err := do(); err != nil {
			desk.Say(err.Error())
		}
	}
}

// undoEach is the undoing of what was done to each of some rules.
func undoEach[R any](desk *pane.Desk, list []R, do func(r R) error) func() {
	return undo(desk, func() (all error) {
		for _, r := range list {
			all = errors.Join(all, do(r))
		}
		return all
	})
}

// eachRule does something to those of some rules that it is for, and returns what they were.
func eachRule(desk *pane.Desk, names []string, isFor func(*alert.RuleStatus) bool, do func(name string) error) (was []alert.RuleStatus, err error) {
	for _, name := range names {
		st := statusOf(desk, name)
		if st == nil || !isFor(st) {
			continue
		}
		was = append(was, *st)
		if err := do(name); err != nil {
			return nil, reason(err)
		}
	}
	return was, nil
}

// removeRules takes rules away, or back to what their files say.
func removeRules(desk *pane.Desk, names []string) (pane.Did, error) {
	was, err := eachRule(desk, names, func(r *alert.RuleStatus) bool { return r.Edited }, func(name string) error {
		return desk.Alerts.Remove(desk.User, name)
	})
	if err != nil {
		return pane.Did{}, err
	}
	if len(was) == 0 {
		return pane.Did{}, errors.New("what stands in a file is only read: switch it off instead")
	}
	verb := "removed"
	if !isOwn(&was[0]) {
		verb = "is again what its file says"
	}
	return pane.Did{Text: ruleCount(was) + " " + verb, Undo: undoEach(desk, was, func(r alert.RuleStatus) error {
		return desk.Alerts.Put(desk.User, r.Rule)
	})}, nil
}

// ruleCount names one rule, or says how many.
func ruleCount(list []alert.RuleStatus) string {
	if len(list) == 1 {
		return "alert " + quoted(list[0].Name)
	}
	return strconv.Itoa(len(list)) + " alert rules"
}

// switchRules switches rules off, or on if the first one is off.
func switchRules(desk *pane.Desk, names []string) (pane.Did, error) {
	on := false
	if len(names) > 0 { // they may be gone since they were chosen
		st := statusOf(desk, names[0])
		on = st != nil && st.Disabled
	}
	was, err := eachRule(desk, names, func(r *alert.RuleStatus) bool { return r.Disabled == on }, func(name string) error {
		return desk.Alerts.Enable(desk.User, name, on)
	})
	if err != nil {
		return pane.Did{}, err
	}
	verb := "switched off"
	if on {
		verb = "switched on"
	}
	return pane.Did{Text: ruleCount(was) + " " + verb, Undo: undoEach(desk, was, func(r alert.RuleStatus) error {
		return desk.Alerts.Enable(desk.User, r.Name, !on)
	})}, nil
}
