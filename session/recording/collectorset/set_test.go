package collectorset

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/paths"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/sharedtest"
)

// codeWords are the codes as vectors have them.
var codeWords = map[Code]string{
	Ignored:      "IGNORED",
	Conflict:     "CONFLICT",
	Invalid:      "INVALIDARG",
	NoDuplicates: "NO_DUPLICATES",
	NameTwice:    "DC_ALREADY_EXISTS",
	NotThere:     "NOTIMPL",
	Skipped:      "SKIPPED",
	Empty:        "W:EMPTY",
	NotRun:       "W:NOTRUN",
	NoBackslash:  "W:NOBACKSLASH",
	DisplayOnly:  "W:DISPLAYONLY",
	OtherType:    "W:TYPE",
	OtherForm:    "W:FORM",
	Twice:        "W:TWICE",
	Unknown:      "W:UNKNOWN",
	Attribute:    "W:ATTRIBUTE",
	Never:        "W:NEVER",
	TooLong:      "W:TOOLONG",
	SameFile:     "W:SAMEFILE",
	Nothing:      "W:NOTHING",
	Itself:       "W:SELF",
	Database:     "W:DATABASE",
	OtherHost:    "W:HOST",
	Lacking:      "W:LACKING",
}

func testdata(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// checked is all that is found in a text: how the vectors write it.
func checked(text []byte) []string {
	s, found, err := Decode(text)
	if err != nil {
		fault := err.(*Error) //nolint:errorlint // that is what it promises
		found = []Finding{fault.Finding}
	} else {
		found = append(found, s.Check(Place{})...)
	}
	var out []string
	for _, f := range found {
		out = append(out, f.Property+"="+codeWords[f.Code])
	}
	slices.Sort(out)
	return out
}

// TestBrokenSets holds every row of vectors/broken-collector-sets.tsv.
func TestBrokenSets(t *testing.T) {
	lines := strings.Split(strings.TrimRight(string(testdata(t, "broken-collector-sets.tsv")), "\r\n"), "\n")
	for _, line := range lines[1:] {
		f := strings.Split(strings.TrimSuffix(line, "\r"), "\t")
		if len(f) != 4 {
			t.Fatalf("%d cells: %q", len(f), line)
		}
		var want []string
		if f[3] != "none" {
			want = strings.Split(f[3], "; ")
		}
		for i := range want {
			// What a set says of SQL is written to a database of this computer.
			want[i] = strings.ReplaceAll(want[i], "LogFileFormat=NOTIMPL", "LogFileFormat="+codeWords[Database])
		}
		slices.Sort(want)
		if got := checked([]byte(f[2])); !slices.Equal(got, want) {
			t.Errorf("row %s, %s:\n got %q\nwant %q", f[0], f[1], got, want)
		}
	}
	if len(lines) != 56 {
		t.Errorf("%d rows", len(lines)-1)
	}
}

// TestExample reads the complete export and writes it again, byte by byte.
func TestExample(t *testing.T) {
	data := testdata(t, "collector-set-example.xml")
	if got := checked(data); len(got) > 0 {
		t.Errorf("found %q", got)
	}
	s, _, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Encode(UTF16); !bytes.Equal(got, data) {
		t.Errorf("written anew:\n%s\nwant\n%s", text(got), text(data))
	}
	if s.Schedules[0].Days != 62 || len(s.Collectors) != 3 || s.Collectors[2].Trigger != "Disk detail" || s.Manager.FolderActions[0].Age != 14 {
		t.Errorf("read %+v", s)
	}
}

func text(data []byte) string {
	s, _ := decodeText(data)
	return s
}

// TestRealSets reads sets that others published, and what is written of them.
func TestRealSets(t *testing.T) {
	for name, want := range map[string][]string{
		"dataplat_dbatools__Long_Running_Queries.xml":  {"PerformanceCounterDataCollector[1]/FileNameFormatPattern=CONFLICT"},
		"dataplat_dbatools__PAL_-_SQL_Server_2012.xml": nil,
		"microsoft_ExPerfWiz__Exch_13_16_19_Full.xml":  {"PerformanceCounterDataCollector[1]/Counter[69]=INVALIDARG"}, // three parts
	} {
		data := []byte(sharedtest.Read(t, "data/dcs/"+name))
		s, _, err := Decode(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := checked(data); !slices.Equal(got, want) {
			t.Errorf("%s: found %q, want %q", name, got, want)
		}
		if len(s.Collectors) == 0 || len(s.Collectors[0].Counters) < 5 {
			t.Errorf("%s: %+v", name, s.Collectors)
		}
		for _, e := range []Encoding{UTF16, UTF8} {
			again, _, err := Decode(s.Encode(e))
			if err != nil || !reflect.DeepEqual(s, again) {
				t.Errorf("%s: read again: %v\n%+v\nwant\n%+v", name, err, again, s)
			}
		}
	}
}

// TestKeptAsWritten holds that what nobody here knows is written as it was read.
func TestKeptAsWritten(t *testing.T) {
	trace := "<TraceDataCollector a=\"1\">\r\n\t<Name>x</Name><!-- n -->\n <TraceDataProvider><Guid>{1}</Guid>\t&amp;&#65;<![CDATA[<>]]></TraceDataProvider></TraceDataCollector>"
	odd := "<Colour  shade = 'dark'>\u00e9 \U0001F600</Colour>"
	inside := "<DataCollectorSet><Name>T</Name>" + trace + odd + "<PerformanceCounterDataCollector><Name>A</Name><Odd/><Counter>\\M\\A</Counter></PerformanceCounterDataCollector>" +
		"<DataManager><Rules><Group a=\"b\"> <Rule/></Group></Rules><Odd2> </Odd2><FolderAction><Odd3/></FolderAction></DataManager></DataCollectorSet>"
	s, _, err := Decode([]byte(inside))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []Encoding{UTF16, UTF8} {
		out := text(s.Encode(e))
		for _, want := range []string{trace, odd, "<Odd/>", "<Odd2> </Odd2>", "<Odd3/>", "<Rules><Group a=\"b\"> <Rule/></Group></Rules>"} {
			if strings.Count(out, want) != 1 {
				t.Errorf("%q is not in\n%s", want, out)
			}
		}
	}
}

// TestSame holds that any set that can be written is read as it was.
func TestSame(t *testing.T) {
	for seed := range uint64(300) {
		s := random(rand.New(rand.NewPCG(seed, 1)))
		for _, e := range []Encoding{UTF16, UTF8} {
			again, found, err := Decode(s.Encode(e))
			if err != nil || !reflect.DeepEqual(s, again) {
				t.Fatalf("seed %d: %v %v\n%+v\nwant\n%+v", seed, err, found, again, s)
			}
		}
	}
}

func random(r *rand.Rand) *Set {
	s := New("x")
	fillRandom(r, s, setBefore, setAfter)
	for range r.IntN(3) {
		var one Schedule
		fillRandom(r, &one, schedules.table)
		s.Schedules = append(s.Schedules, one)
	}
	for range r.IntN(4) {
		k := Kind(r.IntN(3))
		if k == Kept {
			raw := fmt.Sprintf("<TraceDataCollector><Name>t%d</Name></TraceDataCollector>", r.IntN(9))
			s.Collectors = append(s.Collectors, Collector{Kind: Kept, Element: "TraceDataCollector", Raw: raw, Name: raw[26:28]})
			continue
		}
		c := NewCollector(k, "")
		fillRandom(r, &c, collectorProperties, kinds[k].properties)
		s.Collectors = append(s.Collectors, c)
	}
	if r.IntN(2) == 0 {
		s.Manager = NewManager()
		fillRandom(r, s.Manager, managerProperties)
		s.Manager.Rules, s.Manager.ReportSchema = Inner("<a>"+words[r.IntN(2)]+"</a>"), ""
		for range r.IntN(3) {
			var a FolderAction
			fillRandom(r, &a, actions.table)
			s.Manager.FolderActions = append(s.Manager.FolderActions, a)
		}
	}
	return s
}

var words = []string{"x", "a b", "", `\Memory\Available MBytes<200`, `%systemdrive%\PerfLogs\"A" & 'B'`, " yyyy ", "zwei\nZeilen", "\u00fc\U0001F600", `]]>`}

func fillRandom[T any](r *rand.Rand, v *T, tables ...[]property[T]) {
	for _, p := range slices.Concat(tables...) {
		switch field := p.field(v).(type) {
		case *bool:
			*field = r.IntN(2) == 0
		case *uint32:
			*field = r.Uint32()
		case *string:
			*field = words[r.IntN(len(words))]
		case *[]string:
			for range r.IntN(4) {
				*field = append(*field, words[r.IntN(len(words))])
			}
		case *Date:
			*field = Date{1990 + r.IntN(60), time.Month(1 + r.IntN(12)), 1 + r.IntN(28)}
		case *Clock:
			*field = Clock(r.IntN(24 * 3600))
		}
	}
}

// TestForeignHosts holds that computers which are not watched are told.
func TestForeignHosts(t *testing.T) {
	s := New("T")
	c := NewCollector(Counters, "A")
	c.Counters = []string{`\\WEB01\Memory\A`, `\\other\Memory\A`, `\Memory\A`}
	a := NewCollector(Alerts, "L")
	a.Alerts = []string{`\\other\Memory\A>5`}
	s.Collectors = []Collector{c, a}
	var got []string
	for _, f := range s.Check(Place{Watched: func(host string) bool { return host == "WEB01" }}) {
		got = append(got, f.Property+"="+codeWords[f.Code])
	}
	if want := []string{"PerformanceCounterDataCollector[1]/Counter[2]=W:HOST", "AlertDataCollector[1]/Alert[1]=W:HOST"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestLacking holds that what a computer lacks is told, a line for each object.
func TestLacking(t *testing.T) {
	s := New("T")
	c := NewCollector(Counters, "A")
	c.Counters = []string{`\SQL\A`, `\Memory\A`, `\SQL\B`, `\Memory\None`}
	a := NewCollector(Alerts, "L")
	a.Alerts = []string{`\sql\C>5`, `\Disk\A>5`}
	s.Collectors = []Collector{c, a}
	var got []string
	for _, f := range s.Check(Place{Lacks: func(p paths.Path) error {
		if p.Counter == "A" && p.Object == "Memory" {
			return nil
		}
		return failure.WithHint(errors.New("no "+p.Object), "try another")
	}}) {
		got = append(got, f.Property+"="+codeWords[f.Code]+" "+f.Text)
		if f.Refuses {
			t.Errorf("it is refused: %v", f)
		}
	}
	want := []string{
		"PerformanceCounterDataCollector[1]/Counter[1]=W:LACKING it gives nothing here: no SQL: try another (and 2 more of this object)",
		"PerformanceCounterDataCollector[1]/Counter[4]=W:LACKING it gives nothing here: no Memory: try another",
		"AlertDataCollector[1]/Alert[2]=W:LACKING it gives nothing here: no Disk: try another",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestBounds holds that sets which are too large, or too deep, are refused.
func TestBounds(t *testing.T) {
	for name, text := range map[string]string{
		"deep":  strings.Repeat("<a>", 100) + strings.Repeat("</a>", 100),
		"many":  "<DataCollectorSet>" + strings.Repeat("<a/>", mostNodes+1) + "</DataCollectorSet>",
		"large": "<DataCollectorSet>" + strings.Repeat(" ", mostBytes) + "</DataCollectorSet>",
		"two":   "<DataCollectorSet/><DataCollectorSet/>",
		"bomb":  `<!DOCTYPE d [<!ENTITY a "xxxxxxxxxx"><!ENTITY b "&a;&a;&a;&a;">]><DataCollectorSet><Name>&b;</Name></DataCollectorSet>`,
		"none":  "",
		"odd":   "\xff\xfe<",
		"bytes": "<DataCollectorSet><Name>\xff</Name></DataCollectorSet>",
	} {
		if _, _, err := Decode([]byte(text)); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// FuzzDecode holds that no text makes it fail in another way than by its error, and that
// what it read is read the same from what is written of it.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("<DataCollectorSet><Name>T</Name><Schedule><Days>0</Days></Schedule></DataCollectorSet>"))
	f.Add(New("x").Encode(UTF16))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _, err := Decode(data)
		if err != nil {
			return
		}
		s.Check(Place{})
		again, _, err := Decode(s.Encode(UTF8))
		if err != nil || !reflect.DeepEqual(s, again) {
			t.Errorf("read again: %v\n%+v\nwant\n%+v", err, again, s)
		}
	})
}

func BenchmarkImport(b *testing.B) {
	s := New("T")
	c := NewCollector(Counters, "A")
	for i := range 10000 {
		c.Counters = append(c.Counters, fmt.Sprintf(`\Set %d(instance %d)\Counter %d/sec`, i/100, i, i))
	}
	s.Collectors = []Collector{c}
	data := s.Encode(UTF16)
	b.ResetTimer()
	for b.Loop() {
		s, _, err := Decode(data)
		if err != nil || len(s.Check(Place{})) > 0 {
			b.Fatal(err)
		}
	}
}

// Each word for a format is taken, and is what the collector says of itself.
func TestFormatWords(t *testing.T) {
	for _, word := range FormatWords() {
		format, ok := FormatOfWord(strings.ToUpper(word))
		c := Collector{LogFileFormat: format}
		if f := c.Format(); !ok || word == Circular && format != Binary || word != Circular && f.Word != word || !IsExtension(f.Extension) {
			t.Errorf("%s is %d, %+v", word, format, f)
		}
	}
	if format, ok := FormatOfWord("etl"); ok {
		t.Errorf("etl is %d", format)
	}
	if f := (&Collector{LogFileFormat: 9}).Format(); f.Said != "?" || f.Extension != ".blg" {
		t.Errorf("a format that is none: %+v", f)
	}
}
