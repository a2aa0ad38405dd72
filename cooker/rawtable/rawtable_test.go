package rawtable_test

import (
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/cooker/rawtable"
)

// A row has its type by name or code, and its line; what is wrong with one leaves the others.
func TestRows(t *testing.T) {
	table, err := rawtable.New(strings.NewReader("\uFEFFtype_name\ttype_hex\tc0\tc1\tmore\n\n" +
		"PERF_COUNTER_DELTA\t\t1\t\"3\"\tx\n\t0x400400\t5\t6\nPERF_COUNTER_DELTA\t0x400400\tno\t1\n\t\t1\t2\nPERF_COUNTER_TEXT\t\t\tready\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for table.Next() {
		row, err := table.Row()
		switch {
		case err != nil:
			got = append(got, "wrong")
		case row.Type.IsText():
			got = append(got, table.TypeName(row.Type)+" "+row.Text)
		default:
			got = append(got, table.TypeName(row.Type)+" "+string(cooker.AppendMachine(nil, row.Cook(nil))))
		}
	}
	want := []string{"PERF_COUNTER_DELTA 2", "PERF_COUNTER_DELTA 1", "wrong", "wrong", "PERF_COUNTER_TEXT ready"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || table.Line() != 7 || table.Err() != nil {
		t.Errorf("%q, want %q; line %d, %v", got, want, table.Line(), table.Err())
	}
	for _, text := range []string{"", "\n\n", "c0\tc1\n", "type_hex\tc0\n"} {
		if _, err := rawtable.New(strings.NewReader(text)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func FuzzRawTable(f *testing.F) {
	f.Add("type_name\tc0\tc1\nPERF_COUNTER_DELTA\t1\t2\n")
	f.Add("\uFEFFtype_hex\tc1\r\n0x10410400\t-1\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := rawtable.New(strings.NewReader(text))
		if err != nil {
			return
		}
		for table.Next() {
			row, err := table.Row()
			if err != nil {
				continue
			}
			v := row.Cook(nil)
			if v.Valid() && v.HasNumber() && len(cooker.AppendMachine(nil, v)) == 0 {
				t.Errorf("line %d of %q has no value", table.Line(), text)
			}
		}
	})
}
