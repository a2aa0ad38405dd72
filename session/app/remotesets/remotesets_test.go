package remotesets_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/app/remotesets"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/edit"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/field"
	"perfdeck/session/text/printable"
)

// kept is a host's sets in memory.
type kept struct {
	sets    map[string]*pla.Set // by the whole name in lower case
	says    []pla.Problem       // to each commit
	commits []pla.Change
	fails   error // of each call
	between func()
	asked   []string // calls
	open    int
}

func key(n pla.Name) string { return strings.ToLower(n.String()) }

func (k *kept) find(op string, n pla.Name) (*pla.Set, error) {
	k.asked = append(k.asked, op)
	if k.fails != nil {
		return nil, k.fails
	}
	s := k.sets[key(n)]
	if s == nil {
		return nil, &pla.Error{Op: op, Name: n, Code: 0x80300002}
	}
	return s, nil
}

func (k *kept) List(context.Context, ...pla.Category) (*pla.Listing, error) {
	if k.fails != nil {
		return nil, k.fails
	}
	l := &pla.Listing{}
	for _, s := range k.sets {
		l.Sets = append(l.Sets, pla.Listed{Name: s.Name, Status: s.Status})
	}
	slices.SortFunc(l.Sets, func(a, b pla.Listed) int { return strings.Compare(key(a.Name), key(b.Name)) })
	return l, nil
}

func (k *kept) Read(_ context.Context, n pla.Name) (*pla.Set, error) {
	s, err := k.find(pla.OpRead, n)
	if err != nil {
		return nil, err
	}
	one := *s
	return &one, nil
}

func (k *kept) Commit(_ context.Context, c pla.Change) ([]pla.Problem, error) {
	k.asked = append(k.asked, pla.OpCommit)
	if k.between != nil {
		k.between()
	}
	s := k.sets[key(c.Name)]
	switch {
	case k.fails != nil:
		return nil, k.fails
	case s != nil && c.Mode&(pla.Create|pla.Modify) == pla.Create:
		return nil, &pla.Error{Op: pla.OpCommit, Name: c.Name, Code: 0x803000B7}
	case s == nil && c.Mode&pla.Create == 0:
		return nil, &pla.Error{Op: pla.OpCommit, Name: c.Name, Code: 0x80300002}
	case s != nil && c.Was != "" && c.Was != s.XML:
		return nil, pla.ErrChanged
	}
	k.commits = append(k.commits, c)
	if c.Mode&pla.Validate == 0 {
		if s == nil {
			s = &pla.Set{Name: c.Name}
			k.sets[key(c.Name)] = s
		}
		s.XML = c.XML
	}
	return k.says, nil
}

func (k *kept) Delete(_ context.Context, n pla.Name) error {
	_, err := k.find(pla.OpDelete, n)
	if err == nil {
		delete(k.sets, key(n))
	}
	return err
}

func (k *kept) Start(_ context.Context, n pla.Name) error {
	s, err := k.find(pla.OpStart, n)
	if err == nil {
		s.Status = pla.Running
	}
	return err
}

func (k *kept) Stop(ctx context.Context, n pla.Name) error {
	if _, err := k.find(pla.OpStop, n); err != nil {
		return err
	}
	<-ctx.Done()
	return fmt.Errorf("stop: %w", context.Cause(ctx))
}

func (k *kept) Close() error { k.open--; return nil }

// webXML is a set as a host writes it.
const webXML = "<DataCollectorSet><Status>0</Status><Duration>0</Duration><SchedulesEnabled>-1</SchedulesEnabled><Schedule><StartTime>22:00:00</StartTime><Days>127</Days></Schedule><Name>Web</Name>" +
	"<RootPath>%systemdrive%\\PerfLogs\\Admin\\Web</RootPath><Task/><DisplayNameUnresolved>@x.dll,#1</DisplayNameUnresolved><Odd>\r\n</Odd>" +
	"<TraceDataCollector><Name>T</Name></TraceDataCollector><PerformanceCounterDataCollector><Name>P</Name><SampleInterval>15</SampleInterval><Counter>\\Memory\\Available Bytes</Counter></PerformanceCounterDataCollector></DataCollectorSet>"

// host is one with a set of its user, one of the system, and one of its boot.
func host() *kept {
	return &kept{sets: map[string]*pla.Set{
		`service\web`:    {Name: pla.Name{Set: "Web"}, XML: webXML, Account: `CORP\svc`, Security: "O:BAD:(A;;FA;;;BA)(A;;FRFX;;;LU)", Root: `C:\PerfLogs\Admin\Web`, Output: `C:\PerfLogs\Admin\Web\1`},
		`system\sys`:     {Name: pla.Name{Category: pla.System, Set: "Sys"}, XML: webXML},
		`autosession\bt`: {Name: pla.Name{Category: pla.Autosession, Set: "Bt"}, XML: webXML, Status: pla.Undefined},
	}}
}

type rig struct {
	*remotesets.Client

	hosts  map[string]*kept
	state  string
	answer bool
	asked  []string
	opened []string
}

func newRig(t *testing.T, names ...string) *rig {
	d := &rig{hosts: map[string]*kept{}, state: t.TempDir()}
	for _, name := range names {
		d.hosts[name] = host()
	}
	d.Client = &remotesets.Client{
		Open: func(name string) (pla.Sets, error) {
			d.opened = append(d.opened, name)
			k := d.hosts[name]
			if k == nil {
				return nil, errors.New("no such host")
			}
			k.open++
			return k, nil
		},
		State:   func() (string, error) { return d.state, nil },
		Now:     func() time.Time { return time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC) },
		Go:      func(f func()) { go f() },
		Confirm: func(question string) (bool, error) { d.asked = append(d.asked, question); return d.answer, nil },
	}
	t.Cleanup(func() {
		for name, k := range d.hosts {
			if k.open != 0 {
				t.Errorf("%s: %d were not closed", name, k.open)
			}
		}
	})
	return d
}

// Each host's failure is its own, and the order is that of their names.
func TestSeveralHosts(t *testing.T) {
	d := newRig(t, "a", "b", "c")
	d.hosts["b"].fails = errors.New("is down")
	got := d.List(t.Context(), []string{"c", "b", "x", "a"})
	var says []string
	for _, r := range got {
		if r.Err != nil {
			says = append(says, r.Err.Error())
			continue
		}
		says = append(says, fmt.Sprint(r.Host, len(r.Is.Sets)))
	}
	if want := []string{"c3", "b: is down", "x: no such host", "a3"}; !slices.Equal(says, want) {
		t.Errorf("%q, want %q", says, want)
	}
	if want := []string{"c", "b", "x", "a"}; !slices.Equal(d.opened, want) {
		t.Errorf("opened are %q, want %q", d.opened, want)
	}
	started, err := d.Start(t.Context(), []string{"a", "b"}, "web")
	if err != nil || started[0].Err != nil || started[1].Err == nil || d.hosts["a"].sets[`service\web`].Status != pla.Running {
		t.Errorf("start: %v, %v", started, err)
	}
}

// What a category does not do is said before anything is asked.
func TestCategoriesBeforeAnyCall(t *testing.T) {
	d := newRig(t, "a")
	ctx, hosts := t.Context(), []string{"a"}
	for name, do := range map[string]func() error{
		"update": func() error { _, err := d.Update(ctx, "a", `System\Sys`, nil, remotesets.How{}); return err },
		"delete": func() error { return d.Delete(ctx, "a", `system\Sys`) },
		"create": func() error {
			_, err := d.Create(ctx, "a", collectorset.Counters, `System\New`, nil, remotesets.How{})
			return err
		},
		"session": func() error {
			_, err := d.Create(ctx, "a", collectorset.Counters, `Session\New`, nil, remotesets.How{})
			return err
		},
		"import": func() error {
			_, err := d.Import(ctx, "a", remotesets.Imported{Data: []byte(webXML), Name: `System\New`}, remotesets.How{})
			return err
		},
		"start":     func() error { _, err := d.Start(ctx, hosts, `Autosession\Bt`); return err },
		"stop":      func() error { _, err := d.Stop(ctx, hosts, `Autosession\Bt`); return err },
		"category":  func() error { _, err := d.Start(ctx, hosts, `Legacy\Bt`); return err },
		"no name":   func() error { return d.Delete(ctx, "a", `Service\`) },
		"show none": func() error { _, err := d.Show(ctx, hosts, ""); return err },
	} {
		if _, usage := errors.AsType[*failure.UsageError](do()); !usage {
			t.Errorf("%s: %v", name, do())
		}
	}
	if asked := d.hosts["a"].asked; len(asked) > 0 {
		t.Errorf("asked %q", asked)
	}
}

// What is changed is changed within the host's text, what was there is kept in a file that import takes
// back, and the host's text is what it was then.
func TestUpdate(t *testing.T) {
	d := newRig(t, "web01:135")
	k := d.hosts["web01:135"]
	said := field.Changes{edit.Every: {"5"}, "run-for": {"8h"}, "root": {`D:\logs`}}
	c, err := d.Update(t.Context(), "web01:135", "WEB", said, remotesets.How{})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("<SampleInterval>15", "<SampleInterval>5", "<Duration>0", "<Duration>28800", `%systemdrive%\PerfLogs\Admin\Web`, `D:\logs`).Replace(webXML)
	if got := k.sets[`service\web`].XML; got != want {
		t.Errorf("became\n%s\nwant\n%s", got, want)
	}
	if last := k.commits[0]; last.Was != webXML || last.Mode != pla.Modify || last.RunAs != nil {
		t.Errorf("committed %+v", last)
	}
	if rest, is := strings.CutPrefix(c.Kept, d.state); !is || strings.ContainsAny(filepath.Base(c.Kept), `\:`) || strings.Contains(rest, ":") || filepath.Ext(c.Kept) != ".xml" {
		t.Errorf("kept as %s", c.Kept)
	}
	data, err := os.ReadFile(c.Kept)
	if err != nil {
		t.Fatal(err)
	}
	back := remotesets.Imported{File: c.Kept, Data: data}
	if _, err := d.Import(t.Context(), "web01:135", back, remotesets.How{}); err == nil || !strings.Contains(err.Error(), "0x803000B7") {
		t.Errorf("import without -y: %v", err)
	}
	again, err := d.Import(t.Context(), "web01:135", back, remotesets.How{Yes: true})
	if err != nil || k.sets[`service\web`].XML != webXML || again.Kept == c.Kept || again.Kept == "" {
		t.Errorf("import: %v, %+v, %s", err, again, k.sets[`service\web`].XML)
	}
	// Nothing to change asks the host nothing but what there is.
	n := len(k.commits)
	if c, err := d.Update(t.Context(), "web01:135", "web", field.Changes{edit.Every: {"15"}}, remotesets.How{}); err != nil || !c.Same || len(k.commits) != n {
		t.Errorf("nothing: %+v, %v, %d commits", c, err, len(k.commits)-n)
	}
	// The account alone is a change.
	who := &pla.RunAs{User: "x"}
	if _, err := d.Update(t.Context(), "web01:135", "web", nil, remotesets.How{RunAs: who}); err != nil || k.commits[n].RunAs != who {
		t.Errorf("the account: %v", err)
	}
}

// A set that somebody else changed stays as that one has it, and nothing is kept of what stayed.
func TestUpdateOfOneThatChanged(t *testing.T) {
	d := newRig(t, "a")
	k := d.hosts["a"]
	k.between = func() { k.sets[`service\web`].XML += "<!-- other -->" }
	_, err := d.Update(t.Context(), "a", "web", field.Changes{edit.Every: {"5"}}, remotesets.How{})
	if !errors.Is(err, pla.ErrChanged) || !strings.HasSuffix(k.sets[`service\web`].XML, "<!-- other -->") {
		t.Errorf("%v, %s", err, k.sets[`service\web`].XML)
	}
	if left, _ := filepath.Glob(filepath.Join(d.state, "*", "*", "*")); len(left) > 0 {
		t.Errorf("left %q", left)
	}
	k.between = func() { k.fails = errors.New("connection lost") }
	c, err := d.Update(t.Context(), "a", "web", field.Changes{edit.Every: {"5"}}, remotesets.How{})
	if left, _ := filepath.Glob(filepath.Join(d.state, "*", "*", "*")); err == nil || len(left) != 1 || c == nil || c.Kept != left[0] {
		t.Errorf("nobody knows what came of it, and %q is left: %v", left, err)
	}
}

// A set of which the host tells nothing is not replaced: it could not be taken back.
func TestImportOverUntold(t *testing.T) {
	d := newRig(t, "a")
	k := d.hosts["a"]
	k.sets[`service\web`].XML = ""
	c, err := d.Import(t.Context(), "a", remotesets.Imported{File: "web.xml", Data: []byte(webXML), Name: "web"}, remotesets.How{Yes: true})
	if err == nil || len(k.commits) > 0 {
		t.Errorf("%+v, %v, committed %+v", c, err, k.commits)
	}
}

// What runs is asked about, unless the answer is given before.
func TestUpdateOfOneThatRuns(t *testing.T) {
	for _, c := range []struct{ yes, answer, changes bool }{{false, false, false}, {false, true, true}, {true, false, true}} {
		d := newRig(t, "a")
		k := d.hosts["a"]
		k.sets[`service\web`].Status, d.answer = pla.Running, c.answer
		_, err := d.Update(t.Context(), "a", "web", field.Changes{edit.Every: {"5"}}, remotesets.How{Yes: c.yes})
		if (err == nil) != c.changes || len(d.asked) == 1 == c.yes || len(k.commits) == 1 != c.changes {
			t.Errorf("%+v: %v, asked %q, %d commits", c, err, d.asked, len(k.commits))
		}
		if c.changes && k.commits[0].Mode != pla.Modify|pla.Apply {
			t.Errorf("%+v: mode 0x%X", c, k.commits[0].Mode)
		}
	}
}

// What would be refused is not sent: but for what was wrong before.
func TestUpdateRefuses(t *testing.T) {
	d := newRig(t, "a")
	k := d.hosts["a"]
	_, err := d.Update(t.Context(), "a", "web", field.Changes{edit.Every: {"0"}}, remotesets.How{})
	if _, is := errors.AsType[*failure.UsageError](err); !is || len(k.commits) > 0 {
		t.Errorf("%v", err)
	}
	k.sets[`service\web`].XML = strings.Replace(webXML, "<Days>127", "<Days>128", 1)
	if _, err := d.Update(t.Context(), "a", "web", field.Changes{edit.Every: {"5"}}, remotesets.How{}); err != nil {
		t.Errorf("what was wrong before: %v", err)
	}
	k.sets[`service\web`].XML = "<!DOCTYPE x><DataCollectorSet/>"
	if _, err := d.Update(t.Context(), "a", "web", field.Changes{edit.Every: {"5"}}, remotesets.How{}); err == nil || len(k.commits) != 1 {
		t.Errorf("foreign XML: %v", err)
	}
	k.sets[`service\web`].XML = ""
	if _, err := d.Update(t.Context(), "a", "web", field.Changes{edit.Every: {"5"}}, remotesets.How{}); err == nil || strings.Contains(err.Error(), "not XML") {
		t.Errorf("a set of which the host says nothing: %v", err)
	}
}

// A set that is made says what is meant, as the host has its folders.
func TestCreate(t *testing.T) {
	d := newRig(t, "a")
	k := d.hosts["a"]
	k.says = []pla.Problem{{Key: "/PerformanceCounterDataCollector/LogCircular", Code: 0x80300101, Text: "auf Deutsch"}, {Key: "Odd", Code: 0x80300108}, {Key: "Security", Code: 0x00300100, Text: "x"}}
	c, err := d.Create(t.Context(), "a", collectorset.Counters, `service\New`, field.Changes{"counter": {`\A\B`}, "circular": {"true"}}, remotesets.How{})
	if err != nil {
		t.Fatal(err)
	}
	var says []string
	for _, f := range c.Found {
		says = append(says, fmt.Sprintf("%v %v", f.Refuses, f))
	}
	want := []string{
		"true PerformanceCounterDataCollector[1]/LogCircular: a circular file needs SegmentMaxSize: it is not circular (PLA_E_PROPERTY_CONFLICT 0x80300101)",
		"true Odd: there is no program at this path (PLA_E_EXE_PATH_NOT_VALID 0x80300108)",
		"false Security: x (PLA_S_PROPERTY_IGNORED 0x00300100)",
	}
	if !slices.Equal(says, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(says, "\n"), strings.Join(want, "\n"))
	}
	xml := k.commits[0].XML
	for _, part := range []string{`<RootPath>%systemdrive%\PerfLogs\Admin\New</RootPath>`, `<Counter>\A\B</Counter>`, `<LogFileFormat>3<`} {
		if !strings.Contains(xml, part) {
			t.Errorf("%s lacks %s", xml, part)
		}
	}
	if strings.Contains(xml, "UserAccount") || strings.Contains(xml, "Security") || k.commits[0].Mode != pla.Create {
		t.Errorf("committed %+v", k.commits[0])
	}
	if _, err := d.Create(t.Context(), "a", collectorset.Counters, "Other", nil, remotesets.How{}); err == nil {
		t.Error("a set without counters was made")
	}
}

// A set is told of in words: its times and folders are the host's.
func TestShow(t *testing.T) {
	d := newRig(t, "a")
	shown, err := d.Show(t.Context(), []string{"a"}, "web")
	if err != nil || shown[0].Err != nil {
		t.Fatal(err, shown[0].Err)
	}
	text := strings.Join(shown[0].Is.Lines, "\n")
	for _, part := range []string{`Service\Web`, "stopped on a", `its folder there is C:\PerfLogs\Admin\Web`, "22:00:00", "the host's clock and zone", `runs as CORP\svc`, "Administrators may do everything", "Performance Log Users may read, start and stop", "TraceDataCollector T"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
	for _, part := range []string{"perfdeck watch", "here it is", "not run", "SQLite"} {
		if strings.Contains(text, part) {
			t.Errorf("%q is in\n%s", part, text)
		}
	}
	for _, f := range shown[0].Is.Found {
		if f.Code.IsOfHere() {
			t.Errorf("found %v", f)
		}
	}
}

// The host judges its sets and files; nothing is changed.
func TestCheck(t *testing.T) {
	d := newRig(t, "a")
	k := d.hosts["a"]
	k.says = []pla.Problem{{Key: "Task", Code: 0x80300108}}
	none := func() ([]byte, error) { return nil, errors.New("no such file") }
	for text, c := range map[string]struct {
		data func() ([]byte, error)
		n    int
	}{"web": {none, 1}, "x.xml": {func() ([]byte, error) { return []byte(webXML), nil }, 1}, `System\Sys`: {none, 0}, `.\dir\x.xml`: {func() ([]byte, error) { return []byte(webXML), nil }, 1}} {
		if found, err := d.Check(t.Context(), "a", text, c.data); err != nil || len(found) != c.n {
			t.Errorf("%s: %v, %v", text, found, err)
		}
	}
	for _, c := range k.commits {
		if c.Mode&pla.Validate == 0 {
			t.Errorf("committed %+v", c)
		}
	}
	if _, err := d.Check(t.Context(), "a", "none", none); err == nil || !strings.Contains(err.Error(), "0x80300002") {
		t.Errorf("none: %v", err)
	}
}

// A stop that is given up says that the set goes on stopping.
func TestStopIsGivenUp(t *testing.T) {
	d := newRig(t, "a")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("ctrl+c")
	cancel(why)
	got, err := d.Stop(ctx, []string{"a"}, "web")
	if err != nil || !errors.Is(got[0].Err, why) || !strings.Contains(got[0].Err.Error(), "goes on stopping") {
		t.Errorf("%v, %v", got, err)
	}
}

func TestQuery(t *testing.T) {
	d := newRig(t, "a")
	d.hosts["a"].sets[`system\sys`].Status = pla.Running
	for _, c := range []struct {
		names []string
		want  string
	}{{nil, "Web Bt Sys"}, {[]string{`system\sys`, "web"}, `System\sys web`}} {
		got, err := d.Query(t.Context(), "a", c.names)
		var names []string
		for _, q := range got {
			names = append(names, q.Name)
			if q.Set == nil {
				t.Errorf("%s was not read", q.Name)
			}
		}
		if err != nil || len(c.names) > 0 && strings.Join(names, " ") != c.want {
			t.Errorf("%q: %q, %v", c.names, names, err)
		}
	}
	if _, err := d.Query(t.Context(), "a", []string{"none"}); err == nil {
		t.Error("one that is not there has no error")
	}
}

func TestSecurity(t *testing.T) {
	for sddl, want := range map[string]string{
		"O:BAG:SYD:AI(A;ID;FA;;;SY)(A;;0x1200a9;;;S-1-5-32-559)(D;OICIIO;FA;;;WD)": "it belongs to Administrators; SYSTEM may do everything with it; Performance Log Users may read, start and stop",
		"D:": "nobody may do anything with it", "D:NO_ACCESS_CONTROL": "everyone may do everything with it",
		"D:(D;;GW;;;S-1-5-21-1-2-3-500)S:(AU;FA;FA;;;WD)": "S-1-5-21-1-2-3-500 may not change",
		`D:(XA;;FR;;;WD;(@User.Title=="a"))`:              "everyone may, on conditions, read",
		"D:(A;;FR)":                                       "its security is written in no form that is known here: D:(A;;FR)",
		"anything":                                        "its security is written in no form that is known here: anything",
		"D:(A;;0x100000;;;BA)(Z;;FA;;;BA)(A;;QQQ;;;BA)":   "Administrators may do 0x100000 with it; (Z;;FA;;;BA); (A;;QQQ;;;BA)",
		"O:BA" + strings.Repeat("D:(A;;FR;;;WD)", 1<<13):  "",
		"D:" + strings.Repeat("(", 1<<10) + "A;;FR;;;WD)": "",
		"O:" + strings.Repeat("O:", 14_000):               "its security is written in no form that is known here: " + printable.Shorten(strings.Repeat("O:", 14_001), 200),
	} {
		got := strings.Join(remotesets.Security(sddl), "; ")
		if want != "" && got != want || got == "" {
			t.Errorf("%.60s: %.200s, want %.200s", sddl, got, want)
		}
	}
}
