package config

import (
	"fmt"
	"strings"
	"testing"
)

// overrides makes rules of paths; the scale tells which one it is.
func overrides(t testing.TB, patterns ...string) *Overrides {
	var b strings.Builder
	for i, p := range patterns {
		fmt.Fprintf(&b, "[[counter]]\npath = '%s'\nscale = %d\n", p, i%20-10)
	}
	c, _, err := Parse("f", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return c.Counters
}

func TestFor(t *testing.T) {
	o := overrides(t,
		`\Memory\Available MBytes`,    // 0
		`\Mem*\Available*`,            // 1
		`\Memory\Available Bytes`,     // 2: never reached
		`\Process(*)\% *`,             // 3
		`\Thread(*/*)\ID Thread`,      // 4
		`\SQLServer:Locks(*)\Waits`,   // 5
		`\SQLServer:*(*)\* Ratio`,     // 6
		`\MSSQL$TWO:Locks(*)\Waits`,   // 7: 5 is before it
		`\memory\available mbytes`,    // 8: 0 is before it
		`\Ätzend\Größe`,               // 9
		`\*\*Queue*`,                  // 10
		`\PhysicalDisk\Avg. Queue No`, // 11: 10 is before it
	)
	for _, c := range []struct {
		object, counter string
		want            int
	}{
		{"Memory", "Available MBytes", 0},
		{"MEMORY", "AVAILABLE MBYTES", 0},
		{"Memory", "Available Bytes", 1},
		{"Memory", "Cache Bytes", -1},
		{"Process", "% Processor Time", 3},
		{"Process", "%Processor Time", -1},
		{"thread", "id thread", 4},
		{"SQLServer:Locks", "Waits", 5},
		{"MSSQL$ONE:Locks", "Waits", 5},
		{"MSSQL$TWO:Locks", "Waits", 5},
		{"MSSQL$ONE:Buffer Manager", "Hit Ratio", 6},
		{"MSSQL$ONE", "Waits", -1},
		{"ÄTZEND", "grösse", -1}, // simple folding: ß is not ss
		{"ÄTZEND", "GRÖßE", 9},
		{"PhysicalDisk", "Avg. Queue No", 10},
		{"", "", -1},
	} {
		got, ok := o.For(c.object, c.counter)
		switch {
		case ok != (c.want >= 0):
			t.Errorf("%s, %s: found %v", c.object, c.counter, ok)
		case ok && *got.Scale != c.want-10:
			t.Errorf("%s, %s: rule %d, want %d", c.object, c.counter, *got.Scale+10, c.want)
		}
	}
	if o.Len() != 12 {
		t.Errorf("%d rules", o.Len())
	}
}

func TestForWithoutRules(t *testing.T) {
	var none *Overrides
	for _, o := range []*Overrides{none, overrides(t)} {
		if _, ok := o.For("Memory", "Available Bytes"); ok || o.Len() != 0 {
			t.Error("an override of nothing")
		}
	}
}

func BenchmarkFor(b *testing.B) {
	patterns := []string{`\Physical*(*)\*sec/*`, `\Process(*)\*Bytes*`}
	for i := range 200 {
		patterns = append(patterns, fmt.Sprintf(`\Set %d\Counter %d`, i, i))
	}
	o := overrides(b, patterns...)
	b.ReportAllocs()
	for b.Loop() {
		o.For("Processor Information", "% Processor Time")
	}
}
