package feed

import (
	"strings"
	"testing"

	"perfdeck/session/hosts/manifest"
)

func FuzzLine(f *testing.F) {
	for _, line := range []string{
		`{"set":"Queue","instance":"mail","State":"busy","Length":3,"Wait":{"raw":1,"base":1},"gone":false}`, `{"set":"Whole","Workers":null}`,
		`queue_length{instance="a",b="\"\\\n"} 3e4 1700000000 # {a="b"} 1`, `# HELP`, `{`, `a{`, `a{b="`, `a NaN`, `a +Inf`,
	} {
		f.Add([]byte(line))
	}
	r := still(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := r.inlets[0].schema.line(line)
		if err != nil || e.table == nil {
			return
		}
		if len(e.name.name) > maxName || len(e.name.parent) > maxName || (e.name.name != "") != e.table.set.Instances.Multiple() {
			t.Fatalf("the instance %.80q", e.name)
		}
		for _, v := range e.values {
			if col := e.table.columns[v.column]; v.cell.told && col.level && col.size == 4 && v.cell.raw>>32 != 0 {
				t.Fatalf("%d does not fit", v.cell.raw)
			}
		}
		r.hear(r.inlets[0], []entry{e}, 0, true)
	})
}

// What is made of any lines is a valid manifest, and finds the counters of the lines again.
func FuzzDraft(f *testing.F) {
	for _, text := range []string{
		`{"set":"Queue","instance":"mail","State":"busy","Length":3,"Avg. sec/Job":{"raw":1,"base":1},"Jobs/sec":4,"% Busy Time":5,"Uptime":6,"Flags":7}`,
		"acme_jobs_total{queue=\"a\"} 1\nacme_wait_seconds_sum 1\nacme_wait_seconds_count 2\nprocess_start_time_seconds 5\nup 1\nacme_size_sum 3\n",
		`{"a":1,"A":2,"a ":3}`, `{"\u0001":1}`, "a_b_total 1\nab_total 2",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		d := Draft{Provider: "Acme"}
		var taken []string
		for line := range strings.Lines(lines) {
			if d.Add([]byte(line)) == nil {
				taken = append(taken, line)
			}
		}
		if len(d.Sets) == 0 {
			return
		}
		text := d.text(func(string) string { return "{0D2C1E0A-5E1B-4A53-8B0C-2D3C6A5C9F12}" })
		file, problems := manifest.Parse("draft", text)
		for _, p := range problems {
			if p.Rule == manifest.RuleSyntax {
				t.Fatalf("%v:\n%s", p, text)
			}
		}
		if len(file.Providers) != 1 || len(file.Providers[0].Sets) != len(d.Sets) {
			t.Fatalf("%d countersets became\n%s", len(d.Sets), text)
		}
	})
}
