package edit_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/edit"
	"perfdeck/session/text/field"
)

func valuesOf(fields []field.Line) field.Answers {
	a := field.Answers{}
	for _, f := range fields {
		a[f.Name] = f.Value
	}
	return a
}

// rich is a set of which much is said.
var rich = field.Changes{
	"counter": {`\Memory\*`, `\System\Processes`}, "every": {"1m30s"}, "begin": {"2026-03-01 22:00"}, "days": {"mon", "we"},
	"run-for": {"8h"}, "segment-time": {"1h"}, "segment-size": {"2GB"}, "format": {"csv"}, "existing": {"added to"},
	"most-folders": {"3"}, "most-size": {"5GB"}, "description": {"of nights"},
}

// What a form shows of a set says the same set when it is read again, whatever is said.
func TestFormReadsWhatItWrites(t *testing.T) {
	for _, said := range []field.Changes{rich, {"counter": {`\A\B`}}, {"counter": {`\A\B`}, "format": {"bincirc"}, "segment-size": {"100MB"}}} {
		e, err := edit.Make(collectorset.Counters, "x", said)
		if err != nil {
			t.Fatal(err)
		}
		shown, err := edit.Form(e)
		if err != nil {
			t.Fatal(err)
		}
		if said := edit.Fields().Answered(shown, valuesOf(shown)); len(said) > 0 {
			t.Errorf("nothing was changed: %v", said)
		}
		blank := make([]field.Line, len(shown))
		for i, f := range shown {
			blank[i] = field.Line{Name: f.Name, Value: "\x00"} // all is said anew
		}
		again, err := edit.Make(collectorset.Counters, "x", edit.Fields().Answered(blank, valuesOf(shown)))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := edit.Form(again); !slices.EqualFunc(got, shown, func(a, b field.Line) bool { return a.Value == b.Value }) {
			t.Errorf("%v, want %v", got, shown)
		}
		if again.Set.Segment != e.Set.Segment || again.Set.Collectors[0].LogCircular != e.Set.Collectors[0].LogCircular {
			t.Errorf("segments %v, circular %v", again.Set.Segment, again.Set.Collectors[0].LogCircular)
		}
	}
}

// Fields that are not named stay as they are; those of another kind of collector mean
// nothing.
func TestOnlyWhatIsSaid(t *testing.T) {
	e, err := edit.Make(collectorset.Counters, "x", rich)
	if err != nil {
		t.Fatal(err)
	}
	before, _ := edit.Form(e)
	if err := edit.Apply(e, field.Changes{"run-for": {"01:00:00"}, "start-set": {"other"}}); err != nil {
		t.Fatal(err)
	}
	after, _ := edit.Form(e)
	for i, f := range after {
		if changed := f.Value != before[i].Value; changed != (f.Name == "run-for") {
			t.Errorf("%s: %q, was %q", f.Name, f.Value, before[i].Value)
		}
	}
	if e.Set.Collectors[0].Trigger != "" {
		t.Error("counters start a set")
	}
}

// Of what is made here the oldest goes first, unless it is said.
func TestOldestGoesFirst(t *testing.T) {
	for first, want := range map[string]uint32{"": collectorset.DeleteOldest, "largest": collectorset.DeleteLargest} {
		said := field.Changes{"counter": {`\A\B`}}
		if first != "" {
			said["remove-first"] = []string{first}
		}
		e, err := edit.Make(collectorset.Counters, "x", said)
		if err == nil {
			err = edit.Apply(e, field.Changes{"most-folders": {"3"}})
		}
		if err != nil || !e.Set.Manager.Enabled || e.Set.Manager.ResourcePolicy != want {
			t.Errorf("%q: %v, %+v", first, err, e.Set.Manager)
		}
	}
}

// A circular file stays one when its size changes.
func TestCircularStays(t *testing.T) {
	e, err := edit.Make(collectorset.Counters, "x", field.Changes{"counter": {`\A\B`}, "circular": {"true"}, "segment-size": {"100MB"}})
	if err == nil {
		err = edit.Apply(e, field.Changes{"segment-size": {"200MB"}})
	}
	if err != nil || e.Set.Segment || e.Set.SegmentMaxSize != 200 {
		t.Errorf("%v, segments %v, %d MB", err, e.Set.Segment, e.Set.SegmentMaxSize)
	}
}

// What cannot be is refused by the name of its field, and without a panic.
func TestWrongValues(t *testing.T) {
	for _, f := range edit.Fields() {
		for _, value := range []string{"", "\x00", "-1", "99999999999999999999", "1.5", ";", strings.Repeat("9", 300)} {
			_, err := edit.Make(collectorset.Counters, "x", field.Changes{f.Name: {value}})
			if wrong, ok := errors.AsType[*field.Error](err); ok && wrong.Field != f.Name {
				t.Errorf("%s %q: %v", f.Name, value, err)
			}
		}
		_, _ = edit.Make(collectorset.Alerts, "x", field.Changes{f.Name: nil})
	}
	for name, value := range map[string]string{
		"every": "1.5", "days": "someday", "begin": "noon", "end": "x", "most-size": "1KB", "format": "x", "remove-first": "x",
		"parts": "x", "serial": "x", "threshold": `\A\B>1`, "collector": "none",
	} {
		_, err := edit.Make(collectorset.Counters, "x", field.Changes{name: {value}})
		if name == "collector" {
			continue // it is called that
		}
		if _, ok := errors.AsType[*field.Error](err); !ok {
			t.Errorf("%s %q: %v", name, value, err)
		}
	}
}

// A description has what was said.
func TestDescribe(t *testing.T) {
	e, err := edit.Make(collectorset.Counters, "x", rich)
	if err != nil {
		t.Fatal(err)
	}
	d := edit.Describe(e, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	all := strings.Join(slices.Concat(d.Times, []string{d.Next}, d.Collects[0], d.Keeps), "\n")
	for _, want := range []string{"Mon, Wed", "22:00", "8h", "1h or 2048 MB", "1m30s", "CSV", `\System\Processes`, "5120 MB", "3 folders"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in\n%s", want, all)
		}
	}
}
