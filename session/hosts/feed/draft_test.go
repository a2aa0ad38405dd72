package feed

import (
	"strings"
	"testing"

	"perfdeck/session/hosts/manifest"
)

func anyGUID(string) string { return "{0D2C1E0A-5E1B-4A53-8B0C-2D3C6A5C9F12}" }

// Wrong lines are counted and passed over, and the first of them told.
func TestDraftOfLines(t *testing.T) {
	d := Draft{Provider: "Acme"}
	var told []int
	text := `{"set":"Queue","instance":"mail","Length":3}` + "\n# nothing\n" + strings.Repeat("{\n", 7) + "acme_jobs_total 1\n"
	wrong, err := d.AddAll(strings.NewReader(text), func(line int, _ error) { told = append(told, line) })
	if err != nil || wrong != 7 || len(told) != 5 || told[0] != 3 {
		t.Errorf("%d wrong, told of %v, %v", wrong, told, err)
	}
	guesses := strings.Join(d.Guesses(), "\n")
	if len(d.Guesses()) != 2 || !strings.Contains(guesses, `\Queue(*)\Length  perf_`) {
		t.Errorf("guesses:\n%s", guesses)
	}
	if wrong, err := d.AddAll(strings.NewReader(strings.Repeat("x", 2*MaxLine)), func(int, error) {}); err == nil && wrong == 0 {
		t.Error("a line without end is taken")
	}
}

// What tells of no counter makes no manifest, and one that is not valid says what is wrong.
func TestDraftOfNothing(t *testing.T) {
	var d Draft
	if text, problems, err := d.Manifest(anyGUID); err == nil || text != nil || problems != nil {
		t.Errorf("of no lines: %q, %v, %v", text, problems, err)
	}
	d = Draft{Provider: "Acme"}
	if err := d.Add([]byte(`{"set":"Queue","Length":3}`)); err != nil {
		t.Fatal(err)
	}
	if text, problems, err := d.Manifest(func(string) string { return "none" }); err == nil || text != nil || manifest.Valid(problems) {
		t.Errorf("without a GUID: %q, %v, %v", text, problems, err)
	}
	guids := strings.NewReplacer("Acme/Queue", anyGUID(""), "Acme", "{51D1685C-35ED-45BE-99FE-17261A4F27F4}")
	text, problems, err := d.Manifest(guids.Replace)
	if err != nil || problems != nil {
		t.Fatalf("%v, %v", problems, err)
	}
	if file, _ := manifest.Parse("x", text); len(file.Catalogue()) != 1 {
		t.Errorf("declares %d countersets", len(file.Catalogue()))
	}
}
