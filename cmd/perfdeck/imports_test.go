package main

import (
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// edges is which of the project's packages each may import; a trailing /* takes
// all below. The README's "Hacking" part draws the same.
var edges = []struct {
	pkg string
	may []string
}{
	{"paths", nil},
	{"cooker", nil},
	{"themes", nil},
	{"session", []string{"paths", "cooker"}},
	{"session/files", []string{"session"}},
	{"session/alert", []string{"session", "cooker", "paths"}},
	{"session/program", []string{"session"}},
	{"session/feed", []string{"session/files", "session/program", "session/manifest", "session", "cooker", "paths"}},
	{"session/alert/*", []string{"session/files", "session/program", "session/prom", "session", "session/alert", "session/config", "cooker", "paths"}},
	{"session/config", []string{"session/files", "session", "session/alert", "cooker", "paths"}},
	{"session/perflib", []string{"session", "cooker"}},
	{"session/kept", []string{"session/files", "session", "session/config"}},
	{"session/rpc", []string{"session", "session/rpc/*"}},
	{"session/rpc/*", []string{"session/files", "session", "session/rpc/*"}},
	{"session/pcq", []string{"session", "cooker", "paths", "session/perflib", "session/rpc", "session/kept"}},
	{"session/hkpd", []string{"session", "cooker", "paths", "session/perflib", "session/rpc", "session/kept"}},
	{"session/logon", []string{"session/files", "session", "session/config", "session/rpc", "paths"}},
	{"session/winhost", []string{"session", "cooker", "paths", "session/rpc", "session/pcq", "session/hkpd", "session/kept"}},
	{"session/beside", nil},
	{"session/ssh", []string{"session/files", "session", "session/beside", "session/pcq", "session/program", "session/rpc"}},
	{"session/ssh/sshtest", []string{"session"}},
	{"session/pcq/server", []string{"session/beside", "session/files", "session", "cooker", "paths", "session/perflib", "session/rpc", "session/manifest", "session/fake"}},
	{"session/local", []string{"session", "cooker"}},
	{"session/manifest", []string{"session", "cooker", "paths"}},
	{"session/blg", []string{"cooker", "session/perflib"}},
	{"session/prom", []string{"session", "cooker", "paths"}},
	{"session/exporter", []string{"session/files", "session/prom", "session", "cooker", "paths"}},
	{"session/prom/enginetest", []string{"session"}},
	{"session/push", []string{"session/files", "session/prom", "session", "cooker", "paths"}},
	{"session/logs", []string{"session/files", "session/prom", "session", "session/blg", "session/perflib", "cooker", "paths"}},
	{"session/replay", []string{"session", "session/logs", "cooker", "paths"}},
	{"session/compare", []string{"cooker"}},
	{"session/note", []string{"session"}},
	{"session/note/notebook", []string{"session", "session/files", "session/note"}},
	{"session/anonymous", []string{"paths"}},
	{"session/daybook", []string{"session/files", "session"}},
	{"session/bundle", []string{"session/alert", "session/anonymous", "session/daybook", "session/files", "session/logs", "session/note", "session", "cooker", "paths"}},
	{"session/report", []string{"session/alert", "session/compare", "session/logs", "session/note", "session/replay", "session", "cooker", "paths"}},
	{"session/naming", []string{"session", "paths"}},
	{"session/collector", []string{"session/files", "session", "session/logs", "session/naming", "session/note", "session/note/notebook", "session/program", "cooker", "paths"}},
	{"session/collectorset", []string{"session", "session/naming", "paths"}},
	{"session/collectorset/store", []string{"session/collectorset", "session/files", "session/naming", "paths"}},
	{"session/collectorset/runner", []string{"session", "session/alert", "session/collector", "session/collectorset", "session/collectorset/store", "session/files", "session/logs", "session/naming", "session/note/notebook", "paths"}},
	{"session/fake", []string{"session", "cooker"}},
	{"session/fake/faketest", []string{"session/fake"}},
	{"tui/canvas", []string{"themes"}},
	{"tui/terminal", []string{"session", "themes"}},
	{"tui/picture", []string{"session", "themes", "tui/canvas"}},
	{"tui/layout", nil},
	{"tui/kit/list", nil},
	{"tui/kit/filter", []string{"cooker"}},
	{"tui/kit/columns", []string{"themes", "tui/canvas"}},
	{"tui/kit/graph", []string{"themes", "tui/canvas"}},
	{"tui/kit/meter", []string{"themes", "tui/canvas", "tui/kit/graph"}},
	{"tui/kit/form", []string{"themes", "tui/canvas"}},
	{"tui/kit/names", []string{"session", "tui/canvas"}},
	{"tui/kit/scale", []string{"cooker"}},
	{"tui/kit/kind", []string{"session", "cooker", "paths", "tui/kit/names", "tui/kit/scale"}},
	{"tui/kit/table", []string{"session", "cooker", "themes", "tui/canvas", "tui/kit/*"}},
	{"tui/keys", []string{"paths"}},
	{"tui/search", []string{"paths"}},
	{"tui/chart", []string{"themes", "tui/canvas"}},
	{"tui", []string{"session", "session/alert", "session/note", "cooker", "paths", "themes", "tui/*"}},
	{"tui/pane", []string{"session", "session/alert", "session/note", "cooker", "paths", "themes", "tui/canvas", "tui/chart", "tui/keys", "tui/kit/*", "tui/layout"}},
	{"tui/pane/moved", []string{"session", "session/compare", "cooker", "themes", "tui/canvas", "tui/keys", "tui/kit/*", "tui/layout", "tui/pane"}},
	{"tui/pane/*", []string{"session", "session/alert", "session/note", "session/prom", "cooker", "paths", "themes", "tui/canvas", "tui/chart", "tui/keys", "tui/kit/*", "tui/layout", "tui/pane", "tui/search"}},
	{"tui/dialog", []string{"session", "session/alert", "cooker", "paths", "themes", "tui/canvas", "tui/keys", "tui/kit/*", "tui/layout", "tui/pane", "tui/search"}},
	{"tui/panetest", []string{"session", "session/fake", "session/alert", "cooker", "paths", "themes", "tui/canvas", "tui/keys", "tui/layout", "tui/pane"}},
	{"cmd/perfdeck", []string{"*"}},
}

// forTests is which packages only tests may import, whatever else the edges say.
var forTests = []string{"tui/panetest", "session/fake/faketest", "session/rpc/smbtest", "session/ssh/sshtest", "session/prom/enginetest"}

// others is which modules only these packages may import.
var others = []struct{ module, by string }{
	{"github.com/oiweiwei/go-msrpc", "session/rpc"},
	{"github.com/NimbleMarkets/ntcharts", "tui/chart"},
	{"charm.land/bubbletea", "tui"},
	{"github.com/spf13", "cmd/perfdeck"},
	{"github.com/zalando/go-keyring", "session/logon"},
	{"modernc.org", "session/logs"},
	{"github.com/klauspost/compress", "session/push"},
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
	case isOwn && slices.Contains(forTests, own):
		t.Errorf("%s imports %s: only tests may", pkg, own)
	case isOwn && !fits(may, own):
		t.Errorf("%s imports %s", pkg, own)
	case !isOwn && strings.Contains(imp, ".") && (pkg == "paths" || pkg == "cooker"):
		t.Errorf("%s imports %s: it may use the standard library only", pkg, imp)
	}
	for _, o := range others {
		if strings.HasPrefix(imp, o.module) && pkg != o.by && !strings.HasPrefix(pkg, o.by+"/") {
			t.Errorf("%s imports %s: only %s may", pkg, imp, o.by)
		}
	}
}

func allowed(pkg string) ([]string, bool) {
	for _, e := range edges {
		if e.pkg == pkg {
			return e.may, true
		}
	}
	for _, e := range edges {
		if ok, _ := path.Match(e.pkg, pkg); ok {
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
