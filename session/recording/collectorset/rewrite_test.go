package collectorset

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const asHostsWrite = "<?xml version=\"1.0\"?>\r\n<!-- kept --><DataCollectorSet><Status>1</Status><Duration>0</Duration><Description/><DisplayName>@%systemroot%\\x.dll,#7</DisplayName>" +
	"<DisplayNameUnresolved>@%systemroot%\\x.dll,#7</DisplayNameUnresolved><SchedulesEnabled>-1</SchedulesEnabled><Name>Web</Name><New  at='1'>\r\n <Deep/> </New>" +
	"<ConfigurationDataCollector><Name>C</Name><RegistryKey>HKLM\\a&amp;b</RegistryKey></ConfigurationDataCollector>" +
	"<PerformanceCounterDataCollector>\n\t<Name>P</Name>\n\t<SampleInterval>15</SampleInterval>\n\t<Counter>\\A\\B</Counter>\n\t<Counter>\\C\\D</Counter>\n\t<Counter>\\E\\F</Counter>" +
	"\n\t<CounterDisplayName>\\Ä\\B</CounterDisplayName>\n\t<CounterDisplayName>\\Ç\\D</CounterDisplayName>\n\t<CounterDisplayName>\\È\\F</CounterDisplayName>\n\t<Unseen/>\n</PerformanceCounterDataCollector><!-- last --></DataCollectorSet>\r\n"

// What is changed of a set is written where it stands; its text is the same byte by byte elsewhere.
func TestRewrite(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Set)
		edits  []string // old and new, in turn
	}{
		"nothing":       {func(*Set) {}, nil},
		"a number":      {func(s *Set) { s.Duration = 60 }, []string{"<Duration>0<", "<Duration>60<"}},
		"an empty text": {func(s *Set) { s.Description = "a<b & \"c\"" }, []string{"<Description/>", "<Description>a&lt;b &amp; \"c\"</Description>"}},
		"what lacks": {func(s *Set) { s.RootPath, s.Segment = ` %x%\y`, true }, []string{"<Name>Web</Name>",
			"<Name>Web</Name><RootPath>&#32;%x%\\y</RootPath><Segment>-1</Segment>"}},
		"one line": {func(s *Set) { s.Collectors[1].Counters[1] = `\X\Y` }, []string{
			`<Counter>\C\D<`, `<Counter>\X\Y<`, `<CounterDisplayName>\Ç\D<`, `<CounterDisplayName>\X\Y<`}},
		"a line less": {func(s *Set) { s.Collectors[1].Counters = []string{`\A\B`, `\E\F`} }, []string{
			"\n\t<Counter>\\C\\D</Counter>", "", "\n\t<CounterDisplayName>\\Ç\\D</CounterDisplayName>", ""}},
		"lines more": {func(s *Set) { s.Collectors[1].Counters = []string{`\0\0`, `\A\B`, `\C\D`, `\E\F`} }, []string{
			"<Counter>\\A", "<Counter>\\0\\0</Counter>\n\t<Counter>\\A", "<CounterDisplayName>\\Ä", "<CounterDisplayName>\\0\\0</CounterDisplayName>\n\t<CounterDisplayName>\\Ä"}},
		"lines behind": {func(s *Set) { s.Collectors[1].Counters = []string{`\A\B`, `\C\D`, `\E\F`, `\G\H`} }, []string{
			"\\E\\F</Counter>", "\\E\\F</Counter>\n\t<Counter>\\G\\H</Counter>", "\\È\\F</CounterDisplayName>", "\\È\\F</CounterDisplayName>\n\t<CounterDisplayName>\\G\\H</CounterDisplayName>"}},
		"a schedule": {func(s *Set) { s.Schedules = []Schedule{{StartTime: 3600, Days: EveryDay}} }, []string{"</SchedulesEnabled>",
			"</SchedulesEnabled><Schedule><StartTime>01:00:00</StartTime><Days>127</Days></Schedule>"}},
		"a manager": {func(s *Set) { s.Manager = NewManager(); s.Manager.MaxSize = 3 }, []string{"</PerformanceCounterDataCollector>",
			"</PerformanceCounterDataCollector><DataManager><Enabled>0</Enabled><CheckBeforeRunning>0</CheckBeforeRunning><MinFreeDisk>0</MinFreeDisk><MaxSize>3</MaxSize><MaxFolderCount>0</MaxFolderCount><ResourcePolicy>0</ResourcePolicy><ReportFileName>report.html</ReportFileName><RuleTargetFileName>report.xml</RuleTargetFileName></DataManager>"}},
	} {
		want := strings.NewReplacer(c.edits...).Replace(asHostsWrite)
		got, err := Rewrite(asHostsWrite, func(s *Set) error { c.change(s); return nil })
		if err != nil || got != want || len(c.edits) > 0 && got == asHostsWrite {
			t.Errorf("%s: %v\n got %q\nwant %q", name, err, got, want)
		}
	}
}

// What cannot be written so is refused, as is what is no set, and one too large.
func TestRewriteRefuses(t *testing.T) {
	own := errors.New("own")
	if _, err := Rewrite(asHostsWrite, func(*Set) error { return own }); !errors.Is(err, own) {
		t.Errorf("its own error is %v", err)
	}
	for name, change := range map[string]func(*Set){
		"a collector more": func(s *Set) { s.Collectors = append(s.Collectors, NewCollector(Alerts, "A")) },
		"one that is kept": func(s *Set) { s.Collectors[0].Raw = "<x/>" },
		"a text":           func(s *Set) { s.Description = "x\n" },
		"a list":           func(s *Set) { s.Manager = NewManager(); s.Manager.EventsFileName = "\x01" },
	} {
		if out, err := Rewrite(asHostsWrite, func(s *Set) error { change(s); return nil }); err == nil {
			t.Errorf("%s: became %q", name, out)
		}
	}
	bomb := `<!DOCTYPE x [<!ENTITY a "aaaa">]><DataCollectorSet><Name>&a;</Name></DataCollectorSet>`
	for _, text := range []string{"", "x", "<a/>", bomb, strings.Repeat("<a>", 100), "<DataCollectorSet>" + strings.Repeat("<a/>", mostNodes) + "</DataCollectorSet>", strings.Repeat(" ", mostBytes) + "<DataCollectorSet/>"} {
		if _, err := Rewrite(text, func(*Set) error { return nil }); err == nil {
			t.Errorf("%.40q is taken", text)
		}
	}
}

// randomText is a set as nobody writes it.
func randomText(r *rand.Rand) string {
	var out strings.Builder
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	between := func() {
		out.WriteString(pick("", "", "\r\n\t", " ", "<!-- x -->", "<?y z?>", "\n"))
	}
	value := func(name string) string {
		switch {
		case strings.HasSuffix(name, "Date"):
			return pick("01/31/2005", "9/14/2020", "")
		case name == "StartTime":
			return pick("04:00:00", "4:00:00 AM", "")
		case slices.Contains([]string{"Description", "RootPath", "Task", "Name", "FileName", "Counter", "Alert"}, name):
			return pick("a", "", "<![CDATA[b]]>", "c &amp; d", "\n\te\n\t", "&#32;f", `\G\H`, "ü")
		}
		return pick("0", "1", "-1", "15", "", "bad")
	}
	leaf := func(name string) {
		between()
		attr := pick("", "", ` a="b"`)
		if r.IntN(5) == 0 {
			out.WriteString("<" + name + attr + pick("", " ") + "/>")
			return
		}
		out.WriteString("<" + name + attr + ">" + value(name) + "</" + name + pick("", " ") + ">")
	}
	leaves := func(names []string) {
		names = slices.Clone(names)
		if r.IntN(2) == 0 {
			r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		}
		for _, name := range names {
			for range []int{0, 1, 1, 1, 1, 2}[r.IntN(6)] {
				leaf(name)
			}
			if r.IntN(9) == 0 {
				leaf("Unseen")
			}
		}
	}
	element := func(name string, inner func()) {
		between()
		if r.IntN(6) == 0 {
			out.WriteString("<" + name + "/>")
			return
		}
		out.WriteString("<" + name + ">")
		inner()
		between()
		out.WriteString("</" + name + ">")
	}
	between()
	element(rootElement, func() {
		leaves(orderOf(setBefore))
		for range r.IntN(3) {
			element(scheduleElement, func() { leaves(orderOf(schedules.table)) })
		}
		leaves(orderOf(setAfter))
		for range r.IntN(4) {
			switch r.IntN(3) {
			case 0:
				element(keptElements[0], func() { leaf("Name"); leaf("Guid") })
			case 1:
				element(counterElement, func() { leaves(append(orderOf(collectorProperties, counterProperties), "CounterDisplayName")) })
			case 2:
				element(alertElement, func() { leaves(append(orderOf(collectorProperties, alertProperties), "AlertDisplayName")) })
			}
		}
		if r.IntN(2) == 0 {
			element(managerElement, func() {
				leaves(orderOf(managerProperties)[:6])
				element(actionElement, func() { leaves(orderOf(actions.table)) })
			})
		}
	})
	return out.String()
}

// changeRandomly changes a set as flags can, and tells the names of elements that may be others.
func changeRandomly(r *rand.Rand, s *Set) (names []string) {
	do := func(change func(), of ...string) {
		if r.IntN(3) == 0 {
			change()
			names = append(names, of...)
		}
	}
	do(func() { s.Duration = r.Uint32() }, "Duration")
	do(func() { s.Description = fmt.Sprint("<new> ", r.IntN(9)) }, "Description")
	do(func() { s.RootPath = ` C:\x ` }, "RootPath")
	do(func() { s.Segment = !s.Segment }, "Segment")
	do(func() { s.Task = "" }, "Task")
	do(func() { s.Schedules = nil }, scheduleElement)
	do(func() {
		if len(s.Schedules) == 0 {
			s.Schedules = []Schedule{{}}
			names = append(names, scheduleElement)
		}
		s.Schedules[0].Days, s.Schedules[0].StartDate = 5, Date{2026, 3, 1}
	}, "Days", "StartDate")
	for i := range s.Collectors {
		c := &s.Collectors[i]
		if c.Kind == Kept {
			continue
		}
		do(func() { c.SampleInterval = r.Uint32() }, "SampleInterval")
		do(func() { c.FileNamePattern = " yy" }, "FileNameFormatPattern")
		do(func() {
			lines := slices.Clone(*c.lines())
			for range r.IntN(3) {
				lines = slices.Insert(lines, r.IntN(len(lines)+1), fmt.Sprintf(`\N\%d>1`, r.IntN(99)))
			}
			if len(lines) > 1 && r.IntN(2) == 0 {
				lines = slices.Delete(lines, 0, 1)
			}
			if len(lines) == 0 {
				lines = []string{"x"}
			}
			*c.lines() = lines
		}, kinds[c.Kind].lines, kinds[c.Kind].shown)
	}
	do(func() {
		if s.Manager == nil {
			s.Manager = NewManager()
			names = append(names, managerElement)
		}
		s.Manager.MaxSize = r.Uint32()
	}, "MaxSize")
	return names
}

// without is a text without elements of some names and the white space before them; those that
// are left empty are written alike.
func without(text string, names []string) string {
	for _, name := range names {
		text = regexp.MustCompile(`(?s)\s*<`+name+`(\s[^>/]*)?(/>|>.*?</`+name+`\s*>)`).ReplaceAllString(text, "")
	}
	for _, name := range []string{rootElement, scheduleElement, counterElement, alertElement, managerElement, actionElement} {
		text = strings.ReplaceAll(text, "<"+name+"></"+name+">", "<"+name+"/>")
	}
	return text
}

// Whatever a set looks like, and whatever is changed of it, the rest of it stays byte by byte.
func TestRewriteLeavesTheRest(t *testing.T) {
	changed, tries := 0, uint64(4000)
	if testing.Short() {
		tries = 400
	}
	for seed := range tries {
		r := rand.New(rand.NewPCG(seed, 46))
		text := randomText(r)
		var names []string
		out, err := Rewrite(text, func(s *Set) error {
			names = changeRandomly(r, s)
			return nil
		})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if out != text {
			changed++
		}
		if a, b := without(text, names), without(out, names); a != b {
			t.Fatalf("seed %d, changing %q:\n from %q\n   to %q\nrests %q\n  and %q", seed, names, text, out, a, b)
		}
	}
	if changed < int(tries)/2 {
		t.Errorf("%d of %d texts were changed", changed, tries)
	}
}

// What is said of a set in brief is read as the set.
func TestBrief(t *testing.T) {
	s := New("Web & more")
	s.UserAccount = ""
	s.Collectors = []Collector{NewCollector(Counters, "C")}
	s.Collectors[0].Counters = []string{`\A\B`}
	text := s.Brief()
	_, again, _, err := read(text)
	if err != nil || regexp.MustCompile(`<\w+>?</|/>`).MatchString(text) || strings.Contains(text, "\n") {
		t.Errorf("%v of %q", err, text)
	}
	if again.UserAccount = ""; again.Brief() != text {
		t.Errorf("%q was read as %q", text, again.Brief())
	}
}

func FuzzRewrite(f *testing.F) {
	f.Add(asHostsWrite, uint64(1))
	f.Add(randomText(rand.New(rand.NewPCG(1, 2))), uint64(2))
	f.Fuzz(func(_ *testing.T, text string, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		_, _ = Rewrite(text, func(s *Set) error { changeRandomly(r, s); return nil })
	})
}
