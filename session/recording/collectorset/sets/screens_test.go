package sets

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"perfdeck/session/files/listing"
	"perfdeck/session/recording/collectorset/store"
	"perfdeck/session/text/field"
)

// A set of the screens: filled in, judged before it is kept, changed beside what others changed
// meanwhile, switched off, and removed.
func TestSetsOfTheScreens(t *testing.T) {
	d, kept, _ := keeping(t)
	s := NewScreens(t.Context(), d, nil, func() {})
	record := func(name string) *listing.Record {
		t.Helper()
		list, err := d.List(nil)
		i := slices.IndexFunc(list, func(r listing.Record) bool { return r.Name == name })
		if i < 0 {
			t.Fatalf("no %q in %+v, %v", name, list, err)
		}
		return &list[i]
	}
	answers := func(f listing.Form, changed field.Answers) field.Answers {
		a := field.Answers{}
		for _, l := range f.Fields {
			a[l.Name] = l.Value
		}
		maps.Copy(a, changed)
		return a
	}

	made, err := s.New([]string{`\Memory\Available MBytes`})
	if err != nil {
		t.Fatal(err)
	}
	for name, wrong := range map[string]field.Answers{"no name": {nameField: " "}, "no path": {"counter": "Memory"}, "no time": {"run-for": "soon"}} {
		if _, err := made.Judge(answers(made, wrong)); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if found, err := made.Judge(answers(made, field.Answers{nameField: "night"})); err != nil || len(found) == 0 || !strings.Contains(found[0], "told to") {
		t.Errorf("%q, %v", found, err)
	}
	if err := made.Save(answers(made, field.Answers{nameField: "night"})); err != nil {
		t.Fatal(err)
	}
	if made.Save(answers(made, field.Answers{nameField: "Night"})) == nil {
		t.Error("a second set of the name is kept")
	}

	form, err := s.Form(record("night"))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.change("night", func(e *store.Entry) error { e.Set.Description = "of another"; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := form.Save(answers(form, field.Answers{"run-for": "8h"})); err != nil {
		t.Fatal(err)
	}
	e, err := kept.Load("night")
	if err != nil || e.Set.Description != "of another" || e.Set.Duration != 8*3600 || !slices.Equal(e.Set.Collectors[0].Counters, []string{`\Memory\Available MBytes`}) {
		t.Errorf("%+v, %v", e.Set, err)
	}

	for _, on := range []bool{false, true} {
		if err := s.Switch(record("soon"), on); err != nil || record("soon").Off == on {
			t.Errorf("switched %v: %+v, %v", on, record("soon"), err)
		}
	}
	if doomed, err := s.Doomed(record("night")); err != nil || doomed.Folders != 0 || !strings.Contains(doomed.Text, "night") {
		t.Errorf("%+v, %v", doomed, err)
	}
	if err := s.Remove(record("night"), false); err != nil {
		t.Fatal(err)
	}
	if list, _ := d.List(nil); len(list) != 1 || list[0].Name != "soon" {
		t.Errorf("%+v", list)
	}
	if err := s.Stop(record("soon")); err == nil {
		t.Error("a set that does not run is stopped")
	}
}
