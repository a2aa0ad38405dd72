package windowscli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdeck/session/recording/collectorset/sets"
)

func printed(t *testing.T, f Frame, own *sets.Sets) (string, error) {
	t.Helper()
	var b bytes.Buffer
	err := f.Print(t.Context(), &b, Stores{Own: own, User: "ana"})
	return b.String(), err
}

// Files are told of with when they have samples, all together.
func TestFramesOfRecordings(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for _, day := range []string{"02", "01"} {
		name := filepath.Join(dir, day+".csv")
		text := "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\W\\A\\B\"\r\n\"03/" + day + "/2026 10:00:00.000\",\"1\"\r\n"
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	text, err := printed(t, Frame{Shows: Inputs, Names: names}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{names[0] + " (CSV)\n", names[1] + " (CSV)\n", "Begin:    3/1/2026 10:00:00\n", "End:      3/2/2026 10:00:00\n", "Samples:  2\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if text, err := printed(t, Frame{Shows: Output, Names: names[:1]}, nil); err != nil || !strings.Contains(text, "File:     "+names[0]) || !strings.Contains(text, "Samples:  1\n") {
		t.Errorf("output: %v\n%s", err, text)
	}
	if _, err := printed(t, Frame{Shows: Inputs, Names: []string{filepath.Join(dir, "none.csv")}}, nil); err == nil {
		t.Error("a file that is not there is told of")
	}
}

// A set that cannot be read is in the list, and an error by its name.
func TestFramesOfSets(t *testing.T) {
	dir := t.TempDir()
	own := sets.New(sets.Options{StateDir: func() (string, error) { return dir, nil }})
	for _, name := range []string{"web", "broken"} {
		set, err := own.Decode("x", []byte(`<DataCollectorSet><Name>`+name+`</Name><PerformanceCounterDataCollector><Name>A</Name><Counter>\A\B</Counter></PerformanceCounterDataCollector></DataCollectorSet>`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := own.Import(set, sets.Import{File: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "sets", "broken*.xml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no file of the set: %v", err)
	}
	for _, file := range files {
		if err := os.WriteFile(file, []byte("<x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := printed(t, Frame{Shows: Sets}, own)
	if err != nil || !strings.Contains(text, "Stopped") || !strings.Contains(text, "Undefined") {
		t.Errorf("all: %v\n%s", err, text)
	}
	if text, err := printed(t, Frame{Shows: Sets, Names: []string{"web"}}, own); err != nil || !strings.Contains(text, "ana") || !strings.Contains(text, `\A\B`) {
		t.Errorf("web: %v\n%s", err, text)
	}
	for _, name := range []string{"broken", "none"} {
		if _, err := printed(t, Frame{Shows: Sets, Names: []string{name}}, own); err == nil {
			t.Errorf("%s is told of", name)
		}
	}
}
