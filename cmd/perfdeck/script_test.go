package main

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"perfdeck/session"
	"perfdeck/session/hosts/local"
)

func TestMain(m *testing.M) {
	testscript.Main(ownState{m}, map[string]func(){
		"perfdeck": mainOfTests, "recorder": recorderMain, "typeperf": main, "relog": main, "logman": main,
	})
}

// ownState is tests that leave nothing in the state folder of who runs them.
type ownState struct{ *testing.M }

func (o ownState) Run() int {
	dir, err := os.MkdirTemp("", "state")
	if err == nil {
		defer os.RemoveAll(dir)
		err = os.Setenv("XDG_STATE_HOME", dir)
	}
	if err != nil {
		panic(err)
	}
	return o.M.Run()
}

// computerVariable is a folder with proc and sys of a made-up computer.
const computerVariable = "PERFDECK_TEST_COMPUTER"

// stepVariable sets the wall clock of the program, as somebody does with date: by a time,
// once a file is there, as in "-1h file". Monotonic times go on.
const stepVariable = "PERFDECK_TEST_STEP"

// serviceVariable is a folder with the state and the config of a service.
const serviceVariable = "PERFDECK_TEST_SERVICE"

// mainOfTests is the program; a made-up computer can stand for this one, and its clock
// be set.
func mainOfTests() {
	dir, step, place := os.Getenv(computerVariable), os.Getenv(stepVariable), os.Getenv(serviceVariable)
	if dir == "" && step == "" && place == "" {
		main()
		return
	}
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: os.Environ(), servicePlace: place}
	if dir == "" && step == "" {
		os.Exit(p.run(os.Args[1:]))
	}
	o := local.Options{}
	if dir != "" {
		o = local.Options{Host: "box", Proc: filepath.Join(dir, "proc"), Sys: filepath.Join(dir, "sys"), Run: filepath.Join(dir, "run")}
	}
	if by, file, ok := strings.Cut(step, " "); ok {
		d, err := time.ParseDuration(by)
		if err != nil {
			panic(err)
		}
		clock := &steppingClock{session.NewSystemClock(), d, file}
		p.clock = func() session.Clock { return clock }
		o.Now = func() time.Time { return clock.Now().Wall }
	}
	p.own = func() (session.Source, error) { return local.Open(o) }
	os.Exit(p.run(os.Args[1:]))
}

// steppingClock is a system clock that is set when a file is there.
type steppingClock struct {
	*session.SystemClock
	by   time.Duration
	file string
}

func (c *steppingClock) Now() session.Instant {
	now := c.SystemClock.Now()
	if _, err := os.Stat(c.file); err == nil {
		now.Wall = now.Wall.Add(c.by)
	}
	return now
}

// TestScripts runs the program as a shell would.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("TZ", "UTC")
			e.Setenv("GORACE", "atexit_sleep_ms=0") // each command would sleep for a second at its end
			e.Setenv("XDG_CONFIG_HOME", e.WorkDir+"/config")
			e.Setenv("XDG_STATE_HOME", e.WorkDir+"/state")
			e.Values[plaKey] = &plaHosts{}
			return nil
		},
		Condition: func(name string) (bool, error) { return name == "root" && os.Geteuid() == 0, nil },
		Cmds:      map[string]func(*testscript.TestScript, bool, []string){"exitcode": exitCode, "waitfile": waitFile, "serving": serving, "expand": expand, "night": writeNight, "setback": writeSetBack, "unzipped": unzipped, "plahost": plaHost},
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

// waitFile waits until one of the files of a pattern has a second line.
func waitFile(ts *testscript.TestScript, neg bool, args []string) {
	for {
		files, _ := filepath.Glob(ts.MkAbs(args[0]))
		for _, file := range files {
			if data, err := os.ReadFile(file); err == nil && strings.Count(string(data), "\n") > 1 {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// unzipped unpacks an archive into a folder: unzipped FILE FOLDER.
func unzipped(ts *testscript.TestScript, _ bool, args []string) {
	archive, err := zip.OpenReader(ts.MkAbs(args[0]))
	ts.Check(err)
	defer archive.Close()
	for _, f := range archive.File {
		in, err := f.Open()
		ts.Check(err)
		text, err := io.ReadAll(in)
		ts.Check(err)
		file := filepath.Join(ts.MkAbs(args[1]), filepath.Base(f.Name))
		ts.Check(os.MkdirAll(filepath.Dir(file), 0o700))
		ts.Check(os.WriteFile(file, text, 0o600))
	}
}

// run is the program without its process: it returns the exit code.
func run(args []string, in, out, errOut *os.File, environ []string) int {
	return (&program{in: in, out: out, err: errOut, environ: environ}).runOrAsk(args)
}
