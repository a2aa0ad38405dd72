package guard

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestGuardCatchesPanics(t *testing.T) {
	caught := make(chan *PanicError, 1)
	g := New(func(e *PanicError) { caught <- e })
	g.Go(func() { panic("boom") })
	var err error = <-caught
	var p *PanicError
	if !errors.As(err, &p) || p.Value != "boom" || !strings.Contains(string(p.Stack), "guard_test.go") {
		t.Errorf("caught %+v", err)
	}
	g.Go(func() {
		var s []int
		_ = s[len(caught)] // a panic of the runtime
	})
	if p = <-caught; p.Value.(runtime.Error) == nil || p.Error() == "" {
		t.Errorf("caught %+v", p)
	}
	g.Run(func() {})
	if len(caught) != 0 {
		t.Error("a panic was reported that never was")
	}
}

// Every goroutine is started by the guard: no other place has a go statement.
func TestGoroutinesStartThroughTheGuard(t *testing.T) {
	files, found := 0, 0
	err := filepath.WalkDir("../../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if name == "testdata" || name == "platest" || name == "scmtest" || // which only tests import
				strings.HasPrefix(name, ".") && name != ".." {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		files++
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if _, ok := n.(*ast.GoStmt); ok {
				found++
				if filepath.ToSlash(path) != "../../../session/system/guard/guard.go" {
					t.Errorf("%s: a go statement; use guard.Guard", fset.Position(n.Pos()))
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 || found == 0 {
		t.Errorf("only %d files and %d go statements were looked at", files, found)
	}
}

// A call that does not end is left behind; a panic is the caller's.
func TestAwait(t *testing.T) {
	done := 0
	if err := Await(t.Context(), func() { done++ }); err != nil || done != 1 {
		t.Errorf("%v, done %d times", err, done)
	}
	why := errors.New("told to end")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	hang := make(chan struct{})
	defer close(hang)
	if err := Await(ctx, func() { <-hang }); !errors.Is(err, why) {
		t.Errorf("a call that hangs: %v", err)
	}
	defer func() {
		if e, ok := recover().(*PanicError); !ok || e.Value != "boom" {
			t.Errorf("the panic is %v", e)
		}
	}()
	_ = Await(t.Context(), func() { panic("boom") })
}
