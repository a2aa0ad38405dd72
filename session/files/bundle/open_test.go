package bundle

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// member is a file of an archive that a test makes.
type member struct {
	header zip.FileHeader
	text   []byte
}

// members are the files of a bundle.
func members(t testing.TB, file string) (out []member) {
	t.Helper()
	archive, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	for _, f := range archive.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, member{zip.FileHeader{Name: f.Name, Method: zip.Deflate}, text})
	}
	return out
}

// zipped writes an archive.
func zipped(t testing.TB, all []member) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := range all {
		h := all[i].header
		to, err := w.CreateHeader(&h)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = to.Write(all[i].text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return written(t, out.Bytes())
}

func written(t testing.TB, text []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x"+Extension)
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// manifestOf lets a test change the manifest.
func manifestOf(t testing.TB, all []member, change func(*Manifest)) {
	t.Helper()
	for i := range all {
		if all[i].header.Name != manifestName {
			continue
		}
		var m Manifest
		if err := json.Unmarshal(all[i].text, &m); err != nil {
			t.Fatal(err)
		}
		change(&m)
		text, err := json.Marshal(&m)
		if err != nil {
			t.Fatal(err)
		}
		all[i].text = text
	}
}

func find(all []member, name string) *member {
	for i := range all {
		if all[i].header.Name == name {
			return &all[i]
		}
	}
	return nil
}

// What is wrong with a bundle is told, and nothing of it is left.
func TestHostile(t *testing.T) {
	good, _ := pack(t, []Recording{{Title: "night", Reader: night(t, "night", "web01")}}, beside(t, "web01"), Options{})
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	part := func(change func(*Part)) func([]member) []member {
		return func(all []member) []member {
			manifestOf(t, all, func(m *Manifest) { change(&m.Parts[0]) })
			return all
		}
	}
	named := func(name string) func([]member) []member {
		return func(all []member) []member { return append(all, member{zip.FileHeader{Name: name}, []byte("x")}) }
	}
	for name, test := range map[string]struct {
		change func([]member) []member
		want   error
	}{
		"parent":    {named("../../evil"), errStranger},
		"absolute":  {named("/etc/evil"), errStranger},
		"backslash": {named(`..\evil`), errStranger},
		"drive":     {named(`C:evil`), errStranger},
		"empty":     {named(""), errStranger},
		"control":   {named("a\x1b]0;x\x07b"), errStranger},
		"folder":    {named("folder/"), errIrregular},
		"stranger":  {named("recording-2.db"), errStranger},
		"twice":     {func(all []member) []member { return append(all, all[0]) }, errTwice},
		"manifests": {func(all []member) []member { return append(all, *find(all, manifestName)) }, errTwice},
		"missing":   {func(all []member) []member { return all[1:] }, errMissing},
		"no slice": {func(all []member) []member {
			manifestOf(t, all, func(m *Manifest) { m.Parts = m.Parts[1:] })
			return all[1:]
		}, errNoSlice},
		"nothing":  {func([]member) []member { return nil }, errNoManifest},
		"newer":    {func(all []member) []member { manifestOf(t, all, func(m *Manifest) { m.Version = 3 }); return all }, errNewer},
		"other":    {func(all []member) []member { manifestOf(t, all, func(m *Manifest) { m.Format = "x" }); return all }, errManifest},
		"nonsense": {func(all []member) []member { find(all, manifestName).text = []byte("[]"); return all }, errManifest},
		"types": {func(all []member) []member {
			find(all, manifestName).text = []byte(`{"format":"perfdeck bundle","version":1,"parts":7}`)
			return all
		}, errManifest},
		"large": {func(all []member) []member {
			find(all, manifestName).text = bytes.Repeat([]byte(" "), mostManifest+1)
			return all
		}, errManifest},
		"hash":       {part(func(p *Part) { p.SHA256 = strings.Repeat("0", 64) }), errHash},
		"no hash":    {part(func(p *Part) { p.SHA256 = "" }), errHash},
		"size":       {part(func(p *Part) { p.Bytes++ }), errSize},
		"negative":   {part(func(p *Part) { p.Bytes = -1 }), errSize},
		"kind":       {part(func(p *Part) { p.Kind = "config" }), errKind},
		"evil name":  {part(func(p *Part) { p.Name = "../recording-1.db" }), errKind},
		"other name": {part(func(p *Part) { p.Name = "recording-01.db" }), errKind},
		"twice told": {func(all []member) []member {
			manifestOf(t, all, func(m *Manifest) { m.Parts = append(m.Parts, m.Parts[0]) })
			return all
		}, errTwice},
		"no SQLite": {func(all []member) []member {
			all[0].text = []byte(`"(PDH-CSV 4.0) (UTC)(0)","\\a\b\c"` + "\n")
			sum := sha256.Sum256(all[0].text)
			manifestOf(t, all, func(m *Manifest) {
				m.Parts[0].Bytes, m.Parts[0].SHA256 = int64(len(all[0].text)), hex.EncodeToString(sum[:])
			})
			return all
		}, errKind},
		"link": {func(all []member) []member {
			all[0].header.SetMode(os.ModeSymlink | 0o777)
			return all
		}, errIrregular},
		"device": {func(all []member) []member {
			all[0].header.SetMode(os.ModeDevice | 0o600)
			return all
		}, errIrregular},
		"bomb": {func(all []member) []member {
			all[0].text = make([]byte, roomyBytes+1)
			return all
		}, errBomb},
		"many": {func(all []member) []member {
			for i := range mostParts + 1 {
				all = append(all, member{zip.FileHeader{Name: fmt.Sprint(i)}, nil})
			}
			return all
		}, errDirectory},
	} {
		t.Run(name, func(t *testing.T) {
			file := zipped(t, test.change(members(t, good)))
			folder := t.TempDir()
			b, err := Open(t.Context(), file, folder)
			if !errors.Is(err, test.want) {
				t.Fatalf("%+v, %v; want %v", b, err, test.want)
			}
			if strings.ContainsAny(err.Error(), "\x1b\x07\n") || len(err.Error()) > 1000 {
				t.Errorf("%q", err)
			}
			isEmpty(t, folder)
		})
	}
	t.Run("torn", func(t *testing.T) {
		for n := 0; n < len(whole); n += max(len(whole)/steps(200), 1) {
			if _, err := Open(t.Context(), written(t, whole[:n]), t.TempDir()); !errors.Is(err, errTorn) && !errors.Is(err, errNoManifest) {
				t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
			}
		}
	})
	t.Run("flipped", func(t *testing.T) {
		for n := 0; n < len(whole); n += max(len(whole)/steps(300), 1) {
			bad := bytes.Clone(whole)
			bad[n] ^= 0x55
			folder := t.TempDir()
			if b, err := Open(t.Context(), written(t, bad), folder); err != nil {
				isEmpty(t, folder)
			} else if len(b.Files) != 1 {
				t.Fatalf("byte %d: %+v", n, b)
			}
		}
	})
}

// steps is how many places are tried.
func steps(whole int) int {
	if testing.Short() {
		return whole / 10
	}
	return whole
}

// isEmpty: no file was left, nor any beside the folder.
func isEmpty(t testing.TB, folder string) {
	t.Helper()
	_ = filepath.Walk(folder, func(name string, info os.FileInfo, _ error) error {
		if info != nil && !info.IsDir() {
			t.Errorf("%s is left", name)
		}
		return nil
	})
}

// patched is a bundle in whose directory and headers something was changed byte by byte.
func patched(t testing.TB, whole []byte, signature string, at int, value []byte) string {
	t.Helper()
	bad := bytes.Clone(whole)
	found := 0
	for i := 0; i+4 < len(bad); i++ {
		if string(bad[i:i+4]) == signature {
			copy(bad[i+at:], value)
			found++
		}
	}
	if found == 0 {
		t.Fatalf("no %q", signature)
	}
	return written(t, bad)
}

// What the directory says of its files is no truth.
func TestLies(t *testing.T) {
	good, _ := pack(t, []Recording{{Title: "night", Reader: night(t, "night", "web01")}}, beside(t, "web01"), Options{})
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	le32 := func(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }
	const central, end = "PK\x01\x02", "PK\x05\x06"
	for name, test := range map[string]struct {
		file string
		want []error
	}{
		"encrypted":  {patched(t, whole, central, 8, []byte{0x09, 0}), []error{errEncrypted}},
		"method":     {patched(t, whole, central, 10, []byte{14, 0}), []error{errPacked}},
		"smaller":    {patched(t, whole, central, 24, le32(10)), []error{errSize, errManifest, errTorn, errHash}},
		"larger":     {patched(t, whole, central, 24, le32(1<<20)), []error{errSize, errManifest, errTorn}},
		"huge":       {patched(t, whole, central, 24, le32(0xfffffffe)), []error{errBomb, errLarge}},
		"packed":     {patched(t, whole, central, 20, le32(5)), []error{errSize, errTorn, errHash}},
		"offset":     {patched(t, whole, central, 42, le32(0x7fffffff)), []error{errTorn}},
		"crc":        {patched(t, whole, central, 16, le32(7)), []error{errHash, errTorn}},
		"zip64 size": {patched(t, whole, central, 24, le32(0xffffffff)), []error{errTorn, errLarge, errBomb}},
		"count":      {patched(t, whole, end, 10, []byte{0xfe, 0xff}), []error{errDirectory}},
		"count 0":    {patched(t, whole, end, 10, []byte{0, 0}), []error{errTorn, errNoManifest}},
		"directory":  {patched(t, whole, end, 16, le32(0xfffffff0)), []error{errTorn}},
	} {
		folder := t.TempDir()
		_, err := Open(t.Context(), test.file, folder)
		fine := false
		for _, want := range test.want {
			fine = fine || errors.Is(err, want)
		}
		if !fine {
			t.Errorf("%s: %v", name, err)
		}
		isEmpty(t, folder)
	}
}

// A file that says that it has a hundred million files in it, or has a directory of them,
// takes neither time nor memory.
func TestDirectoryOfMillions(t *testing.T) {
	const size = 3 << 30
	name := filepath.Join(t.TempDir(), "x"+Extension)
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	end64 := make([]byte, 56)
	copy(end64, "PK\x06\x06")
	binary.LittleEndian.PutUint64(end64[4:], 44)
	binary.LittleEndian.PutUint64(end64[24:], 100<<20)
	binary.LittleEndian.PutUint64(end64[32:], 100<<20)
	locator := make([]byte, 20)
	copy(locator, "PK\x06\x07")
	binary.LittleEndian.PutUint64(locator[8:], size)
	binary.LittleEndian.PutUint32(locator[16:], 1)
	end := make([]byte, 22)
	copy(end, "PK\x05\x06\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
	if _, err := f.WriteAt(bytes.Join([][]byte{end64, locator, end}, nil), size); err != nil { // sparse
		t.Skip("no sparse file: ", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	expectCheap(t, name)

	// A directory of 200,000 files without any content.
	var many bytes.Buffer
	entry := append([]byte("PK\x01\x02"), make([]byte, 42)...)
	binary.LittleEndian.PutUint16(entry[28:], 8) // of the name
	for i := range 200_000 {
		many.Write(entry)
		fmt.Fprintf(&many, "%08d", i)
	}
	length := many.Len()
	many.WriteString("PK\x05\x06\x00\x00\x00\x00")
	_ = binary.Write(&many, binary.LittleEndian, []uint16{200_000 % 65536 * 0, 200_000 & 0xffff})
	_ = binary.Write(&many, binary.LittleEndian, []uint32{uint32(length), 0})
	many.Write([]byte{0, 0})
	expectCheap(t, written(t, many.Bytes()))
}

func expectCheap(t *testing.T, name string) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	if _, err := Open(t.Context(), name, t.TempDir()); !errors.Is(err, errDirectory) && !errors.Is(err, errTorn) {
		t.Errorf("%v", err)
	}
	if Is(name) {
		t.Error("it is a bundle")
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
		t.Errorf("%d MB were allocated", n>>20)
	}
	t.Logf("%v", time.Since(began))
}

// What stands beside recordings is foreign: lines that are none are left out and counted,
// and no rule comes with an action.
func TestDamagedLines(t *testing.T) {
	good, _ := pack(t, []Recording{{Title: "night", Reader: night(t, "night", "web01")}}, beside(t, "web01"), Options{})
	all := members(t, good)
	for name, add := range map[string]string{
		"rules.jsonl": `{"name":"evil","when":"\\A\\B>1","severity":"warning","then":["task:rm","webhook:x"],"cleared":["file:/etc/passwd"],"text":"x"}` + "\n" +
			`{"name":"bad","when":"nonsense","severity":"warning"}` + "\n" + "{\n",
		"decks.jsonl":  `{"name":"","panes":[]}` + "\n" + `{"name":"x","panes":[{"paths":["no path"]}]}` + "\n" + `{"name":"x","layout":"evil","panes":[{"paths":["\\A\\B"]}]}` + "\n",
		"events.jsonl": `{"seq":1,"time":"2026-03-02T03:00:00Z","event":"exploded","severity":"warning"}` + "\n" + strings.Repeat("x", mostLine+1) + "\n",
		"log.jsonl":    `{"time":"2026-03-02T03:00:00Z","level":"shout","text":"x"}` + "\n",
		"notes.jsonl":  `{"text":"no time"}` + "\n",
	} {
		m := find(all, name)
		m.text = append(m.text, add...)
		sum := sha256.Sum256(m.text)
		manifestOf(t, all, func(man *Manifest) {
			for i := range man.Parts {
				if man.Parts[i].Name == name {
					man.Parts[i].Bytes, man.Parts[i].SHA256 = int64(len(m.text)), hex.EncodeToString(sum[:])
				}
			}
		})
	}
	b := unpack(t, zipped(t, all))
	if b.Damaged != 9 || len(b.Rules) != 2 || len(b.Decks) != 1 || len(b.Log) != 2 {
		t.Errorf("%d damaged, %+v", b.Damaged, b.Extras)
	}
	for _, r := range b.Rules {
		if len(r.Actions)+len(r.OnClear) > 0 || r.Text != "" || r.Origin != "" {
			t.Errorf("%+v", r)
		}
	}
}

// Titles are names of files only as far as they are harmless.
func TestFileTitle(t *testing.T) {
	for title, want := range map[string]string{
		"night": "night", "../../etc/passwd": "_.._etc_passwd", `C:\x`: "C__x", "": "recording ", "con": "recording con", "NUL.txt": "recording NUL.txt",
		"COM¹": "recording COM¹", "lpt0": "recording lpt0", "nul .x": "recording nul .x",
		"a\x1b[2Jb": "a__2Jb", "日本": "日本", "...": "recording ", "x\u202egpj": "x_gpj",
	} {
		if got := fileTitle(title); got != want {
			t.Errorf("%q is %q, want %q", title, got, want)
		}
	}
	if got := fileTitle(strings.Repeat("日", 500)); len(got) > 255-3 {
		t.Errorf("%d bytes", len(got))
	}
}

// FuzzOpen gives any bytes to the opener: it ends with an error or a bundle, in bounded
// memory, and leaves nothing of what it refused.
func FuzzOpen(f *testing.F) {
	good, _ := pack(f, []Recording{{Title: "night", Reader: night(f, "night", "web01")}}, beside(f, "web01"), Options{})
	whole, err := os.ReadFile(good)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		name := filepath.Join(dir, fmt.Sprint(os.Getpid()))
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(dir, fmt.Sprint("f", os.Getpid()))
		defer os.RemoveAll(folder)
		b, err := Open(t.Context(), name, folder)
		if err != nil {
			isEmpty(t, folder)
			return
		}
		for _, r := range b.Rules {
			if len(r.Actions)+len(r.OnClear) > 0 || r.Check() != nil {
				t.Fatalf("%+v", r)
			}
		}
		for _, name := range b.Files {
			if !strings.HasPrefix(name, folder+string(filepath.Separator)) {
				t.Fatal(name)
			}
		}
	})
}
