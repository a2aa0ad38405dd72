package manifest

import (
	"slices"
	"strings"
	"testing"
)

// What products ship though the schema forbids it is told and loads.
func TestShippedOddities(t *testing.T) {
	good := goodManifest(t, "testdata/user.man")
	const base = `<counter id="77" uri="Example.Kiln.Oven.Heat.Base" type="perf_average_base" detailLevel="advanced"/>
        </counterSet>`
	for what, c := range map[string]struct{ old, new, rule string }{
		"a base counter without names":    {"</counterSet>", base, RuleRequired},
		"resourceBase in 2.0":             {`callback="custom"`, `resourceBase="100"`, RuleVersioned},
		"resource ids before 2.0":         {`schemaVersion="2.0"`, `schemaVersion="1.1"`, RuleVersioned},
		"no schemaVersion":                {`schemaVersion="2.0"`, ``, RuleVersion},
		"attributes of another namespace": {`callback="custom"`, `callback="custom" xmlns:x="urn:x" x:owner="me"`, ""},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Fatalf("%s: nothing to replace", what)
		}
		f, problems := Parse("x.man", []byte(text))
		if !Valid(problems) || c.rule != "" && !slices.Contains(rulesOf(problems), c.rule) {
			t.Errorf("%s: %v", what, problems)
		}
		checkCatalogue(t, f, countCounters(f))
	}
}
