package manifest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// productFindings are the rules that the manifests of testdata/products break;
// those that are not here break none.
var productFindings = map[string][]string{
	"cache":       {RulePath}, // once, though the set has seven shown counters
	"mailflow":    {RuleStringTable, RuleStringTable, RuleStringTable},
	"netdriver":   {RuleDisplayConflict},
	"newer":       {RuleVersion},
	"unversioned": {RuleVersion},
}

// TestProducts reads manifests built as products build theirs: with events
// beside the counters, prefixes, comments, string tables, other encodings, all
// versions, both modes and every companion.
func TestProducts(t *testing.T) {
	names, err := filepath.Glob("testdata/products/*.man")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d manifests, %v", len(names), err)
	}
	var files []*File
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, problems := Parse(name, data)
		files = append(files, f)
		product := strings.TrimSuffix(filepath.Base(name), ".man")
		if got := rulesOf(problems); !slices.Equal(got, productFindings[product]) {
			t.Errorf("%s: %v", name, problems)
		}
		if !Valid(problems) {
			t.Errorf("%s: %v", name, problems)
		}
		checkCatalogue(t, f, countCounters(f))
	}
	if problems := CheckTogether(files); len(problems) != 0 {
		t.Error(problems)
	}
}

// TestProductPaths holds names to come through references, string tables and
// encodings as they are meant.
func TestProductPaths(t *testing.T) {
	for product, want := range map[string]string{
		"archive-1252":    `\Archiv – Hof(*)\Bänder/s`,
		"archive-utf16be": `\Archiv – Keller(*)\Bänder/s`,
		"database":        `\QSQL$BLUE:Batch Resp Statistics(*)\Batches >=000001ms & <000002ms`,
		"foreign":         `\Harbor Ships\Ships In`,
		"gpu":             `\Prism GPU Engine(*)\Packets/frame #`,
		"mailflow":        `\Courier Queues(*)\Length`,
		"prefixed":        `\Ledger Book\Entries/sec`,
		"runtime":         `\Loom CLR Memory(*)\# Gen 0 Collections`,
	} {
		data, err := os.ReadFile("testdata/products/" + product + ".man")
		if err != nil {
			t.Fatal(err)
		}
		f, _ := Parse(product, data)
		if all := f.Paths(false); !slices.Contains(all, want) {
			t.Errorf("%s: %s is not in %q", product, want, all)
		}
		for _, path := range f.Paths(true) {
			if strings.HasSuffix(path, `\`) {
				t.Errorf("%s: %s", product, path)
			}
		}
	}
}
