package paths

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"
)

// readTable reads a table of testdata: a map from column to text for each row.
func readTable(t *testing.T, name string) []map[string]string {
	t.Helper()
	lines := readLines(t, name)
	columns := strings.Split(lines[0], "\t")
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range strings.Split(line, "\t") {
			row[columns[i]] = strings.ReplaceAll(cell, "<TAB>", "\t")
		}
		rows = append(rows, row)
	}
	return rows
}

func readLines(t *testing.T, name string) []string {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines []string
	scan := bufio.NewScanner(f)
	for scan.Scan() {
		lines = append(lines, scan.Text())
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestPathVectors(t *testing.T) {
	rows := readTable(t, "paths.tsv")
	if len(rows) < 120 {
		t.Fatalf("only %d rows", len(rows))
	}
	for _, row := range rows {
		input := row["input"]
		p, err := Parse(input)
		if row["valid"] != "yes" {
			checkFault(t, input, err, row["reason_source"])
			continue
		}
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		index := strings.TrimLeft(row["index"], "0")
		wild := strings.TrimSuffix(row["wildcard"], "no")
		for what, pair := range map[string][2]string{
			"computer": {p.Computer, row["computer"]},
			"object":   {p.Object, row["object"]},
			"parent":   {p.Parent, row["parent"]},
			"instance": {p.Instance, row["instance"]},
			"index":    {string(p.Index), index},
			"counter":  {p.Counter, row["counter"]},
			"wildcard": {p.Wildcard().String(), wild},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: %s is %q, want %q", input, what, pair[0], pair[1])
			}
		}
		want := strings.Replace(input, "#"+row["index"], "#"+index, 1)
		if got := p.String(); got != want {
			t.Errorf("%s: prints as %s", input, got)
		}
	}
}

// checkFault checks an error against the reason of a vector, which begins with
// the name of the code where a source gives one.
func checkFault(t *testing.T, input string, err error, reason string) {
	t.Helper()
	fault := parseError(t, input, err)
	if fault == nil {
		return
	}
	if strings.HasPrefix(reason, "PDH_") && !strings.HasPrefix(reason, fault.Code.String()) {
		t.Errorf("%s: code %v, want that of %q", input, fault.Code, reason)
	}
}

func TestRealPathsRoundTrip(t *testing.T) {
	lines := readLines(t, "real_paths.txt")
	if len(lines) != 4000 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, line := range lines {
		p, err := Parse(line)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if got := p.String(); got != line {
			t.Errorf("%s prints as %s", line, got)
		}
	}
}

func TestAlertVectors(t *testing.T) {
	for _, row := range readTable(t, "alerts.tsv") {
		a, err := ParseAlert(row["input"])
		if row["op"] == "" {
			parseError(t, row["input"], err)
			continue
		}
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		limit, err := strconv.ParseFloat(row["value"], 64)
		if err != nil {
			t.Fatal(err)
		}
		if a.Path.String() != row["path"] || a.Op.String() != row["op"] || a.Limit != limit {
			t.Errorf("%s: %s %v %v", row["input"], a.Path, a.Op, a.Limit)
		}
	}
}
