package manifest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// TestEncodings reads one manifest in every encoding: what is read and where
// problems stand must not depend on it.
func TestEncodings(t *testing.T) {
	text := strings.Replace(goodManifest(t, "testdata/user.man"), `name="Pots"`, `name="Töpfe 𝄞" colour="x"`, 1)
	f, problems := Parse("x.man", []byte(text))
	want, wantJSON := problems, describe(t, f)
	if len(want) != 1 || want[0].Line != 29 || want[0].Column != 30 {
		t.Fatalf("problems %v, want one at 29:30", want)
	}
	for name, data := range map[string][]byte{
		"UTF-8 with BOM":         []byte("\uFEFF" + text),
		"UTF-16LE":               utf16Bytes("\uFEFF"+text, binary.LittleEndian),
		"UTF-16BE":               utf16Bytes("\uFEFF"+text, binary.BigEndian),
		"UTF-16LE without BOM":   utf16Bytes(text, binary.LittleEndian),
		"UTF-16BE without BOM":   utf16Bytes(text, binary.BigEndian),
		"CR LF":                  []byte(strings.ReplaceAll(text, "\n", "\r\n")),
		"character references":   []byte(strings.Replace(text, "Töpfe 𝄞\" ", "T&#246;pfe &#x1D11E;\" ", 1)),
		"declared and in quotes": []byte(strings.Replace(text, `version="1.0"`, `version='1.0' encoding='utf-8'`, 1)),
	} {
		f, problems := Parse("x.man", data)
		if got := describe(t, f); got != wantJSON {
			t.Errorf("%s: read as %s", name, got)
		}
		if name != "character references" && !slices.Equal(problems, want) {
			t.Errorf("%s: problems %v, want %v", name, problems, want)
		}
	}
}

func TestANSI(t *testing.T) {
	text := goodManifest(t, "testdata/user.man")
	text = strings.Replace(text, `version="1.0"`, `version="1.0" encoding="Windows-1252"`, 1)
	text = strings.Replace(text, `name="Pots"`, "name=\"T\xF6pfe \x96 \x80\"", 1)
	f, problems := Parse("x.man", []byte(text))
	if got := f.Providers[0].Sets[0].Counters[0].Name.Value; got != "Töpfe – €" || len(problems) != 0 {
		t.Errorf("read as %q with %v", got, problems)
	}
}

func utf16Bytes(text string, order binary.AppendByteOrder) []byte {
	var data []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		data = order.AppendUint16(data, unit)
	}
	return data
}

func describe(t *testing.T, f *File) string {
	t.Helper()
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestPlaces finds the counters element where manifests have it.
func TestPlaces(t *testing.T) {
	good := goodManifest(t, "testdata/user.man")
	start, end := strings.Index(good, "<counters"), strings.Index(good, "</counters>")+len("</counters>")
	alone := good[start:end]
	prefixed := strings.NewReplacer("</", "</pc:", "<", "<pc:", "xmlns=", "xmlns:pc=").Replace(alone)
	for name, text := range map[string]string{
		"root":                                 alone,
		"prefix":                               prefixed,
		"prefix, inside":                       good[:start] + prefixed + good[end:],
		"assembly":                             strings.ReplaceAll(good, "instrumentationManifest", "assembly"),
		"behind other things":                  good[:start] + `<events><provider name="a" symbol="1 x"><counters/></provider></events>` + good[start:],
		"namespace from around":                strings.Replace(strings.Replace(good, "\n        xmlns=\""+Namespace+"\"", "", 1), "win/2004/08/events", "win/2005/12/counters", 1),
		"processing instructions and comments": strings.Replace(good, "<provider", "<?a b?><!-- <provider> --><provider", 1),
	} {
		f, problems := Parse("x.man", []byte(text))
		if len(problems) != 0 || countCounters(f) != 8 {
			t.Errorf("%s: %d counters, problems %v", name, countCounters(f), problems)
		}
	}
}

// TestNoManifest gives texts that are no counter manifest at all.
func TestNoManifest(t *testing.T) {
	for text, rule := range map[string]string{
		"":                          RuleSyntax,
		"  \n":                      RuleSyntax,
		"hello":                     RuleSyntax,
		"<a>":                       RuleSyntax,
		"<a/>":                      RuleNoContent,
		"<a><events/></a>":          RuleNoContent,
		"<a><b><counters/></b></a>": RuleNoContent,
		"\x1f\x8b\x08\x00":          RuleSyntax,
	} {
		f, problems := Parse("x", []byte(text))
		if f == nil || Valid(problems) || !slices.Contains(rulesOf(problems), rule) {
			t.Errorf("%q: problems %v, want %s", text, problems, rule)
		}
	}
	if _, problems := Parse("x", make([]byte, MaxBytes+1)); !slices.Equal(rulesOf(problems), []string{RuleLimit}) {
		t.Errorf("too large: %v", problems)
	}
}

// TestOldVersions checks what the versions allow.
func TestOldVersions(t *testing.T) {
	good := goodManifest(t, "testdata/user.man")
	bare := withoutIDs(good)
	for _, c := range []struct {
		version, text string
		rule          string
		count         int
	}{
		{"1.0", bare, "", 0},
		{"1.1", bare, "", 0},
		{"2.0", bare, RuleRequired, 2 * (2 + 5)}, // the hidden counters do without
		{"9.9", bare, RuleRequired, 2 * (2 + 5)},
		{"1.1", good, RuleVersioned, 2 * (2 + 5)},
		{"2.0", good, "", 0},
	} {
		text := strings.Replace(c.text, `schemaVersion="2.0"`, `schemaVersion="`+c.version+`"`, 1)
		_, problems := Parse("x.man", []byte(text))
		n := 0
		for _, p := range problems {
			switch p.Rule {
			case c.rule:
				n++
			case RuleVersion:
			default:
				t.Errorf("%s: %v", c.version, p)
			}
		}
		if n != c.count {
			t.Errorf("%s: %d problems, want %d: %v", c.version, n, c.count, problems)
		}
	}
}

func withoutIDs(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		attribute := strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(attribute, "nameID=") && !strings.HasPrefix(attribute, "descriptionID="):
			lines = append(lines, line)
		case strings.HasSuffix(attribute, ">"):
			lines = append(lines, ">\n")
		}
	}
	return strings.Join(lines, "")
}

// TestCompanionTypes gives every type of the schema every companion: exactly
// those of MS-PCQ 2.2.4.2 are taken, and only with the type named there.
func TestCompanionTypes(t *testing.T) {
	base := map[string]string{
		"perf_average_timer": "perf_average_base", "perf_average_bulk": "perf_average_base",
		"perf_large_raw_fraction": "perf_large_raw_base", "perf_precision_system_timer": "perf_large_raw_base",
		"perf_precision_100ns_timer": "perf_large_raw_base", "perf_raw_fraction": "perf_raw_base",
		"perf_sample_fraction": "perf_sample_base",
	}
	object := []string{"perf_counter_obj_time_queuelen_type", "perf_elapsed_time", "perf_obj_time_timer", "perf_precision_object_timer"}
	multi := []string{"perf_counter_multi_timer", "perf_100nsec_multi_timer", "perf_100nsec_multi_timer_inv", "perf_counter_multi_timer_inv"}
	if len(typesByName) != 38 {
		t.Errorf("%d types, the schema has 38", len(typesByName))
	}
	for name := range typesByName {
		var attributes []string
		others := map[string]string{"3": base[name]}
		if base[name] != "" {
			attributes = append(attributes, "baseID")
		}
		if slices.Contains(object, name) {
			attributes = append(attributes, "perfTimeID", "perfFreqID")
			others["3"] = "perf_counter_large_rawcount"
		}
		if slices.Contains(multi, name) {
			attributes = append(attributes, "multiCounterID")
			others["3"] = "perf_counter_rawcount"
		}
		for _, c := range companions {
			set := slices.Clone(attributes)
			valid := true
			if i := slices.Index(set, c.attribute); i >= 0 {
				set, valid = slices.Delete(set, i, i+1), false // missing
			} else if set = append(set, c.attribute); name != "perf_precision_object_timer" || c.attribute != "baseID" {
				valid = false // foreign
			} else {
				others["4"] = "perf_large_raw_base"
			}
			if got := companionsValid(name, set, others); got != valid {
				t.Errorf("%s with %v is valid: %v", name, set, got)
			}
		}
		if !companionsValid(name, attributes, others) {
			t.Errorf("%s with %v is not valid", name, attributes)
		}
	}
}

// companionsValid says whether a counter of a type, with companions that are
// counter 3 (a base beside a clock: counter 4), is valid.
func companionsValid(typ string, attributes []string, others map[string]string) bool {
	var b strings.Builder
	counter := func(id, typ, more string) {
		fmt.Fprintf(&b, `<counter id="%s" uri="u%s" name="n%s" description="" type="%s" detailLevel="standard" %s/>`, id, id, id, typ, more)
	}
	var more strings.Builder
	for _, a := range attributes {
		id := "3"
		if a == "baseID" && others["4"] != "" {
			id = "4"
		}
		fmt.Fprintf(&more, `%s="%s" `, a, id)
	}
	counter("1", typ, more.String())
	for id, typ := range others {
		if typ == "" {
			typ = "perf_counter_rawcount"
		}
		counter(id, typ, "")
	}
	_, problems := Parse("x", []byte(small(b.String())))
	return Valid(problems)
}

// small is a manifest of one counterset.
func small(counters string) string {
	return `<counters xmlns="` + Namespace + `" schemaVersion="1.1"><provider providerGuid="{00000000-0000-0000-0000-000000000001}" applicationIdentity="a" symbol="A">` +
		`<counterSet guid="{00000000-0000-0000-0000-000000000002}" uri="u" symbol="S" name="Set" description="d" instances="globalAggregateHistory">` + counters + `</counterSet></provider></counters>`
}

// TestCatalogue compares what a manifest says with what the catalogue has.
func TestCatalogue(t *testing.T) {
	f, _ := Parse("x.man", []byte(goodManifest(t, "testdata/user.man")))
	sets := f.Catalogue()
	if len(sets) != 2 || sets[0].GUID != "{0c7a6f52-7b0a-4a50-8d7f-5b5e3b3f2d01}" || sets[0].Provider != "Counters" ||
		sets[0].Instances != session.MultipleInstances || sets[1].Instances != session.SingleInstance {
		t.Fatalf("sets %+v", sets)
	}
	want := session.Counter{
		ID: 2, Name: "Avg. Firing sec/Pot", Description: "Average time of a firing.",
		Type: cooker.AverageTimer, Quantity: cooker.Quantity{Kind: cooker.Seconds}, DefaultScale: -3,
		Detail: session.DetailAdvanced, Attributes: cooker.Reference | cooker.DisplayReal,
		Companions: session.Companions{BaseID: 3, PerfTimeID: session.NoID, PerfFreqID: session.NoID, MultiID: session.NoID},
	}
	if got := sets[0].Counters[1]; got != want {
		t.Errorf("counter %+v, want %+v", got, want)
	}
	if c := sets[1].Counters[2]; c.PerfTimeID != 4 || c.PerfFreqID != 5 || c.Detail != session.DetailAdvanced {
		t.Errorf("counter %+v", c)
	}
	if got := f.Paths(false); got[0] != `\Kiln Oven(*)\Pots` || got[2] != `\Kiln Shop\Door Flags` {
		t.Errorf("paths %q", got)
	}
	for _, path := range f.Paths(true) {
		if p, err := paths.Parse(path); err != nil || p.String() != path {
			t.Errorf("path %q does not read back: %v", path, err)
		}
	}
}

// TestHiddenPaths leaves hidden counters and bases out unless asked for.
func TestHiddenPaths(t *testing.T) {
	f, problems := Parse("x", []byte(small(
		`<counter id="1" uri="a" name="Shown" type="perf_raw_fraction" baseID="2" detailLevel="standard" aggregate="max"/>`+
			`<counter id="2" uri="b" name="Base" type="perf_raw_base" detailLevel="standard"/>`+
			`<counter id="3" uri="c" name="Hidden" type="perf_counter_rawcount" detailLevel="standard"><counterAttributes><counterAttribute name="noDisplay"/></counterAttributes></counter>`+
			`<counter id="4" uri="d" type="perf_counter_rawcount" detailLevel="standard"><counterAttributes><counterAttribute name="noDisplay"/></counterAttributes></counter>`)))
	if len(problems) != 0 {
		t.Fatal(problems)
	}
	if got := f.Paths(false); !slices.Equal(got, []string{`\Set(*)\Shown`}) {
		t.Errorf("paths %q", got)
	}
	if got := f.Paths(true); !slices.Equal(got, []string{`\Set(*)\Shown`, `\Set(*)\Base`, `\Set(*)\Hidden`}) {
		t.Errorf("all paths %q", got)
	}
	set := f.Catalogue()[0]
	if len(set.Counters) != 4 || set.Counters[0].Aggregate != cooker.AggregateMax || set.Instances != session.GlobalAggregateHistory {
		t.Errorf("set %+v", set)
	}
}

// TestStrings resolves references to string tables of several cultures.
func TestStrings(t *testing.T) {
	text := goodManifest(t, "testdata/user.man")
	text = strings.Replace(text, `name="Pots"`, `name="$(string.Pots)"`, 1)
	text = strings.Replace(text, `description="Pots in the oven."`, `description="costs $(PRICE)"`, 1)
	text = strings.Replace(text, "  </instrumentation>", `  </instrumentation><localization>
		<resources culture="de-DE"><stringTable><string id="Pots" value="Töpfe"/></stringTable></resources>
		<resources culture="en-US"><stringTable><string id="Pots" value="Pots"/></stringTable></resources></localization>`, 1)
	f, problems := Parse("x.man", []byte(text))
	if len(problems) != 1 || problems[0].Rule != RuleStringTable || problems[0].Line != 29 || problems[0].Column != 21 || !Valid(problems) {
		t.Errorf("problems %v", problems)
	}
	if c := f.Catalogue()[0].Counters[0]; c.Name != "Pots" || c.Label != "" || c.Description != "costs $(PRICE)" {
		t.Errorf("counter %+v", c)
	}
}

// TestTogether checks files against each other.
func TestTogether(t *testing.T) {
	good := goodManifest(t, "testdata/user.man")
	a, _ := Parse("a.man", []byte(good))
	b, _ := Parse("b.man", []byte(strings.Replace(good, "3b3f2d02}", "3B3F2D02}", 1)))
	kernel, _ := Parse("c.man", []byte(goodManifest(t, "testdata/kernel.man")))
	var got []string
	for _, p := range CheckTogether([]*File{a, b}) {
		got = append(got, fmt.Sprintf("%s:%d:%d %s %s", p.File, p.Line, p.Column, p.Severity, p.Rule))
	}
	want := []string{
		"b.man:11:25 warning unique-guid", "b.man:17:19 error unique-guid", "b.man:20:19 warning unique-name",
		"b.man:66:19 error unique-guid", "b.man:69:19 warning unique-name",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := rulesOf(CheckTogether([]*File{a, kernel})); !slices.Equal(got, []string{RuleNameUnique, RuleNameUnique}) {
		t.Errorf("different GUIDs and equal names: %q", got)
	}
	if problems := CheckTogether([]*File{a}); len(problems) != 0 {
		t.Error(problems)
	}
}

func TestProblemString(t *testing.T) {
	p := Problem{File: "a\x1b.man", Position: Position{3, 7}, Severity: Error, Rule: RuleGUID, Message: "m"}
	if got := p.String(); got != "a?.man:3:7: error: m [guid]" {
		t.Errorf("got %q", got)
	}
	data, err := json.Marshal(p)
	if err != nil || !strings.Contains(string(data), `"severity":"error"`) {
		t.Errorf("JSON %s, %v", data, err)
	}
}

// TestNotDone says in one line what others do.
func TestNotDone(t *testing.T) {
	f, _ := Parse("testdata/kernel.man", []byte(goodManifest(t, "testdata/kernel.man")))
	line := f.NotDone()
	for _, word := range []string{"ctrpp", "lodctr", "kernel-mode", "14 strings"} {
		if !strings.Contains(line, word) || strings.Contains(line, "\n") {
			t.Errorf("%q is not in %q", word, line)
		}
	}
}

// TestText prints every counter with its type.
func TestText(t *testing.T) {
	data, err := os.ReadFile("testdata/kernel.man")
	if err != nil {
		t.Fatal(err)
	}
	f, _ := Parse("testdata/kernel.man", data)
	text := f.Text()
	for _, words := range []string{"Kiln Oven {0c7a6f53-", "struct KILN_OVEN_DATA OvenData", "perf_average_timer 0x30020400, advanced, scale 10^-3, base 3, field FiringTime, reference, displayAsReal"} {
		if !strings.Contains(text, words) {
			t.Errorf("%q is not in\n%s", words, text)
		}
	}
}
