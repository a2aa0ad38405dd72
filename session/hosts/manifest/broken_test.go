package manifest

import (
	"os"
	"strings"
	"testing"
)

// brokenCase is a small edit of a good manifest that breaks one rule. mark
// stands for the place that the problem must name: in the new text, or, with
// at, before the first at of the broken manifest.
type brokenCase struct {
	name     string
	old, new string
	at       string
	severity Severity
	rule     string
	also     string // rules of further problems, in the order of the text
}

const mark = "§"

const (
	firstCounter = "<counter\n              id=\"1\""
	displayList  = `<counterAttribute name="noDigitGrouping" />`
)

var brokenUser = []brokenCase{
	// XML
	{"unclosed counter", `              defaultScale="1"` + "\n              />", `              defaultScale="1">`, "</counterSet>", Error, RuleSyntax, RuleElement},
	{"wrong end tag", "</provider>", mark + "</Provider>", "", Error, RuleSyntax, ""},
	{"missing quote", `name="Pots"`, `name="Pots`, "104\"\n", Error, RuleSyntax, ""},
	{"no quotes", `id="1"`, "id=" + mark + "1", "", Error, RuleSyntax, ""},
	{"no equals sign", `id="1"`, `id ` + mark + `"1"`, "", Error, RuleSyntax, ""},
	{"no blank between attributes", `symbol="KILN"` + "\n          ", `symbol="KILN"` + mark, "", Error, RuleSyntax, ""},
	{"attribute twice", `id="1"`, `id="1" ` + mark + `id="2"`, "", Error, RuleSyntax, ""},
	{"less-than in a value", `name="Pots"`, `name="` + mark + `<Pots"`, "", Error, RuleSyntax, ""},
	{"bare ampersand", `name="Pots"`, `name="Pots ` + mark + `& Pans"`, "", Error, RuleEntity, ""},
	{"unknown entity", `name="Pots"`, `name="` + mark + `&pots;"`, "", Error, RuleEntity, ""},
	{"illegal character reference", `name="Pots"`, `name="` + mark + `&#0;"`, "", Error, RuleEntity, ""},
	{"control character", `name="Pots"`, `name="` + mark + "\x01" + `"`, "", Error, RuleSyntax, ""},
	{"not UTF-8", `name="Pots"`, `name="P` + mark + "\xF6" + `ts"`, "", Error, RuleEncoding, ""},
	{"open comment", `<counters`, mark + `<!-- <counters`, "", Error, RuleSyntax, ""},
	{"dashes in a comment", `<counters`, `<!-- a ` + mark + `-- b --><counters`, "", Error, RuleSyntax, ""},
	{"document type", "<instrumentationManifest", mark + "<!DOCTYPE a [<!ENTITY b \"c>\">]>\n<instrumentationManifest", "", Warning, RuleDoctype, ""},
	{"declaration is not first", `<?xml version="1.0"?>`, "\n" + mark + `<?xml version="1.0"?>`, "", Error, RuleSyntax, ""},
	{"second root", "</instrumentationManifest>", "</instrumentationManifest>\n" + mark + "<a/>", "", Error, RuleSyntax, ""},
	{"text behind the root", "</instrumentationManifest>", "</instrumentationManifest>\n" + mark + "end", "", Error, RuleSyntax, ""},
	{"undeclared prefix", `<counterAttribute name="reference" />`, mark + `<man:counterAttribute name="reference" />`, "", Error, RuleNamespace, ""},
	{"other namespace", "win/2005/12/counters", "win/2005/12/counter", "<counters", Warning, RuleNamespace, ""},

	// structure
	{"structs behind a counter", "        </counterSet>", mark + `<structs><struct name="B" type="B"/></structs>        </counterSet>`, "", Error, RuleElementOrder, RuleUserStructs},
	{"second provider", "      </provider>", "      </provider>\n      " + mark + `<provider providerGuid="{00000000-52a4-4d0e-9a61-0e2f7c3b9a10}" applicationIdentity="a" symbol="A"/>`, "", Error, RuleProviders, RuleElementCount},
	{"unknown element", displayList, mark + "<display/>" + displayList, "", Error, RuleElement, ""},
	{"case of an element", displayList, mark + `<CounterAttribute name="noDigitGrouping" />`, "", Error, RuleElement, RuleElementCount},
	{"element in the wrong place", "        <counterSet", mark + "<counter/>        <counterSet", "", Error, RuleElement, ""},
	{"element in a leaf", `<counterAttribute name="reference" />`, `<counterAttribute name="reference">` + mark + `<b/></counterAttribute>`, "", Error, RuleElement, ""},
	{"stray text", "        <counterSet", mark + "x        <counterSet", "", Warning, RuleStrayText, ""},
	{"empty counterAttributes", displayList, "", "<counterAttributes>\n              \n", Error, RuleElementCount, ""},
	{"two counterAttributes", displayList, displayList + "</counterAttributes>" + mark + `<counterAttributes><counterAttribute name="reference"/>`, "", Error, RuleElementCount, ""},
	{"set without counters", "        <counterSet", mark + `<counterSet guid="{00000000-52a4-4d0e-9a61-0e2f7c3b9a10}" uri="u" symbol="" name="n" nameID="1" description="" descriptionID="2"></counterSet>        <counterSet`, "", Error, RuleElementCount, ""},

	// schemaVersion
	{"no schemaVersion", "\n        schemaVersion=\"2.0\"", "", "<counters", Warning, RuleVersion, manyVersioned},
	{"unknown schemaVersion", `schemaVersion="2.0"`, `schemaVersion="` + mark + `3.1"`, "", Warning, RuleVersion, ""},
	{"resourceBase in 2.0", `callback="custom"`, mark + `resourceBase="100"`, "", Warning, RuleVersioned, ""},

	// attributes that are required
	{"no providerGuid", `providerGuid="{5d1a3c1e-52a4-4d0e-9a61-0e2f7c3b9a10}"`, "", "<provider", Error, RuleRequired, ""},
	{"no applicationIdentity", `applicationIdentity="kiln.exe"`, "", "<provider", Error, RuleRequired, ""},
	{"no provider symbol", "symbol=\"KILN\"\n", "\n", "<provider", Error, RuleRequired, ""},
	{"no set guid", `guid="{0c7a6f52-7b0a-4a50-8d7f-5b5e3b3f2d01}"`, "", "<counterSet", Error, RuleRequired, ""},
	{"no set uri", `uri="Example.Kiln.Oven"`, "", "<counterSet", Error, RuleRequired, ""},
	{"no set symbol", `symbol="KILN_OVEN"` + "\n", "\n", "<counterSet", Error, RuleRequired, ""},
	{"no set name", `name="Kiln Oven"`, "", "<counterSet", Error, RuleRequired, ""},
	{"no set nameID", `nameID="100"`, "", "<counterSet", Error, RuleRequired, ""},
	{"no set description", `description="The ovens of a pottery."`, "", "<counterSet", Error, RuleRequired, ""},
	{"no set descriptionID", `descriptionID="102"`, "", "<counterSet", Error, RuleRequired, ""},
	{"no counter id", firstCounter, mark + "<counter", "", Error, RuleRequired, ""},
	{"no counter uri", `uri="Example.Kiln.Oven.Pots"`, "", "<counter\n", Error, RuleRequired, ""},
	{"no counter type", `type="perf_counter_rawcount"`, "", "<counter\n", Error, RuleRequired, ""},
	{"no detailLevel", `detailLevel="standard"`, "", "<counter\n", Error, RuleRequired, ""},
	{"no counter name", `name="Pots"`, "", "<counter\n", Error, RuleRequired, ""},
	{"no counter nameID", `nameID="104"`, "", "<counter\n", Error, RuleRequired, ""},
	{"no counter description", `description="Pots in the oven."`, "", "<counter\n", Error, RuleRequired, ""},
	{"no counter descriptionID", `descriptionID="106"`, "", "<counter\n", Error, RuleRequired, ""},
	{"no display attribute name", displayList, mark + `<counterAttribute />`, "", Error, RuleRequired, ""},

	// values
	{"guid without braces", "{0c7a6f52-7b0a-4a50-8d7f-5b5e3b3f2d01}", mark + "0c7a6f52-7b0a-4a50-8d7f-5b5e3b3f2d01", "", Error, RuleGUID, ""},
	{"guid with a wrong digit", "{0c7a6f52-7b0a-4a50-8d7f-5b5e3b3f2d01}", mark + "{0c7a6f52-7b0a-4a50-8d7f-5b5e3b3f2g01}", "", Error, RuleGUID, ""},
	{"providerGuid too short", "{5d1a3c1e-52a4-4d0e-9a61-0e2f7c3b9a10}", mark + "{5d1a3c1e}", "", Error, RuleGUID, ""},
	{"id no number", `id="1"`, `id="` + mark + `one"`, "", Error, RuleNumber, ""},
	{"id negative", `id="1"`, `id="` + mark + `-1"`, "", Error, RuleNumber, ""},
	{"id too large", `id="1"`, `id="` + mark + `4294967296"`, "", Error, RuleNumber, ""},
	{"nine hex digits", `id="1"`, `id="` + mark + `0x000000001"`, "", Error, RuleNumber, ""},
	{"0x alone", `nameID="104"`, `nameID="` + mark + `0x"`, "", Error, RuleNumber, ""},
	{"reserved id", `id="1"`, `id="` + mark + `0xFFFFFFFF"`, "", Error, RuleIDReserved, ""},
	{"symbol with a dash", `symbol="KILN_OVEN"`, `symbol="` + mark + `KILN-OVEN"`, "", Error, RuleSymbol, ""},
	{"symbol with a digit first", `symbol="KILN_OVEN_POTS"`, `symbol="` + mark + `1POTS"`, "", Error, RuleSymbol, ""},
	{"name too long", `name="Pots"`, `name="` + mark + strings.Repeat("ö", 1024) + `"`, "", Error, RuleNameSize, ""},
	{"scale too large", `defaultScale="1"`, `defaultScale="` + mark + `11"`, "", Error, RuleScale, ""},
	{"scale no whole number", `defaultScale="-3"`, `defaultScale="` + mark + `0.5"`, "", Error, RuleScale, ""},
	{"providerType", "userMode", mark + "usermode", "", Error, RuleValue, ""},
	{"callback", `callback="custom"`, `callback="` + mark + `none"`, "", Error, RuleValue, ""},
	{"instances", `instances="multiple"`, `instances="` + mark + `many"`, "", Error, RuleValue, ""},
	{"detailLevel", `detailLevel="standard"`, `detailLevel="` + mark + `novice"`, "", Error, RuleValue, ""},
	{"aggregate", `defaultScale="1"`, `aggregate="` + mark + `total"`, "", Error, RuleValue, ""},
	{"unknown type", "perf_counter_rawcount", mark + "perf_counter_rawcounter", "", Error, RuleType, ""},
	{"type in capitals", "perf_counter_rawcount", mark + "PERF_COUNTER_RAWCOUNT", "", Error, RuleType, ""},
	{"type as a code", "perf_counter_rawcount", mark + "0x10000", "", Error, RuleType, ""},
	{"type without a formula", "perf_counter_rawcount", mark + "perf_counter_composite", "", Warning, RuleType, ""},
	{"case of an attribute", `defaultScale="1"`, mark + `defaultscale="1"`, "", Error, RuleUnknown, ""},
	{"unknown attribute", `defaultScale="1"`, mark + `colour="1"`, "", Error, RuleUnknown, ""},

	// uniqueness
	{"set guid twice", "{0c7a6f52-7b0a-4a50-8d7f-5b5e3b3f2d02}", mark + "{0C7A6F52-7B0A-4A50-8D7F-5B5E3B3F2D01}", "", Error, RuleGUIDUnique, ""},
	{"id twice", `id="0x2"`, `id="` + mark + `0x00000001"`, "", Error, RuleIDUnique, ""},
	{"set name twice", `name="Kiln Shop"`, `name="` + mark + `KILN OVEN"`, "", Warning, RuleNameUnique, ""},
	{"counter name twice", `name="Visitors/sec"`, `name="` + mark + `door flags"`, "", Warning, RuleNameUnique, ""},
	{"uri twice", "Example.Kiln.Shop.Visitors", mark + "Example.Kiln.Oven", "", Warning, RuleURIUnique, ""},
	{"set symbol twice", `symbol="KILN_SHOP"`, `symbol="` + mark + `KILN_OVEN"`, "", Warning, RuleSymbolUnique, ""},
	{"counter symbol twice", `symbol="KILN_SHOP_VISITORS"`, `symbol="` + mark + `KILN_SHOP_DOOR"`, "", Warning, RuleSymbolUnique, ""},
	{"empty set name", `name="Kiln Oven"`, `name="` + mark + `"`, "", Warning, RuleNoName, ""},
	{"empty counter name", `name="Pots"`, `name="` + mark + `"`, "", Warning, RuleNoName, ""},
	{"name that no path holds", `name="Pots"`, `name="` + mark + `Pots)\"`, "", Warning, RulePath, ""},

	// display attributes
	{"unknown display attribute", "noDigitGrouping", mark + "nodigitgrouping", "", Error, RuleDisplay, ""},
	{"display attribute twice", displayList, displayList + `<counterAttribute name="` + mark + `noDigitGrouping"/>`, "", Error, RuleDisplayUnique, ""},
	{"six display attributes", displayList, strings.Repeat(displayList, 5) + mark + displayList, "", Error, RuleDisplayCount, "twice"},
	{"hex and real", displayList, `<counterAttribute name="displayAsHex"/><counterAttribute name="displayAsReal"/>`, "<counterAttributes>\n              <counterAttribute name=\"displayAsHex", Warning, RuleDisplayConflict, ""},
	{"no display and no grouping", displayList, displayList + `<counterAttribute name="noDisplay"/>`, "<counterAttributes>\n              " + displayList, Warning, RuleDisplayConflict, ""},

	// companions
	{"no base", "              baseID=\"0x3\"\n", "", "<counter\n              id=\"0x2\"", Error, RuleCompanionMissing, ""},
	{"base that is not there", `baseID="0x3"`, `baseID="` + mark + `9"`, "", Error, RuleCompanionUnknown, ""},
	{"base of a wrong type", "perf_average_base", "perf_sample_base", "0x3\"\n              detail", Error, RuleCompanionType, ""},
	{"base is the counter itself", `baseID="0x3"`, `baseID="` + mark + `2"`, "", Error, RuleCompanionType, ""},
	{"base of a type that takes none", `defaultScale="1"`, `baseID="` + mark + `3"`, "", Error, RuleCompanionForeign, ""},
	{"perfTimeID of a type that takes none", `defaultScale="1"`, `perfTimeID="` + mark + `3"`, "", Error, RuleCompanionForeign, ""},
	{"no perfTimeID", "              perfTimeID=\"4\"\n", "", "<counter\n              id=\"3\"\n              uri=\"Example.Kiln.Shop", Error, RuleCompanionMissing, ""},
	{"no perfFreqID", "              perfFreqID=\"5\"\n", "", "<counter\n              id=\"3\"\n              uri=\"Example.Kiln.Shop", Error, RuleCompanionMissing, ""},
	{"perfFreqID that is not there", `perfFreqID="5"`, `perfFreqID="` + mark + `0x55"`, "", Error, RuleCompanionUnknown, ""},
	{"perfTimeID of a wrong type", `perfTimeID="4"`, `perfTimeID="` + mark + `2"`, "", Error, RuleCompanionType, ""},
	{"no multiCounterID", "perf_counter_rawcount", "perf_counter_multi_timer", "<counter\n", Error, RuleCompanionMissing, ""},
	{"multiCounterID of a wrong type", `type="perf_counter_rawcount"`, `type="perf_100nsec_multi_timer_inv" multiCounterID="` + mark + `3"`, "", Error, RuleCompanionType, ""},

	// modes and strings
	{"structs in user mode", `instances="multiple">`, `instances="multiple">` + mark + `<structs><struct name="A" type="B"/></structs>`, "", Warning, RuleUserStructs, ""},
	{"struct in user mode", `defaultScale="1"`, mark + `struct="A"`, "", Warning, RuleUserStructs, ""},
	{"field in user mode", `defaultScale="1"`, mark + `field="A"`, "", Warning, RuleUserStructs, ""},
	{"string that is not there", `name="Pots"`, `name="` + mark + `$(string.Pots)"`, "", Error, RuleStringUnknown, ""},
}

var brokenKernel = []brokenCase{
	{"no structs", `<structs>
            <struct name="OvenData" type="KILN_OVEN_DATA" />
          </structs>`, "", "<counterSet", Warning, RuleKernelStructs, ""},
	{"no field", `field="Pots"`, "", "<counter\n", Warning, RuleKernelStructs, ""},
	{"unknown struct", `field="Pots"`, `field="Pots" struct="` + mark + `Ovens"`, "", Error, RuleStructUnknown, ""},
	{"struct twice", "          </structs>", `            <struct name="` + mark + `OvenData" type="B"/></structs>`, "", Error, RuleStructUnique, ""},
	{"empty structs", `<struct name="OvenData" type="KILN_OVEN_DATA" />`, "", "<structs>", Error, RuleElementCount, ""},
	{"two structs", "</structs>", "</structs>" + mark + `<structs><struct name="B" type="B"/></structs>`, "", Error, RuleElementCount, "choice"},
	{"no struct type", `type="KILN_OVEN_DATA"`, "", "<struct ", Error, RuleRequired, ""},
	{"no struct name", `name="OvenData"`, "", "<struct ", Error, RuleRequired, ""},
	{"struct type no symbol", "KILN_OVEN_DATA", mark + "struct oven", "", Error, RuleSymbol, ""},
}

const manyVersioned = "many " + RuleVersioned

func TestBroken(t *testing.T) {
	for base, cases := range map[string][]brokenCase{"testdata/user.man": brokenUser, "testdata/kernel.man": brokenKernel} {
		good := goodManifest(t, base)
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) { c.test(t, good) })
		}
	}
}

// goodManifest is a manifest that has no problem at all.
func goodManifest(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	good := strings.Replace(string(data), `<counterAttribute name="displayAsHex" />`, "", 1)
	good = strings.Replace(good, `id="2"`, `id="0x2"`, 1)
	if _, problems := Parse(name, []byte(good)); len(problems) != 0 {
		t.Fatalf("the good manifest has problems: %v", problems)
	}
	return good
}

func (c brokenCase) test(t *testing.T, good string) {
	if !strings.Contains(good, c.old) {
		t.Fatalf("the good manifest has no %q", c.old)
	}
	text := strings.Replace(good, c.old, c.new, 1)
	offset := strings.Index(text, mark)
	text = strings.Replace(text, mark, "", 1)
	if c.at != "" {
		offset = strings.Index(text, c.at)
	}
	if offset < 0 {
		t.Fatal("the case has no place")
	}
	f, problems := Parse("x.man", []byte(text))
	want := Position{1, 1}.after(text[:offset])
	var others []Problem
	found := false
	for _, p := range problems {
		if p.Rule == c.rule && p.Severity == c.severity && p.Line == want.Line && p.Column == want.Column {
			found = true
		} else {
			others = append(others, p)
		}
	}
	if !found {
		t.Errorf("no %s %s at %d:%d, but %v", c.severity, c.rule, want.Line, want.Column, problems)
	}
	if c.also == "" && len(others) > 0 {
		t.Errorf("further problems: %v", others)
	}
	if Valid(problems) != (c.severity == Warning) && c.also == "" {
		t.Errorf("valid is %v", Valid(problems))
	}
	exercise(f)
}

// exercise calls everything that a file of any kind must bear.
func exercise(f *File) {
	f.Catalogue()
	f.Paths(true)
	f.Text()
	f.NotDone()
	CheckTogether([]*File{f, f})
}
