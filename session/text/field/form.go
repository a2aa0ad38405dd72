package field

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"perfdeck/session/text/printable"
)

// Line is a line of a form.
type Line struct {
	Name         string // by which its value is asked for
	Label, Value string
	Unit         string   // shown beside the value
	Help         string   // shown while the line is edited
	Choices      []string // if set, the value is one of them
	Secret       bool     // dots stand for the value, which is forgotten with the form
	Check        func(value string) error
}

// Answers are the values of a form by the names of its lines, as they were typed.
type Answers map[string]string

// Get is the value of a line without blanks around it; empty if the form lacks it.
func (a Answers) Get(name string) string { return strings.TrimSpace(a[name]) }

// What stands for a switch in a line.
const (
	yes = "yes"
	no  = "no"
)

// joined are values as a line has them.
func (f *Field[S]) joined(v Values) string {
	if f.Joint == "" {
		return v.Text()
	}
	return strings.Join(v, strings.TrimSpace(f.Joint[:1])+" ")
}

// value is what the line of a field holds.
func (f *Field[S]) value(s S) string {
	switch v := f.Values(s); {
	case len(v) == 0:
		return f.Empty
	case f.Kind != Switch:
		return printable.Text(f.joined(v))
	case v.Is():
		return yes
	}
	return no
}

// ranked are the rows as people read them.
func (rows Rows[S]) ranked() (out []*Field[S]) {
	for i := range rows {
		out = append(out, &rows[i])
	}
	slices.SortStableFunc(out, func(a, b *Field[S]) int { return cmp.Compare(a.Rank-1, b.Rank-1) }) // behind the highest is none
	return out
}

// Form are the lines of what can be said, as it is. Lines that do not fit are left out.
func (rows Rows[S]) Form(s S) (form []Line) {
	for _, f := range rows.ranked() {
		if f.Label == "" || f.Kind.IsList() && !f.fits(f.Values(s)) {
			continue
		}
		line := Line{Name: f.Name, Label: f.Label, Value: f.value(s), Help: f.Hint, Choices: f.Choices}
		if line.Help == "" {
			line.Help = f.Help
			if f.Sample != "" && line.Choices == nil {
				line.Help += " As " + f.Sample
			}
		}
		if f.Empty != "" && line.Choices != nil {
			line.Choices = append([]string{f.Empty}, line.Choices...)
		}
		form = append(form, line)
	}
	return form
}

// fits tells whether values can be edited in a line.
func (f *Field[S]) fits(v Values) bool {
	const most = 2000
	n := 0
	for _, text := range v {
		if n += len(text); n > most || strings.ContainsAny(text, f.Joint) {
			return false
		}
	}
	return true
}

// Answered are the answers of a form that are others than its values, as changes. What is not
// answered is not said.
func (rows Rows[S]) Answered(form []Line, all Answers) Changes {
	said := Changes{}
	for i := range rows {
		f := &rows[i]
		n := slices.IndexFunc(form, func(line Line) bool { return line.Name == f.Name })
		_, is := all[f.Name]
		switch answer := all.Get(f.Name); {
		case n < 0 || !is || answer == form[n].Value:
		case f.Means != nil:
			maps.Copy(said, f.Means(answer, all))
		default:
			said[f.Name] = f.read(answer)
		}
	}
	return said
}

// read is what an answer says.
func (f *Field[S]) read(answer string) Values {
	if f.Empty != "" && (answer == "" || answer == f.Empty) {
		return nil
	}
	return f.values(answer)
}

func (f *Field[S]) values(answer string) (v Values) {
	switch {
	case f.Joint != "":
		for part := range strings.FieldsFuncSeq(answer, func(r rune) bool { return strings.ContainsRune(f.Joint, r) }) {
			if part = strings.TrimSpace(part); part != "" {
				v = append(v, part)
			}
		}
		return v
	case f.Kind != Switch:
		return Values{answer}
	case answer == yes:
		return Values{"true"}
	}
	return Values{"false"}
}
