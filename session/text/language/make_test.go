package language_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"flag"
	"fmt"
	"html"
	"os"
	"slices"
	"strings"
	"testing"

	"perfdeck/paths"
	"perfdeck/session/config/rulepack"
	"perfdeck/session/hosts/local"
	"perfdeck/session/system/sharedtest"
	"perfdeck/session/text/language"
)

var update = flag.Bool("update", false, "make names.zip and english.bin anew out of PAL's table")

// columns are the languages of PAL's table that it translates, English first.
var columns = []struct{ tag, attribute string }{
	{"en", "enUS"}, {"cs", "csCZ"}, {"de", "deDE"}, {"es", "esES"}, {"fr", "frFR"}, {"hu", "huHU"}, {"it", "itIT"}, {"nl", "nlNL"},
	{"pl", "plPL"}, {"pt-BR", "ptBR"}, {"pt-PT", "ptPT"}, {"sv", "svSE"}, {"tr", "trTR"},
}

type palNames struct {
	Attributes []xml.Attr `xml:",any,attr"`
	Counters   []palNames `xml:"CounterName"`
}

// cells are the names in the languages; what is as in English is "=".
func (p *palNames) cells() []string {
	var cells []string
	for _, c := range columns {
		name := ""
		for _, a := range p.Attributes {
			if a.Name.Local == c.attribute {
				name = strings.TrimSpace(html.UnescapeString(a.Value)) // some are escaped twice
			}
		}
		if len(cells) > 0 && name == cells[0] {
			name = language.Same
		}
		cells = append(cells, name)
	}
	return cells
}

// TestBuiltInNames holds what is built in against PAL's table.
func TestBuiltInNames(t *testing.T) {
	text, err := os.ReadFile(sharedtest.Path(t, "data/pal/clinthuffman_PAL__CounterLang.xml"))
	if err != nil {
		t.Fatal(err)
	}
	var pal struct {
		Objects []palNames `xml:"CounterObject"`
	}
	if err := xml.Unmarshal(text, &pal); err != nil {
		t.Fatal(err)
	}
	var keys []uint32
	add := func(object, counter string) {
		if keys = append(keys, language.Key(object, counter)); !*update && !language.IsEnglish(object, counter) {
			t.Errorf(`\%s\%s is not known to be English: go test -run BuiltIn -update`, object, counter)
		}
	}
	for _, set := range local.Countersets() {
		for i := range set.Counters {
			add(set.Name, set.Counters[i].Name)
		}
	}
	for _, set := range rulepack.Catalogue().Sets { // those that packs judge
		for i := range set.Counters {
			add(set.Name, set.Counters[i].Name)
		}
	}
	for _, pack := range rulepack.Names() {
		asked, err := rulepack.Paths(pack)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range asked {
			if p, err := paths.Parse(text); err == nil {
				add(p.Object, p.Counter)
			}
		}
	}
	var tags []string
	for _, c := range columns {
		tags = append(tags, c.tag)
	}
	head := strings.Join(tags, "\t") + "\n"
	files := map[string]string{"README.txt": "Names of performance counters, out of CounterLang.xml of PAL (github.com/clinthuffman/PAL at 7cfe6d8d, by Clint Huffman, MIT licence).\n"}
	objects := head
	order := []string{"README.txt", "objects.tsv"}
	for i := range pal.Objects {
		o := &pal.Objects[i]
		of := o.cells()
		line := strings.Join(of, "\t") + "\n"
		objects += line
		one := head + line
		for j := range o.Counters {
			cells := o.Counters[j].cells()
			one += "\t" + strings.Join(cells, "\t") + "\n"
			add(of[0], cells[0])
		}
		name := fmt.Sprintf("%d.tsv", i)
		files[name], order = one, append(order, name)
	}
	files["objects.tsv"] = objects

	slices.Sort(keys)
	var english bytes.Buffer
	for _, key := range slices.Compact(keys) {
		_ = binary.Write(&english, binary.BigEndian, key)
	}
	if *update {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		for _, name := range order {
			f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write([]byte(files[name])); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{"names.zip": out.Bytes(), "english.bin": english.Bytes()} {
			if err := os.WriteFile(name, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	r, err := zip.NewReader(bytes.NewReader(language.Packed), int64(len(language.Packed)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		var got bytes.Buffer
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := got.ReadFrom(in); err != nil || got.String() != files[f.Name] {
			t.Errorf("%s is not what the table has: go test -run BuiltIn -update", f.Name)
		}
	}
	if len(r.File) != len(files) {
		t.Errorf("names.zip has %d files and not %d", len(r.File), len(files))
	}
}
