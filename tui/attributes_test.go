package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/manifest"
)

// attributed are the countersets of the manifest with every combination of the
// display attributes, for 32 and 64 bits, with values that stay.
func attributed(t *testing.T) fake.Script {
	t.Helper()
	name := filepath.Join("..", "session", "hosts", "manifest", "testdata", "attributes.man")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file, _ := manifest.Parse(name, data)
	s := fake.Script{Name: "attr"}
	combined := map[string]bool{}
	for _, set := range file.Catalogue() {
		played := fake.Set{Name: set.Name, GUID: set.GUID, Instances: set.Instances, Description: set.Description}
		for i := range set.Counters {
			c := &set.Counters[i]
			if !c.Type.Displayable() {
				continue // fake adds bases
			}
			combined[fmt.Sprint(c.Type, uint64(c.Attributes))] = true
			played.Counters = append(played.Counters, fake.Counter{
				Name: c.Name, Type: c.Type, Attributes: c.Attributes, Description: c.Description, Scale: c.DefaultScale,
				Is: fake.Const(attributedValue(c.Type, i)), Per: fake.Const(100),
			})
		}
		if set.Instances.Multiple() {
			played.Rows = []fake.Row{{Name: "first"}, {Name: "second", Times: 2}}
		}
		s.Sets = append(s.Sets, played)
	}
	for _, size := range []cooker.CounterType{cooker.CounterRawCount, cooker.CounterLargeRawCount} {
		for bits := range uint64(1 << 5) {
			if !combined[fmt.Sprint(size, bits)] {
				t.Errorf("no counter of %v with the attributes 0x%X", size, bits)
			}
		}
	}
	return s
}

// attributedValue is small, has five digits, or is nearly as large as its size
// allows.
func attributedValue(t cooker.CounterType, i int) float64 {
	switch {
	case t == cooker.CounterRawCount:
		return []float64{437, 49507, 0x6EADBEEF}[i%3]
	case t == cooker.CounterLargeRawCount:
		return []float64{437, 49507, 0x11223344556600}[i%3]
	case t == cooker.AverageTimer:
		return 0.00286
	case t == cooker.RawFraction:
		return 28.6
	}
	return []float64{437.25, 49507123.5}[i%2]
}

// attributedPaths are what the deck shows: all that a wildcard finds, and a hidden
// one that is named.
var attributedPaths = []string{
	`\Attributes\D32 hex hidden`, `\Attributes\Q64 hex hidden`, `\Attributes\Q64 hex`, `\Attributes\Q64 real`, `\Attributes\D32*`,
	`\Attributed Types(first)\*`, `\Attributes\Q64*`, `\Attributes Each(*)\Q64 hex`,
}

// cutHex finds hexadecimal numbers that have not all digits of 32 or 64 bits.
var cutHex = regexp.MustCompile(`0x(?:[0-9A-F]{0,7}|[0-9A-F]{9,15}|[0-9A-F]{17,})(?:[^0-9A-F]|$)`)

// Every combination of the display attributes and every size on every screen. A
// number is whole or it is not there, and what is hidden is shown to who names it.
func TestAttributesGolden(t *testing.T) {
	s := attributed(t)
	screens := []struct {
		name string
		do   func(r *rig)
	}{
		{"deck", func(*rig) {}},
		{"zoom", func(r *rig) { r.press("z") }},
		{"explain", func(r *rig) { r.press("z", "x") }},
		{"top", func(r *rig) { r.press("esc", "esc", ":"); r.write("Attributes Each"); r.press("enter") }},
		{"top of types", func(r *rig) { r.press(":"); r.write("Attributed Types"); r.press("enter") }},
		{"top by the selected", func(r *rig) { r.press("1", "tab", "tab", "t") }},
		{"browse", func(r *rig) { r.press("4", "/"); r.write("hex"); r.press("enter", "l", "l") }},
		{"chart", func(r *rig) {
			r.press("1", "g", "space", "j", "j", "space", "j", "space", "j", "space", "c", "left", "left")
		}},
		{"chart report", func(r *rig) { r.press("v", "v", "v", "v", "v") }},
		{"alerts", func(r *rig) { r.press("6") }},
		{"log", func(r *rig) { r.press("8") }},
		{"fleet", func(r *rig) { r.press("2") }},
	}
	var rules []alert.Rule
	for i, path := range []string{`\Attributes\Q64 hex`, `\Attributes\D32 one`, `\Attributes\Q64 real`, `\Attributed Types(*)\Bytes/sec one`} {
		when, err := paths.ParseAlert(path + ">16")
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, alert.Rule{Name: fmt.Sprintf("rule %d", i), When: when, Severity: alert.Warning})
	}
	for _, size := range [][2]int{{120, 36}, {60, 15}, {200, 60}} {
		onScreens(t, rigOptions{hosts: script(s), paths: attributedPaths, w: size[0], h: size[1], alerts: rules}, func(r *rig) {
			r.begin(10)
			var b strings.Builder
			for _, screen := range screens {
				screen.do(r)
				r.pass(3 * time.Second)
				fmt.Fprintf(&b, "== %s\n", screen.name)
				for _, row := range r.rows() {
					b.WriteString(strings.TrimRight(row, " ") + "\n")
					if cut := cutHex.FindString(row); cut != "" || strings.Contains(row, "##") {
						r.Errorf("%s at %v: a number is cut, %q, in\n%s", screen.name, size, cut, row)
					}
				}
			}
			golden(r, fmt.Sprintf("attributes-%dx%d.txt", size[0], size[1]), b.String())
		})
	}
}
