package paths

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// parseError returns the *ParseError that a bad input must give, after checking
// what all of them must keep.
func parseError(t *testing.T, input string, err error) *ParseError {
	t.Helper()
	fault, ok := errors.AsType[*ParseError](err)
	if !ok {
		t.Errorf("%q: got %v, want a ParseError", input, err)
		return nil
	}
	if fault.Input != input || fault.Offset < 0 || fault.Offset > len(input) || fault.Reason == "" {
		t.Errorf("%q: bad error %+v", input, *fault)
	}
	line, caret := fault.Point()
	for _, text := range []string{line, caret, fault.Error()} {
		if printable(text) != text {
			t.Errorf("%q: not printable: %q", input, text)
		}
	}
	return fault
}

func TestInstanceTexts(t *testing.T) {
	for _, c := range []struct{ text, parent, name, index, canonical string }{
		{"", "", "", "", ""},
		{"#", "", "#", "", "#"},
		{"#0", "", "#0", "", "#0"},
		{"#1", "", "#1", "", "#1"},
		{"#*", "", "#*", "", "#*"},
		{"##1", "", "#", "1", "##1"},
		{"*", "", "*", "", "*"},
		{"**", "", "**", "", "**"},
		{"I#**", "", "I#**", "", "I#**"},
		{"I#*1", "", "I#*1", "", "I#*1"},
		{"I#-1", "", "I#-1", "", "I#-1"},
		{"I#1 ", "", "I#1 ", "", "I#1 "},
		{"I#٣", "", "I#٣", "", "I#٣"},
		{"I#0", "", "I", "", "I"},
		{"I#000", "", "I", "", "I"},
		{"I#10", "", "I", "10", "I#10"},
		{"I#1#0", "", "I#1", "", "I#1#0"},
		{"#1#0", "", "#1", "", "#1"},
		{"I#99999999999999999999", "", "I", "99999999999999999999", "I#99999999999999999999"},
		{"*#*", "", "*", "*", "*#*"},
		{"*/*#*", "*", "*", "*", "*/*#*"},
		{"/", "", "/", "", "/"},
		{"//", "", "//", "", "//"},
		{"/a/b", "", "/a/b", "", "/a/b"},
		{"/#1", "", "/", "1", "/#1"},
		{"a//b", "a", "/b", "", "a//b"},
		{"a/b/", "a", "b/", "", "a/b/"},
		{"P/#1", "P", "#1", "", "P/#1"},
		{"p#1/i#2", "p#1", "i", "2", "p#1/i#2"},
		{`C:\a(b\c)d`, "", `C:\a(b\c)d`, "", `C:\a(b\c)d`},
	} {
		p, err := Parse(`\O(` + c.text + `)\C`)
		if err != nil {
			t.Error(err)
			continue
		}
		if p.Parent != c.parent || p.Instance != c.name || string(p.Index) != c.index || !p.HasInstance {
			t.Errorf("(%s): %q %q %q", c.text, p.Parent, p.Instance, p.Index)
		}
		if got := p.String(); got != `\O(`+c.canonical+`)\C` {
			t.Errorf("(%s) prints as %s", c.text, got)
		}
		if got := p.InstanceText(); got != c.text {
			t.Errorf("(%s): instance text %s", c.text, got)
		}
	}
}

func TestFaults(t *testing.T) {
	name := strings.Repeat("n", MaxName)
	wide := strings.Repeat("𝛼", MaxName/2) // two units each
	for _, c := range []struct {
		input  string
		code   Code
		offset int
	}{
		{"", InvalidArgument, 0},
		{"O", BadCounterName, 0},
		{`\`, BadCounterName, 1},
		{`\\`, BadCounterName, 2},
		{`\\\O\C`, BadCounterName, 2},
		{`\\CM`, BadCounterName, 4},
		{`\\CM\O`, BadCounterName, 6},
		{`\\CM\\C`, BadCounterName, 5},
		{`\O\`, NoCounterName, 3},
		{`\O\C\`, NoCounterName, 5},
		{`\O(I)\`, NoCounterName, 6},
		{`\\CM\O(I)\`, NoCounterName, 10},
		{`\A\B(I)\C`, BadCounterName, 2},
		{`\\SRV\A\B(*)\C`, BadCounterName, 7},
		{`\A\\C`, BadCounterName, 2},
		{`\A\\B\C`, BadCounterName, 2},
		{`\\SRV\\A\C`, BadCounterName, 6},
		{`\O(a)\B(I)\C`, BadCounterName, 5},
		{`\O(a\b)\\C`, BadCounterName, 7},
		{`\()\C`, BadCounterName, 1},
		{`\O(I\C`, BadCounterName, 2},
		{`\O\C)`, BadCounterName, 4},
		{`\O\(C`, BadCounterName, 3},
		{`\O(I\C)`, BadCounterName, 7},
		{"\\O\\C\x00x", BadCounterName, 4},
		{"\\O\\C\xff", BadCounterName, 4},
		{"\\O\xed\xa0\x80\\C", BadCounterName, 2}, // half of a surrogate pair
		{`\` + name + `n\C`, BadCounterName, 1 + MaxName},
		{`\O\` + name + `n`, BadCounterName, 3 + MaxName},
		{`\O(` + name + `n)\C`, BadCounterName, 3 + MaxName},
		{`\O(` + name + `n/i)\C`, BadCounterName, 3 + MaxName},
		{`\O(p/` + name + `n)\C`, BadCounterName, 5 + MaxName},
		{`\` + wide + `nn\C`, BadCounterName, 2 + len(wide)},
		{`\` + name + `\` + name, InvalidPath, MaxPath},
	} {
		p, err := Parse(c.input)
		if c.code == InvalidPath && err == nil && len(c.input) <= MaxPath {
			if p.String() != c.input {
				t.Errorf("longest path prints as %s", p)
			}
			continue
		}
		if fault := parseError(t, c.input, err); fault != nil && (fault.Code != c.code || fault.Offset != c.offset) {
			t.Errorf("%.40q: %v at %d, want %v at %d", c.input, fault.Code, fault.Offset, c.code, c.offset)
		}
	}
}

func TestLimitsCountUTF16(t *testing.T) {
	wide := strings.Repeat("𝛼", MaxName/2)
	cyrillic := strings.Repeat("ж", MaxName)
	for _, c := range []struct {
		input string
		valid bool
	}{
		{`\` + wide + `n\C`, true},
		{`\` + wide + `𝛼\C`, false},
		{`\` + cyrillic + `\C`, true},
		{`\` + cyrillic + `ж\C`, false},
		{`\\` + strings.Repeat("m", MaxPath-2-4) + `\O\C`, true},
		{`\\` + strings.Repeat("m", MaxPath-1-4) + `\O\C`, false},
		{`\O(` + strings.Repeat("i", MaxName) + `#12)\C`, true},
		{`\O(` + strings.Repeat("p", MaxName) + `/i)\C`, true},
	} {
		if _, err := Parse(c.input); (err == nil) != c.valid {
			t.Errorf("%.20q..., %d bytes: %v", c.input, len(c.input), err)
		}
	}
}

func TestPlainCharacters(t *testing.T) {
	for _, input := range []string{
		`\Database ==> Instances(lsass/NTDSA)\I/O Database Reads/sec`,
		`\HTTP Service Url Groups(http://*:80/)\CurrentConnections`,
		`\SQLServer:Batch Resp Statistics(CPU Time:Requests)\Batches >=000001ms & <000002ms`,
		`\O(a)b\C`, `\O(a\b)c\C`, `\O(a\\b)c\C`, `\O(a\b)(I)\C`, `\A\B\*`, `\O)I(\C`, `\O)(I)(\C`, `\O( )\ `, `\ (I)\C`, `\\::1\O\C`, `\O(I)\(C)(D\E)`,
		"\\O\t\\C\n", `\O()\C`, `\O(()())\C`, "\\\u00a0\\\ufffd", `\\a b\O\C`,
	} {
		p, err := Parse(input)
		if err != nil {
			t.Error(err)
		} else if p.String() != input {
			t.Errorf("%s prints as %s", input, p)
		}
	}
}

func TestPoint(t *testing.T) {
	for _, c := range []struct {
		fault       ParseError
		line, caret string
	}{
		{ParseError{Input: `\O(I\C`, Offset: 2}, `\O(I\C`, `  ^`},
		{ParseError{Input: `\プロ(I\C`, Offset: 7}, `\プロ(I\C`, `     ^`},
		{ParseError{Input: "\\\x1b[2J", Offset: 6}, `\?[2J`, `     ^`},
		{ParseError{Input: "é\u0301(", Offset: 4}, "é\u0301(", ` ^`},
	} {
		if line, caret := c.fault.Point(); line != c.line || caret != c.caret {
			t.Errorf("%q:\n%s\n%s", c.fault.Input, line, caret)
		}
	}
	long := ParseError{Input: strings.Repeat("a", 500) + "(" + strings.Repeat("b", 500), Offset: 500}
	line, caret := long.Point()
	if len(line) > 80 || line[len(caret)-1] != '(' {
		t.Errorf("a long input:\n%s\n%s", line, caret)
	}
}

func TestParseDoesNotAllocate(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() {
		if _, err := Parse(`\\SRV\Process(parent/svchost#12)\% Processor Time`); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestBuiltPaths prints paths of arbitrary parts: each reads back as the same
// parts, or Check says that it does not.
func TestBuiltPaths(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune(`ab/\()#*0 1é` + "\x00")
	text := func() string {
		var b strings.Builder
		for range random.IntN(5) {
			b.WriteRune(alphabet[random.IntN(len(alphabet))])
		}
		return b.String()
	}
	indexes := []Index{First, Any, "1", "20", "0", "07", "x"}
	fine := 0
	for range 20000 {
		p := Path{Computer: text(), Object: text(), Counter: text()}
		if random.IntN(2) == 0 {
			p.HasInstance, p.Parent, p.Instance, p.Index = true, text(), text(), indexes[random.IntN(len(indexes))]
		}
		q, err := Parse(p.String())
		q.raw = ""
		if reads := err == nil && q == p; reads != (p.Check() == nil) {
			t.Fatalf("%#v prints as %s: reads back %v, Check says %v", p, p, reads, p.Check())
		} else if reads {
			fine++
		}
	}
	if fine < 200 {
		t.Errorf("only %d paths were printable", fine)
	}
}

func TestOfPrintsNamesAsReported(t *testing.T) {
	for _, c := range []struct {
		p    Path
		want string
	}{
		{Of("", "NI", "", "adapter #2", 0, "C"), `\NI(adapter #2)\C`},
		{Of("", "CPU", "", "Device #01", 0, "C"), `\CPU(Device #01)\C`},
		{Of("SRV", "Thread", "svchost", "0", 3, "C"), `\\SRV\Thread(svchost/0#3)\C`},
		{Of("", "O", "", "i#1", 1, "C"), `\O(i#1#1)\C`},
	} {
		if got := c.p.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
		if got, want := c.p.InstanceText(), c.want[strings.Index(c.want, "(")+1:strings.LastIndex(c.want, ")")]; got != want {
			t.Errorf("instance text %s, want %s", got, want)
		}
	}
}

func TestInstanceTextFollowsTheParts(t *testing.T) {
	p, err := Parse(`\O(I#007)\C`)
	if err != nil {
		t.Fatal(err)
	}
	p.Instance = "J"
	if got := p.InstanceText(); got != "J#7" {
		t.Errorf("after a change: %s", got)
	}
}

func TestEqualAndCanonical(t *testing.T) {
	a, _ := Parse(`\Processor(_Total#0)\% Processor Time`)
	b, _ := Parse(`\PROCESSOR(_total)\% processor time`)
	c, _ := Parse(`\Processor(_Total#1)\% Processor Time`)
	if !a.Equal(b) || a.Equal(c) {
		t.Error("Equal is wrong about case or index")
	}
	if got, err := canonical(`\O(I#0007)\C`); err != nil || got != `\O(I#7)\C` {
		t.Errorf("%s, %v", got, err)
	}
	_, err := canonical(`\O`)
	parseError(t, `\O`, err)
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`\\C\O(p/i#1)\C`, `\O)I(\C`, `\O(I#1#0)\C`, `\O((a)\b)\c(d\e)`, "\\\xff\\C", `\O(#0*)\*`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		p, err := Parse(input)
		if err != nil {
			parseError(t, input, err)
			return
		}
		if !utf8.ValidString(input) {
			t.Fatalf("%q: not UTF-8", input)
		}
		printed := p.String()
		q, err := Parse(printed)
		if err != nil {
			t.Fatalf("%q prints as %q: %v", input, printed, err)
		}
		q.raw, p.raw = "", ""
		if q != p || q.String() != printed {
			t.Fatalf("%q: %#v prints as %q and reads back as %#v", input, p, printed, q)
		}
		if err := p.Check(); err != nil {
			t.Fatalf("%q: %v", input, err)
		}
		if len(printed) > len(input) {
			t.Fatalf("%q grew to %q", input, printed)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(`\\SERVER01\Process(svchost#12)\% Processor Time`); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkString(b *testing.B) {
	p, err := Parse(`\\SERVER01\Process(svchost#12)\% Processor Time`)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		_ = p.String()
	}
}

// canonical parses a path and prints it in canonical form.
func canonical(input string) (string, error) {
	p, err := Parse(input)
	if err != nil {
		return "", err
	}
	return p.String(), nil
}
