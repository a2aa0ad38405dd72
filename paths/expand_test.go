package paths

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// host is a catalogue for tests.
type host []object

type object struct {
	ObjectEntry
	counters  []CounterEntry
	instances []InstanceEntry
}

func (h host) NumObjects() int               { return len(h) }
func (h host) Object(o int) ObjectEntry      { return h[o].ObjectEntry }
func (h host) NumCounters(o int) int         { return len(h[o].counters) }
func (h host) Counter(o, c int) CounterEntry { return h[o].counters[c] }

// means lists the paths of what targets mean now: counter by counter of instance by
// instance.
func (h host) means(computer string, targets []Target) []string {
	list := []string{}
	for _, t := range targets {
		object := h[t.Object]
		if t.Matcher == nil {
			for _, c := range t.Counters {
				list = append(list, Path{Computer: computer, Object: object.Name, Counter: object.counters[c].Name}.String())
			}
			continue
		}
		seen := map[string]int{}
		for _, in := range object.instances {
			key := Fold(in.Parent) + "/" + Fold(in.Name)
			n := seen[key]
			seen[key]++
			for _, c := range t.Counters {
				if t.Matcher.Match(in, n) {
					list = append(list, Of(computer, object.Name, in.Parent, in.Name, n, object.counters[c].Name).String())
				}
			}
		}
	}
	return list
}

func single(name string, counters string) object {
	return object{ObjectEntry{Name: name}, entries(counters), nil}
}

func multiple(name, counters string, instances ...string) object {
	o := object{ObjectEntry{Name: name, Multiple: true}, entries(counters), nil}
	for _, in := range instances {
		o.instances = append(o.instances, InstanceEntry{Name: in})
	}
	return o
}

// entries reads `Name=Label` of each counter; a leading ! hides it.
func entries(text string) []CounterEntry {
	var list []CounterEntry
	for item := range strings.SplitSeq(text, "|") {
		name, hidden := strings.CutPrefix(item, "!")
		name, label, _ := strings.Cut(name, "=")
		list = append(list, CounterEntry{name, label, hidden})
	}
	return list
}

func testHost() host {
	thread := multiple("Thread", "ID Thread")
	for _, in := range [][2]string{{"svchost", "0"}, {"svchost", "1"}, {"svchost", "0"}, {"Idle", "0"}, {"_Total", "_Total"}} {
		thread.instances = append(thread.instances, InstanceEntry{Parent: in[0], Name: in[1]})
	}
	sets := multiple("Aggregated", "C", "a", "b")
	sets.instances = append(sets.instances, InstanceEntry{Name: "_Aggregate", Hidden: true})
	processor := multiple("Processor", "% Processor Time=Prozessorzeit (%)|% Idle Time=Leerlaufzeit (%)", "0", "1", "_Total")
	processor.Label = "Prozessor"
	return host{
		single("Memory", "Available MBytes|Available KBytes|Available Bytes|Pages/sec"),
		multiple("Process", "ID Process|% Processor Time|Working Set|!Secret", "Idle", "svchost", "chrome", "SvcHost", "svchost", "_Total"),
		thread,
		processor,
		multiple("Network Interface", "Bytes Total/sec", "adapter", "adapter", "adapter #2", "adapter ", "adapter ", "adapter "),
		multiple("Database ==> Instances", "Reads/sec", "lsass/NTDSA", "lsass/_Total", "edge/Mail"),
		multiple("URL Groups", "Connections", "http://*:80/", "http://*:8080/", "_Total"),
		multiple("WF ", "X", "System.Workflow"),
		single("WF (System.Workflow)", "X|Y"),
		multiple("WF (System.Workflow) 4.0.0.0", "X", "a"),
		multiple("MSSQL$ONE:Databases", "Log Growths", "db"),
		multiple("MSSQL$TWO:Databases", "Log Growths|Data Size", "db", "other"),
		single(`A\B`, `C\D|D|x (open`),
		sets,
		multiple("Processor Information", "% Of", "0,0", "0,_Total", "_Total"),
		multiple("Odd", `)\deep\C|C|(half`, "a)b(c", "plain"),
		single("Twice", "First"),
		single("Twice", "Second"),
		multiple("Speicher", "C", "x"),
	}
}

// expanded prints what a path means in the catalogue of the tests.
func expanded(t *testing.T, text string, o Options) []string {
	t.Helper()
	h := testHost()
	e, err := ExpandText(h, text, o)
	if err != nil {
		t.Errorf("%s: %v", text, err)
		return nil
	}
	return h.means("", e)
}

func TestExpand(t *testing.T) {
	names := map[uint32]string{238: "Processor", 6: "% Processor Time", 142: "Leerlaufzeit (%)", 7: "Memory"}
	plain := Options{NameOf: func(i uint32) (string, bool) { n, ok := names[i]; return n, ok }}
	noTotals := plain
	noTotals.SkipTotals = true
	hidden := plain
	hidden.ShowHidden = true
	for _, c := range []struct {
		text string
		o    Options
		want string // joined by a blank and a vertical line
	}{
		{`\memory\AVAILABLE mbytes`, plain, `\Memory\Available MBytes`},
		{`\\SRV\Memory\Available*Bytes`, plain, `\Memory\Available MBytes |\Memory\Available KBytes |\Memory\Available Bytes`},
		// Duplicates: a plain name is the first, order counts, case does not.
		{`\Process(svchost)\ID Process`, plain, `\Process(svchost)\ID Process`},
		{`\Process(SVCHOST#0)\ID Process`, plain, `\Process(svchost)\ID Process`},
		{`\Process(svchost#1)\ID Process`, plain, `\Process(SvcHost#1)\ID Process`},
		{`\Process(svchost#02)\ID Process`, plain, `\Process(svchost#2)\ID Process`},
		{`\Process(svchost#3)\ID Process`, plain, ``},
		{`\Process(svchost#99999999999999999999)\ID Process`, plain, ``},
		{`\Process(svchost#*)\ID Process`, plain, `\Process(svchost)\ID Process |\Process(SvcHost#1)\ID Process |\Process(svchost#2)\ID Process`},
		{`\Process(s*t)\ID Process`, plain, `\Process(svchost)\ID Process |\Process(SvcHost#1)\ID Process |\Process(svchost#2)\ID Process`},
		{`\Process(*#1)\ID Process`, plain, `\Process(SvcHost#1)\ID Process`},
		{`\Process(nobody)\ID Process`, plain, ``},
		{`\Process()\ID Process`, plain, ``},
		// Totals and what is hidden.
		{`\Processor(*)\% Idle Time`, plain, `\Processor(0)\% Idle Time |\Processor(1)\% Idle Time |\Processor(_Total)\% Idle Time`},
		{`\Processor(*)\% Idle Time`, noTotals, `\Processor(0)\% Idle Time |\Processor(1)\% Idle Time`},
		{`\Processor(_total)\% Idle Time`, noTotals, `\Processor(_Total)\% Idle Time`},
		{`\Processor Information(*)\% Of`, noTotals, `\Processor Information(0,0)\% Of`},
		{`\Processor Information(*,_Total)\% Of`, noTotals, `\Processor Information(0,_Total)\% Of`},
		{`\Aggregated(*)\C`, plain, `\Aggregated(a)\C |\Aggregated(b)\C`},
		{`\Aggregated(_a*)\C`, plain, ``},
		{`\Aggregated(_aggregate)\C`, plain, `\Aggregated(_Aggregate)\C`},
		{`\Process(chrome)\*`, plain, `\Process(chrome)\ID Process |\Process(chrome)\% Processor Time |\Process(chrome)\Working Set`},
		{`\Process(chrome)\*e*c*t*`, hidden, `\Process(chrome)\Secret`},
		{`\Process(chrome)\secret`, plain, `\Process(chrome)\Secret`},
		// Parents.
		{`\Thread(svchost/0)\ID Thread`, plain, `\Thread(svchost/0)\ID Thread`},
		{`\Thread(svchost/0#1)\ID Thread`, plain, `\Thread(svchost/0#1)\ID Thread`},
		{`\Thread(svchost/*)\ID Thread`, plain, `\Thread(svchost/0)\ID Thread |\Thread(svchost/1)\ID Thread |\Thread(svchost/0#1)\ID Thread`},
		{`\Thread(*/1)\ID Thread`, plain, `\Thread(svchost/1)\ID Thread`},
		{`\Thread(i*)\ID Thread`, plain, `\Thread(Idle/0)\ID Thread`},
		{`\Thread(0)\ID Thread`, plain, ``},
		{`\Thread(*)\ID Thread`, noTotals, `\Thread(svchost/0)\ID Thread |\Thread(svchost/1)\ID Thread |\Thread(svchost/0#1)\ID Thread |\Thread(Idle/0)\ID Thread`},
		{`\Database ==> Instances(lsass/*)\Reads/sec`, plain, `\Database ==> Instances(lsass/NTDSA)\Reads/sec |\Database ==> Instances(lsass/_Total)\Reads/sec`},
		{`\Database ==> Instances(*/mail)\Reads/sec`, plain, `\Database ==> Instances(edge/Mail)\Reads/sec`},
		// Literal names win over syntax.
		// Another one prints as the name of this: both are meant.
		{`\Network Interface(adapter #2)\Bytes Total/sec`, plain, `\Network Interface(adapter #2)\Bytes Total/sec |\Network Interface(adapter #2)\Bytes Total/sec`},
		{`\Network Interface(adapter #1)\Bytes Total/sec`, plain, `\Network Interface(adapter #1)\Bytes Total/sec`},
		{`\Network Interface(adapter#1)\Bytes Total/sec`, plain, `\Network Interface(adapter#1)\Bytes Total/sec`},
		{`\URL Groups(http://*:80/)\Connections`, plain, `\URL Groups(http://*:80/)\Connections`},
		{`\URL Groups(http*)\Connections`, plain, `\URL Groups(http://*:80/)\Connections |\URL Groups(http://*:8080/)\Connections`},
		{`\WF (System.Workflow)\X`, plain, `\WF (System.Workflow)\X`},
		{`\WF (System.Workflow)\*`, plain, `\WF (System.Workflow)\X |\WF (System.Workflow)\Y`},
		{`\WF (system.*)\X`, plain, `\WF (System.Workflow)\X`},
		{`\WF (System.Workflow) 4.0.0.0(*)\*`, plain, `\WF (System.Workflow) 4.0.0.0(a)\X`},
		{`\A\B\C\D`, plain, `\A\B\C\D`},
		{`\a\b\d`, plain, `\A\B\D`},
		{`\A\B\x (open`, plain, `\A\B\x (open`},
		{`\Odd(a)b(c)\C`, plain, `\Odd(a)b(c)\C`},
		{`\Odd(plain)\)\deep\C`, plain, `\Odd(plain)\)\deep\C`},
		{`\Odd(plain)\(half`, plain, `\Odd(plain)\(half`},
		{`\Twice\Second`, plain, `\Twice\Second`},
		// Languages, numbers, named SQL Server instances.
		{`\Prozessor(0)\Prozessorzeit (%)`, plain, `\Processor(0)\% Processor Time`},
		{`\prozessor(0)\% idle time`, plain, `\Processor(0)\% Idle Time`},
		{`\Processor(0)\*zeit*`, plain, `\Processor(0)\% Processor Time |\Processor(0)\% Idle Time`},
		{`\238(_Total)\6`, plain, `\Processor(_Total)\% Processor Time`},
		{`\238(0)\142`, plain, `\Processor(0)\% Idle Time`},
		{`\7\pages/sec`, plain, `\Memory\Pages/sec`},
		{`\sqlserver:databases(*)\Log Growths`, plain, `\MSSQL$ONE:Databases(db)\Log Growths |\MSSQL$TWO:Databases(db)\Log Growths |\MSSQL$TWO:Databases(other)\Log Growths`},
		{`\SQLServer:Databases(db)\Data Size`, plain, `\MSSQL$TWO:Databases(db)\Data Size`},
	} {
		if got := strings.Join(expanded(t, c.text, c.o), " |"); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestLocalizedNameYieldsToEnglish(t *testing.T) {
	h := host{single("Other", "C"), single("Memory", "C")}
	h[0].Label = "Memory"
	e, err := ExpandText(h, `\Memory\C`, Options{})
	if err != nil || e[0].Object != 1 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestLookupFaults(t *testing.T) {
	for _, c := range []struct {
		text    string
		kind    LookupKind
		code    Code
		nearest string
		retry   string
	}{
		{`\Proces(*)\ID Process`, UnknownObject, NoObject, "Process|Processor", ""},
		{`\Zebra\X`, UnknownObject, NoObject, "", ""},
		{`\Process(*)\Procesor Time`, UnknownCounter, NoCounter, "% Processor Time", ""},
		{`\Process(*)\WorkingSet`, UnknownCounter, NoCounter, "Working Set", ""},
		{`\Process(*)\Secre`, UnknownCounter, NoCounter, "", ""},
		{`\Process(*)\zz*`, UnknownCounter, NoCounter, "", ""},
		{`\Process (chrome)\ID Process`, UnknownObject, NoObject, "Process|Processor", `\Process(chrome)\ID Process`},
		{`\Process(chrome)\ ID Process `, UnknownCounter, NoCounter, "ID Process", `\Process(chrome)\ID Process`},
		{`\Process\ID Process`, InstanceMissing, InvalidInstance, "", `\Process(*)\ID Process`},
		{`\\S\Memory(*)\Pages/sec`, InstanceGiven, InvalidPath, "", `\\S\Memory\Pages/sec`},
		{`\Memory(x)\*`, InstanceGiven, InvalidPath, "", `\Memory\*`},
		{`\\*\Memory\Pages/sec`, ComputerWildcard, InvalidPath, "", ""},
		{`\Mem*\Pages/sec`, ObjectWildcard, InvalidPath, "", ""},
		{`\SQLServer:Locks(*)\X`, UnknownObject, NoObject, "", ""},
		{`\999\X`, UnknownObject, NoObject, "", ""},
		{`\Q\B`, UnknownObject, NoObject, "", ""},
	} {
		p, err := Parse(c.text)
		if err != nil {
			t.Error(err)
			continue
		}
		_, err = ExpandText(testHost(), p.String(), Options{})
		fault, ok := errors.AsType[*LookupError](err)
		if !ok {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if fault.Kind != c.kind || fault.Code() != c.code || fault.Retry != c.retry || fault.Path.String() != c.text {
			t.Errorf("%s: %+v", c.text, *fault)
		}
		near := strings.Join(fault.Nearest, "|")
		if near != c.nearest && !(c.nearest != "" && strings.HasPrefix(near, c.nearest)) {
			t.Errorf("%s: nearest %s, want %s", c.text, near, c.nearest)
		}
		if hinted := fault.Hint() != ""; hinted != (c.retry != "" || near != "") {
			t.Errorf("%s: hint %q", c.text, fault.Hint())
		}
		if fault.Error() == "" || printable(fault.Error()) != fault.Error() {
			t.Errorf("%s: error text %q", c.text, fault.Error())
		}
	}
	_, err := ExpandText(testHost(), `\Odd(a)b(c)\None`, Options{})
	if _, ok := errors.AsType[*LookupError](err); !ok {
		parseError(t, `\Odd(a)b(c)\None`, err)
	}
}

func TestPendingMatcher(t *testing.T) {
	e, err := ExpandText(testHost(), `\Network Interface(card #7)\Bytes Total/sec`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := e[0].Matcher
	for _, c := range []struct {
		name      string
		duplicate int
		want      bool
	}{{"Card #7", 0, true}, {"Card #7", 1, false}, {"card ", 7, true}, {"card ", 0, false}, {"card", 7, false}} {
		if got := m.Match(InstanceEntry{Name: c.name}, c.duplicate); got != c.want {
			t.Errorf("%q, duplicate %d: %v", c.name, c.duplicate, got)
		}
	}
	in := InstanceEntry{Parent: "some parent", Name: "Some Name"}
	if n := testing.AllocsPerRun(100, func() { m.Match(in, 3) }); n > 0 {
		t.Errorf("matching: %v allocations", n)
	}
}

// TestPathOfIsFoundAgain expands everything and looks each path up again.
func TestPathOfIsFoundAgain(t *testing.T) {
	h := testHost()
	for o := range h {
		for c := range h[o].counters {
			for i, in := range h[o].instances {
				duplicate := 0
				for _, other := range h[o].instances[:i] {
					if EqualFold(other.Name, in.Name) && EqualFold(other.Parent, in.Parent) {
						duplicate++
					}
				}
				text := Of("SRV", h[o].Name, in.Parent, in.Name, duplicate, h[o].counters[c].Name).String()
				e, err := ExpandText(h, text, Options{})
				if err != nil {
					t.Errorf("%s: %v", text, err)
					continue
				}
				if got := h.means("SRV", e); len(got) == 0 || len(got) > 1 && text != `\\SRV\Network Interface(adapter #2)\Bytes Total/sec` {
					// `adapter ` duplicate 2 prints as the name of another.
					t.Errorf("%s means %q", text, got)
				}
			}
		}
	}
}

func TestNearest(t *testing.T) {
	counters := []string{"% Processor Time", "% User Time", "% Privileged Time", "Available Bytes", "Available KBytes", "Available MBytes", "Page Faults/sec", "Pages/sec", "Working Set", "Working Set - Private", "Thread Count", "Handle Count"}
	objects := []string{"LogicalDisk", "PhysicalDisk", "Memory", "Network Interface", "Process", "Processor", "TCPv4", "Paging File"}
	for _, c := range []struct {
		name  string
		among []string
		first string // empty: nothing may be suggested
	}{
		{"% Procesor Time", counters, "% Processor Time"},
		{"processor time", counters, "% Processor Time"},
		{"time processor", counters, "% Processor Time"},
		{"% Porcessor Time", counters, "% Processor Time"},
		{"Available Megabytes", counters, "Available MBytes"},
		{"workingset", counters, "Working Set"},
		{"Private Working Set", counters, "Working Set - Private"},
		{"Threads", counters, "Thread Count"},
		{"Page/sec", counters, "Pages/sec"},
		{"xyzzy", counters, ""},
		{"a", counters, ""},
		{"%", counters, ""},
		{"", counters, ""},
		{"Logical Disk", objects, "LogicalDisk"},
		{"Disk", objects, "LogicalDisk"},
		{"Prcoess", objects, "Process"},
		{"memroy", objects, "Memory"},
		{"NetworkInterface", objects, "Network Interface"},
		{"GPU Engine", objects, ""},
		{"Battery", objects, ""},
	} {
		got := Nearest(c.name, c.among)
		if len(got) > mostNearest {
			t.Errorf("%q: %d suggestions", c.name, len(got))
		}
		if first := strings.Join(got[:min(1, len(got))], ""); first != c.first {
			t.Errorf("%q: got %q, want %q first", c.name, got, c.first)
		}
	}
}

func busyHost() host {
	var counters []string
	for i := range 30 {
		counters = append(counters, fmt.Sprintf("Counter %d", i))
	}
	process := multiple("Process", strings.Join(counters, "|"))
	for i := range 2000 {
		process.instances = append(process.instances, InstanceEntry{Name: fmt.Sprintf("Worker.Process%d", i%700)})
	}
	return append(testHost()[2:], process)
}

func BenchmarkExpand(b *testing.B) {
	h := busyHost()
	p, err := Parse(`\Process(*)\*`)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if e, err := ExpandText(h, p.String(), Options{}); err != nil || len(e) != 1 {
			b.Fatal(e, err)
		}
	}
}

func BenchmarkMatcher(b *testing.B) {
	e, err := ExpandText(busyHost(), `\Process(work*5)\Counter 1`, Options{})
	if err != nil {
		b.Fatal(err)
	}
	m := e[0].Matcher
	in := InstanceEntry{Name: "Worker.Process1234"}
	b.ReportAllocs()
	for b.Loop() {
		m.Match(in, 0)
	}
}

// Blanks that programs put around an instance mean nothing, but for one that has them in its
// name.
func TestBlanksAroundInstances(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       bool
	}{
		{" * ", "a", true}, {"* ", "_Total", true}, {" _total", "_Total", true}, {" a ", "b", false}, {" a ", " a ", true}, {"a", " a ", false}, {"a ", "a", false},
	} {
		if got := newMatcher(c.text, Options{}).Match(InstanceEntry{Name: c.name}, 0); got != c.want {
			t.Errorf("( %q ) means %q: %v", c.text, c.name, got)
		}
	}
}

// Objects of SQL Server have their instance in their name, where it has one.
func TestOfServer(t *testing.T) {
	for object, want := range map[string][2]string{
		"SQLServer:Databases": {"", "Databases"}, "sqlserver:x:y": {"", "x:y"}, "MSSQL$ONE:Databases": {"ONE", "Databases"}, "mssql$a$b:c": {"a$b", "c"},
	} {
		instance, kind, ok := OfServer(object)
		if !ok || instance != want[0] || kind != want[1] || !EqualFold(ServerObject(instance, kind), object) {
			t.Errorf("%s: %q, %q, %v", object, instance, kind, ok)
		}
	}
	for _, object := range []string{"", "SQLServer", "SQLServer:", "MSSQL$:x", "MSSQL:x", "Memory", "SQLServerX:y"} {
		if instance, kind, ok := OfServer(object); ok {
			t.Errorf("%s: %q, %q", object, instance, kind)
		}
	}
}
