package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/record/collector"
	"perfdeck/session/record/collectorset"
	"perfdeck/session/record/collectorset/runner"
	"perfdeck/session/record/collectorset/store"
	"perfdeck/session/record/desk"
	"perfdeck/tui/pane"
)

// setDesk is the data collector sets and recordings of this computer, as the screens
// have them. Its methods may be called by many goroutines.
type setDesk struct {
	program   *program
	hostFlags []string // that open hosts on a command line
	lookFlags []string // that say how screens look

	records session.Latest[[]config.Record]
	list    *desk.Look[[]pane.Record]
}

func (p *program) newSetDesk(c *cobra.Command, changed func()) *setDesk {
	d := &setDesk{program: p, hostFlags: openingFlags(c), lookFlags: flagsOf(c, lookFlagNames())}
	d.records.Set(p.config.Records)
	d.list = &desk.Look[[]pane.Record]{Every: looksEvery, Changed: changed, Go: p.guard.Go, Do: func() []pane.Record {
		records, _ := d.records.Get()
		return d.all(records)
	}}
	return d
}

// setRecords takes the recordings of a config.
func (d *setDesk) setRecords(records []config.Record) {
	d.records.Set(records)
	d.list.Expire()
}

// looksEvery is how often is looked how things stand, while somebody asks.
const looksEvery = 2 * time.Second

// List is how things stood at the last look.
func (d *setDesk) List() (list []pane.Record, known bool) { return d.list.Get() }

// all are the sets, then the recordings of the config, then the other ones.
func (d *setDesk) all(records []config.Record) (list []pane.Record) {
	described := d.program.describedRecordings()
	taken := map[string]bool{} // IDs of recordings that are told of with their sets
	if s, err := d.program.sets(); err == nil {
		names, _ := s.Names()
		for _, name := range names {
			list = append(list, d.set(s, name, described, taken))
		}
	}
	for i := range records {
		list = append(list, d.named(&records[i], described, taken))
	}
	for i := range slices.Backward(described) {
		if e := &described[i]; !taken[e.ID] {
			list = append(list, d.other(e))
		}
	}
	return list
}

// set is how a set stands.
func (d *setDesk) set(s *store.Store, name string, described []collector.Entry, taken map[string]bool) pane.Record {
	r := pane.Record{ID: "set " + name, Name: name}
	e, err := s.Load(name)
	if err != nil {
		r.State, r.Findings = pane.RecordDamaged, []pane.RecordFinding{{Level: pane.Critical, Text: err.Error()}}
		return r
	}
	root, err := rootOf(e)
	if err != nil {
		r.Findings = append(r.Findings, pane.RecordFinding{Level: pane.Warning, Text: err.Error()})
	}
	now := time.Now()
	r.Began, r.Ended = e.State.Began, e.State.Ended
	r.State = setState(s, e)
	next := e.Set.Clone()
	next.SchedulesEnabled = true
	at, scheduled := next.Next(now.In(time.Local))
	if r.Off = scheduled && !e.Set.SchedulesEnabled; scheduled && !r.Off {
		r.Next = at
	}
	r.Bytes = collectedBytes(root, e.State.Folders)
	if newest := newestOutputs(root, e.State.Folders); len(newest) > 0 {
		r.Output = newest[0]
	}
	own := recordingsOfSet(root, e, described, taken)
	if r.State == pane.RecordRunning {
		r.Limits = setLimits(e, root, own, now)
	}
	if e.State.Why != "" {
		r.Findings = append(r.Findings, pane.RecordFinding{Level: pane.Warning, Text: e.State.Why})
	}
	r.Findings = append(r.Findings, recordFindings(d.program.findings(e))...)
	r.Facts = setFacts(e, root)
	return r
}

func setState(s *store.Store, e *store.Entry) pane.RecordState {
	const compiling = 2
	switch running := s.Running(e.Set.Name); {
	case running && e.Set.Status == compiling:
		return pane.RecordTidying
	case running:
		return pane.RecordRunning
	case isDead(e):
		return pane.RecordDied
	case e.State.Why != "":
		return pane.RecordFailed
	}
	return pane.RecordStopped
}

// recordFindings are what is found, the worst first.
func recordFindings(found []collectorset.Finding) (out []pane.RecordFinding) {
	for _, f := range found {
		level := pane.Careful
		switch {
		case f.Refuses:
			level = pane.Critical
		case f.Code.IsNote():
			level = pane.Info
		}
		out = append(out, pane.RecordFinding{Level: level, Text: f.String()})
	}
	slices.SortStableFunc(out, func(a, b pane.RecordFinding) int { return int(b.Level) - int(a.Level) })
	return out
}

// newestOutputs are the files of the newest segment of a set of which any is there and
// holds something.
func newestOutputs(root string, folders []store.Folder) (out []string) {
	for _, f := range slices.Backward(folders) {
		for _, name := range f.Files {
			if whole := filepath.Join(root, filepath.FromSlash(name)); fileBytes(whole) > 0 {
				out = append(out, whole)
			}
		}
		if len(out) > 0 {
			break
		}
	}
	return out
}

// recordingsOfSet are the recordings that a set's runs described, the ones of its newest
// segments: they are no recordings of their own.
func recordingsOfSet(root string, e *store.Entry, described []collector.Entry, taken map[string]bool) (own []*collector.Entry) {
	const newest = 3
	folders := e.State.Folders[max(0, len(e.State.Folders)-newest):]
	for i := range described {
		is := slices.ContainsFunc(folders, func(f store.Folder) bool {
			return slices.ContainsFunc(f.Files, func(name string) bool {
				return described[i].Options.File == filepath.Join(root, filepath.FromSlash(name))
			})
		})
		if is {
			taken[described[i].ID] = true
			own = append(own, &described[i])
		}
	}
	return own
}

// forgetRecordings forgets the descriptions that runs of a set left which died: the set
// itself tells of them.
func (p *program) forgetRecordings(root string, e *store.Entry) {
	dir, err := recordingsDir()
	if err != nil {
		return
	}
	for _, r := range recordingsOfSet(root, e, p.describedRecordings(), map[string]bool{}) {
		if r.State != collector.Running {
			_ = collector.Forget(dir, r.ID)
		}
	}
}

// setLimits is how far a run came to what ends it, or its segment.
func setLimits(e *store.Entry, root string, own []*collector.Entry, now time.Time) (out []pane.RecordLimit) {
	s := e.Set
	if s.Duration > 0 {
		out = append(out, timeLimit("run", now.Sub(e.State.Began), span(s.Duration)))
	}
	if len(e.State.Folders) == 0 {
		return out
	}
	segment := e.State.Folders[len(e.State.Folders)-1]
	if s.SegmentMaxDuration > 0 {
		out = append(out, timeLimit("files", now.Sub(segment.Began), span(s.SegmentMaxDuration)))
	}
	if s.SegmentMaxSize > 0 {
		var most int64
		for _, name := range segment.Files {
			most = max(most, fileBytes(filepath.Join(root, filepath.FromSlash(name))))
		}
		out = append(out, sizeLimit(most, int64(s.SegmentMaxSize)<<20))
	}
	for _, r := range own {
		if r.State == collector.Running && r.Options.Count > 0 {
			out = append(out, countLimit(r.Samples, r.Options.Count))
		}
	}
	return out
}

func timeLimit(what string, is, of time.Duration) pane.RecordLimit {
	is = min(max(0, is), of)
	return pane.RecordLimit{What: what, Share: float64(is) / float64(of), Text: spanText(is.Truncate(time.Second)) + " of " + spanText(of)}
}

func sizeLimit(is, of int64) pane.RecordLimit {
	return pane.RecordLimit{What: "size", Share: min(1, float64(is)/float64(of)), Text: sizeText(is) + " of " + sizeText(of)}
}

func countLimit(is, of int64) pane.RecordLimit {
	return pane.RecordLimit{What: "samples", Share: min(1, float64(is)/float64(of)), Text: fmt.Sprintf("%d of %d", is, of)}
}

// mostFacts bounds how many paths are told of a collector.
const mostFacts = 20

// setFacts are what a set does.
func setFacts(e *store.Entry, root string) (out []pane.Fact) {
	s := e.Set
	if s.Description != "" {
		out = append(out, pane.Fact{Label: "about", Text: s.Description})
	}
	var times []string
	for _, line := range describeTimes(s, time.Now()) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "next on") { // which stands in the list
			times = append(times, line)
		}
	}
	out = append(out, pane.Fact{Label: "when", Text: strings.Join(times, "; ")})
	for i := range s.Collectors {
		lines := describeCollector(&s.Collectors[i])
		for n := range lines {
			lines[n] = strings.TrimSpace(lines[n])
		}
		if more := len(lines) - mostFacts; more > 0 {
			lines = append(lines[:mostFacts], fmt.Sprintf("and %d more", more))
		}
		out = append(out, pane.Fact{Label: "collects", Text: strings.Join(lines, " ")})
	}
	if s.Manager != nil {
		for _, line := range describeManager(s.Manager) {
			out = append(out, pane.Fact{Label: "keeps", Text: strings.TrimSpace(line)})
		}
	}
	return append(out, pane.Fact{Label: "folder", Text: root})
}

// named is how a recording of the config stands.
func (d *setDesk) named(c *config.Record, described []collector.Entry, taken map[string]bool) pane.Record {
	r := pane.Record{ID: "config " + c.Name, Name: c.Name, Kind: pane.NamedRecording}
	file, err := config.BelowHome(c.File)
	if err != nil {
		r.State, r.Findings = pane.RecordDamaged, []pane.RecordFinding{{Level: pane.Critical, Text: err.Error()}}
		return r
	}
	if fileBytes(file) > 0 {
		r.Output = file
	}
	for i := range described {
		if described[i].Options.File == file {
			taken[described[i].ID] = true
		}
	}
	if e := recordingOf(described, file); e != nil {
		describedState(&r, e)
	} else {
		r.Bytes = fileBytes(file)
	}
	if r.State == pane.RecordEnded {
		r.State = pane.RecordStopped
	}
	every := "as often as the program samples"
	if c.Interval > 0 {
		every = "every " + spanText(c.Interval)
	}
	r.Facts = append(r.Facts, pane.Fact{Label: "collects", Text: every + ": " + strings.Join(c.Paths, " ")},
		pane.Fact{Label: "hosts", Text: cmp.Or(strings.Join(c.Hosts, ", "), "those that are watched, else this computer")},
		pane.Fact{Label: "folder", Text: filepath.Dir(file)})
	var limits []string
	if c.Duration > 0 {
		limits = append(limits, spanText(c.Duration))
	}
	if c.Samples > 0 {
		limits = append(limits, count(c.Samples, "sample", "samples"))
	}
	if len(limits) > 0 {
		r.Facts = append(r.Facts, pane.Fact{Label: "when", Text: "it ends after " + strings.Join(limits, " or ")})
	}
	if c.Always {
		r.Facts = append(r.Facts, pane.Fact{Label: "when", Text: "perfdeck watch records it all the time"})
	}
	return r
}

// describedState takes from a description how things stand with a recording.
func describedState(r *pane.Record, e *collector.Entry) {
	r.State = map[collector.State]pane.RecordState{collector.Running: pane.RecordRunning, collector.Interrupted: pane.RecordDied, collector.Ended: pane.RecordEnded}[e.State]
	r.Began, r.Ended = e.Started, e.Stopped
	for _, f := range e.Files {
		r.Bytes += fileBytes(f.Name)
		if fileBytes(f.Name) > 0 {
			r.Output = f.Name
		}
	}
	if e.Reason != "" {
		level := pane.Info
		if e.State == collector.Interrupted {
			level = pane.Warning
		}
		r.Findings = append(r.Findings, pane.RecordFinding{Level: level, Text: e.Reason})
	}
	if e.State != collector.Running {
		return
	}
	now, o := time.Now(), &e.Options
	if of, err := time.ParseDuration(o.Duration); err == nil && of > 0 {
		r.Limits = append(r.Limits, timeLimit("run", now.Sub(e.Started), of))
	}
	if o.Count > 0 {
		r.Limits = append(r.Limits, countLimit(e.Samples, o.Count))
	}
	if len(e.Files) == 0 {
		return
	}
	f := &e.Files[0]
	if of, err := time.ParseDuration(o.SegmentTime); err == nil && of > 0 && !f.Begun.IsZero() {
		r.Limits = append(r.Limits, timeLimit("file", now.Sub(f.Begun), of))
	}
	if o.SegmentBytes > 0 {
		r.Limits = append(r.Limits, sizeLimit(fileBytes(f.Name), o.SegmentBytes))
	}
	if o.SegmentSamples > 0 {
		r.Limits = append(r.Limits, countLimit(f.Own, o.SegmentSamples))
	}
}

// other is how a recording stands that is of no set and not of the config.
func (d *setDesk) other(e *collector.Entry) pane.Record {
	r := pane.Record{ID: "recording " + e.ID, Name: filepath.Base(e.File()), Kind: pane.OtherRecording}
	describedState(&r, e)
	for _, h := range e.Hosts {
		r.Facts = append(r.Facts, pane.Fact{Label: "collects", Text: h.Name + ": " + strings.Join(h.Paths, " ")})
	}
	r.Facts = append(r.Facts, pane.Fact{Label: "every", Text: e.Options.Every}, pane.Fact{Label: "folder", Text: filepath.Dir(e.File())})
	if e.State == collector.Interrupted {
		r.Facts = append(r.Facts, pane.Fact{Label: "go on", Text: "perfdeck record --resume " + e.ID})
	}
	return r
}

// id is what a record is known by where it is kept.
func id(r *pane.Record) string {
	_, rest, _ := strings.Cut(r.ID, " ")
	return rest
}

// Start starts a set, or a recording of the config, in a process of its own.
func (d *setDesk) Start(r *pane.Record) error {
	defer d.list.Now()
	if r.Kind == pane.CollectorSet {
		s, err := d.program.sets()
		if err != nil {
			return err
		}
		_, _, err = d.program.beginSet(d.program.context(), s, id(r), d.hostFlags, setRunFlags{})
		return desk.InDialog(err)
	}
	return d.startNamed(id(r))
}

// startNamed starts a recording of the config, and waits until it records.
func (d *setDesk) startNamed(name string) error {
	log, err := os.CreateTemp("", "perfdeck-*.log")
	if err != nil {
		return err
	}
	_ = log.Close()
	defer func() { _ = os.Remove(log.Name()) }()
	begun, err := d.program.detach(log.Name(), slices.Concat([]string{"record", "--named", name}, d.hostFlags))
	if err != nil {
		return fmt.Errorf("record %s: %w", name, err)
	}
	err = begun.await(d.program.context(), func(pid int) bool {
		return slices.ContainsFunc(d.program.describedRecordings(), func(e collector.Entry) bool { return e.PID == pid && e.State == collector.Running })
	})
	if errors.Is(err, errDetachedEnded) {
		_, last := lastLines(log.Name())
		return fmt.Errorf("record %s: %s", name, last)
	}
	if err != nil {
		return fmt.Errorf("record %s: %w", name, err)
	}
	return nil
}

// Stop ends what runs, whichever process runs it.
func (d *setDesk) Stop(r *pane.Record) error {
	defer d.list.Now()
	switch r.Kind {
	case pane.CollectorSet:
		s, err := d.program.sets()
		if err != nil {
			return err
		}
		return d.program.stopSet(s, id(r))
	case pane.NamedRecording:
		records, _ := d.records.Get()
		i := slices.IndexFunc(records, func(c config.Record) bool { return c.Name == id(r) })
		var file string
		if i >= 0 {
			file, _ = config.BelowHome(records[i].File)
		}
		if e := recordingOf(d.program.describedRecordings(), file); e != nil {
			return d.program.endRecordingOf(d.program.context(), e)
		}
		return nil
	case pane.OtherRecording:
	}
	dir, err := recordingsDir()
	if err != nil {
		return err
	}
	e, err := collector.Find(dir, id(r), time.Now())
	if err != nil {
		return err
	}
	return d.program.endRecordingOf(d.program.context(), &e)
}

// change changes a set.
func (d *setDesk) change(name string, do func(*store.Entry) error) error {
	defer d.list.Now()
	s, err := d.program.sets()
	if err != nil {
		return err
	}
	return s.Change("update", name, do)
}

// Switch switches the schedules of a set on or off.
func (d *setDesk) Switch(r *pane.Record, on bool) error {
	return d.change(id(r), func(e *store.Entry) error {
		e.Set.SchedulesEnabled = on
		return nil
	})
}

// Doomed tells what goes with a record.
func (d *setDesk) Doomed(r *pane.Record) (pane.Doomed, error) {
	if r.Kind != pane.CollectorSet {
		return pane.Doomed{Text: "The note of this recording goes. Its file " + cmp.Or(r.Output, r.Name) + " stays where it is."}, nil
	}
	s, err := d.program.sets()
	if err != nil {
		return pane.Doomed{}, err
	}
	out := pane.Doomed{Text: "The set " + r.Name + " goes, with its schedule and the journal of its runs."}
	e, err := s.Load(id(r))
	if err != nil { // damaged: nobody knows what it collected
		return out, nil //nolint:nilerr // it is told in the list
	}
	root, err := rootOf(e)
	if err != nil {
		return out, err
	}
	folders, err := runner.Collected(s, e, root, d.program.newClock())
	if err != nil {
		return out, err
	}
	var bytes int64
	for _, f := range folders {
		bytes += f.Bytes
	}
	if out.Folders = len(folders); out.Folders > 0 {
		what := count(int64(len(folders)), "folder", "folders") + ", " + sizeText(bytes) + ", below " + root
		out.Text += "\nWhat it collected stays: " + what + "."
		out.Files = "The set goes, and what it collected: " + what + ":"
		for _, f := range folders[:min(len(folders), mostFacts)] {
			out.Files += "\n  " + f.Name + "  " + sizeText(f.Bytes)
		}
		if more := len(folders) - mostFacts; more > 0 {
			out.Files += fmt.Sprintf("\n  and %d more", more)
		}
	}
	return out, nil
}

// Remove forgets a record; with files what a set collected goes, too.
func (d *setDesk) Remove(r *pane.Record, withFiles bool) error {
	defer d.list.Now()
	if r.Kind != pane.CollectorSet {
		dir, err := recordingsDir()
		if err != nil {
			return err
		}
		return collector.Forget(dir, id(r))
	}
	s, err := d.program.sets()
	if err != nil {
		return err
	}
	return d.program.deleteSet(s, id(r), withFiles)
}

// Player is what shows a file.
func (d *setDesk) Player(file string, at time.Time) (*exec.Cmd, error) {
	args := slices.Concat([]string{"replay"}, d.lookFlags)
	if !at.IsZero() {
		args = append(args, "--at="+at.Format(time.RFC3339))
	}
	own, err := d.program.ownCommand(append(args, "--", file))
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(d.program.context(), own.Path) //nolint:gosec // it is this program
	cmd.Args, cmd.Env = own.Args, own.Env
	cmd.Cancel = func() error { // it gives the terminal back, where systems can ask for that
		if cmd.Process.Signal(syscall.SIGTERM) == nil {
			return nil
		}
		return cmd.Process.Kill()
	}
	cmd.WaitDelay = 5 * time.Second
	return cmd, nil
}

// hostPaths are the paths of hosts as a set names them: those of this computer without
// its name.
func hostPaths(what []pane.RecordHost) (out []string) {
	for _, w := range what {
		for _, text := range w.Paths {
			if !w.Host.Local {
				text = `\\` + w.Host.Name + text
			}
			out = append(out, text)
		}
	}
	return out
}

var _ pane.Records = (*setDesk)(nil)
