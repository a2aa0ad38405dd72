package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// edges is which of the project's packages each may import: a package by the first row
// that names it, or the shelf above it. A trailing /* takes all below. The README's
// "Hacking" part draws the same.
var edges = []struct {
	pkg string
	may []string
}{
	{"paths", nil},
	{"cooker", nil},
	{"cooker/rawtable", []string{"cooker"}},
	{"themes", nil},
	{"session", []string{"paths", "cooker", "session/system/sheet"}},
	{"session/system/httpclient", []string{"session", "session/system/osfile"}},
	{"session/system/store", []string{"session", "session/system/osfile"}},
	{"session/system/subprocess", []string{"session", "session/system/osfile"}},
	{"session/system/*", []string{"session"}},
	{"session/text/english", nil},
	{"session/text", []string{"session", "themes"}},
	{"session/words", []string{"paths", "session/system/sheet"}},

	{"session/wire/sidechannel", nil},
	{"session/wire/*", []string{"session", "cooker", "session/system/*", "session/wire/*"}},

	{"session/alert", []string{"session", "session/analysis/compare", "cooker", "paths"}},
	{"session/alert/journal/journaltest", []string{"session/alert", "session/alert/journal"}},
	{"session/alert/pipeline", []string{"session", "session/alert", "session/alert/*", "session/config", "session/system/lifetime", "paths"}},
	{"session/alert/ruleset", []string{"session", "session/alert", "session/alert/*", "session/config", "session/inventory", "session/record/bundle", "paths"}},
	{"session/alert/daemon", []string{"session", "session/alert", "session/alert/*", "session/engine/push", "session/inventory", "session/inventory/roster", "session/record/desk", "session/record/note", "session/record/note/*"}},
	{"session/alert/standing", []string{"session", "session/alert", "session/text", "themes", "paths"}},
	{"session/alert/*", []string{"session", "session/alert", "session/config", "session/engine/prom", "session/system/*", "cooker", "paths"}},

	{"session/config", []string{"session", "session/alert", "session/system/*", "session/words", "cooker", "paths"}},
	{"session/logon", []string{"session", "session/config", "session/system/*", "session/wire/rpc", "paths"}},

	{"session/inventory", []string{"session", "session/config", "session/logon", "session/engine/*", "session/source/*", "session/system/*", "session/wire/rpc", "cooker", "paths"}},
	{"session/inventory/roster", []string{"session", "session/alert", "session/inventory", "session/logon", "paths"}},
	{"session/inventory/diagnosis", []string{"session", "session/inventory", "session/logon", "session/source/*", "session/wire/rpc", "paths"}},

	{"session/clocktest", []string{"session"}},
	{"session/source/fake/*", []string{"session", "session/source/fake"}},
	{"session/source/replay", []string{"session", "session/record/logs", "cooker", "paths"}},
	{"session/source/enumerate", []string{"session", "session/words", "cooker", "paths"}},
	{"session/source/local", []string{"session", "cooker"}},
	{"session/source/engine", []string{"session", "session/source/local", "session/engine/*", "cooker", "paths", "session/system/sheet"}},
	{"session/source/*", []string{"session", "session/source/*", "session/system/*", "session/wire/*", "cooker", "paths"}},

	{"session/record/blg", []string{"cooker", "session/wire/perflib"}},
	{"session/record/anonymous", []string{"session/system/lazy", "paths"}},
	{"session/record/note", []string{"session"}},
	{"session/record/collectorset", []string{"session", "session/record/naming", "paths"}},
	{"session/record/listing", nil},
	{"session/record/collectorset/edit", []string{"session", "session/config", "session/record/*", "paths"}},
	{"session/record/collectorset/sets", []string{"session", "session/config", "session/record/*", "session/system/*"}},
	{"session/record/collectorset/process", []string{"session", "session/alert", "session/alert/*", "session/inventory", "session/record/*", "paths"}},
	{"session/record/collectorset/runner", []string{"session", "session/alert", "session/record/*", "session/system/*", "paths"}},
	{"session/record/collectorset/tables", []string{"session", "session/record/*", "session/text", "cooker", "paths"}},
	{"session/record/plan", []string{"session", "session/config", "session/inventory", "session/record/*", "session/system/*"}},
	{"session/record/sampling", []string{"session", "session/inventory", "session/logon", "session/record/*", "paths"}},
	{"session/record/joined", []string{"session", "session/record/*", "session/source/replay", "cooker", "paths"}},
	{"session/record/past", []string{"session", "session/config", "session/record/logs", "cooker", "paths"}},
	{"session/record/bundle/packing", []string{"session", "session/alert", "session/alert/journal", "session/config", "session/inventory", "session/record/*", "session/system/*"}},
	{"session/record/bundle", []string{"session", "session/alert", "session/record/*", "session/system/*", "cooker", "paths"}},
	{"session/record/*", []string{"session", "session/record/*", "session/system/*", "session/wire/perflib", "session/engine/prom", "cooker", "paths"}},

	{"session/analysis/compare", []string{"cooker"}},
	{"session/analysis/kept", []string{"session"}},
	{"session/analysis/difference", []string{"session", "session/alert", "session/analysis/*", "session/inventory", "session/record/*", "session/source/replay", "session/system/output", "cooker", "paths"}},
	{"session/analysis/explanation", []string{"session", "session/engine/prom", "session/record/logs", "session/text", "themes", "cooker"}},
	{"session/analysis/report/making", []string{"session", "session/alert", "session/alert/rulepack", "session/analysis/*", "session/inventory", "session/record/*", "session/source/replay"}},
	{"session/analysis/report", []string{"session", "session/alert", "session/alert/rulepack", "session/analysis/*", "session/record/*", "session/source/replay", "session/text", "themes", "cooker", "paths"}},
	{"session/analysis/*", []string{"session", "session/alert", "session/alert/rulepack", "session/analysis/*", "session/record/*", "session/source/replay", "cooker", "paths"}},

	{"session/windowscli", []string{"session", "session/record/*", "session/system/*", "paths"}},

	{"session/engine/exporter/job", []string{"session", "session/alert/rulepack", "session/engine/exporter", "session/inventory", "paths"}},
	{"session/engine/push/job", []string{"session", "session/alert/rulepack", "session/config", "session/engine/*", "session/inventory", "paths"}},
	{"session/engine/*", []string{"session", "session/engine/*", "session/system/*", "cooker", "paths"}},

	{"tui/canvas", []string{"themes"}},
	{"tui/terminal", []string{"session", "session/system/tty", "themes"}},
	{"tui/picture", []string{"session", "themes", "tui/canvas"}},
	{"tui/layout", nil},
	{"tui/kit/list", nil},
	{"tui/kit/filter", []string{"cooker"}},
	{"tui/kit/columns", []string{"themes", "tui/canvas"}},
	{"tui/kit/graph", []string{"session", "themes", "tui/canvas"}},
	{"tui/kit/meter", []string{"themes", "tui/canvas", "tui/kit/graph"}},
	{"tui/kit/lineedit", []string{"themes", "tui/canvas"}},
	{"tui/kit/names", []string{"session", "tui/canvas"}},
	{"tui/kit/scale", []string{"cooker"}},
	{"tui/kit/kind", []string{"session", "cooker", "paths", "tui/kit/scale"}},
	{"tui/kit/table", []string{"session", "cooker", "themes", "tui/canvas", "tui/kit/*"}},
	{"tui/keys", []string{"paths"}},
	{"tui/search", []string{"session/words", "paths"}},
	{"tui/chart", []string{"themes", "tui/canvas"}},
	{"tui", []string{"session", "session/alert", "session/record/listing", "session/record/note", "session/system/osfile", "session/system/tty", "session/words", "cooker", "paths", "themes", "tui/*"}},
	{"tui/pane", []string{"session", "session/analysis/kept", "session/alert", "session/record/listing", "session/record/note", "session/words", "cooker", "paths", "themes", "tui/canvas", "tui/chart", "tui/keys", "tui/kit/*", "tui/layout", "tui/search"}},
	{"tui/pane/moved", []string{"session", "session/analysis/compare", "session/analysis/kept", "cooker", "themes", "tui/canvas", "tui/keys", "tui/kit/*", "tui/layout", "tui/pane"}},
	{"tui/pane/*", []string{"session", "session/alert", "session/record/listing", "session/record/note", "session/engine/prom", "cooker", "paths", "themes", "tui/canvas", "tui/chart", "tui/keys", "tui/kit/*", "tui/layout", "tui/pane", "tui/search"}},
	{"tui/dialog", []string{"session", "session/alert", "session/words", "cooker", "paths", "themes", "tui/canvas", "tui/keys", "tui/kit/*", "tui/layout", "tui/pane", "tui/search"}},
	{"tui/panetest", []string{"session", "session/clocktest", "session/source/fake", "session/alert", "cooker", "paths", "themes", "tui/canvas", "tui/keys", "tui/layout", "tui/pane"}},
	{"cmd/perfdeck", []string{"*"}},
}

// leaves are what all may import but paths, cooker and themes: they import the standard library only.
var leaves = []string{"session/text/english", "session/system/backoff"}

// forTests is which packages only tests may import, whatever else the edges say.
var forTests = []string{"session/alert/journal/journaltest", "session/system/sharedtest", "tui/panetest", "session/source/fake/faketest", "session/clocktest", "session/wire/perflib/perflibtest", "session/wire/smbtest", "session/source/ssh/sshtest", "session/engine/enginetest"}

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
	{"github.com/zalando/go-keyring", []string{"session/logon"}},
	{"modernc.org", []string{"session/record/logs"}},
	{"github.com/klauspost/compress", []string{"session/engine/push"}},
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
		may, known := allowed(pkg)
		if !known {
			t.Errorf("%s is not in the picture: add it to edges and to the README", pkg)
			continue
		}
		for _, imp := range fields[1:] {
			checkImport(t, pkg, imp, may)
		}
	}
	if seen < 10 {
		t.Fatalf("go list knows only %d packages", seen)
	}
}

func checkImport(t *testing.T, pkg, imp string, may []string) {
	t.Helper()
	own, isOwn := strings.CutPrefix(imp, module+"/")
	switch {
	case isOwn && slices.Contains(forTests, own) && !slices.Contains(forTests, pkg):
		t.Errorf("%s imports %s: only tests may", pkg, own)
	case isOwn && !fits(may, own) && !(may != nil && fits(leaves, own)):
		t.Errorf("%s imports %s", pkg, own)
	case !isOwn && strings.Contains(imp, ".") && (pkg == "paths" || pkg == "cooker"):
		t.Errorf("%s imports %s: it may use the standard library only", pkg, imp)
	}
	if pkg == "cmd/perfdeck" && (imp == "sync" || imp == "sync/atomic") {
		t.Errorf("%s imports %s: what several goroutines use is application, not command", pkg, imp)
	}
	for _, o := range others {
		if strings.HasPrefix(imp, o.module) && !slices.ContainsFunc(o.by, func(by string) bool { return pkg == by || strings.HasPrefix(pkg, by+"/") }) {
			t.Errorf("%s imports %s: only %s may", pkg, imp, strings.Join(o.by, " and "))
		}
	}
}

func allowed(pkg string) ([]string, bool) {
	for _, e := range edges {
		if fits([]string{e.pkg}, pkg) {
			return e.may, true
		}
	}
	return nil, false
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
