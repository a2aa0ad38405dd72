package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"perfdeck/session"
	"perfdeck/session/local"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"perfdeck": mainOfTests, "recorder": recorderMain})
}

// computerVariable is a folder with proc and sys of a made-up computer.
const computerVariable = "PERFDECK_TEST_COMPUTER"

// mainOfTests is the program; a made-up computer can stand for this one.
func mainOfTests() {
	dir := os.Getenv(computerVariable)
	if dir == "" {
		main()
		return
	}
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: os.Environ(), own: func() (session.Source, error) {
		return local.Open(local.Options{Host: "box", Proc: filepath.Join(dir, "proc"), Sys: filepath.Join(dir, "sys")})
	}}
	os.Exit(p.run(os.Args[1:]))
}

// TestScripts runs the program as a shell would.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("TZ", "UTC")
			e.Setenv("GORACE", "atexit_sleep_ms=0") // each command would sleep for a second at its end
			e.Setenv("XDG_CONFIG_HOME", e.WorkDir+"/config")
			e.Setenv("XDG_STATE_HOME", e.WorkDir+"/state")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exitcode": exitCode, "waitfile": waitFile, "serving": serving, "expand": expand},
	})
}

// exitCode runs perfdeck and holds its exit code: exitcode 3 sample ...
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exitcode CODE ARGUMENT...")
	}
	want := args[0]
	err := ts.Exec("perfdeck", args[1:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != want {
		ts.Fatalf("exit code %s, want %s", got, want)
	}
}

// perfdeck runs the program inside the test.
func perfdeck(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	file := func(content string) *os.File {
		f, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		if _, err := f.WriteString(content); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Seek(0, 0); err != nil {
			t.Fatal(err)
		}
		return f
	}
	text := func(f *os.File) string {
		b, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	in, out, errOut := file(stdin), file(""), file("")
	code = run(args, in, out, errOut, []string{"TERM=dumb"})
	return text(out), text(errOut), code
}

// waitFile waits until a file has a second line.
func waitFile(ts *testscript.TestScript, neg bool, args []string) {
	for {
		data, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && strings.Count(string(data), "\n") > 1 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
