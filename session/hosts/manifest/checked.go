package manifest

import (
	"fmt"
	"io"
	"slices"

	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// Checked are manifests with what is wrong in each, by itself and beside the others.
type Checked struct {
	Files    []*File
	Problems [][]Problem // of each file
}

// Check reads manifests by their names, up to a size, and checks them.
func Check(names []string, read func(name string, most int64) ([]byte, error)) (*Checked, error) {
	c := &Checked{}
	byName := map[string]int{}
	for i, name := range names {
		data, err := read(name, MaxBytes)
		if err != nil {
			return nil, fmt.Errorf("read manifest: %w", err)
		}
		file, problems := Parse(name, data)
		c.Files = append(c.Files, file)
		c.Problems = append(c.Problems, problems)
		byName[name] = i
	}
	for _, problem := range CheckTogether(c.Files) {
		i := byName[problem.File]
		c.Problems[i] = append(c.Problems[i], problem)
	}
	return c, nil
}

// Verdict is an error when a file is not valid. The verb is what was to be done.
func (c *Checked) Verdict(verb string) error {
	bad := 0
	for _, problems := range c.Problems {
		if !Valid(problems) {
			bad++
		}
	}
	if bad == 0 {
		return nil
	}
	if len(c.Files) == 1 {
		return fmt.Errorf("manifest %s %s: the manifest is not valid", verb, c.Files[0].Name)
	}
	return fmt.Errorf("manifest %s: %d of %d manifests are not valid", verb, bad, len(c.Files))
}

// Catalogue gives the countersets of all files.
func (c *Checked) Catalogue() (sets []*session.Counterset) {
	for _, file := range c.Files {
		sets = slices.Concat(sets, file.Catalogue())
	}
	return sets
}

// WriteErrors writes what makes files invalid.
func (c *Checked) WriteErrors(w io.Writer) {
	for _, problems := range c.Problems {
		for _, problem := range problems {
			if problem.Severity == Error {
				problem.write(w)
			}
		}
	}
}

// write writes a problem with its hint.
func (p Problem) write(w io.Writer) {
	fmt.Fprintln(w, printable.Text(p.String()))
	if p.Hint != "" {
		fmt.Fprintf(w, "  hint: %s\n", printable.Text(p.Hint))
	}
}

// WriteProblems writes the problems of a file, each with its hint.
func WriteProblems(w io.Writer, problems []Problem) {
	for _, problem := range problems {
		problem.write(w)
	}
}

type jsonCheck struct {
	File     string    `json:"file"`
	Valid    bool      `json:"valid"`
	Problems []Problem `json:"problems"`
}

// WriteCheck writes the problems of each file, how many there are, and of a valid one
// what is left to other tools.
func (c *Checked) WriteCheck(w io.Writer, asJSON bool) error {
	for i, file := range c.Files {
		problems := c.Problems[i]
		if asJSON {
			if err := printable.WriteJSON(w, jsonCheck{file.Name, Valid(problems), append([]Problem{}, problems...)}); err != nil {
				return err
			}
			continue
		}
		WriteProblems(w, problems)
		failures := 0
		for _, problem := range problems {
			if problem.Severity == Error {
				failures++
			}
		}
		_, err := fmt.Fprintf(w, "%s: %s, %s\n", printable.Text(file.Name), english.Count(failures, "error", "errors"), english.Count(len(problems)-failures, "warning", "warnings"))
		if failures == 0 && err == nil {
			_, err = fmt.Fprintln(w, file.NotDone())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteDescriptions writes what the files declare.
func (c *Checked) WriteDescriptions(w io.Writer, asJSON bool) error {
	for i, file := range c.Files {
		if asJSON {
			if err := printable.WriteJSON(w, file); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		if _, err := io.WriteString(w, file.Text()); err != nil {
			return err
		}
	}
	return nil
}

type jsonPaths struct {
	File  string   `json:"file"`
	Paths []string `json:"paths"`
}

// WritePaths writes the counter paths of the files; hidden adds those of hidden counters.
func (c *Checked) WritePaths(w io.Writer, hidden, asJSON bool) error {
	for _, file := range c.Files {
		list := file.Paths(hidden)
		if asJSON {
			if err := printable.WriteJSON(w, jsonPaths{file.Name, append([]string{}, list...)}); err != nil {
				return err
			}
			continue
		}
		for _, path := range list {
			if _, err := fmt.Fprintln(w, printable.Text(path)); err != nil {
				return err
			}
		}
	}
	return nil
}
