package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"perfdeck/paths"
)

// names are the names of hits, best first.
func names(x *Index, r Result) []string {
	var out []string
	for _, h := range r.Hits {
		out = append(out, x.Entry(h.Source, h.Entry).Name)
	}
	return out
}

// What fits better comes first.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		query   string
		entries []Entry // in the order in which they are to be found
	}{
		{"pages", []Entry{{Name: "Pages"}, {Name: "Pages/sec"}, {Name: "Dirty Pages"}, {Name: "Subpages"}}},
		{"ple", []Entry{
			{Name: "Ple"}, {Name: "Plexus"}, {Name: "The Plexus"}, {Name: "Page life expectancy"},
			{Name: "Samples"}, {Name: "Privileged"}, {Name: "X", Of: "Plexus"}, {Name: "Y", Of: "Samples"},
			{Name: "Z", Text: "a plethora"}, {Name: "V", Text: "samples"},
		}},
		{"disk sec tr", []Entry{
			{Name: "Disk sec Tr"}, {Name: "Disk sec Transfer"}, {Name: "Avg. Disk sec/Transfer"}, {Name: "Disk Transfers/sec"},
			{Name: "Of the disk transfers a sec"}, {Name: "Transfers/sec", Of: "PhysicalDisk"},
			{Name: "Transfers", Text: "of the disk in a sec"},
		}},
		{"sql", []Entry{{Name: "SQL"}, {Name: "SQLServer:Locks"}, {Name: "MSSQL$X"}, {Name: "Lock", Of: "SQLServer"}}},
		{"same", []Entry{{Name: "Same B"}, {Name: "Same A"}, {Name: "Same, longer"}, {Kind: 1, Name: "Same"[:4] + " X"}}},
		{"straße", []Entry{{Name: "STRAßE"}, {Name: "Straße 7"}}},
		{"ПРОЦЕССОР", []Entry{{Name: "процессор"}, {Name: "Загрузка процессор"}}},
		{"処理", []Entry{{Name: "処理"}, {Name: "処理時間"}}},
		{"\u212aelvin", []Entry{{Name: "kelvin"}}},
	} {
		var want []string
		for _, e := range c.entries {
			want = append(want, e.Name)
		}
		x := NewIndex()
		backwards := slices.Clone(c.entries)
		if c.query != "same" { // equals keep their order
			slices.Reverse(backwards)
		}
		x.Add("", append(backwards, Entry{Name: "Nothing of it", Text: "nor here"}))
		if got := names(x, NewFinder(x).Find(c.query, 0, -1)); !slices.Equal(got, want) {
			t.Errorf("%q finds\n%q, want\n%q", c.query, got, want)
		}
	}
}

// What people call things finds what they are called here, behind what is called so by that
// word, before what has it in another one,
// and marks it.
func TestSynonyms(t *testing.T) {
	all := []string{
		"Processor", "System", "Memory", "Network Interface", "PhysicalDisk", "LogicalDisk",
		"send a signal to the process", "Themes", "record, stop", "settings",
	}
	for word, want := range map[string][]string{
		"cpu": {"Processor", "System"}, "core": {"Processor", "System"}, "load": {"Processor", "System"},
		"ram": {"Memory"}, "mem": {"Memory"}, "swap": {"Memory"},
		"net": {"Network Interface"}, "nic": {"Network Interface"}, "traffic": {"Network Interface"},
		"disk": {"PhysicalDisk", "LogicalDisk"}, "io": {"PhysicalDisk"}, "disk io": {"PhysicalDisk"},
		"df": {"LogicalDisk"}, "space": {"LogicalDisk"}, "kill": {"send a signal to the process"},
		"color": {"Themes"}, "csv export": {"record, stop"}, "options": {"settings"}, "config": {"settings"},
	} {
		x := NewIndex()
		var entries []Entry
		for _, name := range all {
			entries = append(entries, Entry{Name: name})
		}
		x.Add("", entries)
		f := NewFinder(x)
		for i := range len(word) {
			f.Find(word[:i], 0, 10) // as it is typed
		}
		got := names(x, f.Find(word, 0, 10))
		for i, name := range want {
			if len(got) <= i || got[i] != name {
				t.Errorf("%q finds %q, want %q first", word, got, want)
				break
			}
			if len(f.NameMarks(name)) == 0 {
				t.Errorf("%q marks nothing in %q", word, name)
			}
		}
	}
	x := NewIndex()
	x.Add("", []Entry{{Name: "Processor"}, {Name: "CPU"}, {Name: "Time", Of: "Processor"}, {Name: "CPU 0"}})
	if got, want := names(x, NewFinder(x).Find("cpu", 0, -1)), []string{"CPU", "CPU 0", "Processor", "Time"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	for word, want := range map[string]string{"kill": "send a signal to the process", "nic": "Network Interface", "csv": "record, stop", "export": "record, stop"} {
		x := NewIndex()
		x.Add("", []Entry{{Name: "OOM Kills"}, {Name: "nice, the priority of the process"}, {Name: "Records"}, {Name: "Records"}, {Name: want}})
		if got := names(x, NewFinder(x).Find(word, 0, -1)); len(got) < 2 || got[0] != want {
			t.Errorf("%q finds %q, want %q first", word, got, want)
		}
	}
	for word, others := range synonyms {
		for _, w := range append(others, word) {
			if paths.Fold(w) != w || w == "" {
				t.Errorf("%q is not folded", w)
			}
		}
	}
}

func TestShortened(t *testing.T) {
	for _, c := range []struct {
		word, name string
		want       bool
	}{
		{"ple", "Page life expectancy", true}, {"pgli", "Page life expectancy", true},
		{"pageexp", "Page life expectancy", true}, {"pae", "Page life expectancy", true},
		{"age", "Page life expectancy", true}, {"aex", "Page life expectancy", false},
		{"prcssr", "% Processor Time", true}, {"pt", "% Processor Time", true}, {"po", "% Processor Time", false},
		{"pti", "% Processor Time", true}, {"pme", "% Processor Time", false},
		{"physdisk", "PhysicalDisk", true}, {"pdisk", "PhysicalDisk", true}, {"sqlbm", "SQLServer:Buffer Manager", true},
		{"ssbm", "SQLServer:Buffer Manager", true}, {"b7", "Bank of 7", true}, {"b7", "Bank7", true},
		{"жизнь", "Ожидаемая жизнь", true}, {"ож", "Ожидаемая жизнь", true}, {"ооо", "Ожидаемая жизнь", false},
		{"ожж", "Ожидаемая жизнь", true},
	} {
		x := NewIndex()
		x.Add("", []Entry{{Name: c.name}})
		f := NewFinder(x)
		if got := f.Find(c.word, 0, 1).Found == 1; got != c.want {
			t.Errorf("%q in %q: found %v", c.word, c.name, got)
		}
		if marks := f.NameMarks(c.name); (len(marks) > 0) != c.want {
			t.Errorf("%q in %q marks %v", c.word, c.name, marks)
		}
	}
}

func TestMarks(t *testing.T) {
	for _, c := range []struct{ query, text, want string }{
		{"disk sec tr", "Avg. Disk sec/Transfer", "Avg. [Disk] [sec]/[Tr]ansfer"},
		{"ple", "Page life expectancy", "[P]age [l]ife [e]xpectancy"},
		{"prcssr", "% Processor Time", "% [Pr]o[c]e[ss]o[r] Time"},
		{"disk di", "PhysicalDisk", "Physical[Disk]"},
		{"ten len", "Listen Length", "Lis[ten] [Len]gth"},
		{"\u212a", "A kelvin \u212a", "A [k]elvin \u212a"},
		{"k", "\u212a", "[\u212a]"},
		{"пр", "% загрузки Процессора", "% загрузки [Пр]оцессора"},
		{"virt", "Storage Sp… Virtual Disk", "Storage Sp… [Virt]ual Disk"},
		{"x", "", ""}, {"zzz", "nothing", "nothing"}, {"a", "\xffa\xfe", "\xff[a]\xfe"},
	} {
		x := NewIndex()
		f := NewFinder(x)
		f.Find(c.query, 0, 0)
		out, at := "", 0
		for _, s := range f.NameMarks(c.text) {
			out += c.text[at:s.From] + "[" + c.text[s.From:s.To] + "]"
			at = s.To
		}
		if out += c.text[at:]; out != c.want {
			t.Errorf("%q marks %s, want %s", c.query, out, c.want)
		}
	}
}

// A word may be that of the source; kinds narrow what is looked at.
func TestSourcesAndKinds(t *testing.T) {
	x := NewIndex()
	one := x.Add("sql01", []Entry{{Kind: 2, Name: "Page life expectancy"}, {Kind: 1, Name: "sql01"}})
	two := x.Add("sql02", []Entry{{Kind: 2, Name: "Page life expectancy"}})
	f := NewFinder(x)
	r := f.Find("ple SQL02", 0, 9)
	if r.Found != 1 || r.Total != 3 || r.Hits[0].Source != two {
		t.Errorf("found %+v", r)
	}
	if _, found := f.Rank(one, 0); found {
		t.Error("the same counter of another source is found")
	}
	if r := f.Find("sql01", 0, 9); r.Found != 2 || r.Hits[0].Entry != 1 {
		t.Errorf("a source by its name: %+v", r)
	}
	if r := f.Find("sql01", Only(2, 5), 9); r.Found != 1 || r.Total != 2 {
		t.Errorf("a kind alone: %+v", r)
	}
	if r := f.Find(" ", Only(1), 0); r.Found != 1 || len(r.Hits) != 0 {
		t.Errorf("no word: %+v", r)
	}
	x.Renew(one, []Entry{{Name: "New"}})
	if _, found := f.Rank(two, 0); found {
		t.Error("ranks of an index that changed")
	}
	if r := f.Find("ple", 0, 9); r.Found != 1 || r.Hits[0].Source != two {
		t.Errorf("after a renewal: %+v", r)
	}
	x.Remove(two)
	if r := f.Find("ple", 0, 9); r.Found != 0 || x.Len() != 1 {
		t.Errorf("after a removal: %+v", r)
	}
}

var syllables = []string{"Disk", "sec", "Transfer", "Read", "Page", "Life", "Cache", "SQL", "Server", "/", ".", "%", "é", "Ж", "ж", "\u212a", "9", "42", "広", "\xff"}

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n) {
		b.WriteString(syllables[r.IntN(len(syllables))])
		if r.IntN(2) == 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func randomQuery(r *rand.Rand) string {
	text := []rune(randomText(r, 4))
	for range r.IntN(4) { // letters left out
		if n := len(text); n > 0 {
			i := r.IntN(n)
			text = append(text[:i], text[i+1:]...)
		}
	}
	return string(text)
}

// shortened is what abbreviation finds, one rune after the other.
func shortened(name []rune, isStart []bool, from int, word []rune, leaveOut bool) bool {
	if len(word) == 0 {
		return true
	}
	sameWord := true
	for i := from; i < len(name); i++ {
		if i > from && isStart[i] {
			sameWord = false
		}
		reached := isStart[i] || from > 0 && (i == from || leaveOut && sameWord && !isStart[from])
		if reached && name[i] == word[0] && shortened(name, isStart, i+1, word[1:], leaveOut) {
			return true
		}
	}
	return false
}

// finds is whether a word is found in an entry, by the definition.
func finds(e Entry, source, word string) bool {
	for _, s := range []string{e.Name, e.Of, e.Text, source} {
		if strings.Contains(paths.Fold(s), word) {
			return true
		}
	}
	for _, s := range []string{e.Name, e.Of} {
		folded, starts := foldText(s), startsOf(s)
		if len(folded) > wordBytes {
			continue
		}
		var isStart []bool
		for i := range folded {
			isStart = append(isStart, starts&(1<<i) != 0)
		}
		leaveOut := utf8.RuneCountInString(word) >= shortestWord
		if shortened([]rune(folded), isStart, 0, []rune(word), leaveOut) {
			return true
		}
	}
	return false
}

// A search finds what the definition says, whatever was searched and changed
// before, in a lawful order.
func TestFindsByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for round := range 60 {
		x, content := NewIndex(), map[*Source][]Entry{}
		f := NewFinder(x)
		var sources []*Source
		entries := func() (out []Entry) {
			for range r.IntN(12) {
				name := randomText(r, 5)
				if len(name) > 40 {
					name = name[:40]
				}
				out = append(out, Entry{Kind(r.IntN(3)), name, randomText(r, 2), randomText(r, 7)})
			}
			return out
		}
		for range 40 {
			switch n := len(sources); {
			case n == 0 || r.IntN(9) == 0:
				e := entries()
				s := x.Add(fmt.Sprint("host", r.IntN(3)), e)
				sources, content[s] = append(sources, s), e
			case r.IntN(9) == 0:
				s := sources[r.IntN(n)]
				content[s] = entries()
				x.Renew(s, content[s])
			case r.IntN(12) == 0:
				i := r.IntN(n)
				x.Remove(sources[i])
				sources = slices.Delete(sources, i, i+1)
			}
			query := randomQuery(r)
			for cut := range len(query) + 1 { // typed letter by letter
				if !t.Failed() {
					checkFind(t, x, f, query[:cut], sources, content)
				}
			}
		}
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

func checkFind(t *testing.T, x *Index, f *Finder, query string, sources []*Source, content map[*Source][]Entry) {
	t.Helper()
	got := f.Find(query, 0, -1)
	fresh := NewFinder(x).Find(query, 0, -1)
	if !slices.Equal(got.Hits, fresh.Hits) {
		t.Errorf("%q finds %v, without memory %v", query, got.Hits, fresh.Hits)
	}
	found, wanted := 0, 0
	for _, s := range sources {
		for i, r := range f.Found(s) {
			if rank, is := f.Rank(s, i); !is || rank != r {
				t.Errorf("entry %d has rank %d, and %d, %v", i, r, rank, is)
			}
			found--
		}
		for i, e := range content[s] {
			if x.Entry(s, i) != e {
				t.Fatalf("entry %d is %q, want %q", i, x.Entry(s, i), e)
			}
			want := true
			for w := range strings.FieldsSeq(paths.Fold(query)) {
				want = want && finds(e, s.name, w)
			}
			if _, is := f.Rank(s, i); is != want {
				t.Errorf("%q in %q of %s: found %v", query, e, s.name, is)
			}
			if want {
				found++
				wanted++
			}
		}
	}
	if found != 0 {
		t.Errorf("%q: %d more are found than are given", query, found)
	}
	if got.Found != wanted || len(got.Hits) != wanted {
		t.Errorf("%q: %d found, %d hits, want %d", query, got.Found, len(got.Hits), wanted)
	}
	if !slices.IsSortedFunc(got.Hits, func(a, b Hit) int { return a.Rank - b.Rank }) {
		t.Errorf("%q: ranks are not in order: %v", query, got.Hits)
	}
	all := slices.Clone(got.Hits)
	for _, n := range []int{0, 1, 3} {
		if few := f.Find(query, 0, n); !slices.Equal(few.Hits, all[:min(n, len(all))]) || few.Found != wanted {
			t.Errorf("%q: the best %d of %v are %v", query, n, all, few.Hits)
		}
	}
}

// The memory of entries that went is given back.
func TestForgets(t *testing.T) {
	x := NewIndex()
	stays := x.Add("a", []Entry{{Name: "stays"}})
	s := x.Add("b", nil)
	for round := range 50 {
		var e []Entry
		for i := range 500 {
			e = append(e, Entry{Name: fmt.Sprint(round, " of ", i)})
		}
		x.Renew(s, e)
	}
	if n := len(x.things); n > 5000 || len(x.names.text) > 5000 {
		t.Errorf("%d things are kept for %d entries", n, x.Len())
	}
	if e := x.Entry(stays, 0); e.Name != "stays" {
		t.Errorf("what stayed is %q now", e)
	}
	if r := NewFinder(x).Find("49 of 7", 0, 1); len(r.Hits) != 1 || x.Entry(r.Hits[0].Source, r.Hits[0].Entry).Name != "49 of 7" {
		t.Errorf("%+v", r)
	}
}

func FuzzFind(f *testing.F) {
	f.Add("disk sec tr", "Avg. Disk sec/Transfer", "PhysicalDisk")
	f.Add("ж\xff", "\xffЖ\u202e", "\x00")
	f.Add(strings.Repeat("a", 70)+" b", strings.Repeat("aA", 70), "b")
	f.Fuzz(func(t *testing.T, query, name, text string) {
		x := NewIndex()
		s := x.Add("", []Entry{{Name: name, Of: text, Text: text}})
		finder := NewFinder(x)
		finder.Find(query, 0, 1)
		for _, marks := range [][]Span{slices.Clone(finder.NameMarks(name)), finder.TextMarks(text)} {
			last := -1
			for _, m := range marks {
				if m.From <= last || m.To <= m.From || m.To > max(len(name), len(text)) {
					t.Fatalf("%q in %q, %q marks %v", query, name, text, marks)
				}
				last = m.To
			}
		}
		if _, found := finder.Rank(s, 0); found && len(strings.Fields(query)) == 1 && strings.TrimSpace(name) != "" {
			if e := x.Entry(s, 0); e.Name != name {
				t.Fatalf("%q became %q", name, e.Name)
			}
		}
	})
}
