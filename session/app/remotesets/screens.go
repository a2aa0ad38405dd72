package remotesets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"perfdeck/paths"
	"perfdeck/session/config"
	"perfdeck/session/files/listing"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/recording/collectorset/edit"
	"perfdeck/session/recording/collectorset/sets"
	"perfdeck/session/recording/recorders"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
	"perfdeck/session/text/field"
)

// Screens is a client as screens have it: the sets of the hosts that the config or the user wants
// to see, as they were at the last look. Any goroutine may use it. No host is asked while nobody
// looks, and nothing is held of one between two looks.
type Screens struct {
	client  *Client
	ctx     context.Context //nolint:containedctx // that of the screens: what they begin waits no longer
	changed func()
	room    chan struct{} // one for each host that is asked

	mu    sync.Mutex
	hosts []*watched // in the order in which they came
	told  map[string]details
	asked string // the record of which details are read; empty: none are
}

// watched is a host whose sets are shown.
type watched struct {
	name, open string // as screens, and as who opens it call it
	ofConfig   bool
	byUser     bool
	categories []pla.Category
	look       *recorders.Look[[]listing.Record]
}

// details are what a set does.
type details struct {
	facts    []listing.Fact
	findings []listing.Finding
	at       time.Time
}

// The limits of what is asked of hosts.
const (
	looksEvery  = 30 * time.Second
	lookTime    = time.Minute
	mostDetails = 100
)

// NewScreens is a client of no hosts. changed is told when List may be another one.
func NewScreens(ctx context.Context, d *Client, changed func()) *Screens {
	return &Screens{client: d, ctx: ctx, changed: changed, room: make(chan struct{}, mostAtOnce), told: map[string]details{}}
}

// SetHosts takes the hosts of a config: those whose sets it names are shown.
func (s *Screens) SetHosts(hosts []config.Host) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.hosts {
		w.ofConfig = false
	}
	for i := range hosts {
		h := &hosts[i]
		if len(h.Sets) == 0 {
			continue
		}
		w := s.host(h.Name, h.Name)
		w.ofConfig, w.categories = true, shownCategories(h.Sets)
	}
	s.forget()
}

// shownCategories are those that are listed: sets that people make, or know by name, and those
// that the config names.
func shownCategories(names []string) []pla.Category {
	out := []pla.Category{pla.Service, pla.System}
	for _, text := range names {
		if n, err := pla.ParseName(text); err == nil && !slices.Contains(out, n.Category) {
			out = append(out, n.Category)
		}
	}
	return out
}

// find is a host that is shown; nil: it is not.
func (s *Screens) find(name string) *watched {
	for _, w := range s.hosts {
		if paths.EqualFold(w.name, name) {
			return w
		}
	}
	return nil
}

// host is one that is shown, from now on at the latest.
func (s *Screens) host(name, open string) *watched {
	w := s.find(name)
	if w == nil {
		w = &watched{name: name, open: open, categories: shownCategories(nil)}
		w.look = &recorders.Look[[]listing.Record]{Every: looksEvery, Changed: s.changed, Go: s.client.Go, Do: func() []listing.Record { return s.read(w) }}
		s.hosts = append(s.hosts, w)
	}
	return w
}

func (s *Screens) forget() {
	s.hosts = slices.DeleteFunc(s.hosts, func(w *watched) bool { return !w.ofConfig && !w.byUser })
}

// Ask has the sets of a host shown, or no more. It tells whether they are.
func (s *Screens) Ask(name, open string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.host(name, cmp.Or(open, name))
	w.byUser = !w.byUser
	s.forget()
	return s.find(name) != nil
}

// snapshot are the hosts that are shown.
func (s *Screens) snapshot() []*watched {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.hosts)
}

// List are the sets of all hosts that are shown, as they were at the last look; what a host did
// not answer is a record, too.
func (s *Screens) List() (out []listing.Record) {
	for _, w := range s.snapshot() {
		list, known := w.look.Get()
		if !known {
			list = []listing.Record{{ID: recordID(w.name, ""), Name: w.name, Host: w.name, Kind: listing.HostSet, State: listing.Unasked}}
		}
		out = append(out, list...)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range out {
		if d, ok := s.told[out[i].ID]; ok {
			out[i].Facts, out[i].Findings = slices.Concat(out[i].Facts, d.facts), slices.Concat(out[i].Findings, d.findings)
		}
	}
	return out
}

// Running are the sets that run on a host, as they were at the last look.
func (s *Screens) Running(host string) (names []string) {
	s.mu.Lock()
	w := s.find(host)
	s.mu.Unlock()
	if w == nil {
		return nil
	}
	list, _ := w.look.Get()
	for i := range list {
		if r := &list[i]; r.State == listing.Running || r.State == listing.Tidying {
			names = append(names, setOf(r))
		}
	}
	return names
}

// read asks a host.
func (s *Screens) read(w *watched) []listing.Record {
	s.room <- struct{}{}
	defer func() { <-s.room }()
	ctx, cancel := context.WithTimeout(s.ctx, lookTime)
	defer cancel()
	s.mu.Lock()
	categories := slices.Clone(w.categories)
	s.mu.Unlock()
	r := s.client.List(ctx, []string{w.open}, categories...)[0]
	if r.Err != nil {
		return []listing.Record{silent(w.name, w.name, "", errors.Unwrap(r.Err))}
	}
	out := make([]listing.Record, 0, len(r.Is.Sets))
	for _, l := range r.Is.Sets {
		out = append(out, listing.Record{
			ID: recordID(w.name, l.Name.String()), Name: w.name + `\` + Short(l.Name), Host: w.name, Kind: listing.HostSet, State: states[l.Status],
			Facts: []listing.Fact{{Label: "host", Text: w.name}, {Label: "category", Text: l.Name.Category.String()}},
		})
	}
	if r.Is.More > 0 {
		out = append(out, silent(w.name, w.name+" (more)", "more", fmt.Errorf("%s more, which are not shown", english.Count(r.Is.More, "set", "sets"))))
	}
	for _, c := range categories {
		if err := r.Is.Not[c]; err != nil {
			out = append(out, silent(w.name, w.name+`\`+c.String(), c.String(), err))
		}
	}
	return out
}

// silent stands for what a host did not tell.
func silent(host, name, what string, err error) listing.Record {
	return listing.Record{
		ID: recordID(host, what), Name: name, Host: host, Kind: listing.HostSet, State: listing.Silent, Err: err,
		Findings: []listing.Finding{{Level: listing.Refused, Text: failure.Told(err)}},
	}
}

// states are how sets of hosts stand.
var states = map[pla.Status]listing.State{pla.Running: listing.Running, pla.Compiling: listing.Tidying} // else it is stopped

func recordID(host, set string) string { return "host " + host + `\` + set }

// setOf is the set of a record, with its category.
func setOf(r *listing.Record) string { return strings.TrimPrefix(r.ID, recordID(r.Host, "")) }

// Tell has details of a set come with a later List.
func (s *Screens) Tell(r *listing.Record) {
	id := r.ID
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.find(r.Host)
	if w == nil || s.asked != "" || r.State == listing.Silent || r.State == listing.Unasked || time.Since(s.told[id].at) < looksEvery {
		return
	}
	s.asked = id
	set, open := setOf(r), w.open
	s.client.Go(func() {
		d := s.details(open, set)
		s.mu.Lock()
		if s.asked = ""; len(s.told) >= mostDetails {
			clear(s.told)
		}
		s.told[id] = d
		s.mu.Unlock()
		s.changed()
	})
}

func (s *Screens) details(open, set string) (d details) {
	ctx, cancel := context.WithTimeout(s.ctx, lookTime)
	defer cancel()
	all, err := s.client.Show(ctx, []string{open}, set)
	if err == nil {
		err = all[0].Err
	}
	d.at = time.Now()
	if err != nil {
		d.findings = []listing.Finding{{Level: listing.LeftOut, Text: err.Error()}}
		return d
	}
	for i, line := range all[0].Is.Lines[1:] {
		label := ""
		if i == 0 {
			label = "there"
		}
		d.facts = append(d.facts, listing.Fact{Label: label, Text: strings.TrimSpace(line)})
	}
	for _, f := range all[0].Is.Found {
		d.findings = append(d.findings, listing.Finding{Level: listing.Note, Text: f.String()})
	}
	return d
}

// after has the host of a record looked at anew, and its details.
func (s *Screens) after(r *listing.Record) {
	s.mu.Lock()
	delete(s.told, r.ID)
	w := s.find(r.Host)
	s.mu.Unlock()
	if w != nil {
		w.look.Now()
	}
}

var errHidden = errors.New("the sets of this host are not shown any more")

// with does something with the set of a record.
func (s *Screens) with(r *listing.Record, within time.Duration, do func(ctx context.Context, open, set string) error) error {
	s.mu.Lock()
	w := s.find(r.Host)
	s.mu.Unlock()
	if w == nil {
		return errHidden
	}
	ctx, cancel := context.WithTimeout(s.ctx, within)
	defer cancel()
	return recorders.InDialog(do(ctx, w.open, setOf(r)))
}

// run starts or stops the set of a record.
func (s *Screens) run(r *listing.Record, within time.Duration, do func(ctx context.Context, hosts []string, set string) ([]Result[pla.Name], error)) error {
	defer s.after(r)
	return s.with(r, within, func(ctx context.Context, open, set string) error {
		all, err := do(ctx, []string{open}, set)
		if err == nil {
			err = all[0].Err
		}
		return err
	})
}

// Start starts a set; it runs when Start returns.
func (s *Screens) Start(r *listing.Record) error { return s.run(r, pla.StartTime, s.client.Start) }

// Stop ends its run.
func (s *Screens) Stop(r *listing.Record) error { return s.run(r, pla.StopTime, s.client.Stop) }

// Doomed tells what goes with a set.
func (s *Screens) Doomed(r *listing.Record) listing.Doomed {
	return listing.Doomed{Text: "The set " + setOf(r) + " goes from " + r.Host + ", with its schedule. What it collected stays there."}
}

// Remove has a host forget a set.
func (s *Screens) Remove(r *listing.Record) error {
	defer s.after(r)
	return s.with(r, lookTime, s.client.Delete)
}

// Form is what can be changed of a set.
func (s *Screens) Form(r *listing.Record) (form listing.Form, err error) {
	err = s.with(r, lookTime, func(ctx context.Context, open, text string) error {
		name, err := named(text, pla.OpCommit)
		if err != nil {
			return err
		}
		read, err := one(s.client, open, func(on pla.Sets) (*pla.Set, error) { return on.Read(ctx, name) })
		if err != nil {
			return err
		}
		set, err := decoded(read)
		if err != nil {
			return err
		}
		lines, err := edit.Form(set.Entry)
		form = s.form(r, set, lines)
		return err
	})
	return form, err
}

func (s *Screens) form(r *listing.Record, set *sets.Set, lines []field.Line) listing.Form {
	said := func(a field.Answers) field.Changes { return edit.Fields().Answered(lines, a) }
	return listing.Form{
		Title: "Edit " + r.Name, Fields: lines,
		Judge: func(a field.Answers) (findings []string, err error) {
			e := entryOf(set.Set.Clone())
			before := found(entryOf(set.Set))
			if err := edit.Apply(e, said(a)); err != nil {
				return nil, recorders.InDialog(err)
			}
			now := found(e)
			for _, f := range now {
				findings = append(findings, f.String())
			}
			return append([]string{"times and folders are those of the host"}, findings...), refused(before, now)
		},
		Save: func(a field.Answers) error {
			defer s.after(r)
			return s.with(r, lookTime, func(ctx context.Context, open, text string) error {
				_, err := s.client.Update(ctx, open, text, said(a), How{})
				return err
			})
		},
	}
}
