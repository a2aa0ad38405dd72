package report_test

import (
	"bytes"
	"html"
	"slices"
	"strings"
	"testing"

	"perfdeck/paths"
	"perfdeck/session/alert"
	"perfdeck/session/analysis/report"
	"perfdeck/session/config/rulepack"
	page "perfdeck/session/text"
)

// healthy is what the counters of roles are on a host that is busy and well; others are 0.
var healthy = map[string]float64{
	"LDAP Bind Time": 4, "I/O Database Reads (Attached) Average Latency": 6,
	"Page life expectancy": 2400, "Lazy writes/sec": 3, "Processes blocked": 1, "Percent Log Used": 40, "Average Wait Time (ms)": 30, "Lock Waits/sec": 4,
	"CurrentQueueSize": 5, "Current Application Pool State": 3, "Requests In Application Queue": 1, "Request Execution Time": 300, "% Time in GC": 6, "# of Exceps Thrown / sec": 2,
	"% Guest Run Time": 55, "Average Pressure": 70,
	"% Throttled Time": 2, "% Memory Limit": 80, "% Memory Some Stall Time": 2, "% CPU Some Stall Time": 20,
}

// recorded is a path as a recording has it.
func recorded(path paths.Path) string {
	switch path.Instance {
	case "*":
		path.Instance = "one"
	case "lsass*":
		path.Instance = "lsass/NTDSA"
	}
	path.Computer = "srv"
	return path.String()
}

// roleRecording is a recording of all that a pack judges, and of a host where a rule is broken in the
// second half; nil: it is well.
func roleRecording(t *testing.T, p *alert.Pack, broken *alert.Rule) string {
	t.Helper()
	const samples, from = 60, 30
	var columns []column
	for i := range p.Rules {
		for _, path := range p.Rules[i].Paths() {
			text := recorded(path)
			if slices.ContainsFunc(columns, func(c column) bool { return c.path == text }) {
				continue
			}
			usual := noise(healthy[path.Counter], 0.1, i)
			if path.Counter == "Current Application Pool State" {
				usual = func(int) float64 { return 3 }
			}
			if path.Counter == "# Gen 0 Collections" {
				usual = func(i int) float64 { return float64(40 * i) }
			}
			if broken != nil && recorded(broken.When.Path) == text {
				limit := broken.When.Limit
				bad := func(int) float64 { return 1.15*limit + 1 }
				switch {
				case broken.Value != nil: // how much it grows each second
					bad = func(i int) float64 { return 15 * (2*limit + 1) * float64(i-from+1) }
				case broken.When.Op == paths.Below:
					bad = func(int) float64 { return limit / 3 }
				}
				usual = during(usual, bad, from, samples)
			}
			columns = append(columns, column{text, usual})
		}
	}
	return recording(t, "role.csv", samples, columns...)
}

// The pack of each role is quiet on a host that is well, and each of its rules fires where it should.
func TestPacksOfRolesJudge(t *testing.T) {
	all := packRules(t)
	for _, p := range rulepack.All() {
		if len(p.Decks) == 0 || len(p.Rules) == 0 {
			continue
		}
		r := reported(t, report.Options{Packs: rulepack.All()}, all, roleRecording(t, &p, nil))
		roles := r.Hosts[0].Roles
		if len(r.Verdicts) > 0 || len(roles) != 1 || roles[0].Pack != p.Name || roles[0].Name != p.Decks[0].Name || len(roles[0].Lacks) > 0 {
			t.Errorf("%s on a host that is well: %s, roles %+v", p.Name, r.Headline(), roles)
		}
		for i := range p.Rules {
			rule := &p.Rules[i]
			r := reported(t, report.Options{}, all, roleRecording(t, &p, rule))
			if !slices.ContainsFunc(r.Verdicts, func(v *report.Verdict) bool { return slices.Contains(v.Rules, rule.Name) }) {
				t.Errorf("%s: %s does not fire: %s", p.Name, rule.Name, r.Headline())
			}
		}
	}
}

// The report and the short answer name the role of a host, and what it lacked to judge it, with what
// records that next time.
func TestRoleThatLacksCounters(t *testing.T) {
	file := recording(t, "sql.csv", 60,
		column{`\\sql01\MSSQL$PROD:Buffer Manager\Page life expectancy`, noise(5000, 0.1, 1)},
		column{`\\sql01\SQLServer:Locks(_Total)\Average Wait Time (ms)`, noise(9, 0.1, 2)},
		column{`\\web01\Memory\Available MBytes`, noise(5000, 0.1, 3)})
	r := reported(t, report.Options{Packs: rulepack.All()}, packRules(t), file)
	roles := map[string][]report.Role{}
	for _, h := range r.Hosts {
		roles[h.Name] = h.Roles
	}
	if len(roles["web01"]) != 0 || len(roles["sql01"]) != 1 {
		t.Fatalf("roles %+v", roles)
	}
	lacks := roles["sql01"][0].Lacks
	for path, isLacking := range map[string]bool{
		`\SQLServer:Buffer Manager\Page life expectancy`: false, `\SQLServer:Locks(_Total)\Average Wait Time (ms)`: false,
		`\SQLServer:Databases(*)\Percent Log Used`: true, `\SQLServer:Memory Manager\Memory Grants Pending`: true,
	} {
		if slices.Contains(lacks, path) != isLacking {
			t.Errorf("%s lacks: %v, of %q", path, !isLacking, lacks)
		}
	}
	var why bytes.Buffer
	if err := r.WriteWhy(&why, report.WhyOptions{TextOptions: report.TextOptions{Printer: page.Plain(&why)}}); err != nil {
		t.Fatal(err)
	}
	json := form(t, r, "json")
	for _, text := range []string{html.UnescapeString(htmlOf(t, r)), form(t, r, "md"), terminalOf(t, r), why.String()} {
		flat := strings.Join(strings.Fields(text), " ")
		for _, want := range []string{"SQL Server", "collect export --pack sqlserver --instance 'PROD' -o sqlserver.xml"} {
			if !strings.Contains(flat, want) {
				t.Errorf("no %q in %.3000s", want, flat)
			}
		}
	}
	if !strings.Contains(json, `"pack": "sqlserver"`) && !strings.Contains(json, `"pack":"sqlserver"`) {
		t.Error("JSON has no role")
	}
}
