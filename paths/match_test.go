package paths

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "anything", true}, {"**", "a", true},
		{"pro*", "Process", true}, {"pro*", "pro", true}, {"pro*", "apro", false},
		{"*host", "svchost", true}, {"*host", "svchost#1", false}, {"s*c*t", "SVCHOST", true},
		{"a*b*c", "abcb", false}, {"a*bc", "abbc", true}, {"*ab", "aab", true}, {"*a*", "bbb", false},
		{"?", "x", false}, {"?", "?", true}, {"[a]", "a", false}, {`\??\*`, `\??\C:`, true},
		{"Процессор*", "ПРОЦЕССОР 1", true}, {"straße", "STRASSE", false}, {"Σ*", "ςα", true},
		{"k", "\u212a", true}, {"i", "ı", false}, {"i", "İ", false},
		{"*ж", "aЖ", true}, {"a", "a*", false}, {"a*", "a*", true},
	} {
		if got := Match(c.pattern, c.name); got != c.want {
			t.Errorf("Match(%q, %q) = %v", c.pattern, c.name, got)
		}
		if got := compile(c.pattern).match(instanceName{name: c.name}); got != c.want {
			t.Errorf("compiled %q, %q: %v", c.pattern, c.name, got)
		}
	}
}

func TestMatchOfParentAndName(t *testing.T) {
	for _, c := range []struct {
		pattern, parent, name string
		want                  bool
	}{
		{"p/n", "P", "N", true}, {"p/n", "", "P/N", true}, {"p/n", "p", "nn", false}, {"p/n", "p/n", "", false},
		{"p*n", "p", "n", true}, {"*/n", "жж", "n", true}, {"p*", "p", "", true}, {"pn", "p", "n", false},
	} {
		if got := compile(c.pattern).match(instanceName{c.parent, c.name}); got != c.want {
			t.Errorf("%q, %q/%q: %v", c.pattern, c.parent, c.name, got)
		}
	}
}

func TestMatchIsNotExponential(t *testing.T) {
	pattern, name := strings.Repeat("*a", 400)+"*b", strings.Repeat("a", 1000)
	if Match(pattern, name) || !Match(pattern, name+"b") {
		t.Error("many stars are matched wrongly")
	}
}

func TestFold(t *testing.T) {
	for _, c := range []struct{ a, b string }{
		{"Processor", "PROCESSOR"}, {"\u212a", "K"}, {"ſ", "S"}, {"µ", "Μ"}, {"ς", "Σ"}, {"ǅ", "ǆ"}, {"É", "é"}, {"", ""},
	} {
		if Fold(c.a) != Fold(c.b) || !EqualFold(c.a, c.b) {
			t.Errorf("%q and %q fold to %q and %q", c.a, c.b, Fold(c.a), Fold(c.b))
		}
	}
	if n := testing.AllocsPerRun(100, func() { _ = Fold("% processor time") }); n > 0 {
		t.Errorf("folding a folded name: %v allocations", n)
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("a*b", "AxB")
	f.Add("*", "\xff")
	f.Add("K*ſ", "\u212aS")
	f.Add("a*a*ab", "aaaab")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if EqualFold(pattern, name) != (Fold(pattern) == Fold(name)) {
			t.Fatalf("EqualFold and Fold disagree on %q and %q", pattern, name)
		}
		got := Match(pattern, name)
		if compile(pattern).match(instanceName{name: name}) != got {
			t.Fatalf("%q, %q: a compiled pattern disagrees", pattern, name)
		}
		if !isWild(pattern) && got != EqualFold(pattern, name) {
			t.Fatalf("%q, %q: a pattern without star must compare names", pattern, name)
		}
		if i := strings.IndexByte(name, '/'); i > 0 {
			if compile(pattern).match(instanceName{name[:i], name[i+1:]}) != got {
				t.Fatalf("%q, %q: splitting the name changes the answer", pattern, name)
			}
		}
		if !utf8.ValidString(pattern) || !utf8.ValidString(name) || len(pattern) > 200 {
			return // what follows needs clean text
		}
		expression := strings.ReplaceAll(regexp.QuoteMeta(Fold(pattern)), `\*`, `.*`)
		if want := regexp.MustCompile(`(?s)\A` + expression + `\z`).MatchString(Fold(name)); got != want {
			t.Fatalf("Match(%q, %q) = %v", pattern, name, got)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if !Match("*svc*host*", "Microsoft.SvcWorker.Host.Process") {
			b.Fatal("no match")
		}
	}
}

// With `?`, too, the matcher agrees with a recursive one.
func FuzzMatchSigns(f *testing.F) {
	for _, row := range [][2]string{{"*", ""}, {"a*b?c", "aXXbYc"}, {"?", "é"}, {"**", "x"}, {"*a*a*a", "aaab"}, {"", ""}} {
		f.Add(row[0], row[1])
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if len(pattern) > 12 || len(name) > 12 {
			return
		}
		p, n := Fold(strings.ToValidUTF8(pattern, "?")), Fold(strings.ToValidUTF8(name, "x"))
		if got, want := MatchSigns(p, n), slowMatch([]rune(p), []rune(n)); got != want {
			t.Errorf("%q %q: %v", p, n, got)
		}
	})
}

func slowMatch(p, n []rune) bool {
	switch {
	case len(p) == 0:
		return len(n) == 0
	case p[0] == '*':
		return slowMatch(p[1:], n) || len(n) > 0 && slowMatch(p, n[1:])
	case len(n) == 0:
		return false
	}
	return (p[0] == '?' || p[0] == n[0]) && slowMatch(p[1:], n[1:])
}
