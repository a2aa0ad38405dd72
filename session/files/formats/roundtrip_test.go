package formats_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/sharedtest"
)

// TestRoundTrips holds that no format loses what another has.
func TestRoundTrips(t *testing.T) {
	windows := sharedtest.Path(t, "data/pdhtext/PowerShell_PowerShell__CounterSamples.csv")
	odd := formatstest.FileOf(t, "odd.csv", "\"(PDH-CSV 4.0) (Mitteleuropäische Zeit)(-60)\",\"\\\\A\\Process(a, \"\"b\"\"#1)\\% Processor Time\",\"\\\\b.corp\\Memory\\Available MBytes\","+
		"\"\\\\A\\Thread(p/0#2)\\ID Thread\",\"\\\\b.corp\\Memory\\Available MBytes\",\"no path at all\",\"a caption, \"\"quoted\"\"\"\r\n"+
		"\"10/25/2026 02:59:59.999\",\" \",\"4112\",\"18446744073709551615\",\"-7\",\"88.359340674585567\"\r\n"+
		"\"10/25/2026 02:00:00.000\",\"0.10000000000000001\",\" \",\"9007199254740993\",\"1.0000000000000001e-005\",\"text, \"\"too\"\"\"\r\n"+
		"\"10/25/2026 02:00:00.000\",\" \",\" \",\" \",\" \",\" \"\r\n"+
		"\"10/25/2026 02:00:01.001\",\"1152921504606847000\",\"1e+020\",\"-1.5000000000000001e+300\",\"0\",\"4.9406564584124654e-324\"\r\n")
	first := func(name string) []byte { return formatstest.Content(t, formatstest.Convert(t, name, "csv")) }
	for _, from := range []string{windows, odd} {
		want := first(from)
		if from == odd && !bytes.Equal(want, formatstest.Content(t, odd)) {
			t.Errorf("csv > csv:\n%s", want)
		}
		for _, way := range []string{"sqlite tsv csv", "tsv sqlite csv", "sqlite sqlite csv", "json json csv", "json sqlite csv", "sqlite json tsv csv"} {
			name := from
			for format := range strings.FieldsSeq(way) {
				name = formatstest.Convert(t, name, format)
			}
			got := formatstest.Content(t, name)
			if strings.Contains(way, "json") { // JSON has no zone names, no captions and no order over hosts
				compareRows(t, way, from, name)
				continue
			}
			if !bytes.Equal(got, want) {
				t.Errorf("csv > %s:\n%s\nwant\n%s", way, got, want)
			}
		}
	}
}

// Texts stay texts in the formats that know types, whatever they look like.
func TestTextsStayTexts(t *testing.T) {
	h := &logs.Header{Zone: logs.Zone{Name: "UTC", Known: true}, Columns: []logs.Column{
		{Path: `\\h\Service\State`, TypeKnown: true, Type: cooker.CounterText}, {Path: `\\h\Service\Jobs`, TypeKnown: true, Type: cooker.CounterRawCount},
	}}
	texts := []string{"42", "-1e5", "", " ", "null", "say \"x\", now", "größer", strings.Repeat("long ", 300)}
	for _, format := range []string{"sqlite", "json"} {
		f, _ := formats.Named(format)
		name := filepath.Join(t.TempDir(), "texts"+f.Extensions[0])
		w, err := formats.Create(name, f, h, logs.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		for i, text := range texts {
			if err := w.WriteRow(&logs.Row{Time: at.Add(time.Duration(i) * time.Second), Values: []cooker.Value{cooker.TextValue(text), cooker.WholeValue(7)}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		_, rows, _ := formatstest.ReadAll(t, name, logs.OpenOptions{})
		if len(rows) != len(texts) {
			t.Fatalf("%s: %d rows", format, len(rows))
		}
		for i, text := range texts {
			if rows[i].Values[0] != cooker.TextValue(text) || rows[i].Values[1].IsText() {
				t.Errorf("%s: %.20q became %.20v", format, text, rows[i].Values)
			}
		}
	}
}

// compareRows compares two recordings by the names of their columns. Columns of
// one name are one in JSON.
func compareRows(t *testing.T, way, from, to string) {
	t.Helper()
	fh, fr, _ := formatstest.ReadAll(t, from, logs.OpenOptions{})
	th, tr, _ := formatstest.ReadAll(t, to, logs.OpenOptions{})
	if len(fr) != len(tr) {
		t.Errorf("%s: %d rows, want %d", way, len(tr), len(fr))
		return
	}
	for i, c := range fh.Columns {
		at := -1
		for k := range th.Columns {
			if th.Columns[k].Path == c.Path {
				at = k
			}
		}
		again := false
		for _, later := range fh.Columns[i+1:] {
			again = again || later.Path == c.Path
		}
		if at < 0 {
			t.Errorf("%s: no column %q in %v", way, c.Path, th.Columns)
			continue
		}
		for n := range fr {
			if !fr[n].Time.Equal(tr[n].Time) {
				t.Errorf("%s: row %d is of %v, want %v", way, n, tr[n].Time, fr[n].Time)
			}
			a, b := fr[n].Values[i], tr[n].Values[at]
			if x, y := string(cooker.AppendMachine(nil, a)), string(cooker.AppendMachine(nil, b)); !again && (x != y || a.Valid() != b.Valid()) {
				t.Errorf("%s: row %d, %s: %v, want %v", way, n, c.Path, b, a)
			}
		}
	}
}

// TestAttributesStay: hexadecimal counters stay so through every way of the formats that can
// carry it, to the last digit of their texts; others that are shown in their own way in SQLite.
func TestAttributesStay(t *testing.T) {
	h := &logs.Header{Zone: logs.Zone{Name: "UTC", Known: true}, Columns: []logs.Column{
		{Path: `\\h\O\plain`, TypeKnown: true, Type: cooker.CounterLargeRawCount},
		{Path: `\\h\O\hex`, TypeKnown: true, Type: cooker.CounterLargeRawCount, Attributes: cooker.DisplayHex},
		{Path: `\\h\O\short`, TypeKnown: true, Type: cooker.CounterRawCount, Attributes: cooker.DisplayHex},
		{Path: `\\h\O\typed`, TypeKnown: true, Type: cooker.CounterLargeRawCountHex},
		{Path: `\\h\O\real`, TypeKnown: true, Type: cooker.CounterRawCount, Attributes: cooker.DisplayReal},
	}}
	row := logs.Row{Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	for i := range h.Columns {
		row.Values = append(row.Values, cooker.WholeValue(uint64(40+i)))
		row.Raw = append(row.Raw, logs.Raw{Known: true, Reading: cooker.Reading{Raw: uint64(40 + i)}})
	}
	want := []string{"40", "0x0000000000000029", "0x0000002A", "0x000000000000002B", "44.000"}
	for _, way := range []string{"sqlite", "json", "sqlite sqlite", "json json", "sqlite json json", "json sqlite json", "sqlite json sqlite"} {
		name := ""
		for i, format := range strings.Fields(way) {
			if i == 0 {
				name = formatstest.Recorded(t, format, h, []logs.Row{row})
			} else {
				name = formatstest.Convert(t, name, format)
			}
		}
		header, rows, _ := formatstest.ReadAll(t, name, logs.OpenOptions{})
		if len(rows) != 1 || len(header.Columns) != len(want) {
			t.Fatalf("%s: %d rows of %d", way, len(rows), len(header.Columns))
		}
		for c := range want {
			if strings.Contains(way, "json") && !strings.HasPrefix(want[c], "0x") {
				continue
			}
			if got := string(cooker.AppendValue(nil, rows[0].Values[c], header.Columns[c].Format())); got != want[c] {
				t.Errorf("%s: %s: %s, want %s", way, header.Columns[c].Path, got, want[c])
			}
		}
	}
}
