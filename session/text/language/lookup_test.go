package language

import (
	"os"
	"slices"
	"strings"
	"testing"

	"perfdeck/paths"
	"perfdeck/session/system/sharedtest"
	"perfdeck/session/text/printable"
)

// TestBuiltInNamesAreFound looks up every name that is built in.
func TestBuiltInNamesAreFound(t *testing.T) {
	f := (*Dictionary)(nil).finder()
	translated := 0
	for _, k := range builtIn() {
		for i, o := range k.objects {
			for _, names := range f.counters(counterPlace{k, i}) {
				is := Names{o.names[0], names[0]}
				if k == builtIn()[0] && !is.folded().isEnglish() {
					t.Errorf("%s is not known to be English", is)
				}
				for language := range k.tags {
					n := Names{cell(o.names, language), cell(names, language)}
					if n.Object == "" || n.Counter == "" || n.folded() == is.folded() {
						continue
					}
					translated++
					found, _ := f.meanings(n.folded())
					if !slices.ContainsFunc(found, func(m meaning) bool { return m.Names == is && m.language == k.tags[language] }) {
						t.Errorf("%s of %s is not found as %s", n, k.tags[language], is)
					}
					if n.folded().isEnglish() && !isBoth(f, n) {
						t.Errorf("%s of %s is taken for English", n, k.tags[language])
					}
				}
			}
		}
	}
	if translated < 22_000 {
		t.Errorf("%d names are translated", translated)
	}
}

// TestTwoOfOneObject: names that stand for two counters of one object are told.
func TestTwoOfOneObject(t *testing.T) {
	f := (*Dictionary)(nil).finder()
	k := builtIn()[0]
	told := map[string]int{}
	for i, o := range k.objects {
		for language, tag := range k.tags {
			at := namePlace{counterPlace{k, i}, language}
			for counter, may := range f.index(at) {
				n := Names{cell(o.names, language), counter}
				if len(may) < 2 || n.folded().isEnglish() {
					continue
				}
				told[tag]++
				if got := (*Dictionary)(nil).English([]Names{n}); len(got.Doubts) != 1 || len(got.Words()) != 1 || got.number != 0 {
					t.Errorf("%s of %s may be %v: %q", n, tag, may, got.Words())
				}
			}
		}
	}
	all := 0
	for _, n := range told {
		all += n
	}
	if all < 40 {
		t.Errorf("only %v", told)
	}
}

// isBoth tells that a name is an English one as well.
func isBoth(f *finder, n Names) bool {
	for _, k := range builtIn() {
		for _, at := range k.byName[fold(n.Object)] {
			if at.languages[0] == 0 && len(f.index(namePlace{counterPlace{k, at.object}, 0})[fold(n.Counter)]) > 0 {
				return true
			}
		}
	}
	return false
}

func TestFold(t *testing.T) {
	for name, want := range map[string]string{
		"% İşlemci Zamanı":       "% islemci zamani",
		"Długość kolejki":        "dlugosc kolejki",
		"Čas procesoru":          "cas procesoru",
		"e\u0301criture d’octet": "ecriture d'octet",
		"Größe":                  "grosse",
		"Øvrig  tid ":            "ovrig tid",
		"Đường":                  "duong",
		"N.º\u00A0de":            "n.o de",
		"Процесс":                paths.Fold("Процесс"),
		"% processor time":       "% processor time",
	} {
		if got := fold(name); got != want || fold(got) != got {
			t.Errorf("%q is %q and not %q", name, got, want)
		}
	}
}

func namesOf(t testing.TB, texts ...string) (out []Names) {
	t.Helper()
	for _, text := range texts {
		p, err := paths.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, Names{p.Object, p.Counter})
	}
	return out
}

func TestEnglish(t *testing.T) {
	for _, c := range []struct {
		name, text, english string
		in                  []string
	}{
		{"German", `\Prozessor(_Total)\Prozessorzeit (%)`, `\Processor\% Processor Time`, []string{"de"}},
		{"an object as in English", `\System\Kontextwechsel/s`, `\System\Context Switches/sec`, []string{"de"}},
		{"French, another apostrophe", `\Disque physique(0 C:)\% d’inactivité`, `\PhysicalDisk\% Idle Time`, []string{"fr"}},
		{"Spanish, as people type it", `\disco fisico(_total)\TRANSFERENCIAS DE DISCO/S`, `\PhysicalDisk\Disk Transfers/sec`, []string{"es"}},
		{"Turkish letters that the table lost", `\İşlemci(_Total)\% İşlemci Zamanı`, `\Processor\% Processor Time`, []string{"tr"}},
		{"Polish letters", `\Dysk fizyczny(0 C:)\Bieżąca długość kolejki dysku`, `\PhysicalDisk\Current Disk Queue Length`, []string{"pl"}},
		{"Czech letters", `\Fyzický disk(0 C:)\Střední doba disku/čtení`, `\PhysicalDisk\Avg. Disk sec/Read`, []string{"cs"}},
		{"Russian", `\Процесс(chrome#1)\Рабочий набор`, `\Process\Working Set`, []string{"ru"}},
		{"English", `\Processor(_Total)\% Processor Time`, "", nil},
		{"nobody's", `\Backend(a)\Requests`, "", nil},
		{"a counter that is not known of an object that is", `\Prozessor(_Total)\Neuheit`, "", nil},
	} {
		got := (*Dictionary)(nil).English(namesOf(t, c.text))
		is := ""
		if len(got.English) > 0 && got.English[0] != (Names{}) {
			is = got.English[0].String()
		}
		if is != c.english || !slices.Equal(got.Languages, c.in) || len(got.Doubts) > 0 || len(got.Words()) != len(c.in) {
			t.Errorf("%s: %q in %v, %q", c.name, is, got.Languages, got.Words())
		}
	}
}

// TestRealPaths: the paths that others wrote in other languages are known.
func TestRealPaths(t *testing.T) {
	text, err := os.ReadFile(sharedtest.Path(t, "vectors/real_paths.txt"))
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]string{"Disco físico": "PhysicalDisk", "Interfaz de red": "Network Interface", "Процесс": "Process"}
	found := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		p, err := paths.Parse(strings.TrimSpace(line))
		if err != nil || objects[p.Object] == "" {
			continue
		}
		found[p.Object] = true
		if got := (*Dictionary)(nil).English([]Names{{p.Object, p.Counter}}); len(got.English) != 1 || got.English[0].Object != objects[p.Object] || got.English[0].Counter == p.Counter {
			t.Errorf("%s is taken for %v", p, got.English)
		}
	}
	if len(found) != len(objects) {
		t.Errorf("only %v are there", found)
	}
}

// TestSiblings: a counter that nobody knows stays in the object of those that are known.
func TestSiblings(t *testing.T) {
	got := (*Dictionary)(nil).English(namesOf(t, `\Prozess(a)\Prozessorzeit (%)`, `\Prozess(a)\Neuheit`))
	if want := (Names{"Process", "Neuheit"}); len(got.English) != 2 || got.English[1] != want {
		t.Errorf("%v", got.English)
	}
}

// TestSeveralMeanings: what one language has for two counters, and two languages for one each, is told;
// what stands beside it decides between languages.
func TestSeveralMeanings(t *testing.T) {
	var d Dictionary
	if err := d.Add("one.tsv", "en\txa\nFirst\tGadget\n\tA\tCount\n\tB\tCount\n\tC\tSize\n\tD\tTime\n"); err != nil {
		t.Fatal(err)
	}
	if err := d.Add("two.tsv", "en\txb\nOther\tGadget\n\tE\tSize\nThing\tDing\n\tF\tSize\n"); err != nil {
		t.Fatal(err)
	}
	got := d.English(namesOf(t, `\Gadget\Count`, `\Gadget\Size`, `\Ding\Size`))
	if len(got.Doubts) != 2 || len(got.Doubts[0].May) != 2 || len(got.Doubts[1].May) != 2 {
		t.Errorf("alone: %v", got.Doubts)
	}
	got = d.English(namesOf(t, `\Gadget\Count`, `\Gadget\Size`, `\Gadget\Time`))
	if want := (Names{"First", "C"}); len(got.Doubts) != 1 || got.English[1] != want || got.English[0] != (Names{"First", "Count"}) {
		t.Errorf("beside its siblings: %v %v", got.Doubts, got.English)
	}
	got = d.English(namesOf(t, `\Gadget\Size`, `\Prozessor\Prozessorzeit (%)`, `\Arbeitsspeicher\Verfügbare MB`))
	if len(got.Doubts) != 1 || got.English[0] != (Names{}) || got.English[1].Object != "Processor" {
		t.Errorf("beside names of a third language: %v %v", got.Doubts, got.English)
	}
	if _, ok, doubt := d.Path(`\Gadget\Size`); ok || doubt == nil {
		t.Error("a path that may be two was taken for one")
	}
}

// TestFilesOfUsers: a file adds names, and says which of its names it does not change.
func TestFilesOfUsers(t *testing.T) {
	var d Dictionary
	text := "# names of our own\nen\txx\nProcessor\tProzessor\n\t% Processor Time\tLast\n\t% User Time\tProzessorzeit (%)\n" +
		"Memory\tProcessor\n\tPages/sec\t% Processor Time\nGadget\tDing\x1b[2J\n\tSize\tGröße\n"
	if err := d.Add("xx.tsv", text); err != nil {
		t.Fatal(err)
	}
	if notes := d.Notes(); len(notes) != 1 {
		t.Errorf("it takes an English name for another: %q", notes)
	}
	got := d.English(namesOf(t, `\Prozessor(0)\Last`, `\Prozessor(0)\Prozessorzeit (%)`, `\Processor(0)\% Processor Time`))
	want := []Names{{"Processor", "% Processor Time"}, {"Processor", "% Processor Time"}, {}}
	if !slices.Equal(got.English, want) || len(got.notes) != 1 {
		t.Errorf("%v %q", got.English, got.Words())
	}
	p, ok, _ := d.Path(`\ding?[2j\grosse`)
	if !ok || p.Object != "Gadget" || p.Counter != "Size" {
		t.Errorf("%v %v", p, ok)
	}
	for _, bad := range []string{
		"", "de\ten\n", "en\n", "en\tde\n\tA\tB\n", "en\tde\nA\tB\tC\n", "en\tde\n\t\t\n\xff\n", "en\t\x1b\n", "en\tde\n\t \tB\n",
		"en\tde\nA\t" + string(make([]byte, mostName+1)) + "\n", "en\tde\n" + string(make([]byte, mostFile)),
	} {
		if err := d.Add("bad", bad); err == nil {
			t.Errorf("%.40q was taken", bad)
		}
	}
}

func TestIn(t *testing.T) {
	to, ok := (*Dictionary)(nil).In("PT-br")
	if got := to(Names{"Processor", "% Processor Time"}); !ok || got != (Names{"Processador", "% tempo de processador"}) {
		t.Errorf("%v %v", got, ok)
	}
	if got := to(Names{"Gadget", "Size"}); got != (Names{}) {
		t.Errorf("%v", got)
	}
	if _, ok := (*Dictionary)(nil).In("xx"); ok {
		t.Error("xx is known")
	}
	if tags := (*Dictionary)(nil).Tags(); len(tags) != 13 || slices.ContainsFunc(tags, func(tag string) bool { return Called(tag) == tag }) {
		t.Errorf("%q", tags)
	}
}

// TestPackedUntilNeeded: English names unpack nothing. What it costs to unpack is a benchmark.
func TestPackedUntilNeeded(t *testing.T) {
	names := namesOf(t, `\Processor(0)\% Processor Time`, `\Memory\Available MBytes`, `\Process V2(a:1)\Working Set`)
	if n := testing.AllocsPerRun(10, func() { (*Dictionary)(nil).English(names) }); n > 40 {
		t.Errorf("%v allocations", n)
	}
}

// germanColumns are as many counters of a German host, those of processes most of all.
func germanColumns(n int) (names []Names) {
	to, _ := (*Dictionary)(nil).In("de")
	k := builtIn()[0]
	f := (*Dictionary)(nil).finder()
	var all []Names
	for i, o := range k.objects {
		if slices.Contains([]string{"Process", "Processor", "Memory", "PhysicalDisk", "LogicalDisk", "System", "Network Interface", "Thread", "TCPv4", "Paging File", "Cache", "Server"}, o.names[0]) {
			for _, c := range f.counters(counterPlace{k, i}) {
				all = append(all, to(Names{o.names[0], c[0]}))
			}
		}
	}
	for len(names) < n {
		names = append(names, all...)
	}
	return names[:n]
}

// BenchmarkHeader2000 is what the names of a header of 2,000 columns cost that are German.
func BenchmarkHeader2000(b *testing.B) {
	names, began := germanColumns(2000), sharedtest.CPUTime(b)
	for b.Loop() {
		if got := (*Dictionary)(nil).English(names); got.number < 100 {
			b.Fatal(got.Words())
		}
	}
	b.ReportMetric(float64(sharedtest.CPUTime(b)-began)/float64(b.N)/1e6, "cpu-ms/op")
}

// BenchmarkUnpack is what the first such name costs beside it.
func BenchmarkUnpack(b *testing.B) {
	began := sharedtest.CPUTime(b)
	for b.Loop() {
		openBuiltIn()
	}
	b.ReportMetric(float64(sharedtest.CPUTime(b)-began)/float64(b.N)/1e6, "cpu-ms/op")
}

func FuzzFile(f *testing.F) {
	f.Add(ownText, "A", "B")
	f.Add("en\tde\nA\tB\n\tC\tD\n", "B", "D")
	f.Fuzz(func(t *testing.T, text, object, counter string) {
		var d Dictionary
		if d.Add("file", text) != nil {
			return
		}
		for _, k := range d.own {
			for _, o := range k.objects {
				for _, names := range append(o.counters, o.names) {
					for _, name := range names {
						if printable.Text(name) != name || strings.ContainsAny(name, "\t\r\n") || len(name) > mostName {
							t.Errorf("%q", name)
						}
					}
				}
			}
		}
		d.English([]Names{{object, counter}})
		d.Notes()
	})
}

func FuzzHeader(f *testing.F) {
	f.Add(`Prozessor`, `Prozessorzeit (%)`)
	f.Add(`Disque physique`, `% d’inactivité`)
	f.Fuzz(func(t *testing.T, object, counter string) {
		got := (*Dictionary)(nil).English([]Names{{object, counter}, {"Prozess", "Prozessorzeit (%)"}})
		got.Words()
		if key := fold(counter); fold(key) != key {
			t.Errorf("%q folds to %q, and that to %q", counter, key, fold(key))
		}
	})
}
