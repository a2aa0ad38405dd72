package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
)

// Form is a form of reports: a row is all it takes.
type Form struct {
	Name       string
	Extensions []string
	Write      func(*Report, io.Writer, TextOptions) error
}

// forms are all of them; that of terminals is the last.
var forms = []Form{
	{"html", []string{".html", ".htm"}, func(r *Report, w io.Writer, _ TextOptions) error { return put(w, r.compose(onScreen).page()) }},
	{"md", []string{".md", ".markdown"}, func(r *Report, w io.Writer, _ TextOptions) error { return put(w, r.compose(inProse).markdown()) }},
	{"json", []string{".json"}, func(r *Report, w io.Writer, _ TextOptions) error { return r.WriteJSON(w) }},
	{"text", []string{".txt"}, func(r *Report, w io.Writer, o TextOptions) error { return put(w, r.compose(onTerminal).text(o)) }},
}

func put(w io.Writer, text []byte) error {
	_, err := w.Write(text)
	return err
}

// FormNames are the names of the forms.
func FormNames() []string {
	return each(forms, func(f Form) string { return f.Name })
}

// Extensions are what names of reports end in, in words.
func Extensions() string {
	return english.Either(each(forms, func(f Form) string { return f.Extensions[0] }))
}

// FormOf is the form of a name, else that of a file; without both it is that of terminals.
func FormOf(name, file string) (*Form, error) {
	for _, one := range forms {
		if name == one.Name || name == "" && slices.Contains(one.Extensions, strings.ToLower(filepath.Ext(file))) {
			return &one, nil
		}
	}
	known := "forms: " + strings.Join(FormNames(), ", ") + " (-f), or a name that ends in " + Extensions()
	switch {
	case name != "":
		return nil, failure.Usage(failure.WithHint(fmt.Errorf("--format %s: no such form of reports", name), known))
	case file != "":
		return nil, failure.Usage(failure.WithHint(fmt.Errorf("report -o %s: its name tells no form of reports", file), known))
	}
	return &forms[len(forms)-1], nil
}
