package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// readTable reads a tab separated file with a header.
func readTable(t *testing.T, name string) []map[string]string {
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
		line := map[string]string{}
		for i, field := range record {
			line[records[0][i]] = field
		}
		table = append(table, line)
	}
	return table
}

// jsonLinesOf decodes one object a line.
func jsonLinesOf(t *testing.T, text string) []map[string]any {
	t.Helper()
	var out []map[string]any
	for line := range strings.Lines(text) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		out = append(out, object)
	}
	return out
}

func TestPathVectors(t *testing.T) {
	table := readTable(t, "../../paths/testdata/paths.tsv")
	args, stdin := []string{"path", "--"}, ""
	for _, row := range table {
		args = append(args, row["input"])
		stdin += row["input"] + "\r\n"
	}
	fromArgs, _, code := perfdeck(t, "", args...)
	fromStdin, _, _ := perfdeck(t, stdin, "path")
	if fromArgs != fromStdin {
		t.Error("arguments and standard input give different objects")
	}
	if code != exitFailed {
		t.Errorf("exit code %d with invalid paths, want 1", code)
	}
	objects := jsonLinesOf(t, fromArgs)
	if len(objects) != len(table) {
		t.Fatalf("%d objects for %d paths", len(objects), len(table))
	}
	for i, row := range table {
		got := objects[i]
		if got["input"] != row["input"] || got["valid"] != (row["valid"] == "yes") {
			t.Errorf("%s: valid %v, want %s", row["input"], got["valid"], row["valid"])
			continue
		}
		if (got["error"] == "") != (row["valid"] == "yes") {
			t.Errorf("%s: error %q", row["input"], got["error"])
		}
		row["wildcard"] = strings.TrimPrefix(row["wildcard"], "no")
		for _, key := range []string{"computer", "object", "parent", "instance", "index", "counter", "wildcard"} {
			want := row[key]
			if key == "index" {
				want = strings.TrimLeft(want, "0")
			}
			if got[key] != want {
				t.Errorf("%s: %s %q, want %q", row["input"], key, got[key], want)
			}
		}
	}
}

func TestAlertVectors(t *testing.T) {
	for _, row := range readTable(t, "../../paths/testdata/alerts.tsv") {
		out, _, code := perfdeck(t, "", "path", "--alert", "--", row["input"])
		got := jsonLinesOf(t, out)[0]
		if row["op"] == "" {
			if got["valid"] != false || got["value"] != nil || code != exitFailed {
				t.Errorf("%s: %v, exit code %d, want invalid", row["input"], got, code)
			}
			continue
		}
		want, err := strconv.ParseFloat(row["value"], 64)
		if err != nil {
			t.Fatal(err)
		}
		if got["canonical"] != row["path"] || got["op"] != row["op"] || got["value"] != want || code != exitDone {
			t.Errorf("%s: %v, exit code %d", row["input"], got, code)
		}
	}
}

func TestCookVectors(t *testing.T) {
	cookVectors(t, "../../cooker/testdata/cooking.tsv")
	cookVectors(t, "../../cooker/testdata/cooking-cap100.tsv", "--cap100")
}

func cookVectors(t *testing.T, name string, flags ...string) {
	t.Helper()
	table := readTable(t, name)
	out, stderr, code := perfdeck(t, "", append([]string{"cook", name}, flags...)...)
	if code != exitDone || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != len(table) {
		t.Fatalf("%d lines for %d rows", len(lines), len(table))
	}
	for i, row := range table {
		got := strings.Split(lines[i], "\t")
		if len(got) != 3 || got[0] != row["type_name"] || got[2] != row["expected_status"] {
			t.Errorf("row %d %s: %q, want status %s", i+2, row["type_name"], lines[i], row["expected_status"])
			continue
		}
		if !sameNumber(got[1], row["expected_value"]) {
			t.Errorf("row %d %s: value %s, want %s", i+2, row["type_name"], got[1], row["expected_value"])
		}
	}
}

// sameNumber allows the last bits of a division to differ.
func sameNumber(a, b string) bool {
	if a == b || a == "" || b == "" {
		return a == b
	}
	x, _ := strconv.ParseFloat(a, 64)
	y, _ := strconv.ParseFloat(b, 64)
	return math.Abs(x-y) <= 1e-13*math.Abs(y)
}

// TestCookColumns gives the same table in another order, without the columns of
// what is expected, with a byte order mark and CRLF.
func TestCookColumns(t *testing.T) {
	table := readTable(t, "../../cooker/testdata/cooking.tsv")
	columns := []string{"perf100ns1", "c1", "type_name", "b1", "freq", "c0", "b0", "t1", "perf100ns0", "t0"}
	text := "\uFEFF" + strings.Join(columns, "\t") + "\r\n"
	for _, row := range table {
		var cells []string
		for _, c := range columns {
			cells = append(cells, row[c])
		}
		text += strings.Join(cells, "\t") + "\r\n"
	}
	got, _, _ := perfdeck(t, text, "cook")
	want, _, _ := perfdeck(t, "", "cook", "../../cooker/testdata/cooking.tsv")
	if got != want {
		t.Error("the order of the columns changes the values")
	}
}
