package manifest

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestLimits gives texts that would take a lot of memory or time of a reader
// without limits.
func TestLimits(t *testing.T) {
	attributes := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"depth":      strings.Repeat("<a>", MaxDepth+1),
		"attributes": "<a " + attributes(MaxAttributes+1, `a%d="" `) + "/>",
		"value":      `<a b="` + strings.Repeat("x", MaxValueBytes+1) + `"/>`,
		"namespaces": strings.Repeat("<a "+attributes(MaxAttributes, `xmlns:n%d="u" `)+">", MaxNamespaces/MaxAttributes+1),
		"elements":   "<a>" + strings.Repeat("<b/>", MaxElements) + "</a>",
		"cultures":   "<a>" + attributes(MaxCultures+1, `<resources culture="c%d"><stringTable><string id="i"/></stringTable></resources>`) + small("") + "</a>",
		"strings":    "<a><stringTable>" + strings.Repeat(`<string id="i"/>`, MaxStrings+1) + "</stringTable></a>",
	} {
		_, problems := Parse("x", []byte(text))
		found := false
		for _, p := range problems {
			found = found || p.Rule == RuleLimit && p.Severity == Error
		}
		if !found {
			t.Errorf("%s: no %s in %v", name, RuleLimit, problems)
		}
	}
}

// TestEntityBomb expands nothing that a document type declares.
func TestEntityBomb(t *testing.T) {
	bomb := `<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;&x;&x;"><!ENTITY z SYSTEM "file:///etc/passwd">]>`
	f, problems := Parse("x", []byte(bomb+strings.NewReplacer(`name="Set"`, `name="&y;"`, `description="d"`, `description="&z;"`).Replace(small(""))))
	if set := f.Providers[0].Sets[0]; set.Name.Value != "&y;" || set.Description.Value != "&z;" || Valid(problems) {
		t.Errorf("read %+v with %v", set, problems)
	}
}

// TestManyProblems lists a bounded number of them, and still says that the
// manifest is not valid.
func TestManyProblems(t *testing.T) {
	warnings := strings.Repeat(`<counter id="1" uri="" type="perf_counter_text" detailLevel="standard" a="" b="" c=""/>`, 2*MaxProblems)
	_, problems := Parse("x", []byte(small(warnings)))
	if n := len(problems); n != 2*(MaxProblems+1) || Valid(problems) {
		t.Errorf("%d problems, want %d", n, 2*(MaxProblems+1))
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"testdata/user.man", "testdata/kernel.man"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, c := range brokenUser {
		f.Add([]byte(small(strings.Replace(c.new, mark, "", 1))))
	}
	f.Add([]byte(strings.Repeat("<a>", 2*MaxDepth)))
	f.Add([]byte("<!DOCTYPE a [<!ENTITY b '&b;&b;'>]><counters a=\"&b;\"/>"))
	f.Add([]byte("\xFF\xFE<\x00a\x00/\x00>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, problems := Parse("x", data)
		lines := 1 + strings.Count(string(data), "\n") // UTF-16 has no more of them
		last := Position{1, 1}
		for _, p := range problems {
			if p.Line < last.Line || p.Line == last.Line && p.Column < last.Column || p.Line > lines {
				t.Errorf("%v stands before %v, or beyond line %d", p, last, lines)
			}
			if last = (Position{p.Line, p.Column}); p.Rule == "" || p.Message == "" || !utf8.ValidString(p.String()) {
				t.Errorf("problem %+v", p)
			}
		}
		if len(problems) > 2*(MaxProblems+1) {
			t.Errorf("%d problems", len(problems))
		}
		counters := countCounters(file)
		if most := len(data) / len("<counter/>"); counters > most {
			t.Errorf("%d counters in %d bytes", counters, len(data))
		}
		for _, set := range file.Catalogue() {
			counters -= len(set.Counters)
		}
		if counters < 0 || counters > 0 && Valid(problems) {
			t.Errorf("%d counters more in the manifest than in its catalogue", counters)
		}
		exercise(file)
	})
}

// large is a valid manifest of at least n bytes.
func large(n int) []byte {
	var b strings.Builder
	for i := 1; b.Len() < n; i++ {
		fmt.Fprintf(&b, `
          <counter
              id="%[1]d"
              uri="Example.Kiln.Oven.Counter%[1]d"
              symbol="KILN_OVEN_COUNTER_%[1]d"
              name="Counter %[1]d of the oven"
              description="What the counter %[1]d of the oven shows, in the usual number of words."
              type="perf_counter_large_rawcount"
              aggregate="sum"
              detailLevel="standard"
              defaultScale="0">
            <counterAttributes>
              <counterAttribute name="reference" />
            </counterAttributes>
          </counter>`, i)
	}
	return []byte(small(b.String()))
}

func BenchmarkParse600KB(b *testing.B) {
	data := large(600_000)
	if _, problems := Parse("x", data); len(problems) != 0 {
		b.Fatal(problems)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		Parse("x", data)
	}
}

// BenchmarkHostile reads texts that are made to take long: each must stay near
// the speed of a good manifest.
func BenchmarkHostile(b *testing.B) {
	for name, text := range map[string]string{
		"instructions": "<?xml?>", "comments": "<!---->", "references": "&a;", "entities": "&",
		"attributes": "<a " + strings.Repeat("q='' ", MaxAttributes) + "/>", "text": "x<a/>",
	} {
		data := []byte(small(strings.Repeat(text, (1<<20)/len(text))))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				Parse("x", data)
			}
		})
	}
}
