package store

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file says the version of its form, which who reads it does not see. One of another version is
// neither read nor written, and stays as it is; one that says none, or has a torn line of it, is of
// this one.
func TestForm(t *testing.T) {
	dir := t.TempDir()
	d := &Document{Name: filepath.Join(dir, "d"), Most: 1 << 10, Form: FormTOML}
	j := journal(dir)
	j.Form = FormJSON
	must(t, d.Write([]byte("a = 1\n")))
	must(t, j.Append([]byte("1\n"), true))
	must(t, j.Append([]byte("2\n"), true))
	is := func(name, want string) {
		t.Helper()
		if text, err := os.ReadFile(name); err != nil || string(text) != want {
			t.Errorf("%q, %v", text, err)
		}
	}
	is(d.Name, "form = 1\na = 1\n")
	is(j.Name, "{\"form\":1}\n1\n2\n")
	if text, err := d.Read(); err != nil || string(text) != "a = 1\n" {
		t.Errorf("%q, %v", text, err)
	}
	want(t, lines(t, j), "1", "2")
	want(t, lines(t, j))
	must(t, j.Look(func(iter.Seq[[]byte]) bool { return true }))
	is(j.Name, "{\"form\":1}\n1\n2\n")
	want(t, lines(t, j), "1", "2")

	for _, text := range []string{"a = 1\n", "form = 2\na = 1\n", "form = 12\n", "form = 2"} {
		must(t, os.WriteFile(d.Name, []byte(text), 0o600))
		newer := strings.HasPrefix(text, "form")
		if _, err := d.Read(); errors.Is(err, ErrForm) != newer {
			t.Errorf("%q: %v", text, err)
		}
		if err := d.Write(nil); errors.Is(err, ErrForm) != newer {
			t.Errorf("%q: %v", text, err)
		} else if newer {
			is(d.Name, text)
		}
	}
	for _, text := range []string{"{\"form\":2}\n1\n", "{\"form\":10}\n"} {
		must(t, os.WriteFile(j.Name, []byte(text), 0o600))
		other := journal(dir)
		other.Form = j.Form
		for _, err := range []error{
			other.Append([]byte("2\n"), false), other.Lines(func([]byte) {}), other.Read(func(iter.Seq[[]byte]) {}),
			other.Look(func(iter.Seq[[]byte]) bool { return true }), j.Append([]byte("2\n"), true),
		} {
			if !errors.Is(err, ErrForm) {
				t.Errorf("%q: %v", text, err)
			}
		}
		is(j.Name, text)
	}
	for cut := range len(FormJSON) {
		must(t, os.WriteFile(j.Name, []byte(FormJSON[:cut]), 0o600))
		torn := journal(dir)
		torn.Form = j.Form
		must(t, torn.Append([]byte("3\n"), true))
		if all := lines(t, torn); all[len(all)-1] != "3" {
			t.Errorf("cut at %d: %q", cut, all)
		}
	}
}
