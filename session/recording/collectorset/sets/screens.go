package sets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/files/listing"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/edit"
	"perfdeck/session/recording/collectorset/runner"
	"perfdeck/session/recording/collectorset/store"
	"perfdeck/session/recording/recorders"
	"perfdeck/session/text/english"
	"perfdeck/session/text/field"
)

// Screens is Sets as screens have them: they ask all the time how things stand, and tell
// errors in dialogs. Any goroutine may use it; all but List waits.
type Screens struct {
	sets *Sets
	ctx  context.Context //nolint:containedctx // that of the screens: what they begin waits no longer
	list *recorders.Look[[]listing.Record]

	named session.Latest[[]config.Record]
}

// looksEvery is how often is looked how things stand, while somebody asks.
const looksEvery = 2 * time.Second

// NewScreens is Sets with the recordings of a config. changed is told when List may be
// another one.
func NewScreens(ctx context.Context, d *Sets, named []config.Record, changed func()) *Screens {
	s := &Screens{sets: d, ctx: ctx}
	s.named.Set(named)
	s.list = &recorders.Look[[]listing.Record]{Every: looksEvery, Changed: changed, Go: d.o.Go, Do: func() []listing.Record {
		named, _ := s.named.Get()
		list, _ := d.List(named) // what else is kept tells why there are none
		return list
	}}
	return s
}

// SetNamed takes the recordings of a config.
func (s *Screens) SetNamed(named []config.Record) {
	s.named.Set(named)
	s.list.Expire()
}

// List is how things stood at the last look.
func (s *Screens) List() (list []listing.Record, known bool) { return s.list.Get() }

// id is what a record is known by where it is kept.
func id(r *listing.Record) string {
	_, rest, _ := strings.Cut(r.ID, " ")
	return rest
}

// Start starts a set, or a recording of the config, in a process of its own.
func (s *Screens) Start(r *listing.Record) error {
	defer s.list.Now()
	if r.Kind != listing.CollectorSet {
		return s.sets.startNamed(s.ctx, id(r))
	}
	_, _, err := s.sets.Start(s.ctx, id(r), Started{})
	return recorders.InDialog(err)
}

// Stop ends what runs, whichever process runs it.
func (s *Screens) Stop(r *listing.Record) error {
	defer s.list.Now()
	if r.Kind == listing.CollectorSet {
		return s.sets.Stop(s.ctx, id(r))
	}
	dir, err := s.sets.o.Recordings()
	if err != nil {
		return err
	}
	if r.Kind == listing.NamedRecording {
		named, _ := s.named.Get()
		i := slices.IndexFunc(named, func(c config.Record) bool { return c.Name == id(r) })
		var file string
		if i >= 0 {
			file, _ = config.BelowHome(named[i].File)
		}
		if e := recordingTo(file, s.sets.described()); e != nil {
			return collector.End(s.ctx, dir, e)
		}
		return nil
	}
	e, err := collector.Find(dir, id(r), time.Now())
	if err != nil {
		return err
	}
	return collector.End(s.ctx, dir, &e)
}

// Switch switches the schedules of a set on or off.
func (s *Screens) Switch(r *listing.Record, on bool) error {
	defer s.list.Now()
	return s.sets.change(id(r), func(e *store.Entry) error {
		e.Set.SchedulesEnabled = on
		return nil
	})
}

// Doomed tells what goes with a record.
func (s *Screens) Doomed(r *listing.Record) (listing.Doomed, error) {
	if r.Kind != listing.CollectorSet {
		return listing.Doomed{Text: "The note of this recording goes. Its file " + cmp.Or(r.Output, r.Name) + " stays where it is."}, nil
	}
	kept, err := s.sets.store()
	if err != nil {
		return listing.Doomed{}, err
	}
	out := listing.Doomed{Text: "The set " + r.Name + " goes, with its schedule and the journal of its runs."}
	e, err := kept.Load(id(r))
	if err != nil { // damaged: nobody knows what it collected
		return out, nil //nolint:nilerr // it is told in the list
	}
	root := kept.Root(e)
	folders, err := runner.Collected(kept, e, root, s.sets.o.Clock)
	if err != nil || len(folders) == 0 {
		return out, err
	}
	var bytes int64
	for _, f := range folders {
		bytes += f.Bytes
	}
	out.Folders = len(folders)
	what := english.Count(len(folders), "folder", "folders") + ", " + english.Size(bytes) + ", below " + root
	out.Text += "\nWhat it collected stays: " + what + "."
	out.Files = "The set goes, and what it collected: " + what + ":"
	for _, f := range folders[:min(len(folders), mostFacts)] {
		out.Files += "\n  " + f.Name + "  " + english.Size(f.Bytes)
	}
	if more := len(folders) - mostFacts; more > 0 {
		out.Files += fmt.Sprintf("\n  and %d more", more)
	}
	return out, nil
}

// Remove forgets a record; with files what a set collected goes, too.
func (s *Screens) Remove(r *listing.Record, withFiles bool) error {
	defer s.list.Now()
	if r.Kind == listing.CollectorSet {
		return s.sets.Delete(id(r), withFiles)
	}
	dir, err := s.sets.o.Recordings()
	if err != nil {
		return err
	}
	return collector.Forget(dir, id(r))
}

// Form is what can be changed of a set.
func (s *Screens) Form(r *listing.Record) (listing.Form, error) {
	set, err := s.sets.Read(id(r))
	if err != nil {
		return listing.Form{}, err
	}
	return s.form("Edit "+set.Set.Name, set.Entry, false)
}

// New is the form of a set that collects counters.
func (s *Screens) New(paths []string) (listing.Form, error) {
	e := &store.Entry{Set: collectorset.New("perfdeck " + time.Now().Format("2006-01-02 15.04"))}
	c := collectorset.NewCollector(collectorset.Counters, e.Set.Name)
	c.Counters = paths
	e.Set.Collectors = []collectorset.Collector{c}
	return s.form("New data collector set", e, true)
}

// form is a set that is filled in.
type form struct {
	*Screens

	entry  *store.Entry
	fields []field.Line
	isNew  bool
}

const nameField = "name"

func (s *Screens) form(title string, e *store.Entry, isNew bool) (listing.Form, error) {
	fields, err := edit.Form(e)
	if err != nil {
		return listing.Form{}, err
	}
	if isNew {
		fields = append([]field.Line{{Name: nameField, Label: nameField, Value: e.Set.Name, Help: "unlike that of every other set"}}, fields...)
	}
	f := &form{s, e, fields, isNew}
	return listing.Form{Title: title, Fields: fields, Judge: f.judge, Save: f.save}, nil
}

var errNoName = errors.New("it needs a name")

// apply changes a set as the answers say.
func (f *form) apply(e *store.Entry, a field.Answers) error {
	if f.isNew {
		e.Set.Name = a.Get(nameField)
		e.Set.Collectors[0].Name = e.Set.Name
	}
	return edit.Apply(e, edit.Fields().Answered(f.fields, a))
}

// applied is the set of the form as the answers say.
func (f *form) applied(a field.Answers) (*store.Entry, error) {
	e := *f.entry
	e.Set = f.entry.Set.Clone()
	return &e, f.apply(&e, a)
}

// judge tells what answers would mean.
func (f *form) judge(a field.Answers) (findings []string, err error) {
	e, err := f.applied(a)
	if err != nil {
		return nil, recorders.InDialog(err)
	}
	if f.isNew && e.Set.Name == "" {
		return nil, errNoName
	}
	found, refused := f.sets.judge(e.Set)
	for _, one := range found {
		findings = append(findings, one.Error())
	}
	if refused != nil {
		return findings, refused
	}
	next := "it starts when it is told to"
	if at, ok := e.Set.Next(time.Now().In(time.Local)); ok {
		next = "it starts " + at.Format("Mon 2006-01-02 15:04:05")
	}
	return append([]string{next}, findings...), nil
}

// save keeps the set. Others may have changed it since: what was not changed here stays
// as they have it.
func (f *form) save(a field.Answers) error {
	defer f.list.Now()
	if f.isNew {
		e, err := f.applied(a)
		if err != nil {
			return err
		}
		_, err = f.sets.create(e)
		return recorders.InDialog(err)
	}
	return recorders.InDialog(f.sets.change(f.entry.Set.Name, func(e *store.Entry) error {
		if err := f.apply(e, a); err != nil {
			return err
		}
		_, refused := f.sets.judge(e.Set)
		return refused
	}))
}
