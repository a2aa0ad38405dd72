package formats

import "testing"

// Each use has one format that can be put to it, and Windows' names mean one format each.
func TestUsualFormats(t *testing.T) {
	for use, can := range map[Use]func(*Format) bool{
		ToRecord:  func(f *Format) bool { return records(f) && f.KeepsRaw },
		ToConvert: func(f *Format) bool { return records(f) && prints(f) },
		ToRead:    prints,
		ToHear:    prints,
	} {
		n := 0
		for i := range formats {
			if formats[i].usual&use != 0 {
				n++
			}
		}
		if f := Usual(use); n != 1 || !can(f) {
			t.Errorf("use %d: %d formats, the first is %s", use, n, f.Name)
		}
	}
	names := WindowsNames()
	for _, name := range names {
		f, ok := OfWindows(name)
		if !ok || !records(f) || f.Windows.Told == "" {
			t.Errorf("%s means %+v", name, f)
		}
	}
	if f, ok := OfWindows(""); ok || len(names) != 4 {
		t.Errorf("%q; no name means %+v", names, f)
	}
}

// What says nothing of its format is printed as is usual for the screen or for files; a name wins
// over an extension.
func TestPrintFormats(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"", "", Usual(ToRead).Name}, {"", "x", Usual(ToConvert).Name}, {"", "x.unknown", Usual(ToConvert).Name},
		{"", "x.ndjson", "json"}, {"jsonl", "x.csv", "json"}, {"TSV", "", "tsv"}, {"sqlite", "", ""}, {"none", "x.csv", ""},
	} {
		got := ""
		if f, ok := PrintFormat(c.name, c.file); ok {
			got = f.Name
		}
		if got != c.want {
			t.Errorf("-f %q -o %q: %q, want %q", c.name, c.file, got, c.want)
		}
	}
}
