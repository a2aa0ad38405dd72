package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"perfdeck/session/system/sharedtest"
)

// fullDisk is a folder on a disk of its own that has so many bytes left.
func fullDisk(t *testing.T, left int) string {
	t.Helper()
	dir, size := t.TempDir(), 256<<10
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skipf("no disk of its own: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	fill := filepath.Join(dir, "fill")
	if err := os.WriteFile(fill, make([]byte, size-left), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Whatever writes a file makes a whole one or none under its name, and the hint names the disk.
func TestWritersOnFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := []byte(`"(PDH-CSV 4.0) (UTC)(0)","\\WEB1\Memory\Available MBytes","\\WEB1\Process(` + strings.Repeat("long", 2000) + `)\% Processor Time"` + "\r\n")
	for i := range 60 {
		text = fmt.Appendf(text, "\"03/01/2026 10:%02d:00.000\",\"%d\",\"5\"\r\n", i, 4000+i)
	}
	if err := os.WriteFile(filepath.Join(dir, "n.csv"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	runIn(t, dir, "collect", "create", "counter", "web", `\Memory\Available MBytes`)
	for _, left := range []int{0, 4096} {
		for _, line := range []string{
			"report n.csv -o new.html", "report n.csv -f json -o new", "relog n.csv -o new.csv", "relog n.csv -o new.db", "relog n.csv -o new.json",
			"bundle n.csv -o new.perfdeck", "collect export web -o new.xml", "alerts export --prometheus --pack disk -o new.yml", "alerts export --prometheus --pack disk -y -o new.yml",
			`sample -n 1 -o new.csv \Processor\ Information(*)\*`, `sample -n 1 -o new.prom \Processor\ Information(*)\*`,
			`record --min-free 0 -n 2 -i 0.1 -o new.csv \Processor\ Information(*)\*`, `record --min-free 0 -n 2 -i 0.1 -o new.json \Processor\ Information(*)\*`,
			`record --min-free 0 -n 2 -i 0.1 -o new.blg \Processor\ Information(*)\*`, `record --min-free 0 -n 2 -i 0.1 -o new.db --overwrite \Processor\ Information(*)\*`,
			`record --min-free 0 -n 2 -i 0.1 -o new.csv --overwrite \Processor\ Information(*)\*`,
			"typeperf -q -o new.txt", "typeperf -q -o new.txt -y", "relog n.csv -o new.tsv -f tsv",
		} {
			t.Run(fmt.Sprint(left, line), func(t *testing.T) {
				disk := fullDisk(t, left)
				args := strings.Split(strings.ReplaceAll(strings.ReplaceAll(line, `\ `, "\x00"), " new", " "+disk+"/new"), " ")
				program := binary(t)
				if args[0] == "typeperf" {
					program = filepath.Join(filepath.Dir(program), args[0])
					if err := os.Rename(filepath.Join(filepath.Dir(program), "perfdeck"), program); err != nil {
						t.Fatal(err)
					}
					args = args[1:]
				}
				for i := range args {
					args[i] = strings.ReplaceAll(args[i], "\x00", " ")
				}
				cmd := exec.CommandContext(t.Context(), program, args...)
				var errOut bytes.Buffer
				cmd.Dir, cmd.Env, cmd.Stderr = dir, stateOf(dir), &errOut
				err := cmd.Run()
				left, _ := os.ReadDir(disk)
				switch {
				case err == nil && len(left) == 2: // there was room
				case err == nil || len(left) != 1:
					t.Errorf("%v, %v is there: %s", err, left, errOut.String())
				case !strings.Contains(errOut.String(), "hint: make room on the disk of "+disk):
					t.Errorf("without a hint: %s", errOut.String())
				}
			})
		}
	}
}

// A state folder on a full disk is told with its folder; what was asked for is done.
func TestFullStateFolder(t *testing.T) {
	t.Parallel()
	disk := fullDisk(t, 0)
	for line, want := range map[string]bool{"note hello": false, `record -i 0.1 -n 2 -o n.csv \System\Threads`: true, `collect create counter web \System\Threads`: false} {
		cmd := exec.CommandContext(t.Context(), binary(t), strings.Split(line, " ")...)
		cmd.Dir, cmd.Env = t.TempDir(), stateOf(disk)
		out, err := cmd.CombinedOutput()
		if (err == nil) != want || !strings.Contains(string(out), "make room on the disk of "+disk) || strings.Contains(string(out), "XDG_STATE_HOME") {
			t.Errorf("%s: %v: %s", line, err, out)
		}
	}
}

// A full disk at the output of watch ends no judging: it is told once, and what was to be
// printed follows when there is room.
func TestWatchOnFullDisk(t *testing.T) {
	t.Parallel()
	disk, dir := fullDisk(t, 0), t.TempDir()
	out, err := os.Create(filepath.Join(disk, "events"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.CommandContext(t.Context(), binary(t), "watch", "-i", "1", "--alert", someMemory)
	cmd.Env, cmd.Stdout = stateOf(dir), out
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	lines := bufio.NewScanner(said)
	for !strings.Contains(lines.Text(), "no space left") {
		if !lines.Scan() {
			t.Fatalf("%q", lines.Text())
		}
	}
	runIn(t, dir, "note", "while it is full")
	if err := os.Remove(filepath.Join(disk, "fill")); err != nil {
		t.Fatal(err)
	}
	var text []byte
	sharedtest.Until(t, "the note", func() bool {
		text, _ = os.ReadFile(out.Name())
		return bytes.Contains(text, []byte("while it is full"))
	})
	if first, _, _ := strings.Cut(string(text), "\n"); !strings.Contains(first, "fired") || !strings.HasPrefix(first, "20") {
		t.Errorf("%q", text)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	var more []string
	for lines.Scan() {
		more = append(more, lines.Text())
	}
	if err := cmd.Wait(); err != nil || len(more) != 2 || !strings.HasPrefix(more[0], "hint: ") || !strings.HasPrefix(more[1], "perfdeck: watch ends: ") {
		t.Errorf("%v, %q", err, more)
	}
}

// What could not be printed is no success, whichever command it was; a recording goes on when
// nobody reads the names of its files.
func TestPrintedNowhere(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, line := range []string{"--help", "alerts", "relog --help", "version", "--version", "themes", "doctor local"} {
		cmd := exec.CommandContext(t.Context(), binary(t), strings.Split(line, " ")...)
		var errOut bytes.Buffer
		cmd.Env, cmd.Stdout, cmd.Stderr = stateOf(t.TempDir()), full, &errOut
		if err := cmd.Run(); err == nil || strings.Count(errOut.String(), "no space left") != 1 {
			t.Errorf("%s: %v: %s", line, err, errOut.String())
		}
	}
	dir := t.TempDir()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	defer w.Close()
	cmd := exec.CommandContext(t.Context(), binary(t), "record", "-i", "0.1", "-n", "4", "--segment-samples", "2", "-o", "n.csv", `\System\Threads`)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, stateOf(dir), w, w
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "n*.csv")); len(names) != 2 {
		t.Errorf("%q", names)
	}
}
