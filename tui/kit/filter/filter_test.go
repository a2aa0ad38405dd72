package filter

import (
	"math"
	"slices"
	"strings"
	"testing"

	"perfdeck/cooker"
)

// host is a row of the tests' table.
type host struct {
	name, state string
	groups      []string
	cpu         float64 // shown with one place
	mem         float64 // bytes
	flags       float64 // hexadecimal
}

var hosts = []host{
	{"sql01", "ok", []string{"fra", "db"}, 12.04, 1 << 30, 0x1B5},
	{"sql02-prod", "stale", []string{"ams", "db"}, 97.5, 3 << 30, 0},
	{"web or db", "down", nil, math.NaN(), math.NaN(), 16},
	{"localhost:1445", "ok", []string{"fra"}, 50, 512 << 20, 1},
}

var fields = Fields[*host]{
	List: []Field[*host]{
		{Name: "host", Also: []string{"name"}, Texts: One(func(h *host) string { return h.name })},
		{Name: "group", Texts: func(h *host, fits func(string) bool) bool { return slices.ContainsFunc(h.groups, fits) }},
		{Name: "state", Texts: One(func(h *host) string { return h.state }), Example: "state:stale"},
		{Name: "cpu", Number: func(h *host) Number { return Number{h.cpu, 0.1} }, Quantity: cooker.Quantity{Kind: cooker.Percent}, Example: "cpu>80"},
		{Name: "mem", Number: func(h *host) Number { return Number{Value: h.mem} }, Quantity: cooker.Quantity{Kind: cooker.Bytes}, Unit: 1 << 20},
	},
	More: func(name string) (Field[*host], bool) {
		return Field[*host]{Name: "% Flags", Number: func(h *host) Number { return Number{Value: h.flags} }}, strings.EqualFold(name, "% Flags")
	},
	Plain: func(h *host, fits func(string) bool) bool { return fits(h.name) || slices.ContainsFunc(h.groups, fits) },
}

func TestFilter(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "0123"},
		{"  ", "0123"},
		{"sql", "01"},
		{"SQL", "01"},
		{"sql db", "01"},
		{"sql and prod", "1"},
		{"prod or 1445", "13"},
		{"or prod or", "1"},
		{"and", "0123"},
		{"!sql", "23"},
		{"not sql", "23"},
		{"!!sql", "01"},
		{"not", "0123"},
		{"!", ""},
		{"(prod or 1445) fra", "3"},
		{"not (prod or 1445)", "02"},
		{"!(prod or 1445)", "02"},
		{"sql or web fra", "01"},
		{"(sql or localhost) and fra", "03"},
		{"()", "0123"},
		{`"web or db"`, "2"},
		{`"or"`, "2"},
		{"host:sql", "01"},
		{"host:02", "1"},
		{"host:ql", ""},
		{"host~ql", "01"},
		{"host!ql", "23"},
		{"host!~ql", "23"},
		{"name=sql01", "0"},
		{"name=sql", ""},
		{"name!=sql01", "123"},
		{`host:"web or"`, "2"},
		{"HOST:SQL", "01"},
		{"group:db", "01"},
		{"group=d", ""},
		{"!group:db", "23"},
		{"state:st", "1"},
		{"cpu>50", "1"},
		{"cpu>=50", "13"},
		{"cpu > 50", "1"},
		{"cpu >50", "1"},
		{"cpu> 50", "1"},
		{"cpu<50", "0"},
		{"cpu=12", "0"},
		{"cpu:12", "0"},
		{"cpu=12.0", "0"},
		{"cpu=12.04", ""},
		{"cpu!=12", "13"},
		{"cpu=50%", "3"},
		{"cpu~97", "1"},
		{"!cpu>50", "023"},
		{"mem>600", "01"},
		{"mem>=1GB", "01"},
		{"mem>2g", "1"},
		{"mem<600MiB", "3"},
		{"mem=512", "3"},
		{"mem > 600 MB", "01"},
		{"mem>2 g sql", "1"},
		{"cpu > 50 %", "1"},
		{"mem>1 b or state:down", "0123"},
		{"mem>600 sql", "01"},
		{"mem>600 web", ""},
		{`"% flags"=0x1b5`, "0"},
		{`"% Flags">1`, "02"},
		{"localhost:1445", "3"},
		{"host:localhost:1445", "3"},
		{"C:", ""},
		{":", "3"},
		{">", ""},
		{"cpu>1 cpu<20 or state:down", "02"},
	} {
		f, err := fields.Parse(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		}
		var got strings.Builder
		for i := range hosts {
			if f.Matches(&hosts[i]) {
				got.WriteByte("0123"[i])
			}
		}
		if got.String() != c.want {
			t.Errorf("%q takes %q, want %q", c.text, got.String(), c.want)
		}
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"cpu>":          "number is missing",
		"cpu:many":      "number is missing",
		"cpu>5ms":       "no unit",
		"cpu>0xZZ":      "number is missing",
		"cpu > 5 MB":    "no unit",
		"(prod or 1445": ") is missing",
		"(cpu>1":        ") is missing",
		"size>5":        "no such field",
		"size > 5":      "no such field",
		"kind:web":      "no such field",
		"sql or kind=x": "no such field",
		"group:":        "word is missing",
		"group>5":       "no number",
	} {
		if _, err := fields.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if f, err := fields.Parse(`"kind:web"`); err != nil || !f.LooksInPlain() {
		t.Errorf("in quotes: %v", err)
	}
}

func TestUsed(t *testing.T) {
	f, _ := fields.Parse(`SQL !old name:x (cpu>5 or not CPU<1) not (db !web)`)
	if got := strings.Join(f.Used(), " "); got != "host cpu" {
		t.Errorf("used %q", got)
	}
	if got := strings.Join(f.Words(), " "); got != "sql web" {
		t.Errorf("words %q", got)
	}
	if help := fields.Help(); !strings.Contains(help, "host group state cpu mem") || !strings.Contains(help, "cpu>80") {
		t.Errorf("help %q", help)
	}
}

// Whatever is typed is a filter, and turned around it takes the other rows.
func FuzzFilter(f *testing.F) {
	for _, text := range []string{"site:fra cpu>80", "!a or b", "cpu>=1e400", "mem<-5", "\x1b[2J", "a:b:c", "=", "!!x", "cpu>nan", "((a) or \"b", "not (", strings.Repeat("(", 200), "cpu ~\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		is, _ := fields.Parse(text)
		isNot, _ := fields.Parse("not (" + text + ")")
		if is.Text() == "" || isNot.where == nil || strings.Contains(text, ")") || strings.Count(text, "(") >= mostDepth-1 {
			return
		}
		for i := range hosts {
			if is.where != nil && is.Matches(&hosts[i]) == isNot.Matches(&hosts[i]) && strings.Count(text, `"`)%2 == 0 {
				t.Fatalf("%q takes row %d as its opposite does", text, i)
			}
		}
	})
}

func BenchmarkTakes(b *testing.B) {
	f, _ := fields.Parse("(sql or web) cpu>5 !group:old")
	for b.Loop() {
		f.Matches(&hosts[0])
	}
}

// Words are found however they are written in the text, digits and signs too.
func TestTextFitsAnyCase(t *testing.T) {
	for _, text := range []string{"ATTEMPT 77 Ⅷ", "attempt 77 ⅷ", "Attempt 77 Ⅷ"} {
		for part, want := range map[string]bool{"77": true, "t 7": true, "ⅷ": true, "attempt 7": true, "78": false, "attempts": false, " ": true, "%": false} {
			if textFits(holds, part)(text) != want {
				t.Errorf("%q in %q: %v", part, text, !want)
			}
		}
	}
}
