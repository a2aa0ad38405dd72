//go:build unix

package ssh

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// The script finds a copy in any shell that is somewhere called sh, and leaves to it
// what was sent on ahead; where that was for another perfdeck it is read away. It starts
// two processes for that.
func TestScriptInShells(t *testing.T) {
	t.Parallel()
	for _, sh := range []string{"sh", "dash", "bash --posix", "busybox sh", "zsh --emulate sh", "ksh", "mksh"} {
		t.Run(sh, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(sh)
			if _, err := exec.LookPath(args[0]); err != nil {
				t.Skip("needs the shell: ", err)
			}
			s := startScript(t, args)
			kernel := func(flag string) string {
				out, err := exec.Command("uname", flag).Output()
				must(t, err)
				return strings.TrimSpace(string(out))
			}
			fits := kernel("-s") + "/" + kernel("-m")
			s.hears("hello 2 " + strings.Replace(fits, "/", " ", 1))
			b := &binary{sum: s.hash, size: s.size}
			s.writes(wanted(&binary{sum: unknownSum, size: 7}, "1", 5, []string{"Plan9/mips"}) + "ahead")
			s.hears("other")
			s.writes(wanted(b, "1", 0, nil))
			s.hears("run " + s.file)
			s.writes("later")
			s.ends("served serve --stdio\nlater")

			s = startScript(t, args)
			s.writes(wanted(&binary{sum: s.hash, size: s.size}, "1", 5, []string{"Plan9/mips", fits}) + "ahead")
			s.hears("hello 2 " + strings.Replace(fits, "/", " ", 1))
			s.hears("run " + s.file)
			s.ends("served serve --stdio\nahead")
			if runtime.GOOS == "linux" && args[0] != "busybox" { // whose tools are its own
				if n := s.started(); n != "ls\nuname\n" {
					t.Errorf("it started %q", n)
				}
			}

			s = startScript(t, args)
			s.writes(wanted(&binary{sum: s.hash, size: s.size + 1}, "1", 5, []string{fits}) + "ahead")
			s.hears("hello 2 " + strings.Replace(fits, "/", " ", 1))
			s.hears("absent")
			s.ends("")
		})
	}
}

// scriptRun is the script in a shell of this computer, at a home with a perfdeck.
type scriptRun struct {
	t    *testing.T
	dir  string
	hash string
	file string // the perfdeck there
	size int64
	in   io.WriteCloser
	out  *bufio.Reader
	cmd  *exec.Cmd
}

func startScript(t *testing.T, shell []string) *scriptRun {
	t.Helper()
	s := &scriptRun{t: t, dir: filepath.Join(t.TempDir(), "a home"), hash: strings.Repeat("a", 64)}
	folder := filepath.Join(s.dir, ".cache/perfdeck", s.hash)
	s.file = filepath.Join(folder, "perfdeck")
	program := "#!/bin/sh\necho served \"$@\"\nexec cat\n"
	s.size = int64(len(program))
	must(t, os.MkdirAll(folder, 0o700))
	must(t, os.WriteFile(s.file, []byte(program), 0o700))
	must(t, os.WriteFile(filepath.Join(folder, "stamp"), nil, 0o600))
	info, err := os.Stat(s.file)
	must(t, err)
	must(t, os.Chtimes(filepath.Join(folder, "stamp"), info.ModTime(), info.ModTime()))
	must(t, os.Mkdir(filepath.Join(s.dir, "bin"), 0o700))
	for _, tool := range []string{"uname", "ls", "id", "head"} { // those count themselves
		found, err := exec.LookPath(tool)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(s.dir, "bin", tool), []byte("#!/bin/sh\necho "+tool+" >> '"+s.dir+"/started'\nexec "+found+" \"$@\"\n"), 0o700))
	}
	s.cmd = exec.Command(shell[0], append(shell[1:], "-c", script, "perfdeck", "word")...)
	s.cmd.Env = []string{"HOME=" + s.dir, "PATH=" + filepath.Join(s.dir, "bin") + ":" + os.Getenv("PATH"), "TIME_STYLE=long-iso", "BLOCK_SIZE=human-readable"}
	s.in, err = s.cmd.StdinPipe()
	must(t, err)
	out, err := s.cmd.StdoutPipe()
	must(t, err)
	s.out = bufio.NewReader(out)
	s.cmd.Stderr = os.Stderr
	must(t, s.cmd.Start())
	return s
}

func (s *scriptRun) writes(text string) {
	s.t.Helper()
	_, err := io.WriteString(s.in, text)
	must(s.t, err)
}

func (s *scriptRun) hears(want string) {
	s.t.Helper()
	line, err := s.out.ReadString('\n')
	if got := strings.TrimSpace(line); err != nil || got != "word "+want {
		_ = s.in.Close()
		s.t.Fatalf("%q, %v; want %q", got, err, want)
	}
}

// ends closes the input and holds what comes until the end.
func (s *scriptRun) ends(want string) {
	s.t.Helper()
	must(s.t, s.in.Close())
	rest, err := io.ReadAll(s.out)
	must(s.t, err)
	if err := s.cmd.Wait(); err != nil || string(rest) != want {
		s.t.Errorf("%q, %v; want %q", rest, err, want)
	}
}

// started are the tools that were started, in the order of their names, each once for
// every start.
func (s *scriptRun) started() string {
	text, err := os.ReadFile(filepath.Join(s.dir, "started"))
	must(s.t, err)
	lines := strings.SplitAfter(string(text), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}
