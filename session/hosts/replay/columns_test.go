package replay

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/sharedtest"
)

func columnsNamed(names ...string) []logs.Column {
	var out []logs.Column
	for _, name := range names {
		out = append(out, logs.Column{Path: name})
	}
	return out
}

// describe writes catalogues down: host, set and its kind, counters, instances.
func describe(hosts []*hostColumns) string {
	var b strings.Builder
	for _, h := range hosts {
		fmt.Fprintf(&b, "%s:", h.name)
		for _, set := range h.cat.Sets {
			kind := "one"
			if set.Instances.Multiple() {
				kind = "many"
			}
			fmt.Fprintf(&b, " [%s %s", set.Name, kind)
			for i := range set.Counters {
				fmt.Fprintf(&b, " %q", set.Counters[i].Name)
			}
			s := h.sets[set]
			for i, in := range s.instances {
				fmt.Fprintf(&b, " (%s/%s#%d %d", in.Key.Parent, in.Key.Name, in.Index, in.Flags)
				for _, c := range s.cells[i] {
					fmt.Fprintf(&b, " %d=%d", c.counter, c.column)
				}
				b.WriteString(")")
			}
			b.WriteString("]")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestCatalogueOfColumns(t *testing.T) {
	for _, test := range []struct {
		name    string
		columns []string
		want    string
	}{
		{"sets", []string{`\\a\Memory\Pages/sec`, `\\a\Disk(0 C:)\Reads/sec`, `\\a\memory\Available MBytes`},
			`a: [Memory one "Pages/sec" "Available MBytes" (/#0 0 0=0 1=2)] [Disk many "Reads/sec" (/0 C:#0 0 0=1)]` + "\n"},
		{"two hosts, any case", []string{`\\A\S\c`, `\\b\S\c`, `\\a\S\d`},
			`A: [S one "c" "d" (/#0 0 0=0 1=2)]` + "\n" + `b: [S one "c" (/#0 0 0=1)]` + "\n"},
		{"parents, #n, totals", []string{`\\a\Thread(web/3)\t`, `\\a\Thread(web/3#2)\t`, `\\a\Thread(_Total)\t`, `\\a\Process(Idle)\t`},
			`a: [Thread many "t" (web/3#0 0 0=0) (web/3#2 0 0=1) (/_Total#0 1 0=2)] [Process many "t" (/Idle#0 2 0=3)]` + "\n"},
		{"the same path twice", []string{`\\a\S(x)\c`, `\\a\s(X)\C`}, `a: [S many "c" (/x#0 0 0=0 0=1)]` + "\n"},
		{"in another order", []string{`\\a\S(x)\c`, `\\a\S(x)\d`, `\\a\S(y)\d`, `\\a\S(y)\c`}, `a: [S many "c" "d" (/x#0 0 0=0 1=1) (/y#0 0 0=3 1=2)]` + "\n"},
		{"with and without instance", []string{`\\a\S\c`, `\\a\S(x)\c`}, `a: [S one "c" (/#0 0 0=0)] [S many "c" (/x#0 0 0=1)]` + "\n"},
		{"no computer, no path", []string{`\S\c`, `Temperature`, ``}, `night: [S one "c" (/#0 0 0=0)] [Other columns one "Temperature" "" (/#0 0 0=1 1=2)]` + "\n"},
	} {
		if got := describe(hostsOf(columnsNamed(test.columns...), "night", "")); got != test.want {
			t.Errorf("%s:\n%swant\n%s", test.name, got, test.want)
		}
	}
}

// What a recording says of types is taken over; where it says nothing values are
// shown as they are.
func TestTypesOfColumns(t *testing.T) {
	columns := columnsNamed(`\\a\S(x)\Bytes/sec`, `\\a\S(y)\Bytes/sec`, `\\a\S(x)\% Busy Time`, `\\a\S(x)\Elapsed Time`)
	columns[1].TypeKnown, columns[1].Type, columns[1].DefaultScale = true, cooker.CounterBulkCount, -40
	set := hostsOf(columns, "", "")[0].cat.Sets[0]
	if c := set.Counters[0]; c.Type != cooker.CounterBulkCount || c.DefaultScale != -10 || c.Quantity.Kind != cooker.BytesPerSecond || c.Description != "" {
		t.Errorf("%+v", c)
	}
	if c := set.Counters[1]; c.Type != gauge || c.Quantity.Kind != cooker.Percent || c.Description == "" {
		t.Errorf("%+v", c)
	}
	if c := set.Counters[2]; c.Quantity.Kind != cooker.Seconds {
		t.Errorf("%+v", c)
	}
}

// Every column of a recording can be found by its own path.
// A recording without types tells texts by what it has of them.
func TestTextsOfUntypedColumns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	lines := []string{`"(PDH-CSV 4.0) (UTC)(0)","\\h\Set(a)\State","\\h\Set(a)\Load","\\h\Set(a)\Mixed"`,
		`"01/02/2026 03:04:05.000"," ","1","2"`, `"01/02/2026 03:04:06.000","paused","3","now"`, `"01/02/2026 03:04:07.000","busy ""x""","3","5"`}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\r\n")+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	playing(t, Options{}, []string{file}, func(r *rig) {
		h := r.Hosts()[0]
		askAll(h)
		set := h.Catalogue().Sets[0]
		for name, want := range map[string]bool{"State": true, "Load": false, "Mixed": false} {
			if i, ok := set.Counter(name); !ok || set.Counters[i].Type.IsText() != want {
				t.Errorf("%s: %v", name, set.Counters[i].Type)
			}
		}
		state, _ := set.Counter("State")
		for second, want := range []string{"", "paused", `busy "x"`} {
			view := r.at(h, time.Date(2026, 1, 2, 3, 4, 5+second, 0, time.UTC)).Sets[0]
			if text, ok := view.Value(0, view.Column(state)).Text(); text != want || ok != (want != "") {
				t.Errorf("after %d seconds: %q, want %q", second, text, want)
			}
		}
	})
}

func TestColumnsAreFoundByTheirPaths(t *testing.T) {
	_, rows := readRows(t, sharedtest.Path(t, "data/pdhtext/PowerShell_PowerShell__CounterSamples.csv"))
	h, _ := readRows(t, sharedtest.Path(t, "data/pdhtext/PowerShell_PowerShell__CounterSamples.csv"))
	host := hostsOf(h.Columns, "", "")[0]
	if len(rows) == 0 || host.name != "charlieparker" {
		t.Fatalf("%d rows of %s", len(rows), host.name)
	}
	for i, c := range h.Columns {
		path, err := paths.Parse(c.Path)
		if err != nil {
			t.Fatal(err)
		}
		path.Computer = ""
		found, err := host.cat.Resolve(path.String(), paths.Options{})
		if err != nil || len(found) != 1 || len(found[0].Counters) != 1 {
			t.Errorf("%s: %v %v", c.Path, found, err)
			continue
		}
		s := host.sets[found[0].Set]
		at := slices.IndexFunc(s.instances, func(in session.Instance) bool { return found[0].Matches(&in) })
		if cells := s.of(at, found[0].Counters[0]); len(cells) != 1 || int(cells[0].column) != i {
			t.Errorf("%s: cells %v", c.Path, cells)
		}
		if again := session.PathOf(host.name, found[0].Set, found[0].Counters[0], &s.instances[at]).String(); again != c.Path {
			t.Errorf("%s became %s", c.Path, again)
		}
	}
}

// FuzzColumns makes catalogues of hostile names. Every column has one place, and
// plans can be made of it.
func FuzzColumns(f *testing.F) {
	f.Add("\\\\a\\S(x#1)\\c\n\\\\a\\S\\c\n\\a\\b")
	f.Add("\\\\\\\\\n((((\n\\\\a\\S(x#*)\\c\n\\\\a\\S(x#18446744073709551616)\\c\n\\\\a\\S(\x1b[2J/\u202e)\\\x00")
	f.Add(strings.Repeat("\\\\h\\o("+strings.Repeat("(", 500)+strings.Repeat(")", 500)+")\\c\n", 3))
	f.Add("\\\\\xff\xfe\\S(*)\\*\n\\\\K\\S(\u212a)\\\u017f\n\\\\k\\s(K)\\S")
	f.Fuzz(func(t *testing.T, text string) {
		names := strings.Split(text, "\n")
		if len(names) > 200 {
			return
		}
		placed := make([]int, len(names))
		for _, h := range hostsOf(columnsNamed(names...), "file", "") {
			tr := &track{columns: h}
			var asks []session.Ask
			for _, set := range h.cat.Sets {
				s := h.sets[set]
				if len(s.instances) != len(s.cells) || len(set.Counters) > len(names) {
					t.Fatalf("%s: %d instances, %d rows of cells, %d counters", set.Name, len(s.instances), len(s.cells), len(set.Counters))
				}
				a := session.Ask{Set: set}
				for i := range set.Counters {
					a.Counters = append(a.Counters, i)
				}
				asks = append(asks, a)
				for i := range s.cells {
					for c := range set.Counters {
						for _, cell := range s.of(i, c) {
							placed[cell.column]++
						}
					}
				}
			}
			wanted := map[int]bool{}
			tr.ask(asks)
			for _, p := range tr.plans {
				columns, _ := p.columns(nil)
				for _, c := range columns {
					wanted[c] = true
				}
			}
			if len(wanted) == 0 {
				t.Fatalf("%s: nothing is wanted", h.name)
			}
			_ = describe([]*hostColumns{h})
		}
		for i, n := range placed {
			if n != 1 {
				t.Fatalf("column %q has %d places", names[i], n)
			}
		}
	})
}

// TestAttributesOfColumns: counters are shown as the recording says, but none is hidden that
// was recorded.
func TestAttributesOfColumns(t *testing.T) {
	columns := columnsNamed(`\\h\O\hex`, `\\h\O\hidden`, `\\h\O\plain`)
	columns[0].Attributes, columns[1].Attributes = cooker.DisplayHex, cooker.NoDisplay|cooker.DisplayReal
	counters := hostsOf(columns, "", "")[0].cat.Sets[0].Counters
	for i, want := range []cooker.Attributes{cooker.DisplayHex, cooker.DisplayReal, 0} {
		if counters[i].Attributes != want {
			t.Errorf("%s: attributes %v, want %v", counters[i].Name, counters[i].Attributes, want)
		}
	}
}
