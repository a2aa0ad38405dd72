package cooker

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"
)

// readTable reads a tab separated file with a header.
func readTable(t testing.TB, name string) []map[string]string {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comma, reader.LazyQuotes = '\t', true
	records, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var table []map[string]string
	for _, record := range records[1:] {
		line := make(map[string]string)
		for i, field := range record {
			line[records[0][i]] = field
		}
		table = append(table, line)
	}
	return table
}

func rowOf(t testing.TB, line map[string]string) Row {
	t.Helper()
	code, ok := LookupType(line["type_hex"])
	if byName, known := LookupType(line["type_name"]); !ok || !known || byName != code {
		t.Fatalf("type %s is not %s", line["type_name"], line["type_hex"])
	}
	row := Row{Type: code}
	for name, cell := range map[string]*Cell{
		"c0": &row.C0, "c1": &row.C1, "b0": &row.B0, "b1": &row.B1, "t0": &row.T0, "t1": &row.T1,
		"freq": &row.Freq, "perf100ns0": &row.Perf100ns0, "perf100ns1": &row.Perf100ns1,
	} {
		var err error
		if *cell, err = ParseCell(line[name]); err != nil {
			t.Fatal(err)
		}
	}
	return row
}

func testVectors(t *testing.T, name string, opt *Options) {
	for i, line := range readTable(t, name) {
		got := rowOf(t, line).Cook(opt)
		if got.Status().String() != line["expected_status"] {
			t.Errorf("line %d %s: status %v, want %s (%s)", i+2, line["type_name"], got.Status(), line["expected_status"], line["source_or_derivation"])
			continue
		}
		text := string(AppendMachine(nil, got))
		if (text == "") != (line["expected_value"] == "") {
			t.Errorf("line %d %s: value %q, want %q", i+2, line["type_name"], text, line["expected_value"])
			continue
		}
		if text == "" {
			continue
		}
		if got.IsWhole() {
			if text != line["expected_value"] {
				t.Errorf("line %d %s: value %s, want %s", i+2, line["type_name"], text, line["expected_value"])
			}
			continue
		}
		want, _ := strconv.ParseFloat(line["expected_value"], 64)
		f, _ := strconv.ParseFloat(text, 64)
		if math.Abs(f-want) > 1e-13*math.Abs(want) {
			t.Errorf("line %d %s: value %s, want %s", i+2, line["type_name"], text, line["expected_value"])
		}
	}
}

func TestVectors(t *testing.T) { testVectors(t, "testdata/cooking.tsv", nil) }

func TestVectorsCapped(t *testing.T) {
	testVectors(t, "testdata/cooking-cap100.tsv", &Options{Cap100: true})
}
