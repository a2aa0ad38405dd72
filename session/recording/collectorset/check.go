package collectorset

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session/files/naming"
	"perfdeck/session/system/failure"
)

// Place is what there is where a set is to run.
type Place struct {
	Watched func(computer string) bool // computers that may be asked; nil: all
	Task    func(name string) bool     // programs that the user lets sets run, by that very name; nil: none
	// Lacks tells why the computer that is meant has nothing of a path; nil: nobody knows.
	Lacks func(paths.Path) error
}

// Check tells what is wrong with a set at a place: MS-PLA 2.2.2.11 and its sections, and
// what a user would want to know.
func (s *Set) Check(at Place) []Finding {
	c := checker{set: s, place: at}
	bounds(&c.findings, "", s, setBefore)
	bounds(&c.findings, "", s, setAfter)
	c.names()
	for i := range s.Schedules {
		c.schedule(fmt.Sprintf("%s[%d]/", scheduleElement, i+1), &s.Schedules[i])
	}
	c.segments()
	c.collectors()
	c.lacks()
	if s.Manager != nil {
		c.manager(s.Manager)
	}
	return c.findings
}

type checker struct {
	findings
	set   *Set
	place Place

	lacking map[string]*lack // by object
	order   []string
}

// bounds checks numbers and texts against what their tables allow.
func bounds[T any](f *findings, at string, v *T, table []property[T]) {
	for i := range table {
		p := &table[i]
		switch field := p.field(v).(type) {
		case *uint32:
			if *field < p.least || p.most > 0 && *field > p.most {
				f.refuse(at+p.name, Invalid, "%d is not %s", *field, p.bounds())
			}
		case *string:
			if !isText(*field) {
				f.refuse(at+p.name, Invalid, "a character that XML cannot hold")
			}
		}
	}
}

func (p *property[T]) bounds() string {
	if p.most == 0 {
		return fmt.Sprintf("%d or more", p.least)
	}
	return fmt.Sprintf("%d to %d", p.least, p.most)
}

// isText tells texts that XML 1.0 can hold.
func isText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
	})
}

// sampleMoments are two moments that names of different runs are made at.
func sampleMoments() (one, two naming.Values) {
	at := time.Date(2005, 1, 31, 4, 20, 9, 0, time.UTC)
	return naming.Values{Time: at, Serial: 1, Computer: "C"}, naming.Values{Time: at.AddDate(0, 1, 1).Add(time.Hour + time.Minute + time.Second), Serial: 2, Computer: "C"}
}

// The limits of keywords: MS-PLA 3.2.4.1.
const (
	mostKeywords = 256
	mostKeyword  = 1024 // characters
)

// names checks what the set and its folders are called, and its keywords.
func (c *checker) names() {
	s := c.set
	if s.Name != "" {
		if _, err := (naming.Name{Base: s.Name}).Folder(naming.Values{}); err != nil {
			c.refuse("Name", Invalid, "%v", err)
		}
	}
	for i, k := range s.Keywords {
		switch at := fmt.Sprintf("Keyword[%d]", i+1); {
		case i >= mostKeywords:
			c.refuse(at, Invalid, "more than %d keywords", mostKeywords)
		case k == "" || len([]rune(k)) > mostKeyword || strings.Contains(k, ";") || !isText(k):
			c.refuse(at, Invalid, "a keyword is not empty, has at most %d characters and no semicolon", mostKeyword)
		}
	}
	c.name(parts{"", "Subdirectory", "SubdirectoryFormat", s.SubdirectoryFormat}, s.Folder(), naming.Name.Folder)
	if s.SubdirectoryFormat&uint32(naming.PartPattern) == 0 && s.SubdirectoryPattern != "" && s.SubdirectoryPattern != defaultFolder {
		c.add("SubdirectoryFormatPattern", Ignored, "SubdirectoryFormat has no bit 1, so the pattern means nothing")
	}
	c.task("", s.Task, s.TaskArguments)
	if len(slices.DeleteFunc(slices.Clone(s.Collectors), func(c Collector) bool { return c.Kind == Kept })) == 0 {
		c.add("DataCollectors", Empty, "nothing is collected")
	}
}

// parts are the properties that a name is made of, as they stand in the set.
type parts struct {
	at, base, format string
	bits             uint32
}

// name checks a name by making one, and tells of which property it is if it cannot be.
func (c *checker) name(p parts, n naming.Name, try func(naming.Name, naming.Values) (string, error)) {
	moment, _ := sampleMoments()
	_, err := try(n, moment)
	if p.bits > 1<<16-1 {
		err = &naming.NameError{Fault: naming.BadParts, Text: fmt.Sprintf("%#x", p.bits)}
	}
	if err == nil {
		return
	}
	at := p.format + "Pattern"
	_, bad := (naming.Name{Base: n.Base}).Folder(moment)
	fault, _ := errors.AsType[*naming.NameError](err)
	switch {
	case fault != nil && fault.Fault == naming.BadParts:
		at = p.format
	case bad != nil || n.Parts&naming.PartPattern == 0:
		at = p.base
	}
	c.refuse(p.at+at, Invalid, "%v", err)
}

// task tells what happens with programs of a set.
func (c *checker) task(at, task, arguments string) {
	switch {
	case task != "" && (c.place.Task == nil || !c.place.Task(task)):
		c.add(at+"Task", NotRun, "no program of a set is run but those in [tasks] of the config, which has none called %s", task)
	case task != "":
	case arguments != "":
		c.add(at+"TaskArguments", Ignored, "there is no Task for them")
	}
}

func (c *checker) schedule(at string, s *Schedule) {
	bounds(&c.findings, at, s, schedules.table)
	if s.Days == 0 && s.StartDate.IsZero() {
		c.refuse(at+"StartDate", Invalid, "Days is 0, so it starts once, but there is no day to start at")
	}
	if !s.EndDate.IsZero() && s.EndDate.Compare(s.StartDate) < 0 {
		c.refuse(at+"EndDate", Invalid, "%v is before StartDate %v", s.EndDate, s.StartDate)
	}
}

// limits tells whether anything ends a segment.
func (s *Set) limits() bool {
	return s.SegmentMaxDuration > 0 || s.SegmentMaxSize > 0 || slices.ContainsFunc(s.Collectors, func(c Collector) bool { return c.SegmentMaxRecords > 0 })
}

func (c *checker) segments() {
	s := c.set
	limited := s.limits()
	if s.Segment && !limited {
		c.add("Segment", Never, "no limit ends a segment: there is one file")
	}
	if s.Segment && s.Duration > 0 && s.SegmentMaxDuration >= s.Duration {
		c.add("SegmentMaxDuration", TooLong, "a segment of %d s never ends before the run, which takes %d s", s.SegmentMaxDuration, s.Duration)
	}
	if s.StopOnCompletion && !limited && s.Duration == 0 {
		c.add("StopOnCompletion", Nothing, "no limit completes the collectors: to the letter nothing would be collected, so it is not applied")
	}
}

func (c *checker) collectors() {
	seen := map[string]bool{}
	var count counter
	for i := range c.set.Collectors {
		one := &c.set.Collectors[i]
		if one.Kind == Kept {
			continue
		}
		at := count.next(kinds[one.Kind].element)
		bounds(&c.findings, at, one, collectorProperties)
		bounds(&c.findings, at, one, kinds[one.Kind].properties)
		if key := paths.Fold(one.Name); one.Name != "" && seen[key] {
			c.refuse(at+"Name", NameTwice, "another collector is called %s, too", one.Name)
		} else {
			seen[key] = true
		}
		if one.Kind == Alerts {
			c.alert(at, one)
		} else {
			c.counters(at, one)
		}
	}
}

// ignore tells of those of some properties of a collector that are set, and mean nothing.
func (c *checker) ignore(at, why string, of *Collector, names ...string) {
	for i := range collectorProperties {
		p := &collectorProperties[i]
		if slices.Contains(names, p.name) && !reflect.ValueOf(p.field(of)).Elem().IsZero() {
			c.add(at+p.name, Ignored, "%s", why)
		}
	}
}

func (c *checker) alert(at string, a *Collector) {
	c.ignore(at, "alerts write no file", a, "FileName", "FileNameFormat", "FileNameFormatPattern", "LogAppend", "LogCircular", "LogOverwrite")
	if len(a.Alerts) == 0 {
		c.refuse(at+"Alert", Invalid, "no threshold to look for")
	}
	for i, text := range a.Alerts {
		line := fmt.Sprintf("%sAlert[%d]", at, i+1)
		threshold, err := paths.ParseAlert(text)
		if err != nil {
			c.add(line, Invalid, "%s: %v: left out", text, err)
			continue
		}
		c.means(line, threshold.Path)
	}
	c.task(at, a.Task, a.TaskArguments)
	if a.Trigger != "" && paths.EqualFold(a.Trigger, c.set.Name) {
		c.add(at+"TriggerDataCollectorSet", Itself, "it would start the set that it is of, which runs then: left out")
	}
}

// means tells of a path that gives nothing where the set is to run.
func (c *checker) means(at string, path paths.Path) {
	c.host(at, path.Computer)
	if c.place.Lacks == nil {
		return
	}
	err := c.place.Lacks(path)
	if err == nil {
		return
	}
	object := paths.Fold(path.Object)
	if c.lacking == nil {
		c.lacking = map[string]*lack{}
	}
	if c.lacking[object] == nil {
		c.lacking[object] = &lack{at: at, err: err}
		c.order = append(c.order, object)
	}
	c.lacking[object].n++
}

// lack is what is not there of an object.
type lack struct {
	at  string // the first path
	err error
	n   int
}

// lacks tells of what is not there, a line for each object.
func (c *checker) lacks() {
	for _, object := range c.order {
		l := c.lacking[object]
		text := failure.Told(l.err)
		if l.n > 1 {
			text += fmt.Sprintf(" (and %d more of this object)", l.n-1)
		}
		c.add(l.at, Lacking, "it gives nothing here: %s", text)
	}
}

// host tells of a computer that is not watched.
func (c *checker) host(at, computer string) {
	if computer != "" && c.place.Watched != nil && !c.place.Watched(computer) {
		c.add(at, OtherHost, "%s is no host of the config: it is not asked", computer)
	}
}

func (c *checker) counters(at string, p *Collector) {
	if len(p.Counters) == 0 {
		c.refuse(at+"Counter", Invalid, "no counter to collect")
	}
	seen := map[string]bool{}
	for i, text := range p.Counters {
		line := fmt.Sprintf("%sCounter[%d]", at, i+1)
		path, err := ParseCounter(text)
		switch key := paths.Fold(text); {
		case err != nil:
			c.add(line, Invalid, "%v: left out", err)
		case seen[key]:
			c.add(line, NoDuplicates, "%s stands there already: left out", text)
		case !strings.HasPrefix(text, `\`):
			c.add(line, NoBackslash, "no backslash at its beginning: read as if there were one")
			fallthrough
		default:
			seen[key] = true
			c.means(line, path)
		}
	}
	c.files(at, p)
	c.flags(at, p)
}

// ParseCounter reads a path, also one without the backslash at its beginning, as some
// programs write them.
func ParseCounter(text string) (paths.Path, error) {
	if !strings.HasPrefix(text, `\`) {
		text = `\` + text
	}
	path, err := paths.Parse(text)
	if err == nil && strings.Contains(path.Object+path.Counter, `\`) {
		err = fmt.Errorf("%s has a part too many", text)
	}
	return path, err
}

// files checks how files are called.
func (c *checker) files(at string, p *Collector) {
	name := p.File(p.Format().Extension)
	if name.Base == "" {
		name.Base = "x" // it is given one
	}
	c.name(parts{at, "FileName", "FileNameFormat", p.FileNameFormat}, name, naming.Name.File)
	switch hasPattern := p.FileNameFormat&uint32(naming.PartPattern) != 0; {
	case hasPattern && p.FileNamePattern == "":
		c.add(at+"FileNameFormatPattern", Conflict, "FileNameFormat has bit 1, but there is no pattern: none is used")
	case !hasPattern && p.FileNamePattern != "":
		c.add(at+"FileNameFormatPattern", Ignored, "FileNameFormat has no bit 1, so the pattern means nothing")
	}
	if !c.set.Segment || !c.set.limits() || p.LogOverwrite || p.LogAppend || p.LogCircular {
		return
	}
	folder := c.set.Folder()
	one, two := sampleMoments()
	inOne, _ := folder.Folder(one)
	inTwo, _ := folder.Folder(two)
	first, _ := name.File(one)
	second, _ := name.File(two)
	if inOne == inTwo && first == second {
		c.add(at+"FileNameFormat", SameFile, "all segments are called %s: the second one finds the file there, and the set stops", first)
	}
}

// flags checks how files are written: what is ignored is not in conflict.
func (c *checker) flags(at string, p *Collector) {
	switch {
	case p.LogFileFormat == SQL:
		c.ignore(at, "databases are added to", p, "LogAppend", "LogCircular", "LogOverwrite")
		if p.DataSourceName == "" {
			c.add(at+"DataSourceName", Conflict, "no data source: this collector is off")
		} else {
			c.add(at+"LogFileFormat", Database, "written to a SQLite file here, not to the data source %s", p.DataSourceName)
		}
		return
	case p.Format().Text:
		c.ignore(at, "text files are not added to, and not circular", p, "LogAppend", "LogCircular")
		return
	}
	if p.LogCircular && c.set.SegmentMaxSize == 0 {
		c.add(at+"LogCircular", Conflict, "a circular file needs SegmentMaxSize: it is not circular")
	}
	if p.LogAppend && (p.LogCircular || p.LogOverwrite) {
		c.add(at+"LogAppend", Conflict, "a file is added to, or begins anew: it is not added to")
	}
}

func (c *checker) manager(m *Manager) {
	bounds(&c.findings, managerElement+"/", m, managerProperties)
	for i := range m.FolderActions {
		a := &m.FolderActions[i]
		at := fmt.Sprintf("%s/%s[%d]/", managerElement, actionElement, i+1)
		bounds(&c.findings, at, a, actions.table)
		if a.Actions&cabActions != 0 && a.Actions <= allActions {
			c.add(at+"Actions", NotThere, "no cabinet files are made here: nothing is done for this action")
		}
		if a.Actions&SendCab != 0 && a.Actions <= allActions && !strings.HasPrefix(a.SendCabTo, `\\`) {
			c.add(at+"SendCabTo", Invalid, `no share as \\server\share`)
		}
	}
}
