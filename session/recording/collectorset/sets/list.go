package sets

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"perfdeck/session/config"
	"perfdeck/session/files/listing"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/edit"
	"perfdeck/session/recording/collectorset/store"
	"perfdeck/session/text/english"
)

// List are the sets, then the recordings of the config, then the other ones, as they are
// now. With an error there are no sets.
func (d *Sets) List(named []config.Record) (list []listing.Record, err error) {
	described := d.described()
	told := map[string]bool{} // IDs and files of recordings that are told of with their sets
	s, err := d.store()
	var names []string
	if err == nil {
		names, err = s.Names()
	}
	lacks := sync.OnceValue(d.needsWatch)
	for _, name := range names {
		list = append(list, d.ofSet(s, name, described, told, lacks))
	}
	for i := range named {
		r := ofConfig(&named[i], described, told)
		if named[i].Always && r.State != listing.Running {
			needs(&r, lacks)
		}
		list = append(list, r)
	}
	for i := range slices.Backward(described) {
		if e := &described[i]; !told[e.ID] {
			list = append(list, ofOther(e))
		}
	}
	return append(list, d.made(described, told)...), err
}

// mostMade bounds the recordings that are over and listed.
const mostMade = 100

// made are the recordings that are over, of which nothing else tells: the newest first, without those that are gone.
func (d *Sets) made(described []collector.Entry, told map[string]bool) (list []listing.Record) {
	dir, err := d.o.Recordings()
	if err != nil {
		return nil
	}
	for i := range described {
		for _, f := range described[i].Files {
			told[f.Name] = true
		}
	}
	for _, m := range collector.ListMade(dir) {
		if len(list) == mostMade {
			break
		}
		if told[m.Name] {
			continue
		}
		size := fileBytes(m.Name)
		if size == 0 {
			continue
		}
		r := listing.Record{
			ID: "made " + m.Name, Name: filepath.Base(m.Name), Kind: listing.MadeRecording, State: listing.Ended,
			Began: m.Begin, Ended: m.End, Bytes: size, Root: m.Name, Output: m.Name,
		}
		var hosts []string
		for _, h := range m.Hosts {
			hosts = append(hosts, h.Name)
		}
		r.Facts = []listing.Fact{
			fact("hosts", strings.Join(hosts, ", ")), fact("collects", english.Count(len(m.Sets), "counterset", "countersets")+", every "+english.Exact(m.Every)),
			fact("folder", filepath.Dir(m.Name)),
		}
		list = append(list, r)
	}
	return list
}

func fact(label, text string) listing.Fact { return listing.Fact{Label: label, Text: text} }

// described are the recordings that processes of perfdeck describe.
func (d *Sets) described() []collector.Entry {
	dir, err := d.o.Recordings()
	if err != nil {
		return nil
	}
	list, _ := collector.List(dir, time.Now())
	return list
}

// recordingTo is the newest recording to a file, nil if there is none.
func recordingTo(file string, list []collector.Entry) *collector.Entry {
	for i := range slices.Backward(list) {
		if list[i].Options.File == file {
			return &list[i]
		}
	}
	return nil
}

// fileBytes is the size of a recording, with what is in its journal yet; 0 if it is none.
func fileBytes(name string) int64 {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return collector.SizeOf(name)
}

func damaged(r listing.Record, err error) listing.Record {
	r.Err, r.State, r.Findings = err, listing.Damaged, []listing.Finding{{Level: listing.Refused, Text: err.Error()}}
	return r
}

// ofSet is how a set stands.
func (d *Sets) ofSet(s *store.Store, name string, described []collector.Entry, told map[string]bool, lacks func() string) listing.Record {
	r := listing.Record{ID: "set " + name, Name: name}
	e, err := s.Load(name)
	if err != nil {
		return damaged(r, err)
	}
	set := &Set{e, s.Root(e)}
	now := d.o.Clock.Now().Wall.In(time.Local)
	r.Root, r.Why = set.Root, e.State.Why
	r.Began, r.Ended = e.State.Began, e.State.Ended
	r.State = stateOf(s, e)
	next := *e.Set
	next.SchedulesEnabled = true
	at, scheduled := next.Next(now)
	if r.Off = scheduled && !e.Set.SchedulesEnabled; scheduled && !r.Off {
		r.Next = at
	}
	r.Bytes = set.collected(told)
	if newest := set.NewestOutputs(); len(newest) > 0 {
		r.Output = newest[0]
	}
	own := set.recordings(described, told)
	if r.State == listing.Running {
		r.Limits = set.limits(own, now)
	}
	if e.State.Why != "" {
		find(&r, listing.Wrong, e.State.Why)
	}
	if m := d.missed(s, e, now); m != nil {
		find(&r, listing.Wrong, m.text())
	} else if !r.Next.IsZero() {
		needs(&r, lacks)
	}
	r.Findings = append(r.Findings, sorted(d.Findings(set))...)
	r.Facts = set.facts(now)
	return r
}

// needs tells of a record that has its times, and what lacks of those who keep them.
func needs(r *listing.Record, lacks func() string) {
	if why := lacks(); why != "" {
		find(r, listing.Wrong, why)
	}
}

func find(r *listing.Record, level listing.Level, text string) {
	r.Findings = append(r.Findings, listing.Finding{Level: level, Text: text})
}

func stateOf(s *store.Store, e *store.Entry) listing.State {
	const compiling = 2
	switch running := s.Running(e.Set.Name); {
	case running && e.Set.Status == compiling:
		return listing.Tidying
	case running:
		return listing.Running
	case !e.State.Began.IsZero() && e.State.Ended.IsZero():
		return listing.Died
	case e.State.Why != "":
		return listing.Failed
	}
	return listing.Stopped
}

// sorted are what is found, the worst first.
func sorted(found []collectorset.Finding) (out []listing.Finding) {
	for _, f := range found {
		level := listing.LeftOut
		switch {
		case f.Refuses:
			level = listing.Refused
		case f.Code.IsNote():
			level = listing.Note
		}
		out = append(out, listing.Finding{Level: level, Text: f.String()})
	}
	slices.SortStableFunc(out, func(a, b listing.Finding) int { return int(b.Level) - int(a.Level) })
	return out
}

// collected is how large what runs of a set left in its folders is: files that are told of with it.
func (s *Set) collected(told map[string]bool) (sum int64) {
	for i := range s.State.Folders {
		for _, name := range s.files(&s.State.Folders[i]) {
			if !told[name] {
				sum += fileBytes(name)
			}
			told[name] = true
		}
	}
	return sum
}

// recordings are those that a set's runs described, the ones of its newest segments: they
// are no recordings of their own.
func (s *Set) recordings(described []collector.Entry, told map[string]bool) (own []*collector.Entry) {
	const newest = 3
	folders := s.State.Folders[max(0, len(s.State.Folders)-newest):]
	var files []string
	for i := range folders {
		files = append(files, s.files(&folders[i])...)
	}
	for i := range described {
		if slices.Contains(files, described[i].Options.File) {
			told[described[i].ID] = true
			own = append(own, &described[i])
		}
	}
	return own
}

// limits are how far a run came to what ends it, or its segment.
func (s *Set) limits(own []*collector.Entry, now time.Time) (out []listing.Limit) {
	seconds := func(n uint32) time.Duration { return time.Duration(n) * time.Second }
	if s.Set.Duration > 0 {
		out = append(out, timeLimit("run", now.Sub(s.State.Began), seconds(s.Set.Duration)))
	}
	if len(s.State.Folders) == 0 {
		return out
	}
	segment := &s.State.Folders[len(s.State.Folders)-1]
	if s.Set.SegmentMaxDuration > 0 {
		out = append(out, timeLimit("files", now.Sub(segment.Began), seconds(s.Set.SegmentMaxDuration)))
	}
	if s.Set.SegmentMaxSize > 0 {
		var most int64
		for _, name := range s.files(segment) {
			most = max(most, fileBytes(name))
		}
		out = append(out, sizeLimit(most, int64(s.Set.SegmentMaxSize)<<20))
	}
	for _, r := range own {
		if r.State == collector.Running && r.Options.Count > 0 {
			out = append(out, countLimit(r.Samples, r.Options.Count))
		}
	}
	return out
}

func timeLimit(what string, is, of time.Duration) listing.Limit {
	is = min(max(0, is), of)
	return listing.Limit{What: what, Share: float64(is) / float64(of), Text: english.Age(is) + " of " + english.Span(of)}
}

func sizeLimit(is, of int64) listing.Limit {
	return listing.Limit{What: "size", Share: min(1, float64(is)/float64(of)), Text: english.Size(is) + " of " + english.Size(of)}
}

func countLimit(is, of int64) listing.Limit {
	return listing.Limit{What: "samples", Share: min(1, float64(is)/float64(of)), Text: fmt.Sprintf("%d of %d", is, of)}
}

// mostFacts bounds how many paths are told of a collector.
const mostFacts = 20

// facts are what a set does.
func (s *Set) facts(now time.Time) (out []listing.Fact) {
	if s.Set.Description != "" && !isResource(s.Set.Description) {
		out = append(out, fact("about", s.Set.Description))
	}
	does := edit.Describe(s.Entry, now)
	out = append(out, fact("when", strings.Join(does.Times, "; "))) // what is next stands in the list
	for _, lines := range does.Collects {
		if more := len(lines) - mostFacts; more > 0 {
			lines = append(lines[:mostFacts:mostFacts], fmt.Sprintf("and %d more", more))
		}
		out = append(out, fact("collects", strings.Join(lines, " ")))
	}
	for _, text := range does.Keeps {
		out = append(out, fact("keeps", text))
	}
	return append(out, fact("folder", s.Root))
}

// ofConfig is how a recording of the config stands.
func ofConfig(c *config.Record, described []collector.Entry, told map[string]bool) listing.Record {
	r := listing.Record{ID: "config " + c.Name, Name: c.Name, Kind: listing.NamedRecording}
	file, err := config.BelowHome(c.File)
	if err != nil {
		return damaged(r, err)
	}
	r.Root = file
	if fileBytes(file) > 0 {
		r.Output = file
	}
	for i := range described {
		if described[i].Options.File == file {
			told[described[i].ID] = true
		}
	}
	if e := recordingTo(file, described); e != nil {
		describe(&r, e)
	} else {
		r.Bytes = fileBytes(file)
	}
	if r.State == listing.Ended {
		r.State = listing.Stopped
	}
	r.Facts = configFacts(c, file)
	return r
}

func configFacts(c *config.Record, file string) []listing.Fact {
	every := "as often as the program samples"
	if c.Interval > 0 {
		every = "every " + english.Exact(c.Interval)
	}
	out := []listing.Fact{
		fact("collects", every+": "+strings.Join(c.Paths, " ")),
		fact("hosts", cmp.Or(strings.Join(c.Hosts, ", "), "those that are watched, else this computer")),
		fact("folder", filepath.Dir(file)),
	}
	var limits []string
	if c.Duration > 0 {
		limits = append(limits, english.Exact(c.Duration))
	}
	if c.Samples > 0 {
		limits = append(limits, english.Count(c.Samples, "sample", "samples"))
	}
	if len(limits) > 0 {
		out = append(out, fact("when", "it ends after "+strings.Join(limits, " or ")))
	}
	if c.Always {
		out = append(out, fact("when", "perfdeck watch records it all the time"))
	}
	return out
}

// ofOther is how a recording stands that is of no set and not of the config.
func ofOther(e *collector.Entry) listing.Record {
	r := listing.Record{ID: "recording " + e.ID, Name: filepath.Base(e.File()), Kind: listing.OtherRecording, Root: e.File()}
	describe(&r, e)
	for _, h := range e.Hosts {
		r.Facts = append(r.Facts, fact("collects", h.Name+": "+strings.Join(h.Paths, " ")))
	}
	r.Facts = append(r.Facts, fact("every", e.Options.Every), fact("folder", filepath.Dir(e.File())))
	if e.State == collector.Interrupted {
		r.Facts = append(r.Facts, fact("go on", "perfdeck record --resume "+e.ID))
	}
	return r
}

// describe takes from a description how things stand with a recording.
func describe(r *listing.Record, e *collector.Entry) {
	r.State = map[collector.State]listing.State{collector.Running: listing.Running, collector.Interrupted: listing.Died, collector.Ended: listing.Ended}[e.State]
	r.Began, r.Ended, r.Why = e.Started, e.Stopped, e.Reason
	for _, f := range e.Files {
		r.Bytes += fileBytes(f.Name)
		if fileBytes(f.Name) > 0 {
			r.Output = f.Name
		}
	}
	if e.Reason != "" {
		level := listing.Note
		if e.State == collector.Interrupted {
			level = listing.Wrong
		}
		find(r, level, e.Reason)
	}
	if e.State == collector.Running {
		r.Limits = append(r.Limits, recordingLimits(e, time.Now())...)
	}
}

// recordingLimits are how far a recording came to what ends it, or its file.
func recordingLimits(e *collector.Entry, now time.Time) (out []listing.Limit) {
	o := &e.Options
	if of, err := time.ParseDuration(o.Duration); err == nil && of > 0 {
		out = append(out, timeLimit("run", now.Sub(e.Started), of))
	}
	if o.Count > 0 {
		out = append(out, countLimit(e.Samples, o.Count))
	}
	if len(e.Files) == 0 {
		return out
	}
	f := &e.Files[0]
	if of, err := time.ParseDuration(o.SegmentTime); err == nil && of > 0 && !f.Begun.IsZero() {
		out = append(out, timeLimit("file", now.Sub(f.Begun), of))
	}
	if o.SegmentBytes > 0 {
		out = append(out, sizeLimit(fileBytes(f.Name), o.SegmentBytes))
	}
	if o.SegmentSamples > 0 {
		out = append(out, countLimit(f.Own, o.SegmentSamples))
	}
	return out
}
