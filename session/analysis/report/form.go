package report

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"perfdeck/session"
)

// Form is a form of reports: a row is all it takes.
type Form struct {
	Name       string
	Extensions []string
	written    func(*Report, TextOptions) ([]byte, error)
}

// forms are all of them; that of terminals is the last.
var forms = []Form{
	{"html", []string{".html", ".htm"}, func(r *Report, _ TextOptions) ([]byte, error) { return r.compose(onScreen).page(), nil }},
	{"md", []string{".md", ".markdown"}, func(r *Report, _ TextOptions) ([]byte, error) { return r.compose(inProse).markdown(), nil }},
	{"json", []string{".json"}, func(r *Report, _ TextOptions) ([]byte, error) {
		var b bytes.Buffer
		err := r.WriteJSON(&b)
		return b.Bytes(), err
	}},
	{"text", []string{".txt"}, func(r *Report, o TextOptions) ([]byte, error) { return r.compose(onTerminal).text(o), nil }},
}

// Write writes a report in this form.
func (f *Form) Write(r *Report, w io.Writer, o TextOptions) error {
	text, err := f.written(r, o)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// FormNames are the names of the forms.
func FormNames() []string {
	names := make([]string, len(forms))
	for i := range forms {
		names[i] = forms[i].Name
	}
	return names
}

// Extensions are what names of reports end in, in words.
func Extensions() string {
	names := make([]string, len(forms))
	for i := range forms {
		names[i] = forms[i].Extensions[0]
	}
	return session.Either(names)
}

// FormOf is the form of a name, else that of a file; without both it is that of terminals.
func FormOf(name, file string) (*Form, error) {
	for i := range forms {
		one := &forms[i]
		if name == one.Name || name == "" && slices.Contains(one.Extensions, strings.ToLower(filepath.Ext(file))) {
			return one, nil
		}
	}
	known := "forms: " + strings.Join(FormNames(), ", ") + " (-f), or a name that ends in " + Extensions()
	switch {
	case name != "":
		return nil, session.Usage(session.WithHint(fmt.Errorf("--format %s: no such form of reports", name), known))
	case file != "":
		return nil, session.Usage(session.WithHint(fmt.Errorf("report -o %s: its name tells no form of reports", file), known))
	}
	return &forms[len(forms)-1], nil
}
