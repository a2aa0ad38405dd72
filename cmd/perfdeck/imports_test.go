package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// layers are the folders of the project in their order: a package imports what stands in the
// layers above its own, in its own, and nothing else. The README of session draws the same.
var layers = []string{
	"cooker", "paths", "themes", // without input or output
	"session/text", "session/system",
	"session", // the model and its beat
	"session/wire", "session/engine",
	"session/alert",
	"session/files",
	"session/config",
	"session/hosts", "session/recording",
	"session/deliver", "session/give",
	"session/analysis",
	"session/app", // what wires them
	"tui",
	"cmd/perfdeck",
}

// unseen is which layers the screens do not import: they are given what they show.
var unseen = []string{"session/hosts", "session/recording", "session/app"}

// layerOf is the place of the layer of a package, -1 if it has none.
func layerOf(pkg string) int {
	at, length := -1, -1
	for i, l := range layers {
		if under(pkg, l) && len(l) > length && (l != "session" || pkg == l || pkg == "session/clocktest") {
			at, length = i, len(l)
		}
	}
	return at
}

func under(pkg, folder string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") }

// ofScreens is which packages of tui each of them may import: a package by the first row that
// names it. A trailing /* takes all below.
var ofScreens = []struct {
	pkg string
	may []string
}{
	{"tui/canvas", nil},
	{"tui/terminal", nil},
	{"tui/picture", []string{"tui/canvas"}},
	{"tui/layout", nil},
	{"tui/kit/list", nil},
	{"tui/kit/filter", nil},
	{"tui/kit/columns", []string{"tui/canvas"}},
	{"tui/kit/graph", []string{"tui/canvas"}},
	{"tui/kit/meter", []string{"tui/canvas", "tui/kit/graph"}},
	{"tui/kit/lineedit", []string{"tui/canvas"}},
	{"tui/kit/names", []string{"tui/canvas"}},
	{"tui/kit/scale", nil},
	{"tui/kit/kind", []string{"tui/kit/scale"}},
	{"tui/kit/table", []string{"tui/canvas", "tui/kit/*"}},
	{"tui/keys", nil},
	{"tui/search", nil},
	{"tui/chart", []string{"tui/canvas"}},
	{"tui", []string{"tui/*"}},
	{"tui/pane", []string{"tui/canvas", "tui/chart", "tui/keys", "tui/kit/*", "tui/layout", "tui/search"}},
	{"tui/pane/moved", []string{"tui/canvas", "tui/keys", "tui/kit/*", "tui/layout", "tui/pane"}},
	{"tui/pane/*", []string{"tui/canvas", "tui/chart", "tui/keys", "tui/kit/*", "tui/layout", "tui/pane", "tui/search"}},
	{"tui/dialog", []string{"tui/canvas", "tui/keys", "tui/kit/*", "tui/layout", "tui/pane", "tui/search"}},
	{"tui/panetest", []string{"tui/canvas", "tui/keys", "tui/layout", "tui/pane"}},
}

// leaves are what all may import but paths, cooker and themes: they import the standard library only.
var leaves = []string{"session/text/english", "session/system/backoff"}

// forTests is which packages only tests may import, whatever else the edges say.
var forTests = []string{"session/deliver/journal/journaltest", "session/system/sharedtest", "tui/panetest", "session/hosts/fake/faketest", "session/hosts/pla/platest", "session/clocktest", "session/wire/perflib/perflibtest", "session/wire/rpc/scm/scmtest", "session/wire/smbtest", "session/hosts/ssh/sshtest", "session/engine/enginetest", "session/files/formats/formatstest"}

// others is which modules only these packages may import.
var others = []struct {
	module string
	by     []string
}{
	{"github.com/oiweiwei/go-msrpc", []string{"session/wire/rpc"}},
	{"github.com/NimbleMarkets/ntcharts", []string{"tui/chart"}},
	{"charm.land/bubbletea", []string{"tui"}},
	{"charm.land/lipgloss", []string{"themes", "session/text"}},
	{"github.com/spf13", []string{"cmd/perfdeck"}},
	{"github.com/zalando/go-keyring", []string{"session/hosts/logon"}},
	{"modernc.org", []string{"session/files/formats/sqlite"}},
	{"github.com/klauspost/compress", []string{"session/give/push"}},
}

const module = "perfdeck"

// TestImportEdges holds the picture of the packages against their imports.
func TestImportEdges(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "../../...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		pkg := strings.TrimPrefix(fields[0], module+"/")
		seen++
		if layerOf(pkg) < 0 {
			t.Errorf("%s is in no layer", pkg)
		}
		for _, imp := range fields[1:] {
			checkImport(t, pkg, imp)
		}
	}
	if seen < 10 {
		t.Fatalf("go list knows only %d packages", seen)
	}
}

func checkImport(t *testing.T, pkg, imp string) {
	t.Helper()
	own, isOwn := strings.CutPrefix(imp, module+"/")
	switch {
	case isOwn && slices.Contains(forTests, own) && !slices.Contains(forTests, pkg):
		t.Errorf("%s imports %s: only tests may", pkg, own)
	case isOwn && layerOf(own) > layerOf(pkg):
		t.Errorf("%s imports %s, which stands in a layer below", pkg, own)
	case isOwn && under(pkg, "tui") && !slices.Contains(forTests, pkg) && slices.ContainsFunc(unseen, func(l string) bool { return under(own, l) }):
		t.Errorf("%s imports %s: screens are given what they show", pkg, own)
	case isOwn && under(pkg, "tui") && under(own, "tui") && !mayShow(pkg, own):
		t.Errorf("%s imports %s", pkg, own)
	case !isOwn && strings.Contains(imp, ".") && (pkg == "paths" || pkg == "cooker"):
		t.Errorf("%s imports %s: it may use the standard library only", pkg, imp)
	}
	if pkg == "cmd/perfdeck" && (imp == "sync" || imp == "sync/atomic") {
		t.Errorf("%s imports %s: what several goroutines use is application, not command", pkg, imp)
	}
	for _, o := range others {
		if strings.HasPrefix(imp, o.module) && !slices.ContainsFunc(o.by, func(by string) bool { return under(pkg, by) }) {
			t.Errorf("%s imports %s: only %s may", pkg, imp, strings.Join(o.by, " and "))
		}
	}
}

func mayShow(pkg, own string) bool {
	for _, e := range ofScreens {
		if fits([]string{e.pkg}, pkg) {
			return fits(e.may, own)
		}
	}
	return false
}

func fits(may []string, pkg string) bool {
	return slices.ContainsFunc(may, func(m string) bool {
		head, all := strings.CutSuffix(m, "*")
		return m == pkg || all && strings.HasPrefix(pkg, head)
	})
}

// TestScreensDoNotLinkRPC keeps the protocols out of the screens.
func TestScreensDoNotLinkRPC(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "../../tui/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "github.com/oiweiwei/go-msrpc") {
			t.Fatalf("tui links %s", line)
		}
	}
}

// TestTopLevel keeps the top level to what the README shows.
func TestTopLevel(t *testing.T) {
	known := []string{"go.mod", "go.sum", "cmd", "tui", "session", "cooker", "paths", "themes", "README.md", "LICENSE", "CHANGELOG.md"}
	cmd := exec.Command("git", "ls-tree", "--name-only", "HEAD")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("no git checkout: %v", err)
	}
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		if !strings.HasPrefix(name, ".") && !slices.Contains(known, name) {
			t.Errorf("%s at the top level", name)
		}
	}
}

// TestPlacesAreThere: files and folders that the README of session sends a developer to.
func TestPlacesAreThere(t *testing.T) {
	text, err := os.ReadFile("../../session/README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(text), "\n## Packages")
	_, tables, _ := strings.Cut(before, "\n## What is where")
	places := regexp.MustCompile("`([a-z]+(?:/[a-zA-Z_.]+)+)`").FindAllStringSubmatch(tables, -1)
	for _, place := range places {
		name := strings.ReplaceAll(place[1], "NAME", "*")
		if found, err := filepath.Glob("../../" + name); err != nil || len(found) == 0 {
			t.Errorf("%s is not there", place[1])
		}
	}
	if len(places) < 30 {
		t.Errorf("only %d places", len(places))
	}
}
