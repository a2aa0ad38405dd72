package tables

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdeck/session/recording/collectorset/sets"
	"perfdeck/session/text"
)

// setWith is a set whose report has such a schema.
func setWith(t *testing.T, schema string) *sets.Set {
	t.Helper()
	dir := t.TempDir()
	all := sets.New(sets.Options{StateDir: func() (string, error) { return dir, nil }})
	set, err := all.Decode("x.xml", []byte(`<DataCollectorSet><Name>x</Name>
<PerformanceCounterDataCollector><Name>A</Name><Counter>\Memory\Available Bytes</Counter></PerformanceCounterDataCollector>
<DataManager><ReportSchema>`+schema+`</ReportSchema></DataManager></DataCollectorSet>`))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

const someTables = `<Report name="r"><Section name="Disks"><CounterTable name="busy" topic="d" object="Disk" threshold="1"><Exclude counter="i/cache*/"/></CounterTable>
<CounterTable name="more" topic="m" object="Memory" level="2"/><CounterTable name="none" topic="n" object="Nothing"/></Section></Report>`

// recording has two samples of two disks and of memory.
func recording(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.csv")
	text := `"(PDH-CSV 4.0) (UTC)(0)","\\W\Disk(a)\Busy","\\W\Disk(b)\Busy","\\W\Disk(a)\Cached","\\W\Memory\Free"` + "\r\n" +
		`"03/02/2026 10:00:00.000","1","5","9","7"` + "\r\n" + `"03/02/2026 10:00:01.000","3","5","9","8"` + "\r\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func written(t *testing.T, level int, asJSON bool) string {
	t.Helper()
	all, err := Of(t.Context(), setWith(t, someTables), []string{recording(t)})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := all.Write(text.Plain(&b), level, asJSON); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Text shows so many rows as a table says and tells of the rest; JSON has all.
func TestTablesAreWritten(t *testing.T) {
	text := written(t, 1, false)
	for _, want := range []string{"Disks: busy\n", "  counter machine instance mean", "and 1 more\n", "no counters of Nothing\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "Cached") || strings.Contains(text, "Free") {
		t.Errorf("what is left out, or of a higher level, is in\n%s", text)
	}
	if text := written(t, 2, false); !strings.Contains(text, "Free") {
		t.Errorf("level 2:\n%s", text)
	}
	rows := strings.Split(strings.TrimSpace(written(t, 1, true)), "\n")
	if len(rows) != 2 || rows[0] != `{"section":"Disks","table":"busy","counter":"Busy","machine":"W","instance":"a","mean":2,"min":1,"max":3}` {
		t.Errorf("JSON: %q", rows)
	}
}

// What there is nothing to print of is an error, and so is a file that is none.
func TestNoTables(t *testing.T) {
	file := recording(t)
	for name, c := range map[string]struct {
		schema string
		files  []string
	}{
		"no tables": {"", []string{file}},
		"no run":    {someTables, nil},
		"no file":   {someTables, []string{filepath.Join(t.TempDir(), "none.csv")}},
		"wrong":     {`<Report name="r"><Section name="s"><CounterTable name="x" topic="y" object="z" level="nine"/></Section></Report>`, []string{file}},
	} {
		if _, err := Of(t.Context(), setWith(t, c.schema), c.files); err == nil || !strings.Contains(err.Error(), "set x") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
