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
	"perfdeck/session/files/anonymous"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note"
	"perfdeck/session/files/screenlog"
)

// namer is how names and texts are written: as they are, or replaced.
type namer interface { //nolint:interfacebloat // each kind of name has its own rule; two implement it
	left() []string

	// For recordings.

	columns(all []logs.Column) (kept []logs.Column, places []int)
	zone(logs.Zone) logs.Zone
	caption(string) string
	title(title string, number int) string
	of(kind, name string) string // in what was left out
	value(text string) string    // of a text counter
	event(e *session.HostEvent)

	// For what stands beside them.

	path(text string) (string, bool)
	host(name string) string
	user(name string) string
	// text is a text that somebody wrote; ok is false if it has to be left out.
	text(text string) (_ string, ok bool)
	// counter is the name of a counter.
	counter(name string) string
	id(alert.ID) alert.ID
	hosts(patterns []string) (list []string, ok bool)
	except(patterns []string) []string
}

// plainly writes names and texts as they are, without secrets.
type plainly struct {
	*cleaner

	record *record
}

// plain keeps the names that stay of recordings.
func plain(recordings []Recording, c *cleaner) *plainly {
	p := &plainly{cleaner: c}
	p.record = recordOf(recordings, p.cleanPath)
	for _, name := range slices.Concat(p.record.hosts, p.record.unnamed) {
		c.reserve(name)
	}
	for _, one := range p.record.columns {
		for _, name := range []string{one.Object, instanceName(&one), one.Counter} {
			c.reserve(name)
		}
	}
	return p
}

func (p *plainly) columns(all []logs.Column) ([]logs.Column, []int) {
	kept, places := slices.Clone(all), make([]int, len(all))
	for i := range kept {
		kept[i].Path, _ = p.cleanPath(kept[i].Path)
		places[i] = i
	}
	return kept, places
}

func (p *plainly) zone(z logs.Zone) logs.Zone {
	z.Name = p.clean(z.Name)
	return z
}

func (p *plainly) caption(text string) string       { return p.clean(text) }
func (p *plainly) title(title string, _ int) string { return p.name(title) }
func (p *plainly) of(_, name string) string         { return p.name(name) }
func (p *plainly) value(text string) string         { return p.clean(text) }
func (p *plainly) host(name string) string          { return p.name(withoutUser(name)) }
func (p *plainly) user(name string) string          { return p.clean(name) }
func (p *plainly) text(text string) (string, bool)  { return p.clean(text), true }
func (p *plainly) left() []string                   { return nil }

func (p *plainly) except(patterns []string) []string {
	return p.record.names(patterns, func(pattern string) []string { return []string{p.name(pattern)} })
}

func (p *plainly) counter(name string) string {
	if anonymous.IsKnown(name) {
		return name
	}
	return p.name(name)
}

func (p *plainly) path(text string) (string, bool) {
	to, _ := p.cleanPath(text)
	return to, p.record.keeps(text, to)
}

// cleanPath is a path without secrets; what is none is a text.
func (p *plainly) cleanPath(text string) (string, bool) {
	one, err := paths.Parse(text)
	if err != nil {
		return p.clean(text), true
	}
	var b strings.Builder
	if one.Computer != "" {
		b.WriteString(`\\` + p.host(one.Computer))
	}
	b.WriteString(`\` + p.counter(one.Object))
	if one.HasInstance {
		name := instanceName(&one)
		b.WriteString("(" + p.name(name) + strings.TrimPrefix(one.InstanceText(), name) + ")")
	}
	b.WriteString(`\` + p.counter(one.Counter))
	if b.String() == one.String() {
		return text, true
	}
	return b.String(), true
}

// instanceName is an instance with its parent, without its index.
func instanceName(p *paths.Path) string {
	text := p.InstanceText()
	if number, has := p.Index.Number(); has && number > 0 {
		return strings.TrimSuffix(text, "#"+strconv.Itoa(number))
	}
	return text
}

func (p *plainly) id(id alert.ID) alert.ID {
	id.Host = p.host(id.Host)
	if id.Set == "" {
		return id
	}
	bare := id
	bare.Host, bare.Counter = "", "x"
	text, _ := p.cleanPath(bare.Path())
	if q, err := paths.Parse(text); err == nil && text != bare.Path() {
		id.Set, id.Parent, id.Name = q.Object, q.Parent, q.Instance
	}
	id.Counter = counterOf(id.Counter, p)
	return id
}

func (p *plainly) hosts(patterns []string) (list []string, ok bool) {
	for _, pattern := range patterns {
		to := p.host(pattern)
		for _, host := range slices.Concat(p.record.hosts, p.record.unnamed) {
			if paths.Match(pattern, host) != paths.Match(to, p.host(host)) {
				return nil, false
			}
		}
		list = append(list, to)
	}
	return list, true
}

// record is what recordings name. By it rules are held to mean the same in a bundle.
type record struct {
	hosts   []string     // of counters
	unnamed []string     // titles of recordings with counters that name no host: it is called so
	columns []paths.Path // without hosts
	after   []string     // instances of columns as they are in the bundle; nil: nobody asked
	path    func(string) (string, bool)
}

// recordOf is what recordings name; path is a path as it is in the bundle.
func recordOf(recordings []Recording, path func(string) (string, bool)) *record {
	r := &record{path: path}
	seen := map[string]bool{}
	add := func(list *[]string, kind, name string) {
		if !seen[kind+name] {
			seen[kind+name] = true
			*list = append(*list, name)
		}
	}
	for _, of := range recordings {
		for _, c := range of.Reader.Header().Columns {
			p, err := paths.Parse(c.Path)
			if err != nil {
				continue
			}
			if p.Computer == "" {
				add(&r.unnamed, "title ", of.Title)
			} else {
				add(&r.hosts, "host ", p.Computer)
			}
			p.Computer = ""
			if text := "path " + p.String(); !seen[text] {
				seen[text] = true
				r.columns = append(r.columns, p)
			}
		}
	}
	return r
}

// instances are those of columns as they are in the bundle; empty: the column is not there.
func (r *record) instances() []string {
	if r.after == nil {
		r.after = make([]string, len(r.columns))
		for i := range r.columns {
			if text, ok := r.path(r.columns[i].String()); ok {
				if p, err := paths.Parse(text); err == nil {
					r.after[i] = p.InstanceText()
				}
			}
		}
	}
	return r.after
}

// keeps tells whether a path with a wildcard means the same instances before and after.
func (r *record) keeps(before, after string) bool {
	p, err := paths.Parse(before)
	if err != nil || !isPart(p.InstanceText()) {
		return err == nil
	}
	q, err := paths.Parse(after)
	if err != nil {
		return false
	}
	for i, to := range r.instances() {
		if c := &r.columns[i]; to != "" && paths.EqualFold(c.Object, p.Object) && paths.Match(p.InstanceText(), c.InstanceText()) != paths.Match(q.InstanceText(), to) {
			return false
		}
	}
	return true
}

// isPart tells a wildcard with a part of a name.
func isPart(name string) bool {
	return strings.Contains(name, "*") && strings.Trim(name, "*/#") != ""
}

// names are patterns of instances as the instances that they mean, where these have other
// names in the bundle. none says what stands for one that means nothing.
func (r *record) names(patterns []string, none func(pattern string) []string) (out []string) {
	for _, pattern := range patterns {
		var named []string
		same := true
		for i, to := range r.instances() {
			from := r.columns[i].InstanceText()
			is := paths.Match(pattern, from)
			if is && to != "" && !slices.Contains(named, to) {
				named = append(named, to)
			}
			same = same && (to == "" || is == paths.Match(pattern, to)) && (!is || to == from)
		}
		switch {
		case strings.Trim(pattern, "*") == "" || same && len(named) > 0:
			named = []string{pattern}
		case same:
			named = none(pattern)
		}
		out = append(out, named...)
	}
	return out
}

// counterOf is the counter of an alert: that of a rule with a formula is called as that.
func counterOf(name string, n namer) string {
	if f, err := alert.ParseFormula(name); err == nil {
		if f, err = f.Renamed(n.counter); err == nil {
			return f.String()
		}
	}
	return n.counter(name)
}

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

	names  *anonymous.Names
	record *record
}

// anonymized collects the names of recordings, and of what stands beside them.
func anonymized(recordings []Recording, beside *Extras, o *Options, c *cleaner) *anonymously {
	names := anonymous.New()
	a := &anonymously{c, names, recordOf(recordings, names.Path)}
	var all []string
	for _, r := range recordings {
		for _, c := range r.Reader.Header().Columns {
			all = append(all, c.Path)
		}
	}
	a.names.Collect(all)
	for _, r := range recordings {
		for _, e := range r.HostEvents {
			a.event(&e)
		}
	}
	a.names.Fix(slices.Concat(o.Hosts, hostsOf(beside)), slices.Concat(o.Users, usersOf(beside)))
	return a
}

// hostsOf are the hosts that are named beside recordings.
func hostsOf(b *Extras) (out []string) {
	for _, d := range b.Decks {
		for _, p := range d.Panes {
			out = append(out, p.Host)
		}
	}
	for _, e := range b.Events {
		out = append(out, e.ID.Host)
	}
	for _, e := range b.Log {
		out = append(out, e.Host)
	}
	for _, r := range b.Rules {
		out = append(out, r.When.Path.Computer)
		for _, h := range r.Hosts {
			if !strings.Contains(h, "*") {
				out = append(out, h)
			}
		}
	}
	return out
}

func usersOf(b *Extras) (out []string) {
	for _, e := range b.Events {
		out = append(out, e.By)
	}
	for _, n := range b.Notes {
		out = append(out, n.By)
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
func (a *anonymously) counter(name string) string        { return a.names.Counter(name) }
func (a *anonymously) host(name string) string           { return a.names.Host(withoutUser(name)) }
func (a *anonymously) user(name string) string           { return a.names.User(name) }

func (a *anonymously) text(text string) (string, bool) {
	text = a.names.Text(a.clean(text))
	return text, !a.names.Forbids(text)
}

func (a *anonymously) id(id alert.ID) alert.ID {
	set := id.Set
	id.Host, id.Set, id.Counter = a.host(id.Host), a.names.Set(id.Set), counterOf(id.Counter, a)
	if id.Parent != "" {
		id.Parent = a.names.Instance(set, id.Parent)
	}
	if id.Name != "" {
		id.Name = a.names.Instance(set, id.Name)
	}
	return id
}

func (a *anonymously) except(patterns []string) []string {
	return a.record.names(patterns, func(string) []string { return nil })
}

// path is left out if it means other instances than before. A wildcard with a part of a name
// stays as it is, if it means those.
func (a *anonymously) path(text string) (string, bool) {
	to, ok := a.names.Path(text)
	p, err := paths.Parse(text)
	switch {
	case !ok || err != nil:
		return to, ok
	case paths.ContainsFold(a.record.unnamed, p.Computer):
		return "", false // it is called otherwise
	case isPart(p.InstanceText()):
		q, _ := paths.Parse(to)
		q, err := paths.Parse(strings.Replace(to, "("+q.InstanceText()+")", "("+p.InstanceText()+")", 1))
		return q.String(), err == nil && a.record.keeps(text, q.String())
	}
	return to, ok
}

func (a *anonymously) hosts(patterns []string) ([]string, bool) {
	if len(patterns) == 0 || slices.Contains(patterns, "*") {
		return patterns, true
	}
	if slices.ContainsFunc(a.record.unnamed, func(title string) bool { return paths.MatchesAny(patterns, title) }) {
		return nil, false // it is called otherwise
	}
	return anonymous.Pattern(patterns, a.record.hosts, a.names.Host)
}

func (a *anonymously) left() (out []string) {
	if count := a.names.Count(); len(count) > 0 {
		out = append(out, replacedMark+strings.Join(count, ", "))
	}
	return out
}

// renamed is what stands beside recordings with other names. What cannot be replaced is
// left out.
func renamed(b *Extras, n namer) (out Extras, left []string) {
	rules, acting := map[string]string{}, 0
	rule := func(name string) string { return ruleName(rules, name, n) }
	lost := map[string]int{
		"decks": renameAll(b.Decks, &out.Decks, func(d *session.Deck) (session.Deck, bool) { return renamedDeck(d, n) }),
		"rules": renameAll(b.Rules, &out.Rules, func(r *alert.Rule) (alert.Rule, bool) {
			if len(r.Actions)+len(r.OnClear) > 0 || r.Text != "" {
				acting++
			}
			return renamedRule(r, n, rule)
		}),
		"events": renameAll(b.Events, &out.Events, func(e *alert.Event) (alert.Event, bool) { return renamedEvent(e, n, rule) }),
		"lines of the log": renameAll(b.Log, &out.Log, func(e *screenlog.Entry) (_ screenlog.Entry, ok bool) {
			to := *e
			to.Host = n.host(e.Host)
			to.Text, ok = n.text(e.Text)
			return to, ok
		}),
		"notes": renameAll(b.Notes, &out.Notes, func(one *note.Note) (note.Note, bool) {
			text, ok := n.text(one.Text)
			to, err := note.New(one.Time, text, n.user(one.By))
			return to, ok && err == nil
		}),
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

// renameAll keeps what can be renamed, and counts the rest.
func renameAll[T any](all []T, kept *[]T, rename func(*T) (T, bool)) (lost int) {
	for i := range all {
		if to, ok := rename(&all[i]); ok {
			*kept = append(*kept, to)
		}
	}
	return len(all) - len(*kept)
}

// ruleName is the name of a rule, unlike every other.
func ruleName(known map[string]string, name string, n namer) string {
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

func renamedDeck(d *session.Deck, n namer) (out session.Deck, ok bool) {
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
		p.Paths, p.Or, p.Also = list(p.Paths), list(p.Or), list(p.Also)
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

func renamedRule(r *alert.Rule, n namer, name func(string) string) (out alert.Rule, ok bool) {
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
	for _, f := range []**alert.Formula{&out.Value, &out.Where} {
		if *f == nil {
			continue
		}
		var err error
		if *f, err = (*f).Renamed(n.counter); err != nil {
			return out, false
		}
	}
	for _, text := range []*string{&out.Events.Log, &out.Events.Source, &out.Events.ID} {
		if *text, ok = n.text(*text); !ok {
			return out, false
		}
	}
	if r.Kind != alert.HostLost && r.Kind != alert.EventCount {
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

func renamedEvent(e *alert.Event, n namer, rule func(string) string) (out alert.Event, ok bool) {
	out = formOfEvent(e)
	out.ID = n.id(e.ID)
	out.ID.Rule = rule(e.ID.Rule)
	out.By = n.user(e.By)
	if e.Path != "" {
		if out.Path, ok = eventPath(e.Path, n); !ok {
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

// eventPath is the path of an event, which has the formula of its rule for a counter.
func eventPath(text string, n namer) (string, bool) {
	p, err := paths.Parse(text)
	if err != nil {
		return n.path(text)
	}
	counter := p.Counter
	if _, err := alert.ParseFormula(counter); err != nil {
		return n.path(text)
	}
	p.Counter = "x"
	to, ok := n.path(p.String())
	return to[:strings.LastIndexByte(to, '\\')+1] + counterOf(counter, n), ok
}

// instanceOf is the instance of a path as paths write it.
func instanceOf(text string) string {
	p, _ := paths.Parse(text) // what is none has no instance
	return p.CanonicalInstance()
}

// within is what is of a time.
func (b *Extras) within(o *Options) Extras {
	lacks := func(at time.Time) bool {
		return at.Before(o.Begin) || !o.End.IsZero() && at.After(o.End)
	}
	out := *b
	out.Events = slices.DeleteFunc(slices.Clone(b.Events), func(e alert.Event) bool { return lacks(e.Time) })
	out.Log = slices.DeleteFunc(slices.Clone(b.Log), func(e screenlog.Entry) bool { return lacks(e.Time) })
	out.Notes = note.Within(b.Notes, o.Begin, o.End)
	return out
}
