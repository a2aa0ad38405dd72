package destination

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/failure"
)

func isUsage(err error) bool {
	_, is := errors.AsType[*failure.UsageError](err)
	return is
}

// A set stands behind the name of an SQLite file, and nothing else is taken for one.
func TestSet(t *testing.T) {
	for _, c := range []struct {
		name, set   string
		file, inSet string
	}{
		{"night.db", "", "night.db", ""},
		{"night.db", "a", "night.db", "a"},
		{"night.db!a", "", "night.db", "a"},
		{"night.db!a", "a", "night.db", "a"},
		{"", "", "", ""},
		{"what!ever", "", "what!ever", ""},
	} {
		if file, set, err := Set("relog", c.name, c.set); err != nil || file != c.file || set != c.inSet {
			t.Errorf("%+v: %q, %q, %v", c, file, set, err)
		}
	}
	for _, c := range [][2]string{{"SQL:dsn!a"}, {"x.csv!a"}, {"x.db!"}, {"x.db!a", "b"}} {
		if _, _, err := Set("relog", c[0], c[1]); !isUsage(err) {
			t.Errorf("%q: %v", c, err)
		}
	}
}

// A format is that which is named, that of the file, or the usual one.
func TestFormat(t *testing.T) {
	for _, c := range [][3]string{{"x.db", "", "sqlite"}, {"x.db", "csv", "csv"}, {"x.CSV", "", "csv"}, {"x", "", "sqlite"}, {"", "", "sqlite"}, {"x.what", "csv", "csv"}, {os.DevNull, "", "sqlite"}} {
		if f, err := Format("relog", c[0], c[1], formats.ToRecord); err != nil || f.Name != c[2] {
			t.Errorf("%q: %v, %v", c, f, err)
		}
	}
	for _, c := range [][2]string{{"x.what"}, {"x.perfdeck"}, {"x.db", "what"}} {
		if f, err := Format("relog", c[0], c[1], formats.ToRecord); !isUsage(err) {
			t.Errorf("%q: %v, %v", c, f, err)
		}
	}
}

// What is read is not written to, whatever it is called.
func TestApart(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.db", "b.db"} {
		if err := os.WriteFile(name, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a.db", "link"); err != nil {
		t.Skip(err)
	}
	in, err := os.Open("a.db")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	whole, _ := filepath.Abs("a.db")
	for _, read := range []string{"a.db", "./a.db", whole, "link", "a.db!set", Stdio} {
		if err := Apart("report", "a.db", in, []string{"b.db"}, []string{read}); !isUsage(err) {
			t.Errorf("%s: %v", read, err)
		}
		for _, output := range []string{"new.db", "b.db", os.DevNull, "", "."} {
			if err := Apart("report", output, in, []string{read}); err != nil {
				t.Errorf("%s to %s: %v", read, output, err)
			}
		}
	}
}

// What samples are printed in is told by a name, or the file's; what is not printed is refused.
func TestPrint(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range [][3]string{{"", "", "table"}, {"x.tsv", "", "tsv"}, {"x", "", "csv"}, {"x.db", "csv", "csv"}, {"x.tsv", "json", "json"}} {
		if f, err := PrintFormat(c[0], c[1]); err != nil || f.Name != c[2] {
			t.Errorf("%q: %v, %v", c, f, err)
		}
	}
	for _, c := range [][2]string{{"x.db", ""}, {"", "what"}, {"", "sqlite"}} {
		if f, err := PrintFormat(c[0], c[1]); !isUsage(err) {
			t.Errorf("%q: %v, %v", c, f, err)
		}
	}
	csv, _ := PrintFormat("", "csv")
	for _, name := range []string{"new.csv", os.DevNull, "", "-"} {
		p, err := Print(csv, name, os.Stdout, logs.WriteOptions{})
		if err == nil {
			err = p.Close()
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Print(csv, "new.csv", os.Stdout, logs.WriteOptions{}); err == nil || failure.Hint(err) == "" {
		t.Errorf("a file that is there: %v", err)
	}
	if _, err := Print(csv, "none/new.csv", os.Stdout, logs.WriteOptions{}); err == nil {
		t.Error("a folder that is not there")
	}
}
