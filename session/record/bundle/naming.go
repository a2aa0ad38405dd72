package bundle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/record/anonymous"
	"perfdeck/session/record/logs"
	"perfdeck/session/record/note"
)

// namer is how names and texts are written: as they are, or replaced.
type namer interface {
	sliceNamer
	besideNamer
	left() []string
}

// sliceNamer is for recordings.
type sliceNamer interface {
	columns(all []logs.Column) (kept []logs.Column, places []int)
	zone(logs.Zone) logs.Zone
	caption(string) string
	title(title string, number int) string
	of(kind, name string) string // in what was left out
	value(text string) string    // of a text counter
}

// besideNamer is for what stands beside them.
type besideNamer interface {
	path(text string) (string, bool)
	host(name string) string
	user(name string) string
	// text is a text that somebody wrote; ok is false if it has to be left out.
	text(text string) (_ string, ok bool)
	id(alert.ID) alert.ID
	hosts(patterns []string) (list []string, ok bool)
	except(patterns []string) []string
}

// plainly writes names as they are, and texts without secrets.
type plainly struct{ *cleaner }

func (plainly) columns(all []logs.Column) ([]logs.Column, []int) {
	places := make([]int, len(all))
	for i := range places {
		places[i] = i
	}
	return all, places
}

func (plainly) zone(z logs.Zone) logs.Zone               { return z }
func (p plainly) caption(text string) string             { return p.clean(text) }
func (plainly) title(title string, _ int) string         { return title }
func (plainly) of(_, name string) string                 { return name }
func (plainly) value(text string) string                 { return text }
func (plainly) path(text string) (string, bool)          { return text, true }
func (p plainly) host(name string) string                { return p.clean(withoutUser(name)) }
func (plainly) user(name string) string                  { return name }
func (p plainly) text(text string) (string, bool)        { return p.clean(text), true }
func (plainly) id(id alert.ID) alert.ID                  { return id }
func (plainly) hosts(patterns []string) ([]string, bool) { return patterns, true }
func (plainly) except(patterns []string) []string        { return patterns }
func (plainly) left() []string                           { return nil }

// withoutUser is a host without the account that is tried there.
func withoutUser(name string) string {
	scheme, rest, ok := strings.Cut(name, "://")
	if !ok {
		return name
	}
	return scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:]
}

// anonymously replaces names.
type anonymously struct {
	*cleaner

	names     *anonymous.Names
	recorded  []string // hosts of the recordings
	instances []string // of them
}

// anonymized collects the names of recordings, and of what stands beside them.
func anonymized(recordings []Recording, beside *Beside, o *Options, c *cleaner) *anonymously {
	a := &anonymously{cleaner: c, names: anonymous.New()}
	var all []string
	seen := map[string]bool{}
	add := func(list *[]string, name string) {
		if name != "" && !seen[name] {
			seen[name] = true
			*list = append(*list, name)
		}
	}
	for i := range recordings {
		columns := recordings[i].Reader.Header().Columns
		for i := range columns {
			if p, err := paths.Parse(columns[i].Path); err == nil {
				add(&a.recorded, p.Computer)
				add(&a.instances, p.Instance)
			}
			all = append(all, columns[i].Path)
		}
	}
	a.names.Collect(all)
	a.names.Fix(slices.Concat(o.Hosts, hostsOf(beside)), slices.Concat(o.Users, usersOf(beside)))
	return a
}

// hostsOf are the hosts that are named beside recordings.
func hostsOf(b *Beside) (out []string) {
	for i := range b.Decks {
		for _, p := range b.Decks[i].Panes {
			out = append(out, p.Host)
		}
	}
	for i := range b.Events {
		out = append(out, b.Events[i].ID.Host)
	}
	for i := range b.Log {
		out = append(out, b.Log[i].Host)
	}
	for i := range b.Rules {
		out = append(out, b.Rules[i].When.Path.Computer)
		for _, h := range b.Rules[i].Hosts {
			if !strings.Contains(h, "*") {
				out = append(out, h)
			}
		}
	}
	return out
}

func usersOf(b *Beside) (out []string) {
	for i := range b.Events {
		out = append(out, b.Events[i].By)
	}
	for i := range b.Notes {
		out = append(out, b.Notes[i].By)
	}
	return out
}

// columns replaces the paths, in an order that follows the new ones: that of the old ones
// is mostly the alphabet's.
func (a *anonymously) columns(all []logs.Column) (kept []logs.Column, places []int) {
	type column struct {
		logs.Column
		place int
	}
	var list []column
	for i := range all {
		if path, ok := a.names.Path(all[i].Path); ok {
			c := all[i]
			c.Path = path
			list = append(list, column{c, i})
		}
	}
	slices.SortStableFunc(list, func(x, y column) int { return strings.Compare(x.Path, y.Path) })
	for i := range list {
		kept, places = append(kept, list[i].Column), append(places, list[i].place)
	}
	return kept, places
}

func (a *anonymously) zone(z logs.Zone) logs.Zone {
	at := time.Duration(-z.Bias) * time.Minute // its name may be anybody's
	z.Name = time.Time{}.In(time.FixedZone("", int(at.Seconds()))).Format("UTC-07:00")
	return z
}

func (a *anonymously) caption(string) string             { return "" }
func (a *anonymously) title(_ string, number int) string { return fmt.Sprintf("recording-%d", number) }
func (a *anonymously) of(kind, _ string) string          { return "a " + kind }
func (a *anonymously) value(text string) string          { return a.names.Value(text) }
func (a *anonymously) path(text string) (string, bool)   { return a.names.Path(text) }
func (a *anonymously) host(name string) string           { return a.names.Host(withoutUser(name)) }
func (a *anonymously) user(name string) string           { return a.names.User(name) }

func (a *anonymously) text(text string) (string, bool) {
	text = a.names.Text(a.clean(text))
	return text, !a.names.Forbids(text)
}

func (a *anonymously) id(id alert.ID) alert.ID {
	set := id.Set
	id.Host, id.Set, id.Counter = a.host(id.Host), a.names.Set(id.Set), a.names.Counter(id.Counter)
	if id.Parent != "" {
		id.Parent = a.names.Instance(set, id.Parent)
	}
	if id.Name != "" {
		id.Name = a.names.Instance(set, id.Name)
	}
	return id
}

func (a *anonymously) hosts(patterns []string) ([]string, bool) {
	if len(patterns) == 0 {
		return nil, true
	}
	return anonymous.Pattern(patterns, a.recorded, a.names.Host)
}

func (a *anonymously) except(patterns []string) []string {
	list, _ := anonymous.Pattern(patterns, a.instances, func(name string) string { return a.names.Instance("", name) })
	return list
}

func (a *anonymously) left() (out []string) {
	if count := a.names.Count(); len(count) > 0 {
		out = append(out, replacedMark+strings.Join(count, ", "))
	}
	return out
}

// renamed is what stands beside recordings with other names. What cannot be replaced is
// left out.
func renamed(b *Beside, n besideNamer) (out Beside, left []string) {
	lost := map[string]int{}
	for i := range b.Decks {
		if d, ok := renamedDeck(&b.Decks[i], n); ok {
			out.Decks = append(out.Decks, d)
		} else {
			lost["decks"]++
		}
	}
	rules := map[string]string{}
	rule := func(name string) string { return ruleName(rules, name, n) }
	acting := 0
	for i := range b.Rules {
		r, ok := renamedRule(&b.Rules[i], n, rule)
		if len(b.Rules[i].Actions)+len(b.Rules[i].OnClear) > 0 || b.Rules[i].Text != "" {
			acting++
		}
		if ok {
			out.Rules = append(out.Rules, r)
		} else {
			lost["rules"]++
		}
	}
	for i := range b.Events {
		if e, ok := renamedEvent(&b.Events[i], n, rule); ok {
			out.Events = append(out.Events, e)
		} else {
			lost["events"]++
		}
	}
	for _, e := range b.Log {
		var ok bool
		e.Host = n.host(e.Host)
		if e.Text, ok = n.text(e.Text); ok {
			out.Log = append(out.Log, e)
		} else {
			lost["lines of the log"]++
		}
	}
	for _, one := range b.Notes {
		text, ok := n.text(one.Text)
		renamed, err := note.New(one.Time, text, n.user(one.By))
		if ok && err == nil {
			out.Notes = append(out.Notes, renamed)
		} else {
			lost["notes"]++
		}
	}
	if acting > 0 {
		left = append(left, fmt.Sprintf("what rules do, and the texts for that: %d", acting))
	}
	for _, what := range []string{"decks", "rules", "events", "lines of the log", "notes"} {
		if lost[what] > 0 {
			left = append(left, fmt.Sprintf("%s: %d, in which names cannot be replaced, or of hosts that were not recorded", what, lost[what]))
		}
	}
	return out, left
}

// ruleName is the name of a rule, unlike every other.
func ruleName(known map[string]string, name string, n besideNamer) string {
	if to, there := known[name]; there || name == "" {
		return to
	}
	to, ok := n.text(name)
	if !ok || strings.TrimSpace(to) == "" {
		to = "rule"
	}
	unique := strings.TrimSpace(to)
	taken := map[string]bool{}
	for _, other := range known {
		taken[other] = true
	}
	for i := 2; taken[unique]; i++ {
		unique = fmt.Sprintf("%s (%d)", to, i)
	}
	known[name] = unique
	return unique
}

func renamedDeck(d *session.Deck, n besideNamer) (out session.Deck, ok bool) {
	out = *d
	if out.Name, ok = n.text(d.Name); !ok {
		return out, false
	}
	if !isLayout(d.Layout) {
		out.Layout = ""
	}
	out.Panes = nil
	for _, p := range d.Panes {
		p.Host = n.host(p.Host)
		all := true
		list := func(texts []string) (out []string) {
			for _, text := range texts {
				text, ok := n.path(text)
				all = all && ok
				out = append(out, text)
			}
			return out
		}
		p.Paths, p.Also = list(p.Paths), list(p.Also)
		switch _, err := strconv.ParseFloat(p.Limit, 64); {
		case strings.HasPrefix(p.Limit, `\`):
			p.Limit, ok = n.path(p.Limit)
			all = all && ok
		case err != nil:
			p.Limit = ""
		}
		if !slices.Contains(session.PaneKinds, p.Kind) {
			p.Kind = ""
		}
		if all {
			out.Panes = append(out.Panes, p)
		}
	}
	if len(out.Panes) < len(d.Panes) {
		out.Layout = ""
	}
	return out, len(out.Panes) > 0
}

// isLayout tells a layout of a deck, which is made of numbers and signs.
func isLayout(text string) bool { return strings.Trim(text, "0123456789.,()|-") == "" }

func renamedRule(r *alert.Rule, n besideNamer, name func(string) string) (out alert.Rule, ok bool) {
	out = formOfRule(r)
	out.Name = name(r.Name)
	if out.Why, ok = n.text(r.Why); !ok {
		out.Why = ""
	}
	out.Next = nil
	for _, next := range r.Next {
		if next, ok := n.text(next); ok {
			out.Next = append(out.Next, next)
		}
	}
	if out.Hosts, ok = n.hosts(r.Hosts); !ok {
		return out, false
	}
	out.Except = n.except(r.Except)
	if r.Kind != alert.HostLost {
		path, isPath := n.path(r.When.Path.String())
		if !isPath {
			return out, false
		}
		p, err := paths.Parse(path)
		if err != nil {
			return out, false
		}
		out.When.Path = p
	}
	return out, out.Check() == nil
}

func renamedEvent(e *alert.Event, n besideNamer, rule func(string) string) (out alert.Event, ok bool) {
	out = formOfEvent(e)
	out.ID = n.id(e.ID)
	out.ID.Rule = rule(e.ID.Rule)
	out.By = n.user(e.By)
	if e.Path != "" {
		if out.Path, ok = n.path(e.Path); !ok {
			return out, false
		}
		out.Instance = instanceOf(out.Path)
	}
	for _, text := range []*string{&out.Shown, &out.ShownLimit, &out.Peak, &out.Why, &out.Held} {
		if *text, ok = n.text(*text); !ok {
			return out, false
		}
	}
	return out, true
}

// instanceOf is the instance of a path as paths write it.
func instanceOf(text string) string {
	p, err := paths.Parse(text)
	if err != nil || !p.HasInstance {
		return ""
	}
	p.Computer = ""
	return strings.TrimPrefix(strings.TrimSuffix(p.String(), `)\`+p.Counter), `\`+p.Object+"(")
}

// within is what is of a time.
func (b *Beside) within(o *Options) Beside {
	has := func(at time.Time) bool {
		return !at.Before(o.Begin) && (o.End.IsZero() || !at.After(o.End))
	}
	out := *b
	out.Events, out.Log = nil, nil
	for i := range b.Events {
		if has(b.Events[i].Time) {
			out.Events = append(out.Events, b.Events[i])
		}
	}
	for _, e := range b.Log {
		if has(e.Time) {
			out.Log = append(out.Log, e)
		}
	}
	out.Notes = note.Within(b.Notes, o.Begin, o.End)
	return out
}
