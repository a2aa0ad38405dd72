package manifest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"perfdeck/session/system/sharedtest"
)

// TestRealManifests holds every manifest of real products to be valid: the
// rules must not be stricter than what is in use.
func TestRealManifests(t *testing.T) {
	names, _ := filepath.Glob(filepath.Join(sharedtest.Path(t, "data/manifests"), "*.man"))
	if len(names) == 0 {
		t.Fatal("no manifests")
	}
	var files []*File
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, problems := Parse(name, data)
		files = append(files, f)
		for _, p := range problems {
			t.Error(p) // these have not even warnings
		}
		counters := strings.Count(string(data), "<counter\n") + strings.Count(string(data), "<counter ")
		if got := countCounters(f); got != counters {
			t.Errorf("%s: %d counters, the text has %d", name, got, counters)
		}
		checkCatalogue(t, f, counters)
	}
	if problems := CheckTogether(files); !Valid(problems) {
		t.Error(problems)
	}
}

// TestSchemaSamples reads both samples of the schema page.
func TestSchemaSamples(t *testing.T) {
	page := sharedtest.Read(t, "specs/counter-manifest-schema.txt")
	samples := strings.Split(page, `<?xml version="1.0"?>`)[1:]
	if len(samples) != 2 {
		t.Fatalf("%d samples, want 2", len(samples))
	}
	for i, sample := range samples {
		const end = "</instrumentationManifest>"
		text := sample[:strings.Index(sample, end)+len(end)]
		f, problems := Parse("sample.man", []byte(text))
		checkSample(t, f, problems, i == 1)
	}
}

// TestOwnSamples reads manifests of our own that are built as those of the page.
func TestOwnSamples(t *testing.T) {
	for i, name := range []string{"testdata/user.man", "testdata/kernel.man"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, problems := Parse(name, data)
		checkSample(t, f, problems, i == 1)
	}
}

// checkSample looks at what the samples of the page have in common with ours.
func checkSample(t *testing.T, f *File, problems []Problem, kernel bool) {
	t.Helper()
	if got := rulesOf(problems); !slices.Equal(got, []string{RuleDisplayConflict}) || !Valid(problems) {
		t.Errorf("problems %v, want one %s", problems, RuleDisplayConflict)
	}
	if f.SchemaVersion != "2.0" || len(f.Providers) != 1 || (f.Providers[0].Type == kernelModeWord) != kernel || len(f.Providers[0].Sets) != 2 {
		t.Fatalf("read as %+v", f)
	}
	if got := countCounters(f); got != 8 {
		t.Errorf("%d counters, want 8", got)
	}
	if structs := len(f.Providers[0].Sets[0].Structs); structs != 1 && kernel || structs != 0 && !kernel {
		t.Errorf("%d structs, kernel mode is %v", structs, kernel)
	}
	if shown, all := len(f.Paths(false)), len(f.Paths(true)); shown != 5 || all != 5 {
		t.Errorf("%d and %d paths, want 5: the hidden counters have no names", shown, all)
	}
}

func rulesOf(problems []Problem) []string {
	var rules []string
	for _, p := range problems {
		rules = append(rules, p.Rule)
	}
	return rules
}

func countCounters(f *File) int {
	n := 0
	for _, p := range f.Providers {
		for _, set := range p.Sets {
			n += len(set.Counters)
		}
	}
	return n
}

// checkCatalogue holds a valid manifest to lose nothing on its way into the
// catalogue.
func checkCatalogue(t *testing.T, f *File, counters int) {
	t.Helper()
	for _, set := range f.Catalogue() {
		counters -= len(set.Counters)
		for i, c := range set.Counters {
			if at, ok := set.Counter(c.Name); c.Name != "" && (!ok || at != i) {
				t.Errorf("%s: %s is not found by its name", set.Name, c.Name)
			}
		}
	}
	if counters != 0 {
		t.Errorf("%s: %d counters are missing in the catalogue", f.Name, counters)
	}
}
