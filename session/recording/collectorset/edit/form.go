package edit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"perfdeck/session/files/listing"
	"perfdeck/session/recording/collectorset/store"
)

// gap stands between paths, or thresholds, in a line of a form.
const gap = "; "

// linesOf has an answer be several values of a field.
func linesOf(field string) func(string, listing.Answers) Changes {
	return func(value string, _ listing.Answers) Changes {
		var lines []string
		for text := range strings.SplitSeq(value, ";") {
			if text = strings.TrimSpace(text); text != "" {
				lines = append(lines, text)
			}
		}
		if len(lines) == 0 {
			return nil
		}
		return Changes{field: lines}
	}
}

// Form are the fields of a set that a form has, as they are. Those that do not fit a line
// are left out.
func Form(e *store.Entry) (form []listing.FormField, err error) {
	one, err := meant(e.Set, nil)
	if err != nil {
		return nil, err
	}
	if one == nil {
		return nil, fmt.Errorf("the set %s has nothing that is run here", e.Set.Name)
	}
	s := &subject{e, one}
	for i := range fields {
		f := &fields[i]
		if f.text == nil || !s.has(f) || f.Kind == Lines && !fitsLine(slices.Concat(one.Counters, one.Alerts)) {
			continue
		}
		form = append(form, listing.FormField{Name: f.Name, Label: f.line.label, Value: f.text(s), Help: f.line.help, Choices: f.line.choices})
	}
	return form, nil
}

// fitsLine tells whether paths can be edited in a line.
func fitsLine(lines []string) bool {
	const most = 2000
	n := 0
	for _, text := range lines {
		if n += len(text); n > most || strings.Contains(text, ";") {
			return false
		}
	}
	return true
}

// Answered are the answers of a form that are others than its values, as changes.
func Answered(form []listing.FormField, all listing.Answers) Changes {
	said := Changes{}
	for i := range fields {
		f := &fields[i]
		n := slices.IndexFunc(form, func(one listing.FormField) bool { return one.Name == f.Name })
		if n < 0 || all.Get(f.Name) == form[n].Value {
			continue
		}
		value := all.Get(f.Name)
		if value == "" {
			value = f.line.empty
		}
		if f.line.means == nil {
			said[f.Name] = []string{value}
			continue
		}
		maps.Copy(said, f.line.means(value, all))
	}
	return said
}

// LacksLines tells of answers that take all counters or thresholds away, which no change
// says.
func LacksLines(form []listing.FormField, all listing.Answers) bool {
	return slices.ContainsFunc(form, func(one listing.FormField) bool {
		n := slices.IndexFunc(fields, func(f Field) bool { return f.Name == one.Name })
		return n >= 0 && fields[n].Kind == Lines && strings.Trim(all.Get(one.Name), gap) == ""
	})
}
